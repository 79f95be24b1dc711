"""Which of our languages a text is in."""

import string
from enum import StrEnum

HANGUL_BYTES = (b"\xea", b"\xeb", b"\xec", b"\xed")  # what syllables begin with in UTF-8
LATIN_BYTES = string.ascii_letters.encode()


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
