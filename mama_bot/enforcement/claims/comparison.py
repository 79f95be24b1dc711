"""What the facts say of a claim: a comparison of two values. No text and no command is read here."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import assert_never

from mama_bot.enforcement.claims.beside_record import of_ci, of_disk, of_reviews
from mama_bot.enforcement.claims.check_comparison import CHECKS, CheckComparison, reason_why, told
from mama_bot.enforcement.claims.destinations import concluded_merges, goes_where_said
from mama_bot.enforcement.claims.explanations import (
    NOT_COMPARED,
    NOT_READ,
    of_command,
    of_deed,
    of_file,
    of_look,
    of_undone,
    unheard_commit,
)
from mama_bot.enforcement.claims.figures import numbers_of
from mama_bot.facts.places import is_below, is_scratch, may_hold_tests, same_file
from mama_bot.model import (
    TEST_FILES,
    UNREAD,
    CheckedClaim,
    Claim,
    ClaimKind,
    ClaimReason,
    ClaimState,
    CommandFact,
    DeedFact,
    FileFact,
    FileFate,
    LookFact,
    LookKind,
    RunEnd,
    RunKind,
)

DEEDS = {
    ClaimKind.COMMITTED: RunKind.COMMIT,
    ClaimKind.PUSHED: RunKind.PUSH,
    ClaimKind.MERGED: RunKind.MERGE,
    ClaimKind.PUBLISHED: RunKind.PUBLISH,
    ClaimKind.DEPLOYED: RunKind.DEPLOY,
}
CHECK_KINDS = frozenset((ClaimKind.TESTS, ClaimKind.BUILD, ClaimKind.TYPES, ClaimKind.LINT, ClaimKind.FORMAT))
FATES = {
    ClaimKind.CREATED: FileFate.CREATED,
    ClaimKind.CHANGED: FileFate.CHANGED,
    ClaimKind.DELETED: FileFate.DELETED,
}
WORKED = frozenset((ClaimKind.RAN, ClaimKind.CHECKED, ClaimKind.REPRODUCED))
# What a look showed that a deed would have left behind.
SHOWS = {
    ClaimKind.COMMITTED: (LookKind.COMMIT, frozenset(("", "clean", "up to date"))),
    ClaimKind.PUSHED: (LookKind.COMMIT, frozenset(("up to date",))),
    ClaimKind.MERGED: (LookKind.REMOTE, frozenset(("merged",))),
    ClaimKind.DEPLOYED: (LookKind.SERVICE, frozenset(("200", "active", "running", "success", "ready"))),
    ClaimKind.PUBLISHED: (LookKind.REMOTE, frozenset(("success", "published"))),
}
TESTED_ELSEWHERE = (".py", ".js", ".jsx", ".mjs", ".ts", ".tsx", ".go", ".java", ".kt", ".swift", ".cs", ".md", ".json")
SHORTEST_HASH = 7
MOST_COMPARED = 200


class Comparison(CheckComparison):
    """Compares claims with facts; `admissions` are the failures that the text tells itself."""

    def of(self, claim: Claim) -> CheckedClaim:
        """Return what the facts say of one claim."""
        if claim.subjects == (UNREAD,):
            return told(claim, ClaimState.UNSUPPORTED, ClaimReason.NO_SUCH_RUN, "", NOT_READ.to(self._language))
        match claim.kind:
            case ClaimKind.TESTS | ClaimKind.BUILD | ClaimKind.TYPES | ClaimKind.LINT | ClaimKind.FORMAT:
                return self._check(claim)
            case ClaimKind.BENCHMARK:
                return self._measured(claim)
            case ClaimKind.COMMITTED | ClaimKind.PUSHED | ClaimKind.MERGED | ClaimKind.PUBLISHED | ClaimKind.DEPLOYED:
                return self._deed(claim)
            case ClaimKind.CREATED | ClaimKind.CHANGED | ClaimKind.DELETED:
                return self._file(claim)
            case ClaimKind.ONLY_THESE:
                return self._only_these(claim)
            case ClaimKind.RAN | ClaimKind.CHECKED | ClaimKind.REPRODUCED:
                return self._work(claim)
            case ClaimKind.REVIEWED:
                return of_reviews(claim, self._facts, self._language) or self._missing(claim)
            case ClaimKind.CI:
                seen = self._looked_at_remote
                return of_ci(claim, self._facts, self._language, seen=seen) or self._missing(claim)
            case unexpected:
                assert_never(unexpected)

    def can_tell(self, claim: Claim) -> bool:
        """Return whether facts can say anything of a claim.

        A failure of what was not run here, and a check beside a look at a remote, are another's: told, and no claim.
        """
        if claim.kind in CHECK_KINDS and not any(check.kind in CHECKS[claim.kind] for check in self._facts.checks):
            unnamed = not (claim.tool or claim.plain) and numbers_of(claim) <= self._facts.figures
            return not (
                (claim.fails and not claim.tool)
                or self._looked_at_remote
                or (unnamed and claim.kind is ClaimKind.TESTS and bool(self._facts.unknown))
            )
        if claim.kind is ClaimKind.CI:
            return self._facts.ci is not None
        if claim.subjects == (TEST_FILES,):
            return self._wrote_no_tests
        if claim.kind not in WORKED or claim.subjects:
            return True
        return self._facts.is_empty or self._hides_failure

    @property
    def _wrote_no_tests(self) -> bool:
        """Whether it is sure that no tests were written: files were, none of tests, and none that may hold some."""
        facts = self._facts
        paths = [file.path for file in facts.files if file.witness.own]
        if not paths or facts.wrote or facts.opaque or facts.dropped or not facts.from_beginning:
            return False
        return not any(may_hold_tests(path) or not path.endswith(TESTED_ELSEWHERE) for path in paths)

    @property
    def _looked_at_remote(self) -> bool:
        """Whether this turn looked at what runs elsewhere: a pull request and its checks, a pipeline."""
        looks = (look for look in self._facts.looks if look.kind is LookKind.REMOTE and look.witness.own)
        return any(not look.witness.age for look in looks)

    @property
    def _hides_failure(self) -> bool:
        """Whether the last that was done failed, and the reply tells of nothing that did."""
        return self._facts.open_failure is not None and not self._admissions.any

    def unread(self, claim: Claim) -> CheckedClaim:
        """Return that a claim was not compared; nobody is asked for it."""
        says = NOT_COMPARED.to(self._language)
        return told(replace(claim, plain=False), ClaimState.UNSUPPORTED, ClaimReason.NO_SUCH_RUN, "", says)

    def _deed(self, claim: Claim) -> CheckedClaim:
        deeds = [*self._facts.deeds_of(DEEDS[claim.kind])]
        if claim.kind is ClaimKind.MERGED:
            deeds += concluded_merges(self._facts)
        if claim.fails:
            return self._missing(claim) if not deeds else self._of_deed(claim, ClaimState.CONFIRMED, deeds[-1])
        named = _hashes(claim)
        unheard = [name for name in named if name in self._facts.standing.unheard]
        if unheard and claim.kind is ClaimKind.COMMITTED and not self._facts.opaque:
            says = unheard_commit(unheard[0], self._language)
            return told(claim, ClaimState.CONTRADICTED, ClaimReason.NO_SUCH_RUN, "", says)
        done = [deed for deed in deeds if deed.end is RunEnd.PASSED and not self._is_undone(deed)]
        here = [deed for deed in done if self._is_here(deed) and goes_where_said(claim, deed, self._facts)]
        if done and not here:
            return self._of_deed(claim, ClaimState.UNSUPPORTED, done[-1], ClaimReason.ELSEWHERE)
        done = here
        if done and deeds[-1].end is RunEnd.FAILED and claim.kind is not ClaimKind.COMMITTED:
            return self._of_deed(claim, ClaimState.UNSUPPORTED, deeds[-1], ClaimReason.FAILED)  # the last did not
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
            return told(claim, ClaimState.UNSUPPORTED, ClaimReason.ELSEWHERE, last.witness.call_id, says)
        wrote = any(file.witness.own and not file.witness.age for file in self._facts.files)
        if last.kind is RunKind.PUSH and last.end is RunEnd.NOTHING and not wrote:
            return self._of_deed(claim, ClaimState.CONFIRMED, last)  # everything is there already
        if last.end is RunEnd.FAILED and not self._was_mended(last):
            return self._of_deed(claim, ClaimState.CONTRADICTED, last, ClaimReason.FAILED)
        return self._of_deed(claim, ClaimState.UNSUPPORTED, last, reason_why(last))

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
        in_vain = claim.kind is ClaimKind.COMMITTED and any(True for _ in self._facts.deeds_of(RunKind.COMMIT))
        for look in reversed(self._facts.looks):
            shows = look.kind is kind and look.state in states and look.witness.own and not (in_vain and not named)
            if kind is LookKind.COMMIT and edits:  # that some commit is there says nothing of the own edits
                shows = shows and bool(look.state) and look.witness.at >= max(edits)
            if shows and (not named or any(same_hash(name, look.subject) for name in named)):
                return look
        return self._seen_elsewhere(claim, edits)

    def _seen_elsewhere(self, claim: Claim, edits: Sequence[datetime]) -> LookFact | None:
        """Return the last look at what is elsewhere that a push or a deployment alone can have brought about."""
        remote = [look for look in self._facts.looks if look.kind is LookKind.REMOTE and look.witness.own]
        if not remote:
            return None
        last = remote[-1]
        if claim.kind is ClaimKind.DEPLOYED:
            return last if last.state == "success" else None
        later = not edits or last.witness.at >= max(edits)
        return last if claim.kind is ClaimKind.PUSHED and later and last.state not in ("failure", "running") else None

    def _file(self, claim: Claim) -> CheckedClaim:
        """Return what became of the files that a claim names; each of them has to be there."""
        if claim.subjects == (TEST_FILES,):
            return self._missing(claim)
        files: list[FileFact] = []
        for name in claim.subjects:
            known = [file for file in self._facts.files if _is_file(name, file)]
            if not known:
                return of_disk(claim, self._facts, self._language) or self._missing(claim)
            files.append(next((file for file in known if _is_so(claim.kind, file)), known[-1]))
        wrong = [file for file in files if not _is_so(claim.kind, file)]
        if not wrong:
            return self._of_file(claim, ClaimState.CONFIRMED, files[-1])
        sure = any(file.present is not None for file in wrong)
        return self._of_file(claim, ClaimState.CONTRADICTED if sure else ClaimState.UNSUPPORTED, wrong[-1])

    def _only_these(self, claim: Claim) -> CheckedClaim:
        """Return whether the persona touched no file in this turn but those that a claim names."""
        facts = self._facts
        touched = [file for file in facts.files if file.witness.own and not file.witness.age and not file.undone]
        others = [
            file
            for file in touched
            if not (is_scratch(file.path) or _is_gone(file))
            and not any(same_file(name, file.path) for name in claim.subjects)
        ]
        if others and claim.subjects:
            return self._of_file(claim, ClaimState.CONTRADICTED, others[-1])
        if facts.wrote or facts.opaque or facts.dropped or not claim.subjects:
            return self._missing(claim)
        return told(claim, ClaimState.CONFIRMED)

    def _work(self, claim: Claim) -> CheckedClaim:
        """Return what is shown of "I verified": the files that it names were shown, the commands were run."""
        if claim.kind is ClaimKind.REPRODUCED:
            return self._reproduced(claim)
        failure = self._facts.open_failure
        if not claim.subjects and failure is not None:
            says = of_command(failure, self._language)
            return told(claim, ClaimState.UNSUPPORTED, ClaimReason.FAILED, failure.witness.call_id, says)
        commands = [command for command in self._facts.commands for name in claim.subjects if _is_of(command, name)]
        if commands:
            last = commands[-1]
            if claim.fails and last.end is RunEnd.FAILED:
                return told(claim, ClaimState.CONFIRMED, ClaimReason.NONE, last.witness.call_id)
            if claim.tool and last.end is not RunEnd.PASSED:  # it says how the command ended
                says = of_command(last, self._language)
                return told(claim, ClaimState.UNSUPPORTED, reason_why(last), last.witness.call_id, says)
            return told(claim, ClaimState.CONFIRMED, ClaimReason.NONE, last.witness.call_id)
        looks = [look for look in self._facts.looks if look.kind is LookKind.FILE and look.state == "shown"]
        seen = [next((look for look in looks if same_file(name, look.subject)), None) for name in claim.files]
        if seen and all(seen):
            return self._of_look(claim, next(look for look in seen if look is not None))
        return self._missing(claim)

    def _reproduced(self, claim: Claim) -> CheckedClaim:
        """Return whether anything failed, as what is reproduced does."""
        failed = [command for command in self._facts.commands if command.end is not RunEnd.PASSED]
        checks = [check for check in self._facts.checks if check.witness.own and check.end is not RunEnd.PASSED]
        if failed or checks or self._facts.opaque:
            return told(claim, ClaimState.CONFIRMED)
        return self._missing(claim)

    def _of_deed(
        self, claim: Claim, state: ClaimState, deed: DeedFact, reason: ClaimReason = ClaimReason.NONE
    ) -> CheckedClaim:
        return told(claim, state, reason, deed.witness.call_id, of_deed(deed, reason, self._language))

    def _of_look(self, claim: Claim, look: LookFact) -> CheckedClaim:
        says = of_look(look, self._language)
        return told(claim, ClaimState.CONFIRMED, ClaimReason.NONE, look.witness.call_id, says)

    def _of_file(self, claim: Claim, state: ClaimState, file: FileFact) -> CheckedClaim:
        reason = ClaimReason.NONE if state is ClaimState.CONFIRMED else ClaimReason.NO_SUCH_RUN
        return told(claim, state, reason, file.witness.call_id, of_file(file, self._language))


def _is_file(name: str, file: FileFact) -> bool:
    """Return whether a name is of a file; what lies among notes and trials is named in full."""
    return same_file(name, file.path) and (name.startswith("/") or "/" not in name or not is_scratch(file.path))


def _is_so(kind: ClaimKind, file: FileFact) -> bool:
    """Return whether a file stands as a claim says."""
    if kind is ClaimKind.DELETED:
        return file.fate is FileFate.DELETED and file.present is not True
    return file.fate is not FileFate.DELETED and file.present is not False and not file.undone


def _is_of(command: CommandFact, name: str) -> bool:
    """Return whether a command line runs what a claim names, and does not only print or search for it."""
    line, named = command.command.lower(), name.lower()
    parts = line.replace("&&", ";").replace("|", ";").replace("\n", ";").split(";")
    return any(part.strip().startswith(named) for part in parts) or ("&&" in named and named in line)


def _hashes(claim: Claim) -> Sequence[str]:
    """Return the commits that a claim names."""
    return [name for name in claim.subjects if len(name) >= SHORTEST_HASH and set(name) <= set("0123456789abcdef")]


def same_hash(name: str, other: str) -> bool:
    """Return whether two hashes, each as long as it was written, may be of one commit."""
    return len(other) >= SHORTEST_HASH and (name.startswith(other) or other.startswith(name))


def compared(claims: Iterable[Claim], comparison: Comparison) -> tuple[CheckedClaim, ...]:
    """Return what the facts say of each claim, in order; of "I checked" alone only where nothing was.

    Of more than can be compared those come first that facts can contradict; the others are said to be unread.
    """
    known = [claim for claim in _once(claims) if comparison.can_tell(claim)]
    order = sorted(range(len(known)), key=lambda place: known[place].kind in WORKED)
    first = frozenset(order[:MOST_COMPARED])
    checked = [
        comparison.of(claim) if place in first else comparison.unread(claim) for place, claim in enumerate(known)
    ]
    return tuple(comparison.of_parts(checked))


def _once(claims: Iterable[Claim]) -> Iterator[Claim]:
    """Yield claims, of those of some work that they do not name the first alone: all of them say the same."""
    vague = False
    for claim in claims:
        is_vague = claim.kind is ClaimKind.RAN and not (claim.subjects or claim.plain)
        if not (vague and is_vague):
            yield claim
        vague = vague or is_vague


def _is_gone(file: FileFact) -> bool:
    """Return whether the turn made a file itself, and removed it again."""
    return file.fate is FileFate.DELETED and FileFate.CREATED in file.fates
