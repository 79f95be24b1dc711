"""What the checks that ran say of a claim about one: its outcome, its figures, and whether it was of this code."""

from collections.abc import Sequence
from typing import assert_never

from mama_bot.enforcement.claims.admissions import Admissions
from mama_bot.enforcement.claims.explanations import missing, of_check, partial
from mama_bot.enforcement.claims.figures import added, fits, fits_counts, is_shown, names_figures, numbers_of
from mama_bot.facts.places import belongs, is_below, is_code, is_scratch
from mama_bot.model import (
    NO_COUNTS,
    CheckedClaim,
    CheckFact,
    Claim,
    ClaimKind,
    ClaimReason,
    ClaimState,
    CommandFact,
    DeedFact,
    Facts,
    Freshness,
    RunEnd,
    RunKind,
)
from mama_bot.wording import Language

CHECKS = {
    ClaimKind.TESTS: (RunKind.TESTS,),
    ClaimKind.BUILD: (RunKind.BUILD,),
    ClaimKind.TYPES: (RunKind.TYPES, RunKind.BUILD),  # a compiler checks types
    ClaimKind.LINT: (RunKind.LINT,),
    ClaimKind.FORMAT: (RunKind.FORMAT, RunKind.LINT),
    ClaimKind.BENCHMARK: (RunKind.BENCHMARK,),
}
# Their tests are compiled first.
COMPILING = frozenset(("gradle", "maven", "cargo test", "go test", "dotnet test", "swift test", "xcodebuild"))
MOST_PARTS = 12
CERTAIN = frozenset((RunEnd.PASSED, RunEnd.FAILED))


class CheckComparison:
    """Compares claims about checks with facts; `admissions` are the failures that the text tells itself."""

    def __init__(self, facts: Facts, *, admissions: Admissions, language: Language) -> None:
        self._facts = facts
        self._admissions = admissions
        self._language = language

    def _check(self, claim: Claim) -> CheckedClaim:
        kinds = CHECKS[claim.kind]
        known = [check for check in self._facts.checks if check.kind in kinds or _is_named(check, claim)]
        if claim.kind is ClaimKind.BUILD and not known:
            known = [check for check in self._facts.checks if check.tool in COMPILING]
        own = _of_tool([check for check in known if check.witness.own], claim.tool)
        if not own:
            if known:
                return self._unsupported(claim, ClaimReason.ANOTHER_AGENT, known[-1])
            return self._missing(claim)
        if claim.fails:
            return self._failing(claim, own)
        if names_figures(claim):
            return self._with_figures(claim, own)
        return self._without_figures(claim, own)

    def _failing(self, claim: Claim, own: Sequence[CheckFact]) -> CheckedClaim:
        """Return an honest report of a failure as it is: any check that failed, or hides how it ended, bears it out."""
        failed = [check for check in own if check.end is not RunEnd.PASSED]
        right = [check for check in own if fits(claim, check)] if names_figures(claim) else failed
        if right:
            return self._confirmed(claim, right[-1])
        mixed = claim.counts.passed is not None and numbers_of(claim) <= self._facts.figures  # red, then green
        if failed and all(check.counts != NO_COUNTS for check in failed) and not mixed:
            return self._unsupported(claim, ClaimReason.OTHER_FIGURES, failed[-1])
        if failed:
            return self._confirmed(claim, failed[-1])
        return self._unsupported(claim, ClaimReason.NO_SUCH_RUN, own[-1])

    def _with_figures(self, claim: Claim, own: Sequence[CheckFact]) -> CheckedClaim:
        right = [check for check in own if check.counts != NO_COUNTS and fits(claim, check)]
        if right:
            return self._with_those(claim, own, right)
        ended = [check for check in own if check.end in CERTAIN]
        if self._is_sum(claim, ended):
            failure = None if claim.counts.failed else self._open_failure(own)
            if failure is not None:
                return self._unsupported(claim, ClaimReason.FAILED, failure)
            return self._told(claim, ended[-1])
        if not ended:
            return self._unsupported(claim, reason_why(own[-1]), own[-1])
        last = ended[-1]
        silent = any(check.counts == NO_COUNTS for check in own)
        if _fails(last) and not self._is_admitted(last) and not claim.part and not claim.shown:
            return self._contradicted(claim, ClaimReason.FAILED, last)
        printed = not numbers_of(claim).isdisjoint(self._facts.figures)
        if silent or printed or claim.part or claim.shown or self._facts.opaque or self._facts.dropped:
            return self._unsupported(claim, ClaimReason.OTHER_FIGURES, last)
        return self._contradicted(claim, ClaimReason.OTHER_FIGURES, last)

    def _with_those(self, claim: Claim, own: Sequence[CheckFact], right: Sequence[CheckFact]) -> CheckedClaim:
        """Return what is said of a claim whose figures are those of the checks that are `right`."""
        check = next((check for check in reversed(right) if check.whole), right[-1])
        if _counts_skipped(claim, check):
            return self._unsupported(claim, ClaimReason.OTHER_FIGURES, check)
        open_failure = self._open_failure(own)
        if open_failure is not None and (check.end is RunEnd.FAILED or open_failure is own[-1]):
            if own[-1].end is RunEnd.PASSED and not claim.whole:  # the same figure by chance, or of a part
                return self._unsupported(claim, ClaimReason.FAILED, open_failure)
            return self._contradicted(claim, ClaimReason.FAILED, open_failure)
        if open_failure is not None and claim.whole:
            return self._unsupported(claim, ClaimReason.FAILED, open_failure)
        return self._told(claim, check)

    def _without_figures(self, claim: Claim, own: Sequence[CheckFact]) -> CheckedClaim:
        last = own[-1]
        open_failure = self._open_failure(own)
        if open_failure is not None and not claim.part:
            if open_failure is last or (claim.whole and claim.plain):
                return self._contradicted(claim, ClaimReason.FAILED, open_failure)
            if claim.whole:
                return self._unsupported(claim, ClaimReason.FAILED, open_failure)
        passed = [check for check in own if check.end is RunEnd.PASSED]
        if open_failure is not None and not claim.part and passed and own.index(passed[-1]) < own.index(open_failure):
            return self._unsupported(claim, ClaimReason.FAILED, open_failure)
        if not passed:
            if all(check.end is RunEnd.NOTHING for check in own):
                return self._contradicted(claim, ClaimReason.RAN_NOTHING, last)
            return self._unsupported(claim, reason_why(last), last)
        if last.end in (RunEnd.NOTHING, RunEnd.OPEN) and claim.tool and " " in claim.tool:
            return self._unsupported(claim, reason_why(last), last)  # the very command that the claim names
        worth = [check for check in passed if check.whole and check.freshness is Freshness.FRESH]
        return self._told(claim, (worth or passed)[-1])

    def _open_failure(self, own: Sequence[CheckFact]) -> CheckFact | None:
        """Return the last check that failed and that none since has passed which covers it; None if it is admitted."""
        for place in range(len(own) - 1, -1, -1):
            check = own[place]
            if not _fails(check) or self._is_admitted(check):
                continue
            if not any(_covers(later, check) for later in own[place + 1 :]):
                return check
        return None

    def _is_admitted(self, check: CheckFact) -> bool:
        wrong = (check.counts.failed or 0) + (check.counts.errors or 0)
        if not wrong and self._admissions.figures:
            return True  # it does not tell how many, and the reply tells of some
        return self._admissions.plain or bool({wrong, check.counts.failed or 0} - {0} & self._admissions.figures)

    def _is_sum(self, claim: Claim, ended: Sequence[CheckFact]) -> bool:
        """Return whether the figures are those of the last runs of several suites together."""
        suites = {(check.tool, check.place, check.selected): check.counts for check in ended}
        passed = all(check.end is RunEnd.PASSED for check in ended)
        return len(suites) > 1 and fits_counts(claim, added(suites.values()), passed=passed)

    def of_parts(self, claims: Sequence[CheckedClaim]) -> list[CheckedClaim]:
        """Return claims, those confirmed whose figures are a check's only together: "cli 10, core 42, web 5 passed"."""
        wrong = [
            place
            for place, checked in enumerate(claims)
            if checked.reason is ClaimReason.OTHER_FIGURES
            and checked.claim.kind is ClaimKind.TESTS
            and checked.claim.counts.passed is not None
        ][:MOST_PARTS]
        checked = list(claims)
        for first in range(len(wrong)):
            for last in range(len(wrong), first + 1, -1):
                places = wrong[first:last]
                total = sum(claims[place].claim.counts.passed or 0 for place in places)
                check = self._with_passed(total)
                if check is not None:
                    for place in places:
                        checked[place] = self._told(claims[place].claim, check)
                    return checked
        return checked

    def _with_passed(self, passed: int) -> CheckFact | None:
        """Return the persona's last run of tests in which so many passed."""
        runs = [check for check in self._facts.checks_of(RunKind.TESTS) if check.counts.passed == passed]
        return runs[-1] if runs and not _fails(runs[-1]) else None

    def _told(self, claim: Claim, check: CheckFact) -> CheckedClaim:
        """Return a claim that a check bears out, unless it was of other code: older, elsewhere, or a part only."""
        if check.end is not RunEnd.PASSED and not claim.counts.failed:
            return self._unsupported(claim, reason_why(check), check)
        if check.freshness is Freshness.STALE and not claim.shown:
            return self._unsupported(claim, ClaimReason.BEFORE_LAST_EDIT, check)
        if self._is_elsewhere(check) and not claim.declared:
            return self._unsupported(claim, ClaimReason.ELSEWHERE, check)
        is_wide = claim.whole or not (claim.part or claim.declared)
        of_part = not check.whole and check.kind is RunKind.TESTS and claim.whole
        if of_part or (not names_figures(claim) and is_wide and is_narrow(check)):
            says = partial(claim.kind, check, self._language)
            return told(claim, ClaimState.UNSUPPORTED, ClaimReason.NO_SUCH_RUN, check.witness.call_id, says)
        return self._confirmed(claim, check)

    def _is_elsewhere(self, check: CheckFact) -> bool:
        """Return whether a check was of other code than the persona's: of a project to which nothing belongs that it
        wrote in this turn, or of a copy that it altered.
        """
        own = [file for file in self._facts.files if file.witness.own and not file.witness.age]
        wrote = [file.path for file in own if is_code(file.path)]
        altered = is_scratch(check.place) and any(is_below(path, check.place) for path in wrote)
        wrote = [path for path in wrote if not is_scratch(path)]
        foreign = bool(wrote) and not any(belongs(path, check.place) for path in wrote)
        return not check.witness.age and (altered or foreign)

    def _measured(self, claim: Claim) -> CheckedClaim:
        """Return whether some call showed the figures that a claim says were measured."""
        wrong = [subject for subject in claim.subjects if not is_shown(subject, self._facts.figures)]
        runs = [*self._facts.checks_of(RunKind.BENCHMARK)]
        if not claim.subjects and runs:
            return self._told(claim, runs[-1])
        if not wrong and claim.subjects:
            return self._confirmed(claim, runs[-1]) if runs else told(claim, ClaimState.CONFIRMED)
        if runs:
            return self._unsupported(claim, ClaimReason.OTHER_FIGURES, runs[-1])
        return self._missing(claim)

    def _missing(self, claim: Claim) -> CheckedClaim:
        says = missing(claim, self._language)
        return told(claim, ClaimState.UNSUPPORTED, ClaimReason.NO_SUCH_RUN, "", says)

    def _confirmed(self, claim: Claim, check: CheckFact) -> CheckedClaim:
        says = of_check(check, ClaimReason.NONE, self._language)
        return told(claim, ClaimState.CONFIRMED, ClaimReason.NONE, check.witness.call_id, says)

    def _unsupported(self, claim: Claim, reason: ClaimReason, check: CheckFact) -> CheckedClaim:
        says = of_check(check, reason, self._language)
        return told(claim, ClaimState.UNSUPPORTED, reason, check.witness.call_id, says)

    def _contradicted(self, claim: Claim, reason: ClaimReason, check: CheckFact) -> CheckedClaim:
        says = of_check(check, reason, self._language)
        return told(claim, ClaimState.CONTRADICTED, reason, check.witness.call_id, says)


def told(
    claim: Claim, state: ClaimState, reason: ClaimReason = ClaimReason.NONE, call_id: str = "", says: str = ""
) -> CheckedClaim:
    """Return a claim with what is said of it."""
    return CheckedClaim(claim=claim, state=state, reason=reason, run_id=call_id, says=says)


def is_narrow(check: CheckFact) -> bool:
    """Return whether a check was of single tests or files, and not of a directory or a package."""
    return any(
        name.startswith("-") or "::" in name or "=" in name or "." in name.rpartition("/")[2].strip(".")
        for name in check.selected
    )


def reason_why(fact: CheckFact | DeedFact | CommandFact) -> ClaimReason:
    """Return why an end bears nothing out."""
    match fact.end:
        case RunEnd.FAILED:
            return ClaimReason.FAILED
        case RunEnd.MASKED:
            return ClaimReason.MASKED
        case RunEnd.NOTHING:
            return ClaimReason.RAN_NOTHING
        case RunEnd.OPEN:
            return ClaimReason.BACKGROUND
        case RunEnd.PASSED:
            return ClaimReason.OTHER_FIGURES
        case unexpected:
            assert_never(unexpected)


def _fails(check: CheckFact) -> bool:
    """Return whether a check failed, and not only what ran beside it: its own figures would tell."""
    counts = check.counts
    passed_alone = bool(counts.passed) and not (counts.failed or counts.errors)
    return check.end is RunEnd.FAILED and not passed_alone


def _counts_skipped(claim: Claim, check: CheckFact) -> bool:
    """Return whether a claim counts tests that were skipped among those that passed."""
    passed = check.counts.passed
    claimed = claim.total if claim.counts.passed is None else claim.counts.passed
    if not check.counts.skipped or passed is None or claimed is None or claim.counts.skipped is not None:
        return False
    return claimed > passed


def _is_named(check: CheckFact, claim: Claim) -> bool:
    """Return whether a claim names a check by its command, whatever the kind that is known for: `cargo check`."""
    return bool(claim.tool) and " " in claim.tool and check.command.startswith(claim.tool)


def _of_tool(checks: Sequence[CheckFact], tool: str) -> list[CheckFact]:
    """Return the checks of the command or tool that a claim names, all where none is: a script may have run it."""
    if not tool:
        return [*checks]
    named = set(tool.split())
    exact = [check for check in checks if named <= set(check.command.lower().split())] if len(named) > 1 else []
    of_tool = [check for check in checks if tool in check.tool or check.tool in tool or tool in check.command]
    return exact or of_tool or [*checks]


def _covers(later: CheckFact, failed: CheckFact) -> bool:
    """Return whether a later check that passed takes a failure back: of all in that place, or of the same part."""
    silent = later.end is RunEnd.MASKED and not (later.counts.passed and not later.counts.failed)
    if later.end not in (RunEnd.PASSED, RunEnd.MASKED) or silent or later.kind is not failed.kind:
        return False
    if not (later.place == failed.place or is_below(failed.place, later.place)):
        return False
    return later.whole or later.selected == failed.selected or bool(set(later.selected) & set(failed.selected))
