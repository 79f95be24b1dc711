"""Which of our two languages a text is in."""

import string

HANGUL_BYTES = (b"\xea", b"\xeb", b"\xec", b"\xed")  # what syllables begin with in UTF-8
LATIN_BYTES = string.ascii_letters.encode()


def is_korean(text: str) -> bool:
    """Whether Hangul outweighs Latin letters; one syllable weighs as much as two letters."""
    if text.isascii():
        return False
    data = text.encode(errors="replace")
    hangul = sum(map(data.count, HANGUL_BYTES))
    latin = len(data) - len(data.translate(None, LATIN_BYTES))
    return hangul * 2 > latin
