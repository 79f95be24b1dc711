"""What of a draft's claims the disk and git can answer, and the facts with their answers."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mama_bot.facts.conversation import is_of
from mama_bot.facts.places import named_path, same_file
from mama_bot.model import Claim, ClaimKind, DeedFact, Enquiry, Facts, FileFact, RunEnd, RunKind, Standing

FATES = frozenset((ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED))
DEEDS = frozenset((ClaimKind.COMMITTED, ClaimKind.PUSHED, ClaimKind.MERGED))
MOST_FILES = 200
MOST_NAMES = 20
MOST_COMMITS = 5
SHORTEST_HASH, LONGEST_HASH = 7, 40
HEXADECIMAL = frozenset("0123456789abcdef")


def is_looked_up(claim: Claim) -> bool:
    """Return whether the disk or git can say anything of a claim."""
    return claim.kind in FATES or claim.kind in DEEDS


def enquiry_of(claims: Sequence[Claim], facts: Facts, *, agent: str) -> Enquiry:
    """Return what is to be looked up for the claims of a draft: nothing where none is about files or commits.

    Of what others did nothing is looked up: they may have worked somewhere else.
    """
    of_files = [claim for claim in claims if claim.kind in FATES]
    of_deeds = [claim for claim in claims if claim.kind in DEEDS]
    files = [file.path for file in facts.files if is_of(file.witness, agent)] if of_files else []
    commits = [deed.target for deed in _commits(facts) if is_of(deed.witness, agent)] if of_deeds else []
    witnesses = (*(file.witness for file in facts.files), *(deed.witness for deed in facts.deeds))
    alone = all(is_of(witness, agent) for witness in witnesses)
    unmoved = [file.path for file in facts.files if file.unmoved and is_of(file.witness, agent)] if of_files else []
    return Enquiry(
        files=tuple(files[-MOST_FILES:]),
        unmoved=tuple(unmoved[-MOST_FILES:]),
        names=tuple(_names(of_files, facts))[:MOST_NAMES] if alone else (),
        commits=tuple(dict.fromkeys(commits[-MOST_COMMITS:])),
        hashes=tuple(_hashes(claims, facts))[:MOST_COMMITS] if alone else (),
    )


def with_standing(facts: Facts, standing: Standing) -> Facts:
    """Return facts with what the disk and git say of them."""
    return replace(
        facts,
        files=tuple(_looked_for(file, standing) for file in facts.files),
        deeds=tuple(_looked_up(deed, standing) for deed in facts.deeds),
        standing=standing,
    )


def _looked_for(file: FileFact, standing: Standing) -> FileFact:
    if file.path in standing.committed:
        file = replace(file, undone=True)
    present = True if file.path in standing.present else False if file.path in standing.absent else None
    return file if present is None else replace(file, present=present)


def _looked_up(deed: DeedFact, standing: Standing) -> DeedFact:
    return replace(deed, undone=True) if deed.target in standing.lost else deed


def _commits(facts: Facts) -> Iterable[DeedFact]:
    """Return the commits of the record that are known by their ids, those made in the workspace."""
    return (
        deed
        for deed in facts.deeds_of(RunKind.COMMIT)
        if deed.end is RunEnd.PASSED and is_hash(deed.target) and not deed.place.startswith(("/", "../"))
    )


def _names(claims: Iterable[Claim], facts: Facts) -> Iterable[str]:
    """Return the files that claims name and the record does not know."""
    names = dict.fromkeys(named_path(name) for claim in claims for name in claim.files)
    return (name for name in names if name and not any(same_file(name, file.path) for file in facts.files))


def _hashes(claims: Iterable[Claim], facts: Facts) -> Iterable[str]:
    """Return the commits that claims name and the record does not know; none where commits were made elsewhere too."""
    if any(deed.place for deed in facts.deeds_of(RunKind.COMMIT)):
        return ()
    known = [deed.target for deed in _commits(facts)]
    subjects = dict.fromkeys(name for claim in claims if claim.kind is ClaimKind.COMMITTED for name in claim.subjects)
    # Digits alone may be the number of anything.
    names = (name for name in subjects if is_hash(name) and not name.isdecimal())
    return (name for name in names if not any(name.startswith(other) or other.startswith(name) for other in known))


def is_hash(name: str) -> bool:
    """Return whether a word is the id of a commit, or how one begins."""
    return SHORTEST_HASH <= len(name) <= LONGEST_HASH and HEXADECIMAL.issuperset(name)
