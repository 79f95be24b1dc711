"""What a tool says of itself, and the plain forms in which most say it: formats.toml, with an example beside each."""

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from mama_bot.model import Counts, RunEnd
from mama_bot.model.runs import NO_COUNTS
from mama_bot.runs.output import Output
from mama_bot.text.patterns import Match, Pattern, compiled


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a tool says of itself: PASSED, FAILED or NOTHING, and its figures."""

    end: RunEnd
    counts: Counts = NO_COUNTS


Reader = Callable[[Output], list[Summary]]


def summary_with(
    *,
    passed: int | None,
    failed: int | None = 0,
    errors: int | None = 0,
    skipped: int | None = None,
    deselected: int | None = None,
    collected: int | None = None,
) -> Summary:
    """Return the summary with these figures: failed with any failure or error, nothing where nothing passed."""
    counts = Counts(
        passed=passed, failed=failed, errors=errors or None, skipped=skipped, deselected=deselected, collected=collected
    )
    if failed or errors:
        return Summary(end=RunEnd.FAILED, counts=counts)
    if not passed:
        return Summary(end=RunEnd.NOTHING, counts=counts)
    return Summary(end=RunEnd.PASSED, counts=counts)


def summed(summaries: Iterable[Summary]) -> Summary | None:
    """Return several suites as one, their figures added, failed where any failed; None without a suite."""
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


# What the words of tools count, in small letters.
WORDS: Mapping[str, str] = {
    **dict.fromkeys(("passed", "pass", "passing", "successful", "flaky"), "passed"),
    **dict.fromkeys(("failed", "fail", "failing", "failures", "cancelled", "interrupted"), "failed"),
    **dict.fromkeys(("skipped", "skip", "todo", "pending", "incomplete", "did not run"), "skipped"),
    **dict.fromkeys(("error", "errors", "exception", "rejection"), "errors"),
}
BESIDE_WORDS = compiled(r"(\d+) ([a-z]+)|([a-z][a-z ]*): (\d+)")


def word_figures(text: str) -> dict[str, int]:
    """Return what a text counts in the words of tools: `1 failed, 2 passed` or `Failures: 1, Skipped: 2`."""
    words: dict[str, int] = {}
    for match in BESIDE_WORDS.finditer(text):
        words[(match.group(2) or match.group(3)).lower()] = number_in(match.group(1) or match.group(4))
    return by_meaning(words)


def by_meaning(words: Mapping[str, int]) -> dict[str, int]:
    """Return the figures of words by what they count, added up: `{"fail": 1, "cancelled": 1}` -> `{"failed": 2}`."""
    figures: dict[str, int] = {}
    for word, number in words.items():
        if (name := WORDS.get(word)) is not None:
            figures[name] = figures.get(name, 0) + number
    return figures


def number_in(text: str | None) -> int:
    """Return the figure that a group of an expression holds; 0 for a group that took no part."""
    return int(text) if text and text.isdigit() else 0


def summary_of(figures: Mapping[str, int]) -> Summary:
    """Return the summary of figures by name; those that passed are the rest of `ran` where only that is told."""
    failed, errors, skipped = (figures.get(name, 0) for name in ("failed", "errors", "skipped"))
    passed = figures["ran"] - failed - errors - skipped if "ran" in figures else None
    return summary_with(
        passed=figures.get("passed", passed),
        failed=failed,
        errors=errors + figures.get("outside", 0),
        skipped=skipped or None,
        deselected=figures.get("deselected") or None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OneLine:
    """A format with all figures in one line, as in `example`: the groups of `line` count what `groups` names.

    `ran` counts all, `outside` errors beside the tests; the group `words` holds figures beside words. The last such
    line tells, with `each` every line its suite, with `total` all lines of the output together. `nothing` begins the
    line that stands in its place where there was nothing to run.
    """

    example: str
    needles: tuple[str, ...]
    line: Pattern
    groups: tuple[str, ...]
    nothing: str = ""
    each: bool = False
    total: bool = False

    def __call__(self, output: Output) -> list[Summary]:
        """Return what the tool says of itself."""
        summaries: list[Summary] = []
        for line in output.all_with(*self.needles) if self.total else output.last_with(*self.needles):
            if self.nothing and line.startswith(self.nothing):
                return [Summary(end=RunEnd.NOTHING)]
            if (match := self.line.match(line)) is not None:
                summaries.append(summary_of(self._figures(match)))
                if not self.each and not self.total:
                    break
        if self.total:
            whole = summed(summaries)
            return [] if whole is None else [whole]
        return summaries[::-1]

    def _figures(self, match: Match) -> dict[str, int]:
        figures: dict[str, int] = {}
        for index, name in enumerate(self.groups, start=1):
            if name == "words":
                figures |= word_figures(match.group(index) or "")
            else:
                figures[name] = figures.get(name, 0) + number_in(match.group(index))
        return figures


@dataclass(frozen=True, slots=True, kw_only=True)
class LineEach:
    """A format with a line for each figure, as in `example`: a number beside a word of WORDS.

    A line with the word `begins` is the first of a further suite. It tells nothing where one of the words that it
    `needs`, or what stands `beside` them, is not there; `nothing` is printed where there was nothing to run. Without
    `counts_passed` it names those that passed only where all did.
    """

    example: str
    needles: tuple[str, ...]
    line: Pattern
    needs: tuple[str, ...] = ()
    begins: str = ""
    beside: str = ""
    nothing: str = ""
    counts_passed: bool = True

    def __call__(self, output: Output) -> list[Summary]:
        """Return what the tool says of itself."""
        suites: list[dict[str, int]] = []
        for line in in_order(output, self.needles):
            if (match := self.line.match(line)) is not None:
                first, second = match.group(1), match.group(2)
                number, word = (first, second) if first.isdigit() else (second, first)
                if not suites or word == self.begins:
                    suites.append({})
                suites[-1][word.lower()] = int(number)
        if not suites or any(word not in suites[-1] for word in self.needs) or not output.has(self.beside):
            return nothing_where(output, self.nothing)
        unsaid = {"passed": 0} if self.counts_passed else {}
        return [summary_of(unsaid | by_meaning(suite)) for suite in suites]


@dataclass(frozen=True, slots=True, kw_only=True)
class Headed:
    """A format whose lines have a heading, as in `example`: the groups of `line` are the heading and its words.

    Before the line `Tests` a line tells of the files: where no test failed, a file that did could not run, and is an
    error. A line `Errors` after it tells of errors outside. `nothing` is printed where there was nothing to run.
    """

    example: str
    needles: tuple[str, ...]
    line: Pattern
    nothing: str

    def __call__(self, output: Output) -> list[Summary]:
        """Return what the tool says of itself."""
        suites: list[dict[str, int]] = []
        broken = 0
        for line in in_order(output, self.needles):
            if (match := self.line.match(line)) is None:
                continue
            heading, figures = match.group(1), word_figures(match.group(2))
            if heading == "Tests":
                errors = 0 if figures.get("failed") else broken
                suites.append({"passed": 0} | figures | {"errors": errors})
            elif heading != "Errors":
                broken = figures.get("failed", 0)
            elif suites and figures:
                suites[-1]["errors"] = 1
        return [summary_of(suite) for suite in suites] or nothing_where(output, self.nothing)


@dataclass(frozen=True, slots=True)
class FirstOf:
    """A tool with several formats: the first that tells anything."""

    readers: tuple[Reader, ...]

    def __call__(self, output: Output) -> list[Summary]:
        """Return what the tool says of itself."""
        return next((summaries for read in self.readers if (summaries := read(output))), [])


def in_order(output: Output, needles: tuple[str, ...]) -> list[str]:
    """Return the lines among the last ones that hold any of some words, the first one first."""
    return list(output.last_with(*needles))[::-1]


def nothing_where(output: Output, words: str) -> list[Summary]:
    """Return that there was nothing to run, where an output holds the words that say so."""
    return [Summary(end=RunEnd.NOTHING)] if words and output.has(words) else []


FORMS: Mapping[str, Callable[..., OneLine | LineEach | Headed]] = {"line": OneLine, "each": LineEach, "headed": Headed}


def _format(table: Mapping[str, Any]) -> Reader:
    given: dict[str, Any] = {name: tuple(kept) if isinstance(kept, list) else kept for name, kept in table.items()}
    ignore_case = given.pop("ignore_case", False)
    form = FORMS[given.pop("form")]
    return form(**given | {"line": compiled(given["line"], ignore_case=ignore_case)})


TABLES = tomllib.loads(files("mama_bot.runs").joinpath("formats.toml").read_text(encoding="utf-8"))
FORMATS: Mapping[str, Reader] = {
    name: _format(forms[0]) if len(forms) == 1 else FirstOf(tuple(map(_format, forms)))
    for name, forms in TABLES["suites"].items()
}
