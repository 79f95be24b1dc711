"""Which failures a text tells as they stand."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Admissions:
    """The failures that a text tells as they stand: their figures, and whether it says so in plain words.

    `any` says that it tells of anything that failed, or was not done.
    """

    any: bool = False
    plain: bool = False
    figures: frozenset[int] = frozenset()
