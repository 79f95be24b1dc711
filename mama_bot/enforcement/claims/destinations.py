"""Where a push or a merge went, against where a claim says that it went."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from mama_bot.facts.enquiry import is_hash
from mama_bot.model import Claim, DeedFact, Facts, RunEnd, RunKind

REMOTES = frozenset(("origin", "upstream"))
TRUNKS = frozenset(("main", "master", "develop", "trunk"))
TOWARDS = frozenset(("to", "into", "onto"))
SEVERAL = ("--all", "--tags", "--follow-tags", "--mirror", "--branches")


def concluded_merges(facts: Facts) -> Iterator[DeedFact]:
    """Yield the merges into the index alone (`git merge --no-commit`) that a later commit of the same place ended."""
    own = [deed for deed in facts.deeds if deed.witness.own]
    for place, deed in enumerate(own):
        if deed.kind is RunKind.MERGE and deed.dry and deed.end is not RunEnd.FAILED:
            later = (other for other in own[place + 1 :] if other.kind is RunKind.COMMIT and other.place == deed.place)
            if any(other.end is RunEnd.PASSED and not other.dry for other in later):
                yield replace(deed, end=RunEnd.PASSED, dry=False)


def goes_where_said(claim: Claim, deed: DeedFact, facts: Facts) -> bool:
    """Return False where a claim names the remote or the branch, and the deed surely went to another."""
    words = deed.target.split()
    if deed.kind is RunKind.PUSH and words:
        branches = [] if any(option in deed.command for option in SEVERAL) else [_branch(word) for word in words[1:]]
        return _is_to(claim.subjects, words[0]) and _is_of(claim, words[0], branches, _known_branches(facts))
    if deed.kind is RunKind.MERGE and len(words) == 1 and len(claim.subjects) > 1 and _branch(words[0]):
        return _is_merge_of(claim, _branch(words[0]))
    return True


def _is_merge_of(claim: Claim, merged: str) -> bool:
    """Return whether a claim may speak of the merge of a branch: not where it is the one that was merged into."""
    if any(name == merged or merged.endswith(f"/{name}") for name in claim.subjects):
        return not any(before == "into" for before, _ in _neighbours(claim.text, merged))
    if is_hash(merged) or merged.endswith("_HEAD"):
        return True
    sources = (name for name in claim.subjects if name not in claim.files)
    return not any(pair == ("merged", "into") for name in sources for pair in _neighbours(claim.text, name))


def _known_branches(facts: Facts) -> frozenset[str]:
    """Return the names that are surely branches: those of habit, and those that a push or a merge named."""
    targets = (deed.target.split() for deed in facts.deeds if deed.kind in (RunKind.PUSH, RunKind.MERGE))
    return TRUNKS | {_branch(word) for words in targets for word in words}


def _neighbours(text: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the words before and behind a name in a text."""
    words = ["", *(word.strip("`*_\"'.,:;()") for word in text.lower().split()), ""]
    plain = name.lower().strip("()")
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        if word == plain:
            yield before, after


def _stands_as_branch(text: str, name: str) -> bool:
    return any(before in TOWARDS or "branch" in (before, after) for before, after in _neighbours(text, name))


def _is_to(subjects: tuple[str, ...], remote: str) -> bool:
    """Return whether a push may have gone to the remote that is named; which one has an address, its settings tell."""
    if "://" in remote or "@" in remote or (remote.startswith("$") and "/" not in remote):
        return True
    return all(name == remote for subject in subjects if (name := subject.partition("/")[0]) in REMOTES)


def _is_of(claim: Claim, remote: str, branches: list[str], known: Collection[str]) -> bool:
    """Return whether a push may have been of the branch that is named; of a name that need be none nothing is said."""
    if not branches or not all(branches):
        return True
    remotes = {*REMOTES, remote}
    named: list[str] = []
    for name in claim.subjects:
        start, _, rest = name.partition("/")
        of_remote = bool(rest) and start in remotes
        plain = rest if of_remote else name.removeprefix("refs/heads/")
        sure = of_remote or plain in known or _stands_as_branch(claim.text, name)
        if sure and name not in remotes and name not in claim.files and " " not in name and not is_hash(name):
            named.append(plain)
    return not named or any(name in branches or not _branch(name) for name in named)


def _branch(refspec: str) -> str:
    """Return the branch of a remote that a refspec names; "" where it is the one that is checked out, or not known."""
    name = refspec.removeprefix("+").rpartition(":")[2].removeprefix("refs/heads/")
    return "" if name in ("HEAD", "@") or any(mark in name for mark in "$*{") else name
