"""What the files of rules and workflows share: names, texts, expressions, and where a value begins."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from mama_bot.wording import Said, as_written, one_line

NAME = r"^[a-z][a-z0-9_]{0,63}$"

Text = Annotated[str, Field(max_length=4_000)]


class Persons(BaseModel):
    """What a person is told, in both languages."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    en: Text
    ko: Text

    def sentence(self) -> Said:
        """Return it as it was written, each language on one line."""
        return as_written(one_line(self.en), one_line(self.ko))


def _in_both(value: object) -> object:
    """Return a plain text as one that is the same in both languages."""
    if isinstance(value, str):
        return {"en": value, "ko": value}
    if not isinstance(value, dict):
        raise ValueError("expected a text, or one in each language: {en: …, ko: …}")  # noqa: TRY004 - as pydantic has it
    return value


Purpose = Annotated[Persons, BeforeValidator(_in_both)]  # a text, or one in each language


def as_expression(value: object) -> object:
    """Return a value of YAML as an expression: `true` is read as a truth, and is one like any other."""
    return {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value


def as_name(value: object) -> str:
    """Return a name that a rule may have, made of one that it may not: `no_npm` of `No-npm`."""
    letters = "".join(sign if sign.isascii() and sign.isalnum() else "_" for sign in str(value).strip().lower())
    return (letters.strip("_").lstrip("0123456789_") or "no_force_push")[:64]


def value_offset(lines: Sequence[str], at: int) -> int:
    """Return 1 where the value of a key begins on the line below it (`when: |`)."""
    written = lines[at - 1].partition(":")[2].strip() if at <= len(lines) else ""
    return int(written.partition("#")[0].strip() in {"|", ">", "|-", ">-", "|+", ">+", ""})
