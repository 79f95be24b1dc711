"""What an agent declares, as claims: one for each outcome, or for each file of one."""

from collections.abc import Iterator

from mama_bot.enforcement.claims.admissions import Admissions
from mama_bot.model import Claim, ClaimKind, Counts, Declaration, DeclaredOutcome

OF_FILES = frozenset((ClaimKind.CREATED, ClaimKind.CHANGED, ClaimKind.DELETED, ClaimKind.CHECKED))


def declared_claims(declaration: Declaration | None) -> tuple[Claim, ...]:
    """Return the claims of a declaration, in order; they are no spans of a text."""
    outcomes = () if declaration is None else declaration.outcomes
    return tuple(claim for outcome in outcomes for claim in _claims(outcome))


def declared_failures(declaration: Declaration | None, kind: ClaimKind) -> Admissions:
    """Return the failures of a kind that a declaration tells itself."""
    outcomes = () if declaration is None else declaration.outcomes
    failed = [outcome for outcome in outcomes if outcome.kind is kind and outcome.fails]
    figures = frozenset(outcome.failed for outcome in failed if outcome.failed)
    return Admissions(plain=any(outcome.failed is None for outcome in failed), figures=figures)


def _claims(outcome: DeclaredOutcome) -> Iterator[Claim]:
    if outcome.kind in OF_FILES and outcome.files:
        for name in outcome.files:
            yield _claim(outcome, f"{outcome.kind.value}: {name}", (name,))
        if outcome.command:
            yield _claim(outcome, f"{outcome.kind.value}: {outcome.command}", (outcome.command,))
        return
    yield _claim(outcome, outcome.words, tuple(filter(None, (outcome.commit, outcome.branch, outcome.command))))


def _claim(outcome: DeclaredOutcome, text: str, subjects: tuple[str, ...]) -> Claim:
    return Claim(
        kind=outcome.kind,
        text=text,
        start=0,
        end=0,
        counts=Counts(passed=outcome.passed, failed=outcome.failed),
        fails=outcome.fails,
        subjects=subjects,
        tool=outcome.tool,
        declared=True,
    )
