"""What rules remember of a session, between its calls and over restarts."""

from dataclasses import dataclass
from enum import StrEnum

MOST_PATHS = 400
MOST_COUNTERS = 200


class ChecksState(StrEnum):
    """How the checks that ran in a session stand: none ran, the last passed or failed, or code changed since."""

    NONE = "none"
    PASSED = "passed"
    FAILED = "failed"
    STALE = "stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """What rules remember of one session, bounded; the paths are absolute, the latest last.

    `looks` and `edits` count calls that showed or changed something, `failing` are the checks that did not pass since
    they failed. `failure` is the hash of the last call that
    failed, with its arguments and error, `strikes` how often it failed so in a row. `counters` are those that rules
    count.
    """

    shown: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    looks: int = 0
    edits: int = 0
    checks: ChecksState = ChecksState.NONE
    failing: tuple[str, ...] = ()
    failure: str = ""
    strikes: int = 0
    counters: tuple[tuple[str, int], ...] = ()
    step: str = ""
