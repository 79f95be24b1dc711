"""The badge of a reply: what stands behind it, in a word; none where nothing was checked."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from mama_bot.model.claims import ClaimKind, ClaimReceipt, ClaimState, Grade


class BadgeKind(StrEnum):
    """What the record says of a reply as a whole.

    SHOWN: all that it claims is borne out. FAILURES: so it is, and it tells of a failure. OWN_WORD: so it is, some of
    it by a runner that the agent wrote itself. OWN_RUN: so it is, some of it by runs that are not known to be what they
    say. NOT_SHOWN: some of it is not. CONTRADICTED: the record says the opposite
    of some. CHECK_FAILED: a check of the service fails. NOTHING_RUN: it calls work done, or approves it, without a
    single call.
    """

    SHOWN = "shown"
    FAILURES = "failures"
    OWN_WORD = "own_word"
    OWN_RUN = "own_run"
    NOT_SHOWN = "not_shown"
    CONTRADICTED = "contradicted"
    CHECK_FAILED = "check_failed"
    NOTHING_RUN = "nothing_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A badge; of tests that bear a reply out it has how many passed, and when they ended."""

    kind: BadgeKind
    tests: int | None = None
    at: datetime | None = None


def badge_of(receipt: ClaimReceipt) -> Badge | None:
    """Return the badge of a reply by its receipt; None where nothing was claimed and nothing checked."""
    states = {checked.state for checked in receipt.claims}
    if ClaimState.CONTRADICTED in states:
        return Badge(kind=BadgeKind.CONTRADICTED)
    if not all(check.ok for check in receipt.checks):
        return Badge(kind=BadgeKind.CHECK_FAILED)
    if receipt.empty:
        return Badge(kind=BadgeKind.NOTHING_RUN)
    if ClaimState.UNSUPPORTED in states:
        return Badge(kind=BadgeKind.NOT_SHOWN)
    if any(checked.grade is Grade.OWN_RUNNER for checked in receipt.claims):
        return Badge(kind=BadgeKind.OWN_WORD)
    if receipt.own_run or any(checked.grade is Grade.UNPROVEN for checked in receipt.claims):
        return Badge(kind=BadgeKind.OWN_RUN)
    if any(checked.claim.fails for checked in receipt.claims):
        return Badge(kind=BadgeKind.FAILURES)
    return _shown(receipt) if states or receipt.checks else None


def _shown(receipt: ClaimReceipt) -> Badge:
    """Return the badge of a reply that is borne out, with the figures of the tests that do it."""
    runs = {run.run_id: run for run in receipt.runs}
    # Among several runs of tests the last one says most.
    for checked in reversed(receipt.claims):
        run = runs.get(checked.run_id)
        if run is not None and checked.claim.kind is ClaimKind.TESTS and not checked.claim.fails:
            figures = [counts.passed for counts in run.counts if counts.passed is not None]
            return Badge(kind=BadgeKind.SHOWN, tests=figures[-1] if figures else None, at=run.ended_at)
    ended = [run.ended_at for checked in receipt.claims if (run := runs.get(checked.run_id)) and run.ended_at]
    return Badge(kind=BadgeKind.SHOWN, at=max(ended, default=None))
