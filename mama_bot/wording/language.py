"""Which language a text is in."""

import string
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

HANGUL_BYTES = (b"\xea", b"\xeb", b"\xec", b"\xed")  # what syllables begin with in UTF-8
NAME_MARKS = (b".", b"/", b"_")
LATIN_BYTES = string.ascii_letters.encode()


class _Languages(type):
    """Lets `for language in Language` go through those that the service speaks."""

    def __iter__(cls) -> Iterator["Language"]:
        return iter(tuple(SPOKEN.values()))


class Language(str, metaclass=_Languages):
    """A language by its ISO 639-1 code; in one that the service does not speak it says its sentences in English.

    Open, unlike an enum: English and Korean stand in the code, each further one is a module of `wording/further`. There
    is one value for each that is spoken, so that `is` and `==` are the same.
    """

    __slots__ = ()

    ENGLISH: ClassVar["Language"]
    KOREAN: ClassVar["Language"]

    def __new__(cls, code: str) -> "Language":
        """Return the language of a code, `Language("ko")`: the one value of it where it is spoken."""
        return SPOKEN.get(code) or super().__new__(cls, code)

    @property
    def value(self) -> str:
        """The code: "en"."""
        return str(self)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> "CoreSchema":
        from pydantic_core import core_schema  # here: `mama-bot --help` does without it

        del source, handler
        return core_schema.no_info_after_validator_function(cls, core_schema.str_schema(max_length=8))

    def __repr__(self) -> str:
        return f"Language({str(self)!r})"


SPOKEN: dict[str, Language] = {}
SPOKEN["en"] = Language.ENGLISH = Language("en")
SPOKEN["ko"] = Language.KOREAN = Language("ko")


def has_hangul(text: str) -> bool:
    """Return whether a text holds a Korean syllable."""
    if text.isascii():
        return False
    data = text.encode(errors="replace")
    return any(lead in data for lead in HANGUL_BYTES)


def is_korean(text: str) -> bool:
    """Return whether Hangul outweighs Latin letters outside code and names: of "`a.py`를 고쳐 주세요" it does.

    One syllable weighs as much as two letters.
    """
    if text.isascii():
        return False
    data = text.encode(errors="replace")
    hangul = sum(map(data.count, HANGUL_BYTES))
    if not hangul:
        return False
    return hangul * 2 > _latin(data) or hangul * 2 > _latin(_without_names(data))


def _without_names(data: bytes) -> bytes:
    """Return what stands outside `code`, without file names and the like: they are the same in every language."""
    prose = b" ".join(data.split(b"`")[::2])
    return b" ".join(word for word in prose.split() if not any(mark in word.strip(b".,:;!?()") for mark in NAME_MARKS))


def _latin(data: bytes) -> int:
    return len(data) - len(data.translate(None, LATIN_BYTES))
