"""What a test tool says of itself, and the two plain forms in which most say it: data, with an example beside it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from mama_bot.model import Counts, RunEnd
from mama_bot.model.runs import NO_COUNTS
from mama_bot.runs.output import Output
from mama_bot.text.patterns import Match, Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a tool says of itself: PASSED, FAILED or NOTHING, and its figures."""

    end: RunEnd
    counts: Counts = NO_COUNTS


Reader = Callable[[Output], list[Summary]]


def judged(
    *,
    passed: int | None,
    failed: int | None = 0,
    errors: int | None = 0,
    skipped: int | None = None,
    deselected: int | None = None,
    collected: int | None = None,
) -> Summary:
    """Return the end that figures speak of: any failure is one; where nothing passed, nothing ran."""
    counts = Counts(
        passed=passed, failed=failed, errors=errors or None, skipped=skipped, deselected=deselected, collected=collected
    )
    if failed or errors:
        return Summary(end=RunEnd.FAILED, counts=counts)
    if not passed:
        return Summary(end=RunEnd.NOTHING, counts=counts)
    return Summary(end=RunEnd.PASSED, counts=counts)


def summed(summaries: Iterable[Summary]) -> Summary | None:
    """Return several suites as one, their figures added, failed where one failed; None for none."""
    suites = list(summaries)
    if len(suites) < 2:
        return suites[0] if suites else None
    ends = {suite.end for suite in suites}
    end = next((end for end in (RunEnd.FAILED, RunEnd.PASSED) if end in ends), RunEnd.NOTHING)

    def total(name: str) -> int | None:
        figures = [figure for suite in suites if (figure := getattr(suite.counts, name)) is not None]
        return sum(figures) if figures else None

    names = ("passed", "failed", "errors", "skipped", "deselected", "collected")
    return Summary(end=end, counts=Counts(**{name: total(name) for name in names}))


def number_of(text: str | None) -> int:
    """Return the figure that a group of an expression holds; 0 for one that took no part."""
    return int(text) if text and text.isdigit() else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OneLine:
    """A format with all figures in one line, as in `example`: the groups of `line` count what `groups` names.

    `ran` counts all, `outside` errors beside the tests. The last such line tells, or with `each` every one its suite.
    `nothing` begins the line that stands in its place where there was nothing to run.
    """

    example: str
    needles: tuple[str, ...]
    line: Pattern
    groups: tuple[str, ...]
    nothing: str = ""
    each: bool = False

    def __call__(self, output: Output) -> list[Summary]:
        """Return what the tool says of itself."""
        summaries: list[Summary] = []
        for line in output.last_with(*self.needles):
            if self.nothing and line.startswith(self.nothing):
                return [Summary(end=RunEnd.NOTHING)]
            if (match := self.line.match(line)) is not None:
                summaries.append(self._summary(match))
                if not self.each:
                    break
        return summaries[::-1]

    def _summary(self, match: Match) -> Summary:
        figures = {name: number_of(match.group(index)) for index, name in enumerate(self.groups, start=1)}
        failed, errors, skipped = (figures.get(name, 0) for name in ("failed", "errors", "skipped"))
        return judged(
            passed=figures["passed"] if "passed" in figures else figures["ran"] - failed - errors - skipped,
            failed=failed,
            errors=errors + figures.get("outside", 0),
            skipped=skipped or None,
            deselected=figures.get("deselected") or None,
        )


# What the words of tools count.
WORDS: Mapping[str, str] = {
    **dict.fromkeys(("passed", "pass", "successful", "flaky"), "passed"),
    **dict.fromkeys(("failed", "fail", "cancelled", "interrupted"), "failed"),
    **dict.fromkeys(("skipped", "skip", "todo", "did not run"), "skipped"),
    **dict.fromkeys(("exception", "rejection"), "errors"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEach:
    """A format with a line for each figure, as in `example`: a number beside a word of WORDS.

    It tells nothing where one of the words that it `needs` is not there; `nothing` is printed where there was nothing
    to run. Without `counts_passed` it names those that passed only where all did.
    """

    example: str
    needles: tuple[str, ...]
    line: Pattern
    needs: tuple[str, ...] = ()
    nothing: str = ""
    counts_passed: bool = True

    def __call__(self, output: Output) -> list[Summary]:
        """Return what the tool says of itself."""
        told: dict[str, int] = {}
        for line in output.last_with(*self.needles):
            if (match := self.line.match(line.strip())) is not None:
                first, second = match.group(1), match.group(2)
                number, word = (first, second) if first.isdigit() else (second, first)
                told.setdefault(word, int(number))
        if not told or any(word not in told for word in self.needs):
            return [Summary(end=RunEnd.NOTHING)] if self.nothing and output.has(self.nothing) else []
        figures = {"passed": 0} if self.counts_passed else {}
        for word, count in told.items():
            if (name := WORDS.get(word)) is not None:
                figures[name] = figures.get(name, 0) + count
        return [
            judged(
                passed=figures.get("passed"),
                failed=figures.get("failed", 0),
                errors=figures.get("errors", 0),
                skipped=figures.get("skipped") or None,
            )
        ]
