"""The one lexicon of the stages: the word lists of the package, each beside the stage that uses it."""

from collections import defaultdict
from functools import lru_cache
from importlib.resources import files

from mama_bot.model import words
from mama_bot.text.lexicon import Kind, Lexicon, Words, parsed
from mama_bot.text.patterns import alternation

LISTS = words(
    "praise/words/praise.txt praise/words/admiration.txt praise/words/evaluation.txt praise/words/content.txt "
    "praise/words/generic.txt approval/words/approval.txt approval/words/evidence.txt approval/words/contexts.txt"
)


def lexicon(further: Words = ()) -> Lexicon:
    """Read the lists that come with the package, with further entries (RE2 expressions) by kind.

    Equal requests share one lexicon: compiling thousands of expressions takes a tenth of a second. Raises
    ConfigurationError for a further entry that is no RE2 expression, and for more than can be searched.
    """
    return _lexicon(tuple((kind, expressions) for kind, expressions in further if expressions))


@lru_cache(maxsize=4)
def _lexicon(further: Words) -> Lexicon:
    entries = entries_of_package()
    for kind, expressions in further:
        alternation(expressions)
        entries[Kind(kind)] += expressions
    return Lexicon(entries)


def entries_of_package() -> dict[Kind, list[str]]:
    """Read all entries of the lists in the package, by kind."""
    entries: dict[Kind, list[str]] = defaultdict(list)
    folder = files("mama_bot.enforcement")
    for path in LISTS:
        for kind, entry in parsed(path, folder.joinpath(path).read_text(encoding="utf-8")):
            entries[kind].append(entry)
    return entries
