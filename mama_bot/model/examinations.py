"""What the doctor and the set-up examined."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """The outcome for one subject, and what to do when it is not in order ("": nothing)."""

    subject: str
    ok: bool
    outcome: str
    remedy: str = ""
