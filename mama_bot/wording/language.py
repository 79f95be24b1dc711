"""Which of our two languages a text is in, and names as they stand in our own lines."""

import string
from enum import StrEnum

HANGUL_BYTES = (b"\xea", b"\xeb", b"\xec", b"\xed")  # what syllables begin with in UTF-8
LATIN_BYTES = string.ascii_letters.encode()
_MARKUP = frozenset("`*_~|[]()<>\\")
_NAME_CHARACTERS = 80


class Language(StrEnum):
    """A language in which the service speaks to people; the value is its ISO 639-1 code."""

    ENGLISH = "en"
    KOREAN = "ko"


def language_of(text: str) -> Language:
    """Return the language that a text is written in: `language_of("테스트를 돌려 줘")` is `Language.KOREAN`."""
    return Language.KOREAN if is_korean(text) else Language.ENGLISH


def is_korean(text: str) -> bool:
    """Whether Hangul outweighs Latin letters; one syllable weighs as much as two letters."""
    if text.isascii():
        return False
    data = text.encode(errors="replace")
    hangul = sum(map(data.count, HANGUL_BYTES))
    latin = len(data) - len(data.translate(None, LATIN_BYTES))
    return hangul * 2 > latin


def plain_name(name: str) -> str:
    """A name that somebody chose, as it stands in a line of the service: no control characters, no markup."""
    words = "".join(one if one.isprintable() and one not in _MARKUP else " " for one in name).split()
    return " ".join(words)[:_NAME_CHARACTERS]
