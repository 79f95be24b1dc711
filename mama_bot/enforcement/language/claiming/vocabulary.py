"""The words of claims: a data file of entries with a kind, compiled once."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path

from mama_bot.enforcement.language.patterns import Pattern, PatternSet, alternation
from mama_bot.errors import ConfigurationError

NAME = "claims.txt"
EXAMPLE = "  # "


class Term(StrEnum):
    """What an entry of the list says."""

    TESTS = "tests"
    BUILD = "build"
    TYPES = "types"
    LINT = "lint"
    FORMAT = "format"
    TOOL_TESTS = "tool_tests"
    TOOL_BUILD = "tool_build"
    TOOL_TYPES = "tool_types"
    TOOL_LINT = "tool_lint"
    TOOL_FORMAT = "tool_format"
    SAYS_TESTS = "says_tests"
    SAYS_BUILD = "says_build"
    SAYS_TYPES = "says_types"
    SAYS_LINT = "says_lint"
    SAYS_FORMAT = "says_format"
    PASSES = "passes"
    FAILS = "fails"
    WHOLE = "whole"
    CREATED = "created"
    CHANGED = "changed"
    DELETED = "deleted"
    REPRODUCED = "reproduced"
    COMMITTED = "committed"
    PUSHED = "pushed"
    MERGED = "merged"
    PUBLISHED = "published"
    DEPLOYED = "deployed"
    RAN = "ran"
    CHECKED = "checked"
    LOOKED_AT = "looked_at"
    MEASURE = "measure"
    SETTING = "setting"
    ONLY_THESE = "only_these"
    HARMLESS = "harmless"
    NEGATION = "negation"
    HINDERED = "hindered"
    PLAN = "plan"
    CONDITION = "condition"
    EARLIER = "earlier"
    ELSEWHERE = "elsewhere"
    OTHER = "other"
    VOID_SECTION = "void_section"
    FILE_SECTION = "file_section"


# Looked for in headings alone.
SECTIONS = frozenset((Term.VOID_SECTION, Term.FILE_SECTION))


@dataclass(frozen=True)
class Vocabulary:
    """The list, compiled: an expression for each kind, and one pass that tells which kinds occur."""

    patterns: Mapping[Term, Pattern]
    terms: PatternSet[Term]

    def __getitem__(self, term: Term) -> Pattern:
        return self.patterns[term]


@cache
def vocabulary() -> Vocabulary:
    """The words of claims of the package, read and compiled once."""
    entries: dict[Term, list[str]] = defaultdict(list)
    for term, entry, _ in listed():
        entries[term].append(entry)
    return Vocabulary(
        patterns={term: alternation(entries[term]) for term in Term},
        terms=PatternSet({term: entries[term] for term in Term if term not in SECTIONS}),
    )


def listed() -> Iterator[tuple[Term, str, str]]:
    """The entries of the list with their kinds and examples; raises ConfigurationError for a line that is none."""
    text = (files("mama_bot.enforcement.language") / "lexicon" / NAME).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        said, _, example = line.partition(EXAMPLE)
        kind, _, entry = said.partition(" ")
        if kind not in set(Term) or not entry.strip():
            problem = f"{line!r} is no entry: write a kind, a space and an expression."
            raise ConfigurationError(problem=problem, file=Path(NAME), line=number)
        yield Term(kind), entry.strip(), example.strip()
