"""The name that a person may have meant by another one."""

import difflib
from collections.abc import Iterable


def most_similar(name: str, candidates: Iterable[str], *, least: float = 0.6) -> str | None:
    """Return the candidate that a person may have meant; None when none is similar, by `least` (1: the same)."""
    by_folded = {known.casefold(): known for known in candidates}
    similar = difflib.get_close_matches(name[:100].casefold(), by_folded, n=1, cutoff=least)
    return by_folded[similar[0]] if similar else None
