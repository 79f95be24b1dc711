"""Marks around what came from elsewhere, which nothing between them can end."""

from collections.abc import Sequence
from hashlib import sha256
from itertools import count


def foreign_mark(values: Sequence[str]) -> str:
    """Return a mark that stands in none of the values: `foreign-3f2a91bc`."""
    content = "\0".join(values)
    marks = (
        f"foreign-{sha256(f'{number} {content}'.encode('utf-8', 'replace')).hexdigest()[:8]}" for number in count()
    )
    return next(mark for mark in marks if mark not in content)
