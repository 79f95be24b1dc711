"""A sentence of the service, in every language that it speaks."""

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from mama_bot.wording.language import Language
from mama_bot.wording.particles import with_particle


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence in English and Korean, with its values as placeholders.

    Beside what `str.format` knows, a placeholder may count, `{count:attempt|attempts}` ("1 attempt", "3 attempts"), and
    take the Korean particle that fits, `{name:을/를}` ("파일을", "코드를").
    """

    en: str
    ko: str

    def to(self, language: Language, **values: object) -> str:
        """Return the sentence in a language, with its values filled in: `STOPPED.to(Language.KOREAN, by="Kim")`.

        Raises KeyError for a placeholder without a value.
        """
        return _FORMATTER.vformat(self.template(language), (), values)

    def template(self, language: Language) -> str:
        """Return the sentence in a language as it is written, with its placeholders open."""
        match language:
            case Language.ENGLISH:
                return self.en
            case Language.KOREAN:
                return self.ko
            case unexpected:
                assert_never(unexpected)


class _Formatter(string.Formatter):
    """`str.format` with counted nouns and Korean particles."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            singular, plural = format_spec.split("|")
            return f"{value:,} {singular if value == 1 else plural}"
        if "/" in format_spec:
            return with_particle(str(value), format_spec)
        return str(super().format_field(value, format_spec))

    def check_unused_args(
        self, used_args: set[int | str], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> None:  # a language may leave out what another one says
        del used_args, args, kwargs


_FORMATTER = _Formatter()
