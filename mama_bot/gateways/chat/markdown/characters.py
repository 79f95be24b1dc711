"""Characters as the platforms count, strip and draw them."""

import unicodedata

from mama_bot.model import well_formed

ZERO_WIDTH_SPACE = "\u200b"
_ZERO_WIDTH_JOINER = "\u200d"
_REPLACEMENT = "\ufffd"
_UNWANTED: dict[int, str | None] = {
    **dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0xFEFF)),
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A))),  # they show words in another order
    **dict.fromkeys((0x0B, 0x0C), " "),
    **dict.fromkeys((0x0D, 0x85, 0x2028, 0x2029), "\n"),
    **dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), _REPLACEMENT),
}
_UNWANTED.pop(0x09)
_UNWANTED.pop(0x0A)
# What a style must not begin or end with, or the platform takes its mark for a word.
EDGES = "".join(
    map(chr, (*range(9, 14), 0x20, 0xA0, 0xAD, 0x1680, *range(0x2000, 0x2010), 0x202F, *range(0x205F, 0x2070), 0x3000))
)
# Letters and symbols by their category, but drawn as nothing: a message of these alone is empty to a platform.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


_MOST_FLAGS = 10_000


def cleaned(text: str) -> str:
    """Return a text without what no platform takes, or what moves words about.

    These are control characters, surrogates, other ends of lines, and marks that turn the direction of words.
    """
    if text.replace("\n", "").isprintable():
        return text
    return well_formed(text.replace("\r\n", "\n")).translate(_UNWANTED)


def utf16_units(text: str) -> int:
    """Return the length of a text as Telegram and Discord count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def is_visible(text: str) -> bool:
    """Return whether anything of a text is drawn."""
    return any(
        character not in _BLANK_LETTERS and unicodedata.category(character)[0] not in "ZCM" for character in text
    )


def columns(text: str) -> int:
    """Return how many columns a text takes in a monospaced face; letters of East Asia and emoji take two."""
    if text.isascii():
        return len(text)
    return sum(_columns_of(character) for character in text)


def _columns_of(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def may_break(text: str, position: int) -> bool:
    """Return whether a text may be cut there without tearing apart what is drawn as one."""
    if not 0 < position < len(text):
        return True
    before, after = text[position - 1], text[position]
    if before.isascii() and after.isascii():
        return True
    if _ZERO_WIDTH_JOINER in (before, after) or _joins(after):
        return False
    if _is_regional(before) and _is_regional(after):
        return _regionals_before(text, position) % 2 == 0
    return not ("\u1100" <= before <= "\u11ff" and "\u1160" <= after <= "\u11ff")


def _joins(character: str) -> bool:
    """Whether a character is drawn onto the one before it."""
    return (
        unicodedata.category(character)[0] == "M"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _regionals_before(text: str, position: int) -> int:
    start = position
    while start and _is_regional(text[start - 1]) and position - start < _MOST_FLAGS:
        start -= 1
    return position - start


def break_before(text: str, position: int, *, steps: int = 32) -> int:
    """Return the last place at or before a position where a text may be cut; the position itself when none is near."""
    for candidate in range(position, max(position - steps, 0), -1):
        if may_break(text, candidate):
            return candidate
    return position
