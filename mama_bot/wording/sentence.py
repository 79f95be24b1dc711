"""A sentence of the service, in every language that it speaks."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mama_bot.wording.catalogues import translation
from mama_bot.wording.language import Language
from mama_bot.wording.particles import with_particle


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence in English and Korean, with its values as placeholders.

    Beside what `str.format` knows, a placeholder may count, `{count:attempt|attempts}` ("1 attempt", "3 attempts"), and
    take the Korean particle that fits, `{name:을/를}` ("파일을", "코드를"), with a backtick as code: ``{name:`을/를}``.
    A value may itself be a sentence.
    """

    en: str
    ko: str
    values: Mapping[str, object] = field(default_factory=dict, hash=False)

    def of(self, **values: object) -> "Said":
        """Return the sentence with its values, to be said later: `LARGER.of(size="3 MB")`."""
        return Said(self.en, self.ko, {**self.values, **values})

    def to(self, language: Language, **values: object) -> str:
        """Return the sentence in a language, with its values filled in: `STOPPED.to(Language.KOREAN, by="Kim")`.

        Raises KeyError for a placeholder without a value.
        """
        given = {**self.values, **values}
        rendered = {name: value.to(language) if isinstance(value, Said) else value for name, value in given.items()}
        return _FORMATTER.vformat(self.template(language), (), rendered)

    def template(self, language: Language) -> str:
        """Return the sentence in a language, as it is written, with its placeholders open."""
        if language == Language.ENGLISH:
            return self.en
        return self.ko if language == Language.KOREAN else translation(self.en, language)


def as_written(text: str, korean: str | None = None) -> Said:
    """Return a text that somebody wrote, such as a name: the same in every language, or with a Korean one beside it."""
    return Said(_plain(text), _plain(text if korean is None else korean))


def _plain(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


class _Formatter(string.Formatter):
    """`str.format` with counted nouns and Korean particles."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            singular, plural = format_spec.split("|")
            return f"{value:,} {singular if value == 1 else plural}"
        if "/" in format_spec:
            code = format_spec.startswith("`")
            return with_particle(f"`{value}`" if code else str(value), format_spec.removeprefix("`"))
        return str(super().format_field(value, format_spec))

    def check_unused_args(
        self, used_args: set[int | str], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:  # a language may leave out what another one says
        del used_args, args, kwargs


_FORMATTER = _Formatter()
