"""Figures of claims against figures of runs, and figures in words."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import lru_cache
from itertools import combinations, islice

from mama_bot.model import Claim, Counts
from mama_bot.text.patterns import compiled

NO_COUNTS = Counts()
FIGURES = tuple(one.name for one in fields(Counts))

MOST_SUMMED = 6
MOST_LINES = 400
AS_PASSED = ("passed", "passing", "tests", "ok", "examples", "specs", "assertions", "successful", "passes")
NUMBER = compiled(r"\b\d[\d,]*\b")
REPORTED = compiled(r"\"?(?:num)?(passed|Passed|failed|Failed|total|Total)(?:Tests)?\"? ?: ?(\d+)")
OF_CLASS = compiled(r"Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+), Time")
RESULT_LINE = compiled(
    r"(?m:^[^\n]*(?:passed|passing|skipped|ignored|pending|failed|\bok\b|\bOK\b|PASS|Passed|successful|tests?\b|Tests|specs?\b|examples)[^\n]*$)",
    groups=False,
)


def names_figures(claim: Claim) -> bool:
    """Whether a claim says how many."""
    return claim.total is not None or knows_figures(claim.counts)


def knows_figures(counts: Counts) -> bool:
    """Whether a run said how many."""
    return counts != NO_COUNTS


def fits(claim: Claim, counts: Counts, *, passed: bool) -> bool:
    """Whether the figures of a claim are those of a run, which `passed` or not.

    What a claim does not name is not compared; what a run does not name counts as none where it passed.
    """
    said = claim.counts
    wrong = (counts.failed or 0) + (counts.errors or 0)
    succeeded = counts.passed
    if succeeded is None and counts.collected is not None and passed and not wrong:
        succeeded = counts.collected - (counts.skipped or 0) - (counts.deselected or 0)
    if said.passed is not None and not _same_passed(claim, succeeded, counts):
        return False
    if said.failed is not None and said.failed not in (counts.failed or 0, wrong):
        return False
    if said.errors is not None and said.errors not in (counts.errors or 0, wrong):
        return False
    if said.skipped is not None and counts.skipped is not None and said.skipped != counts.skipped:
        return False
    if said.deselected is not None and counts.deselected is not None and said.deselected != counts.deselected:
        return False
    totals = totals_of(counts, succeeded)
    if said.collected is not None and said.collected not in totals:
        return False
    return claim.total is None or claim.total in totals or claim.total == said.failed


def _same_passed(claim: Claim, succeeded: int | None, counts: Counts) -> bool:
    said = claim.counts
    if succeeded is None:
        return said.passed == 0
    if said.passed == succeeded:
        return True
    # "10 tests OK (skipped=1)": unittest counts in what it skipped.
    return (
        "OK" in claim.text
        and said.skipped is not None
        and said.skipped == counts.skipped
        and said.passed == succeeded + said.skipped
    )


def printed(claim: Claim, text: str) -> bool:
    """Whether an output has all the figures of a claim, in lines with the words of a result.

    A command may print several results: `cargo test` one for each target.
    """
    wanted = wanted_of(claim) if text else None
    if not wanted:
        return False
    found = figures_in(text)
    passed = claim.counts.passed
    return wanted <= found and (not passed or any(f"{passed} {word}" in text for word in AS_PASSED))


@lru_cache(maxsize=1024)
def figures_in(text: str) -> frozenset[str]:
    """The figures in the lines of an output that have the words of a result."""
    lines = islice(RESULT_LINE.finditer(text), MOST_LINES)
    return frozenset(one.group().replace(",", "") for line in lines for one in NUMBER.finditer(line.group()))


@lru_cache(maxsize=256)
def of_report(text: str) -> str:
    """A text with the figures of a report in JSON as a summary line has them: `"passed": 14` is "14 passed"."""
    named = [f"{match.group(2)} {match.group(1)}" for match in islice(REPORTED.finditer(text), MOST_LINES)]
    if named:
        return f"{text}\n{', '.join(named).lower()} tests"
    classes = [
        tuple(int(match.group(place)) for place in range(1, 5)) for match in islice(OF_CLASS.finditer(text), MOST_LINES)
    ]
    if not classes:
        return text
    ran, failed, errors, skipped = (sum(one[place] for one in classes) for place in range(4))
    passed = ran - failed - errors - skipped
    return f"{text}\n{passed} passed, {failed} failed, {errors} errors, {skipped} skipped, {ran} tests"


def wanted_of(claim: Claim) -> frozenset[str]:
    """The figures of a claim, zeros left out: who passed prints none."""
    given = (*(getattr(claim.counts, name) for name in FIGURES), claim.total)
    return frozenset(str(one) for one in given if one)


def totals_of(counts: Counts, succeeded: int | None) -> frozenset[int]:
    """Everything that may be called the number of tests of a run."""
    wrong = (counts.failed or 0) + (counts.errors or 0)
    done = (succeeded or 0) + wrong
    found = {done, done + (counts.skipped or 0), (succeeded or 0) + (counts.failed or 0)}
    if counts.collected is not None:
        found |= {counts.collected, counts.collected - (counts.deselected or 0)}
    return frozenset(found)


def added(counts: Iterable[Counts]) -> Counts:
    """The figures of several runs in one."""
    listed = list(counts)

    def total(name: str) -> int | None:
        given = [value for one in listed if (value := getattr(one, name)) is not None]
        return sum(given) if given else None

    return Counts(**{one.name: total(one.name) for one in fields(Counts)})


def sum_fits(claim: Claim, counts: Sequence[Counts], *, passed: bool) -> bool:
    """Whether the figures of a claim are those of several runs together."""
    listed = list(counts)
    if len(listed) < 2:
        return False
    if fits(claim, added(listed), passed=passed):
        return True
    if len(listed) > MOST_SUMMED:
        return False
    sizes = range(2, len(listed))
    return any(fits(claim, added(some), passed=passed) for size in sizes for some in combinations(listed, size))


ENGLISH = ("failed", "errors", "passed", "skipped", "deselected", "collected")
KOREAN = ("실패", "오류", "통과", "건너뜀", "제외", "수집")


def in_words(counts: Counts, *, korean: bool) -> str:
    """The figures of a run: "3 failed, 625 passed"; "" when it has none."""
    names = ("failed", "errors", "passed", "skipped", "deselected", "collected")
    words = KOREAN if korean else ENGLISH
    given = [(getattr(counts, name), word) for name, word in zip(names, words, strict=True)]
    listed = [(value, word) for value, word in given if value]
    if not listed:
        listed = [(value, word) for value, word in given if value is not None][:1]
    if len(listed) > 1 and listed[-1][1] in (ENGLISH[-1], KOREAN[-1]):
        listed.pop()  # how many were collected says nothing beside how they ended
    if korean:
        return ", ".join(f"{word} {value}개" for value, word in listed)
    return ", ".join(f"{value} {word}" for value, word in listed)
