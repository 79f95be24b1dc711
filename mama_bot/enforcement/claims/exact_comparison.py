"""What the facts say of what an agent declared: figures are equal, files are those paths, commits those hashes."""

from collections.abc import Sequence

from mama_bot.enforcement.claims.check_comparison import CERTAIN, CHECKS
from mama_bot.enforcement.claims.comparison import DEEDS, Comparison, same_hash
from mama_bot.enforcement.claims.figures import equals, names_figures, numbers_of
from mama_bot.facts.places import joined
from mama_bot.model import (
    NO_COUNTS,
    CheckedClaim,
    CheckFact,
    Claim,
    ClaimKind,
    ClaimReason,
    ClaimState,
    FileFact,
    FileFate,
    LookKind,
    RunEnd,
)

SHORTEST_HASH = 7
HASH = frozenset("0123456789abcdef")


class ExactComparison(Comparison):
    """Compares declared claims with facts; it has no doubt about what they say.

    A claim that nobody can tell of is UNSUPPORTED for OTHER_FIGURES: the record holds a run whose figures are not read.
    """

    def can_tell(self, claim: Claim) -> bool:  # noqa: ARG002 - the form of a comparison
        """Return whether facts can say anything of a claim: what is declared names its subject."""
        return True

    def _check(self, claim: Claim) -> CheckedClaim:
        kinds = CHECKS[claim.kind]
        own = [check for check in self._facts.checks if check.kind in kinds and check.witness.own]
        named = [check for check in own if _is_named(check, claim)]
        if not named:
            return self._unread(claim) if own or self._is_printed(claim) else super()._check(claim)
        if claim.fails:
            return self._failing(claim, named)
        # "failed: 0" of a linter, which counts nothing, says that it passed.
        counted = names_figures(claim) and (
            bool(numbers_of(claim)) or any(check.counts != NO_COUNTS for check in named)
        )
        return self._with_figures(claim, named) if counted else self._without_figures(claim, named)

    def _unread(self, claim: Claim) -> CheckedClaim:
        """Return that no such check is known, or that a call whose output nobody could read may have been it."""
        missing = self._missing(claim)
        if not (self._facts.opaque and self._is_printed(claim)):
            return missing
        return CheckedClaim(claim=claim, state=missing.state, reason=ClaimReason.OTHER_FIGURES, says=missing.says)

    def _is_printed(self, claim: Claim) -> bool:
        return bool(numbers_of(claim)) and numbers_of(claim) <= self._facts.figures

    def _failing(self, claim: Claim, own: Sequence[CheckFact]) -> CheckedClaim:
        failed = [check for check in own if check.end is not RunEnd.PASSED]
        if names_figures(claim):
            failed = [check for check in own if equals(claim, check)]
        if failed:
            return self._confirmed(claim, failed[-1])
        if any(check.counts == NO_COUNTS and check.end is not RunEnd.PASSED for check in own):
            return self._unsupported(claim, ClaimReason.OTHER_FIGURES, own[-1])
        return self._contradicted(claim, ClaimReason.OTHER_FIGURES, own[-1])

    def _with_figures(self, claim: Claim, own: Sequence[CheckFact]) -> CheckedClaim:
        right = [check for check in own if equals(claim, check)]
        ended = [check for check in own if check.end in CERTAIN]
        if right:
            failure = self._open_failure(own)
            if failure is not None and (failure is own[-1] or failure is right[-1]):
                return self._contradicted(claim, ClaimReason.FAILED, failure)
            return self._told(claim, right[-1])
        if self._is_sum(claim, ended):
            return self._told(claim, ended[-1])
        last = ended[-1] if ended else own[-1]
        if last.end is RunEnd.PASSED and last.counts == NO_COUNTS:
            reason = ClaimReason.OTHER_FIGURES if self._is_printed(claim) else ClaimReason.NO_SUCH_RUN
            return self._unsupported(claim, reason, last)
        if not ended:
            return self._without_figures(claim, own)
        return self._contradicted(claim, ClaimReason.OTHER_FIGURES, last)

    def _deed(self, claim: Claim) -> CheckedClaim:
        checked = super()._deed(claim)
        commits = [name for name in claim.subjects if _is_hash(name)]
        if claim.fails or not commits:
            return self._to_branch(claim, checked)
        known = [deed.target for deed in self._facts.deeds_of(DEEDS[claim.kind]) if _is_hash(deed.target)]
        known += [look.subject for look in self._facts.looks if look.kind is LookKind.COMMIT and _is_hash(look.subject)]
        if self._facts.tree is not None and self._facts.tree.commit:
            known.append(self._facts.tree.commit)
        if any(same_hash(commits[0], name) for name in known):
            return self._to_branch(claim, checked)
        if checked.state is ClaimState.CONFIRMED and known:
            last = [*self._facts.deeds_of(DEEDS[claim.kind])][-1:]
            if last:
                return self._of_deed(claim, ClaimState.CONTRADICTED, last[0], ClaimReason.ELSEWHERE)
        return checked

    def _to_branch(self, claim: Claim, checked: CheckedClaim) -> CheckedClaim:
        """Return what is known, unless it went to another branch than the claim names."""
        branches = [name for name in claim.subjects if not _is_hash(name) and " " not in name]
        done = [deed for deed in self._facts.deeds_of(DEEDS[claim.kind]) if deed.end is RunEnd.PASSED and deed.target]
        pushed = claim.kind is ClaimKind.PUSHED and checked.state is ClaimState.CONFIRMED
        if not (branches and done and pushed) or any(_may_be_to(deed.target, branches[0]) for deed in done):
            return checked
        return self._of_deed(claim, ClaimState.CONTRADICTED, done[-1], ClaimReason.ELSEWHERE)

    def _file(self, claim: Claim) -> CheckedClaim:
        files = [file for file in self._facts.files if any(_is_path(name, file.path) for name in claim.subjects)]
        if not files:
            return self._seen(claim)
        last = files[-1]
        return self._of_file(claim, ClaimState.CONFIRMED if _is_so(claim.kind, last) else ClaimState.CONTRADICTED, last)

    def _seen(self, claim: Claim) -> CheckedClaim:
        """Return whether a file that some call may have written was shown to be there, or gone, afterwards."""
        states = {"absent"} if claim.kind is ClaimKind.DELETED else {"shown", "present"}
        if self._facts.wrote or self._facts.opaque:
            for look in reversed(self._facts.looks):
                named = any(_is_path(name, look.subject) for name in claim.subjects)
                if look.kind is LookKind.FILE and named and look.state in states and look.witness.own:
                    return self._of_look(claim, look)
        return self._missing(claim)


def _is_named(check: CheckFact, claim: Claim) -> bool:
    """Return whether a check is of the tool and the command that a claim names; of any where it names none."""
    by_tool = not claim.tool or _shares(claim.tool, f"{check.tool} {check.command}")
    return by_tool and all(_shares(command, f"{check.tool} {check.command}") for command in claim.subjects)


def _shares(named: str, command: str) -> bool:
    """Return whether two spellings of a command may be of one: `npm test`, `npm run test -- --ci`."""
    wanted, known = named.lower(), command.lower()
    return wanted in known or not set(wanted.split()).isdisjoint(known.split())


def _is_path(name: str, path: str) -> bool:
    """Return whether a name is this very path, which may be written from the root."""
    named = joined("", name)
    return named == path or (named.startswith("/") and named.endswith(f"/{path}"))


def _is_so(kind: ClaimKind, file: FileFact) -> bool:
    if kind is ClaimKind.DELETED:
        return file.fate is FileFate.DELETED and file.present is not True
    return file.fate is not FileFate.DELETED and file.present is not False and not file.undone


def _is_hash(name: str) -> bool:
    return len(name) >= SHORTEST_HASH and HASH.issuperset(name)


def _may_be_to(target: str, branch: str) -> bool:
    """Return whether a push went to a branch, or to the one that was checked out, whose name it does not tell."""
    places = target.replace(":", " ").split()
    named = branch.removeprefix("origin/")
    is_told = len(places) > 1 and "HEAD" not in places
    return not is_told or any(place == named or place.endswith(f"/{named}") for place in places)
