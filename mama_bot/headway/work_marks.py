"""What an output shows of work: marks. A later output has new ones, or it brought nothing."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from mama_bot.model import Attempt, Cleared, Counts, StoredTurn, ToolKind, ToolRun
from mama_bot.text.patterns import compiled
from mama_bot.text.word_lists import words_by_kind

MOST_CALLS = 300
OUTPUT_CHARACTERS = 2_000
WORD_CHARACTERS = 24
NO_WORK = frozenset({ToolKind.TEAM, ToolKind.REPORT})
_NUMBER = compiled(r"\d+(?:[.,]\d+)*")  # 12, 1,234 or 3.5


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkMarks:
    """What of work can be seen: `calls` and how they came out, states of files, figures, items that are ticked.

    `checks` are the figures of what ran, by kind: "tests 3 failed" and then "tests 1 failed" are two.
    """

    calls: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()
    checks: frozenset[str] = frozenset()
    ticked: frozenset[str] = frozenset()

    def __or__(self, other: "WorkMarks") -> "WorkMarks":
        return WorkMarks(
            **{each.name: getattr(self, each.name) | getattr(other, each.name) for each in fields(WorkMarks)}
        )

    def beyond(self, before: "WorkMarks") -> "WorkMarks":
        """Return the marks that were not there before; a number that only counts on is none."""
        return WorkMarks(
            calls=self.calls - before.calls,
            files=self.files - before.files,
            figures=frozenset(figure for figure in self.figures - before.figures if not _counts_on(figure, before)),
            checks=self.checks - before.checks,
            ticked=self.ticked - before.ticked,
        )

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return bool(self.calls or self.figures or self.solid)

    @property
    def solid(self) -> bool:
        """Whether there is one of what came out: files, figures of what ran, ticked items."""
        return bool(self.files or self.checks or self.ticked)


def marks_of_turn(stored: StoredTurn) -> WorkMarks:
    """Return the marks of all that a turn did and said."""
    marks = marks_of_calls(stored.turn.undrafted.runs)
    for attempt in stored.attempts:
        marks |= marks_of_attempt(attempt)
    return marks


def marks_of_attempt(attempt: Attempt) -> WorkMarks:
    """Return the marks of one attempt at a reply, with all that its turn did up to it."""
    outcome = attempt.judgement.outcome
    checklist = outcome.checklist if isinstance(outcome, Cleared) else None
    return marks_of_calls(attempt.draft.record.runs) | WorkMarks(
        figures=figures_in(attempt.draft.text),
        ticked=frozenset(checklist.done) if checklist is not None else frozenset(),
    )


def marks_of_calls(runs: Iterable[ToolRun]) -> WorkMarks:
    """Return the marks of tool calls: the last 300; asking others, and declaring, is no work."""
    kept = [run for run in runs if run.ended_at is not None and run.kind not in NO_WORK][-MOST_CALLS:]
    return WorkMarks(
        calls=frozenset(call_mark(run) for run in kept),
        files=frozenset(mark for run in kept for mark in _file_marks(run)),
        checks=frozenset(f"{ran.kind.value} {_counts(ran.counts)}" for run in kept for ran in run.ran),
    )


def call_mark(run: ToolRun) -> str:
    """Return what was called and how it came out, without the numbers of its output: times differ in every run."""
    called = " ".join(run.arguments.split())
    output = _words(f"{run.output_head}\n{run.output_tail}"[-OUTPUT_CHARACTERS:])
    return _digest(run.kind.value, run.tool, called, str(run.ok), output)


def figures_in(text: str) -> frozenset[str]:
    """Return the numbers of a text that may be figures: no times, no dates, no places in a file, nothing that counts.

    `figures_in("3 failed in 0.2 s (round 4, a.py:12)")` has "3" alone.
    """
    lowered = text.lower()
    return frozenset(
        match.group()
        for match in _NUMBER.finditer(lowered)
        if not _is_part(lowered, match.start(), match.end()) and not _is_beside(lowered, match.start(), match.end())
    )


def _file_marks(run: ToolRun) -> Iterator[str]:
    if run.after is not None and run.after.tree and run.changed:
        yield run.after.tree
    elif run.touched and run.ok:
        yield from (_digest(touch.path, touch.fate.value, run.arguments) for touch in run.touched)


def _counts(counts: Counts) -> str:
    told = ((each.name, getattr(counts, each.name)) for each in fields(Counts))
    return " ".join(f"{name}={number}" for name, number in told if number is not None)


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether a number is part of a word, a clock, a date, or a place in a file."""
    before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
    return before in ":-/_.#@" or after in ":-/_" or _is_latin(before) or _is_latin(after)


def _is_beside(text: str, start: int, end: int) -> bool:
    """Whether the words beside a number say that it is a time, or counts something off."""
    words = words_by_kind("headway.txt")
    after = _first_word(text[end : end + WORD_CHARACTERS])
    before = _last_word(text[max(0, start - WORD_CHARACTERS) : start])
    return (
        after in words["time"] | words["place"] or before in words["counter"] or after in words["counter"] - {"turns"}
    )


def _first_word(text: str) -> str:
    words = "".join(sign if sign.isalpha() else " " for sign in text.lstrip()[:WORD_CHARACTERS])
    return words.split(" ")[0]


def _last_word(text: str) -> str:
    words = "".join(sign if sign.isalpha() else " " for sign in text).split()
    return words[-1] if words and not text.rstrip().endswith((".", ",", ";", "!", "?")) else ""


def _is_latin(sign: str) -> bool:
    return sign.isascii() and sign.isalpha()


def _counts_on(figure: str, before: WorkMarks) -> bool:
    return figure.isdecimal() and len(figure) < WORD_CHARACTERS and str(int(figure) - 1) in before.figures


def _words(text: str) -> str:
    """Return the words of an output that hold no digit."""
    tokens = "".join(sign if sign.isalnum() else " " for sign in text.lower()).split()
    return " ".join(token for token in tokens if token.isalpha())


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
