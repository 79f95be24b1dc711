"""What the doctor and the set-up looked at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was found of one thing, and what to do where it is not in order ("": nothing)."""

    subject: str
    ok: bool
    outcome: str
    remedy: str = ""
