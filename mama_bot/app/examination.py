"""One thing that the doctor or the set-up looked at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was found of something, and what to do when it is not in order."""

    subject: str
    ok: bool
    found: str
    remedy: str = ""
