"""Which language a text is in, and names as they stand in our own lines."""

import string
from typing import ClassVar

from pydantic_core import CoreSchema, core_schema

HANGUL_BYTES = (b"\xea", b"\xeb", b"\xec", b"\xed")  # what syllables begin with in UTF-8
LATIN_BYTES = string.ascii_letters.encode()
_MARKUP = frozenset("`*_~|[]()<>\\")
_NAME_CHARACTERS = 80


class Language(str):
    """A language by its ISO 639-1 code; in one that the service does not speak it says its sentences in English.

    English and Korean stand in the code; each further one is a module of `mama_bot/wording/further`.
    """

    __slots__ = ()

    ENGLISH: ClassVar["Language"]
    KOREAN: ClassVar["Language"]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> CoreSchema:
        del source, handler
        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema(max_length=8))

    def __repr__(self) -> str:
        return f"Language({str(self)!r})"


Language.ENGLISH = Language("en")
Language.KOREAN = Language("ko")


def is_korean(text: str) -> bool:
    """Whether Hangul outweighs Latin letters; one syllable weighs as much as two letters."""
    if text.isascii():
        return False
    data = text.encode(errors="replace")
    hangul = sum(map(data.count, HANGUL_BYTES))
    latin = len(data) - len(data.translate(None, LATIN_BYTES))
    return hangul * 2 > latin


def plain_name(name: str) -> str:
    """Return a name that somebody chose as it stands in a line of the service: no control characters, no markup."""
    words = "".join(sign if sign.isprintable() and sign not in _MARKUP else " " for sign in name).split()
    return " ".join(words)[:_NAME_CHARACTERS]
