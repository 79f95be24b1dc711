"""The words of claims: a data file of entries with a kind, compiled once."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path

from mama_bot.enforcement.stage_lexicon import entries_of_package
from mama_bot.errors import ConfigurationError
from mama_bot.text.lexicon import Kind
from mama_bot.text.patterns import Pattern, PatternSet, alternation

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
    ATTRIBUTE = "attribute"
    VOID_SECTION = "void_section"
    FILE_SECTION = "file_section"


# Sets of few kinds: one of all kinds is several times as slow, because its states multiply. What is said comes first,
# and what takes it back is looked for only where something is said; the kinds of sections in headings alone.
SAID = (
    (
        *(Term.TESTS, Term.BUILD, Term.TYPES, Term.LINT, Term.FORMAT),
        *(Term.TOOL_TESTS, Term.TOOL_BUILD, Term.TOOL_TYPES, Term.TOOL_LINT, Term.TOOL_FORMAT),
    ),
    (
        *(Term.SAYS_TESTS, Term.SAYS_BUILD, Term.SAYS_TYPES, Term.SAYS_LINT, Term.SAYS_FORMAT),
        *(Term.PASSES, Term.FAILS, Term.WHOLE),
    ),
    (
        *(Term.CREATED, Term.CHANGED, Term.DELETED, Term.REPRODUCED, Term.COMMITTED, Term.PUSHED, Term.MERGED),
        *(Term.PUBLISHED, Term.DEPLOYED),
    ),
    (Term.RAN, Term.CHECKED, Term.LOOKED_AT, Term.MEASURE, Term.SETTING, Term.ONLY_THESE),
)
TAKING_BACK = (
    (Term.HARMLESS, Term.OTHER, Term.ATTRIBUTE),
    (Term.NEGATION, Term.HINDERED, Term.PLAN, Term.CONDITION),
    (Term.EARLIER, Term.ELSEWHERE),
)
NONE: frozenset[Term] = frozenset()


@dataclass(frozen=True)
class Vocabulary:
    """The list, compiled: an expression for each kind, and one pass that tells which kinds occur.

    `told` tells whether a text may be hearsay, or of an earlier state, by the words of evidence.
    """

    patterns: Mapping[Term, Pattern]
    said: tuple[PatternSet[Term], ...]
    taking_back: tuple[PatternSet[Term], ...]
    told: PatternSet[Kind]

    def __getitem__(self, term: Term) -> Pattern:
        return self.patterns[term]

    def said_in(self, text: str) -> frozenset[Term]:
        """The kinds of what is said that occur in a text."""
        return NONE.union(*(one.keys_in(text) for one in self.said))

    def taken_back_in(self, text: str) -> frozenset[Term]:
        """The kinds of what takes something back that occur in a text."""
        return NONE.union(*(one.keys_in(text) for one in self.taking_back))

    def among(self, terms: frozenset[Term], text: str) -> frozenset[Term]:
        """Which of some kinds occur in a part of a text in which they were found."""
        sets = [one for one, kinds in zip(self.said, SAID, strict=True) if not terms.isdisjoint(kinds)]
        sets += [one for one, kinds in zip(self.taking_back, TAKING_BACK, strict=True) if not terms.isdisjoint(kinds)]
        return NONE.union(*(one.keys_in(text) for one in sets))


@cache
def vocabulary() -> Vocabulary:
    """The words of claims of the package, read and compiled once."""
    entries: dict[Term, list[str]] = defaultdict(list)
    for term, entry, _ in listed():
        entries[term].append(entry)
    evidence = entries_of_package()
    return Vocabulary(
        patterns={term: alternation(entries[term]) for term in Term},
        said=tuple(PatternSet({term: entries[term] for term in group}) for group in SAID),
        taking_back=tuple(PatternSet({term: entries[term] for term in group}) for group in TAKING_BACK),
        told=PatternSet({kind: evidence[kind] for kind in (Kind.HEARSAY, Kind.STALE)}),
    )


def listed() -> Iterator[tuple[Term, str, str]]:
    """The entries of the list with their kinds and examples; raises ConfigurationError for a line that is none."""
    text = (files("mama_bot.enforcement.claims.grammar") / "words" / NAME).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        said, _, example = line.partition(EXAMPLE)
        kind, _, entry = said.partition(" ")
        if kind not in set(Term) or not entry.strip():
            problem = f"{line!r} is no entry: write a kind, a space and an expression."
            raise ConfigurationError(problem=problem, file=Path(NAME), line=number)
        yield Term(kind), entry.strip(), example.strip()
