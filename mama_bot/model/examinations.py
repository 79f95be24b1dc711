"""What the doctor and the set-up examined."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """The outcome for one subject, and what to do when it is not in order ("": nothing).

    `noted` says that it is in order, and hardly meant so: whoever looks shall not pass over it.
    """

    subject: str
    ok: bool
    outcome: str
    remedy: str = ""
    noted: bool = False
