"""What type checkers, linters, formatters, builds and git print at their end."""

from collections.abc import Mapping, Sequence

from mama_bot.model import Counts, RunEnd
from mama_bot.runs.formats import TABLES, Reader, Summary
from mama_bot.runs.output import Output
from mama_bot.text.patterns import Match, compiled

CLEAN = Summary(end=RunEnd.PASSED)


def last_line(bad: str, good: str, *, needles: Sequence[str], nothing: str = "") -> Reader:
    """Return the reader of a tool whose last line of a kind decides; a group in `bad` is the number of errors.

    Where it prints `nothing`, it found no file to look at.
    """
    bad_line, good_line = compiled(bad, ignore_case=False), compiled(good, ignore_case=False)

    def read(output: Output) -> list[Summary]:
        for line in output.last_with(*needles):
            if (match := bad_line.search(line)) is not None:
                return [Summary(end=RunEnd.FAILED, counts=Counts(errors=_figure(match)))]
            if good_line.search(line):
                return [Summary(end=RunEnd.NOTHING) if nothing and output.has(nothing) else CLEAN]
        return []

    return read


def _figure(match: Match) -> int | None:
    try:
        text = match.group(1)
    except IndexError:
        return None
    return int(text) if text and text.isdigit() else None


def any_line(bad: str, *, needles: Sequence[str]) -> Reader:
    """Return the reader of a tool that prints one line for each problem, and nothing at its end."""
    pattern = compiled(bad, ignore_case=False)

    def read(output: Output) -> list[Summary]:
        count = sum(1 for line in output.last_with(*needles) if pattern.search(line))
        return [Summary(end=RunEnd.FAILED, counts=Counts(errors=count))] if count else []

    return read


CHECKERS: Mapping[str, Reader] = {
    name: last_line(**form) if "good" in form else any_line(**form) for name, form in TABLES["checkers"].items()
}
