"""What a text asserts in plain words: a check and its outcome, a deed with its object, a failure that it admits."""

from dataclasses import dataclass

from mama_bot.model import NO_COUNTS, ClaimKind, Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """A claim as a span of its sentence; see `Claim` for the rest."""

    kind: ClaimKind
    start: int
    end: int
    counts: Counts = NO_COUNTS
    total: int | None = None
    fails: bool = False
    subjects: tuple[str, ...] = ()
    tool: str = ""
    whole: bool = False
    part: bool = False
    plain: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Admissions:
    """The failures that a text tells as they stand: their figures, and whether it says so in plain words.

    `any` says that it tells of anything that failed, or was not done.
    """

    any: bool = False
    plain: bool = False
    figures: frozenset[int] = frozenset()
