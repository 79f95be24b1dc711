"""Figures of claims against figures of checks."""

from collections.abc import Collection, Iterable
from dataclasses import fields

from mama_bot.model import NO_COUNTS, CheckFact, Claim, Counts, RunEnd


def names_figures(claim: Claim) -> bool:
    """Return whether a claim says how many."""
    return claim.total is not None or claim.counts != NO_COUNTS


def fits(claim: Claim, check: CheckFact) -> bool:
    """Return whether the figures of a claim are those of a check; what a claim does not name is not compared."""
    return fits_counts(claim, check.counts, passed=check.end is RunEnd.PASSED)


def equals(claim: Claim, check: CheckFact) -> bool:
    """Return whether the figures of a claim are the very figures of a check; what a claim does not name may be any."""
    claimed, counts = claim.counts, check.counts
    if counts == NO_COUNTS:
        return False
    passed = counts.passed
    if passed is None and counts.collected is not None and check.end is RunEnd.PASSED:
        passed = counts.collected - (counts.skipped or 0) - (counts.deselected or 0)
    wrong = (counts.failed or 0) + (counts.errors or 0)
    return claimed.passed in (None, passed) and claimed.failed in (None, counts.failed or 0, wrong)


def fits_counts(claim: Claim, counts: Counts, *, passed: bool) -> bool:
    """Return whether the figures of a claim are these; what a check that passed does not name counts as none."""
    claimed = claim.counts
    wrong = (counts.failed or 0) + (counts.errors or 0)
    succeeded = counts.passed
    if succeeded is None and counts.collected is not None and passed:
        succeeded = counts.collected - (counts.skipped or 0) - (counts.deselected or 0)
    totals = totals_of(counts, succeeded or 0)
    if claimed.passed is not None and claimed.passed != succeeded and not (passed and claimed.passed in totals):
        return False
    if claimed.failed is not None and claimed.failed not in (counts.failed or 0, wrong):
        return False
    if claimed.skipped is not None and not _fits_skipped(claimed.skipped, counts):
        return False
    if claimed.skipped and claimed.passed is not None and passed and succeeded is not None:
        return claimed.passed == succeeded and claim.total in (None, *totals)  # both are told: neither is of all
    return claim.total is None or claim.total in totals


def _fits_skipped(claimed: int, counts: Counts) -> bool:
    """Return whether so many were left out; what a tool calls otherwise (todo, expected failures) is not compared."""
    left_out = (counts.skipped or 0, counts.deselected or 0, (counts.skipped or 0) + (counts.deselected or 0))
    return not any(left_out) or 0 < claimed <= max(left_out)


def totals_of(counts: Counts, succeeded: int) -> frozenset[int]:
    """Return everything that may be called the number of tests of a check."""
    done = succeeded + (counts.failed or 0) + (counts.errors or 0)
    totals = {done, done + (counts.skipped or 0), succeeded + (counts.failed or 0)}
    if counts.collected is not None:
        totals |= {counts.collected - (counts.deselected or 0)}
    return frozenset(totals)


def added(counts: Iterable[Counts]) -> Counts:
    """Return the figures of several checks together."""
    listed = list(counts)

    def total(name: str) -> int | None:
        given = [value for figures in listed if (value := getattr(figures, name)) is not None]
        return sum(given) if given else None

    return Counts(**{figure.name: total(figure.name) for figure in fields(Counts)})


def numbers_of(claim: Claim) -> frozenset[int]:
    """Return the figures of a claim, without zeros: who passed prints none."""
    given = (claim.counts.passed, claim.counts.failed, claim.total)
    return frozenset(number for number in given if number)


TINY = 1e-9
UNITS = (1, 1000, 1024, 60)


def is_shown(measured: str, figures: Collection[float]) -> bool:
    """Return whether a figure with its unit is among those shown, perhaps rounded, or in another unit."""
    number = measured.partition(" ")[0].replace(",", "")
    if not number.replace(".", "", 1).isdecimal():
        return False  # a command, and no figure
    value, places = float(number), len(number.partition(".")[2])
    scales = [scale for unit in UNITS for scale in (unit, 1 / unit)]
    return any(abs(round(figure * scale, places) - value) < TINY for figure in figures for scale in scales)
