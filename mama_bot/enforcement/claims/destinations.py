"""Where a push or a merge went, against where a claim says that it went."""

from mama_bot.model import Claim, DeedFact, RunKind

# Names that are a branch wherever they stand: other words of a claim may be anything.
BRANCHES = frozenset(("main", "master", "develop", "trunk"))
REMOTES = frozenset(("origin", "upstream"))


def goes_where_said(claim: Claim, deed: DeedFact) -> bool:
    """Return False where a claim names the remote or the branch, and the deed surely went to another."""
    words = deed.target.split()
    if deed.kind is RunKind.PUSH and words:
        return _pushes_there(claim.subjects, words[0], [_branch(word) for word in words[1:]])
    if deed.kind is RunKind.MERGE and len(words) == 1 and len(claim.subjects) > 1:
        # "Merged `feature` into main": of what was merged the claim speaks first.
        return words[0] != claim.subjects[-1] or words[0] == claim.subjects[0]
    return True


def _pushes_there(subjects: tuple[str, ...], remote: str, branches: list[str]) -> bool:
    if "://" in remote or "@" in remote or (remote.startswith("$") and "/" not in remote):
        return True  # which remote has that address, its settings tell
    by_name = not any(mark in remote for mark in "/:$.")
    for name in subjects:
        first, _, rest = name.partition("/")
        if name in REMOTES or (first in REMOTES and rest):
            if first != remote:
                return False
            name = rest  # noqa: PLW2901 - the branch that stands behind it
        elif name not in BRANCHES or not by_name:
            continue
        if name and branches and all(branches) and name not in branches:
            return False
    return True


def _branch(refspec: str) -> str:
    """Return the branch of a remote that a refspec names; "" where it is the one that is checked out, or not known."""
    name = refspec.removeprefix("+").rpartition(":")[2].removeprefix("refs/heads/")
    return "" if name in ("HEAD", "@") or any(mark in name for mark in "$*{") else name
