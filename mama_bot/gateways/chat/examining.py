"""What was found out about an account on a platform, for whoever sets it up."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformFinding:
    """One thing that was looked at: `found` says how it stands, `remedy` what to do ("": nothing)."""

    subject: str
    ok: bool
    found: str
    remedy: str = ""
