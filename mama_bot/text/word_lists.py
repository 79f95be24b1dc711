"""Plain lists of words: data files with a kind, a space and words on each line."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def words_by_kind(name: str) -> Mapping[str, frozenset[str]]:
    """Return the words of a list in the package, by kind; raises KeyError for a kind that it does not have."""
    words_of_kind: dict[str, set[str]] = defaultdict(set)
    text = (files("mama_bot.text") / "words" / name).read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            kind, *words = line.split()
            words_of_kind[kind].update(words)
    return {kind: frozenset(words) for kind, words in words_of_kind.items()}
