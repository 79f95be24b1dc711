"""What the facts say of a claim: a comparison of two values. No text and no command is read here."""

from collections.abc import Iterable, Sequence
from typing import assert_never

from mama_bot.enforcement.claims.assertions import Admissions
from mama_bot.enforcement.claims.beside_record import of_disk, of_reviews
from mama_bot.enforcement.claims.explanations import (
    missing,
    of_check,
    of_deed,
    of_file,
    of_look,
    of_undone,
    partial,
    unheard_commit,
)
from mama_bot.enforcement.claims.figures import added, fits, fits_counts, names_figures, numbers_of
from mama_bot.facts.places import is_below, same_file
from mama_bot.model import (
    NO_COUNTS,
    CheckedClaim,
    CheckFact,
    Claim,
    ClaimKind,
    ClaimReason,
    ClaimState,
    DeedFact,
    Facts,
    FileFact,
    FileFate,
    Freshness,
    LookFact,
    LookKind,
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
DEEDS = {
    ClaimKind.COMMITTED: RunKind.COMMIT,
    ClaimKind.PUSHED: RunKind.PUSH,
    ClaimKind.MERGED: RunKind.MERGE,
    ClaimKind.PUBLISHED: RunKind.PUBLISH,
    ClaimKind.DEPLOYED: RunKind.DEPLOY,
}
FATES = {
    ClaimKind.CREATED: FileFate.CREATED,
    ClaimKind.CHANGED: FileFate.CHANGED,
    ClaimKind.DELETED: FileFate.DELETED,
}
# Their tests are compiled first.
COMPILING = frozenset(("gradle", "maven", "cargo test", "go test", "dotnet test", "swift test", "xcodebuild"))
WORKED = frozenset((ClaimKind.RAN, ClaimKind.CHECKED, ClaimKind.REPRODUCED))
CERTAIN = frozenset((RunEnd.PASSED, RunEnd.FAILED))
# What a look showed that a deed would have left behind.
SHOWS = {
    ClaimKind.COMMITTED: (LookKind.COMMIT, frozenset(("", "clean", "up to date"))),
    ClaimKind.PUSHED: (LookKind.COMMIT, frozenset(("up to date",))),
    ClaimKind.MERGED: (LookKind.REMOTE, frozenset(("merged",))),
    ClaimKind.DEPLOYED: (LookKind.SERVICE, frozenset(("200", "active", "running", "success", "ready"))),
    ClaimKind.PUBLISHED: (LookKind.REMOTE, frozenset(("success", "published"))),
}
SHORTEST_HASH = 7


class Comparison:
    """Compares claims with facts; `admissions` are the failures that the text tells itself."""

    def __init__(self, facts: Facts, *, admissions: Admissions, language: Language) -> None:
        self._facts = facts
        self._admissions = admissions
        self._language = language

    def of(self, claim: Claim) -> CheckedClaim:
        """Return what the facts say of one claim."""
        match claim.kind:
            case ClaimKind.TESTS | ClaimKind.BUILD | ClaimKind.TYPES | ClaimKind.LINT | ClaimKind.FORMAT:
                return self._check(claim)
            case ClaimKind.BENCHMARK:
                return self._check(claim)
            case ClaimKind.COMMITTED | ClaimKind.PUSHED | ClaimKind.MERGED | ClaimKind.PUBLISHED | ClaimKind.DEPLOYED:
                return self._deed(claim)
            case ClaimKind.CREATED | ClaimKind.CHANGED | ClaimKind.DELETED | ClaimKind.ONLY_THESE:
                return self._file(claim)
            case ClaimKind.RAN | ClaimKind.CHECKED | ClaimKind.REPRODUCED:
                return self._work(claim)
            case ClaimKind.REVIEWED:
                return of_reviews(claim, self._facts, self._language) or self._missing(claim)
            case unexpected:
                assert_never(unexpected)

    def can_tell(self, claim: Claim) -> bool:
        """Return whether facts can say anything of a claim."""
        return claim.kind not in WORKED or bool(claim.subjects) or self._facts.is_empty

    def _check(self, claim: Claim) -> CheckedClaim:
        kinds = CHECKS[claim.kind]
        known = [check for check in self._facts.checks if check.kind in kinds or _is_named(check, claim)]
        if claim.kind is ClaimKind.BUILD and not known:
            known = [check for check in self._facts.checks if check.tool in COMPILING]
        own = [check for check in known if check.witness.own]
        if claim.tool:
            own = [check for check in own if _is_of_tool(check, claim.tool)] or own
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
        if right or failed:
            return self._confirmed(claim, (right or failed)[-1])
        return self._unsupported(claim, ClaimReason.NO_SUCH_RUN, own[-1])

    def _with_figures(self, claim: Claim, own: Sequence[CheckFact]) -> CheckedClaim:
        right = [check for check in own if check.counts != NO_COUNTS and fits(claim, check)]
        if right:
            check = right[-1]
            open_failure = self._open_failure(own)
            if open_failure is not None and (check.end is RunEnd.FAILED or open_failure is own[-1]):
                return self._contradicted(claim, ClaimReason.FAILED, open_failure)
            return self._told(claim, check)
        ended = [check for check in own if check.end in CERTAIN]
        if self._is_sum(claim, ended):
            return self._told(claim, ended[-1])
        if not ended:
            return self._unsupported(claim, _reason_of(own[-1]), own[-1])
        last = ended[-1]
        silent = any(check.counts == NO_COUNTS for check in own)
        if _fails(last) and not self._is_admitted(last) and not claim.part and not claim.shown:
            return self._contradicted(claim, ClaimReason.FAILED, last)
        printed = not numbers_of(claim).isdisjoint(self._facts.figures)
        if silent or printed or claim.part or claim.shown or self._facts.opaque or self._facts.dropped:
            return self._unsupported(claim, ClaimReason.OTHER_FIGURES, last)
        return self._contradicted(claim, ClaimReason.OTHER_FIGURES, last)

    def _without_figures(self, claim: Claim, own: Sequence[CheckFact]) -> CheckedClaim:
        last = own[-1]
        open_failure = self._open_failure(own)
        passed_since = open_failure is not last
        if open_failure is not None and not claim.part and not (passed_since and not (claim.whole and claim.plain)):
            return self._contradicted(claim, ClaimReason.FAILED, open_failure)
        passed = [check for check in own if check.end is RunEnd.PASSED]
        if not passed:
            if all(check.end is RunEnd.NOTHING for check in own):
                return self._contradicted(claim, ClaimReason.RAN_NOTHING, last)
            return self._unsupported(claim, _reason_of(last), last)
        return self._told(claim, passed[-1])

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

    def _told(self, claim: Claim, check: CheckFact) -> CheckedClaim:
        """Return a claim that a check bears out, unless the code changed since, or it was of a part only."""
        if check.end is not RunEnd.PASSED and not claim.counts.failed:
            return self._unsupported(claim, _reason_of(check), check)
        if check.freshness is Freshness.STALE and not claim.shown:
            return self._unsupported(claim, ClaimReason.BEFORE_LAST_EDIT, check)
        if claim.whole and not check.whole and not names_figures(claim):
            says = partial(claim.kind, check, self._language)
            return _checked(claim, ClaimState.UNSUPPORTED, ClaimReason.NO_SUCH_RUN, check.witness.call_id, says)
        return self._confirmed(claim, check)

    def _deed(self, claim: Claim) -> CheckedClaim:
        deeds = [*self._facts.deeds_of(DEEDS[claim.kind])]
        if claim.fails:
            return self._missing(claim) if not deeds else self._of_deed(claim, ClaimState.CONFIRMED, deeds[-1])
        named = _hashes(claim)
        unheard = [name for name in named if name in self._facts.standing.unheard]
        if unheard and claim.kind is ClaimKind.COMMITTED and not self._facts.opaque:
            says = unheard_commit(unheard[0], self._language)
            return _checked(claim, ClaimState.CONTRADICTED, ClaimReason.NO_SUCH_RUN, "", says)
        done = [deed for deed in deeds if deed.end is RunEnd.PASSED and not self._is_undone(deed)]
        if done and not any(self._is_here(deed) for deed in done):
            return self._of_deed(claim, ClaimState.UNSUPPORTED, done[-1], ClaimReason.ELSEWHERE)
        if done:
            right = [deed for deed in done if not named or any(same_hash(name, deed.target) for name in named)]
            if right or not all(deed.target for deed in done) or claim.kind is not ClaimKind.COMMITTED:
                return self._of_deed(claim, ClaimState.CONFIRMED, (right or done)[-1])
        look = self._shown(claim, named)
        if look is not None:
            return self._of_look(claim, look)
        if done:
            return self._of_deed(claim, ClaimState.UNSUPPORTED, done[-1], ClaimReason.ELSEWHERE)
        return self._not_done(claim, deeds)

    def _not_done(self, claim: Claim, deeds: Sequence[DeedFact]) -> CheckedClaim:
        """Return what is said of a deed that nothing shows to be done, and to stand."""
        if not deeds:
            return self._missing(claim)
        last = deeds[-1]
        if self._is_undone(last):
            says = of_undone(last, self._language)
            return _checked(claim, ClaimState.UNSUPPORTED, ClaimReason.ELSEWHERE, last.witness.call_id, says)
        if last.end is RunEnd.FAILED and not self._was_mended(last):
            return self._of_deed(claim, ClaimState.CONTRADICTED, last, ClaimReason.FAILED)
        return self._of_deed(claim, ClaimState.UNSUPPORTED, last, _reason_of(last))

    def _is_here(self, deed: DeedFact) -> bool:
        """Return whether a deed was where the work is, and in no directory of its own."""
        if not deed.place.startswith("/"):
            return True
        return any(is_below(file.path, deed.place) for file in self._facts.files)

    def _is_undone(self, deed: DeedFact) -> bool:
        """Return whether no branch has a commit any more, or a push was before a commit that no remote has."""
        if deed.kind is not RunKind.PUSH:
            return deed.undone
        commits = self._facts.deeds_of(RunKind.COMMIT)
        return any(
            commit.target in self._facts.standing.unpushed and commit.witness.at > deed.witness.at for commit in commits
        )

    def _was_mended(self, failed: DeedFact) -> bool:
        """Return whether another way led there: a merge whose conflicts were committed afterwards."""
        if failed.kind is not RunKind.MERGE:
            return False
        later = (deed for deed in self._facts.deeds_of(RunKind.COMMIT) if deed.end is RunEnd.PASSED)
        return any(deed.witness.at >= failed.witness.at and deed.witness != failed.witness for deed in later)

    def _shown(self, claim: Claim, named: Sequence[str]) -> LookFact | None:
        """Return the last look that shows what a deed would have left: the commit is there, the request is merged."""
        kind, states = SHOWS[claim.kind]
        edits = [file.witness.at for file in self._facts.files if file.witness.own and not file.witness.age]
        for look in reversed(self._facts.looks):
            shows = look.kind is kind and look.state in states and look.witness.own
            if kind is LookKind.COMMIT and edits:  # that some commit is there says nothing of the own edits
                shows = shows and bool(look.state) and look.witness.at >= max(edits)
            if shows and (not named or any(same_hash(name, look.subject) for name in named)):
                return look
        remote = [look for look in self._facts.looks if look.kind is LookKind.REMOTE and look.witness.own]
        if claim.kind in (ClaimKind.PUSHED, ClaimKind.DEPLOYED) and remote:
            return remote[-1] if remote[-1].state not in ("failure", "running") else None
        return None

    def _file(self, claim: Claim) -> CheckedClaim:
        names = claim.subjects
        files = [file for file in self._facts.files if any(same_file(name, file.path) for name in names)]
        if not files or claim.kind is ClaimKind.ONLY_THESE:
            return of_disk(claim, self._facts, self._language) or self._missing(claim)
        last = files[-1]
        fate = FATES[claim.kind]
        if claim.kind is ClaimKind.DELETED:
            right = [file for file in files if FileFate.DELETED in file.fates and file.present is not True]
        else:
            right = [file for file in files if file.fate is not FileFate.DELETED and file.present is not False]
        if right:
            return self._of_file(claim, ClaimState.CONFIRMED, right[-1])
        if last.present is not None:
            return self._of_file(claim, ClaimState.CONTRADICTED, last)
        return self._of_file(claim, ClaimState.CONFIRMED if fate in last.fates else ClaimState.UNSUPPORTED, last)

    def _work(self, claim: Claim) -> CheckedClaim:
        """Return what is shown of "I verified": the files that it names were shown, the commands were run."""
        if claim.files:
            looks = [look for look in self._facts.looks if look.kind is LookKind.FILE and look.state == "shown"]
            seen = [look for look in looks for name in claim.files if same_file(name, look.subject)]
            if seen:
                return self._of_look(claim, seen[-1])
        if any(_is_of(command, name) for name in claim.subjects for command in self._facts.commands):
            return _checked(claim, ClaimState.CONFIRMED, ClaimReason.NONE, "", "")
        return self._missing(claim)

    def _missing(self, claim: Claim) -> CheckedClaim:
        says = missing(claim, self._language)
        return _checked(claim, ClaimState.UNSUPPORTED, ClaimReason.NO_SUCH_RUN, "", says)

    def _confirmed(self, claim: Claim, check: CheckFact) -> CheckedClaim:
        says = of_check(check, ClaimReason.NONE, self._language)
        return _checked(claim, ClaimState.CONFIRMED, ClaimReason.NONE, check.witness.call_id, says)

    def _unsupported(self, claim: Claim, reason: ClaimReason, check: CheckFact) -> CheckedClaim:
        says = of_check(check, reason, self._language)
        return _checked(claim, ClaimState.UNSUPPORTED, reason, check.witness.call_id, says)

    def _contradicted(self, claim: Claim, reason: ClaimReason, check: CheckFact) -> CheckedClaim:
        says = of_check(check, reason, self._language)
        return _checked(claim, ClaimState.CONTRADICTED, reason, check.witness.call_id, says)

    def _of_deed(
        self, claim: Claim, state: ClaimState, deed: DeedFact, reason: ClaimReason = ClaimReason.NONE
    ) -> CheckedClaim:
        return _checked(claim, state, reason, deed.witness.call_id, of_deed(deed, reason, self._language))

    def _of_look(self, claim: Claim, look: LookFact) -> CheckedClaim:
        says = of_look(look, self._language)
        return _checked(claim, ClaimState.CONFIRMED, ClaimReason.NONE, look.witness.call_id, says)

    def _of_file(self, claim: Claim, state: ClaimState, file: FileFact) -> CheckedClaim:
        reason = ClaimReason.NONE if state is ClaimState.CONFIRMED else ClaimReason.NO_SUCH_RUN
        return _checked(claim, state, reason, file.witness.call_id, of_file(file, self._language))


def _checked(claim: Claim, state: ClaimState, reason: ClaimReason, call_id: str, says: str) -> CheckedClaim:
    return CheckedClaim(claim=claim, state=state, reason=reason, run_id=call_id, says=says)


def _is_of(command: str, name: str) -> bool:
    """Return whether a command line runs what a claim names, and does not only print or search for it."""
    parts = command.replace("&&", ";").replace("|", ";").replace("\n", ";").split(";")
    return any(part.strip().startswith(name) for part in parts)


def _fails(check: CheckFact) -> bool:
    """Return whether a check failed, and not only what ran beside it: its own figures would tell."""
    counts = check.counts
    passed_alone = bool(counts.passed) and not (counts.failed or counts.errors)
    return check.end is RunEnd.FAILED and not passed_alone


def _reason_of(fact: CheckFact | DeedFact) -> ClaimReason:
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


def _is_named(check: CheckFact, claim: Claim) -> bool:
    """Return whether a claim names a check by its command, whatever the kind that is known for: `cargo check`."""
    return bool(claim.tool) and " " in claim.tool and check.command.startswith(claim.tool)


def _is_of_tool(check: CheckFact, tool: str) -> bool:
    """Return whether a check is of a tool that a claim names."""
    return tool in check.tool or check.tool in tool or tool in check.command


def _covers(later: CheckFact, failed: CheckFact) -> bool:
    """Return whether a later check that passed takes a failure back: of all there is, or of the same part."""
    if later.end not in (RunEnd.PASSED, RunEnd.MASKED) or later.kind is not failed.kind:
        return False
    return later.whole or later.selected == failed.selected or bool(set(later.selected) & set(failed.selected))


def _hashes(claim: Claim) -> Sequence[str]:
    """Return the commits that a claim names."""
    return [name for name in claim.subjects if len(name) >= SHORTEST_HASH and set(name) <= set("0123456789abcdef")]


def same_hash(name: str, other: str) -> bool:
    """Return whether two hashes, each as long as it was written, may be of one commit."""
    return len(other) >= SHORTEST_HASH and (name.startswith(other) or other.startswith(name))


def compared(claims: Iterable[Claim], comparison: Comparison) -> tuple[CheckedClaim, ...]:
    """Return what the facts say of each claim, in order; of "I checked" alone only where nothing was."""
    return tuple(comparison.of(claim) for claim in claims if comparison.can_tell(claim))
