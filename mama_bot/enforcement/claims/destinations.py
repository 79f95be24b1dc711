"""Where a push or a merge went, against where a claim says that it went."""

from mama_bot.facts.enquiry import is_hash
from mama_bot.model import Claim, DeedFact, RunKind

REMOTES = frozenset(("origin", "upstream"))
SEVERAL = ("--all", "--tags", "--follow-tags", "--mirror", "--branches")


def goes_where_said(claim: Claim, deed: DeedFact) -> bool:
    """Return False where a claim names the remote or the branch, and the deed surely went to another."""
    words = deed.target.split()
    if deed.kind is RunKind.PUSH and words:
        branches = [] if any(option in deed.command for option in SEVERAL) else [_branch(word) for word in words[1:]]
        return _is_to(claim.subjects, words[0]) and _is_of(claim, words[0], branches)
    if deed.kind is RunKind.MERGE and len(words) == 1 and len(claim.subjects) > 1:
        # "Merged `feature` into main": of what was merged the claim speaks first.
        return words[0] != claim.subjects[-1] or words[0] == claim.subjects[0]
    return True


def _is_to(subjects: tuple[str, ...], remote: str) -> bool:
    """Return whether a push may have gone to the remote that is named; which one has an address, its settings tell."""
    if "://" in remote or "@" in remote or (remote.startswith("$") and "/" not in remote):
        return True
    return all(name == remote for subject in subjects if (name := subject.partition("/")[0]) in REMOTES)


def _is_of(claim: Claim, remote: str, branches: list[str]) -> bool:
    """Return whether a push may have been of the branch, or the tag, that is named."""
    if not branches or not all(branches):
        return True
    remotes = {*REMOTES, remote}
    plain = (
        rest if (rest := name.partition("/")[2]) and name.partition("/")[0] in remotes else name
        for name in claim.subjects
        if name not in remotes
    )
    named = [name for name in plain if name not in claim.files and " " not in name and not is_hash(name)]
    return not named or any(name in branches for name in named)


def _branch(refspec: str) -> str:
    """Return the branch of a remote that a refspec names; "" where it is the one that is checked out, or not known."""
    name = refspec.removeprefix("+").rpartition(":")[2].removeprefix("refs/heads/")
    return "" if name in ("HEAD", "@") or any(mark in name for mark in "$*{") else name
