"""Marks around what came from elsewhere, which nothing between them can end."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import count

MARK = "foreign-"


def foreign_mark(values: Sequence[str]) -> str:
    """Return a mark that stands in none of the values: `foreign-3f2a91bc`."""
    content = "\0".join(values)
    marks = (f"{MARK}{sha256(f'{number} {content}'.encode('utf-8', 'replace')).hexdigest()[:8]}" for number in count())
    return next(mark for mark in marks if mark not in content)


def shown_request(text: str) -> str:
    """Return a prompt with what others wrote in it as people read it: their words, and not the note about marks."""
    words, _, note = text.rpartition("\n\n")
    is_note = note.startswith("(") and f"<{MARK}" in note and f"</{MARK}" in words
    return without_marks(words if is_note else text)


def without_marks(text: str) -> str:
    """Return a text without the marks around what others wrote, for where people alone read it: a title."""
    first, *others = text.split("<")
    words = [first]
    for part in others:
        tag, end, rest = part.partition(">")
        words.append(rest if end and tag.removeprefix("/").startswith(MARK) else f"<{part}")
    return "".join(words)
