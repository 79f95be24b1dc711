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
class TaskState:
    """What a session did for the task it is at: since its first message, or since the next one after all was shown.

    `request` is the message that it works for now, `messages` how many it was about. The figures are as in RuleState,
    of this task alone; `plans` are those that were written down, `commits` those that were made. `open_steps` are the
    steps of `workflow` that nothing shows yet, in their order, `warned` the edges that the agent was warned of.
    """

    request: str = ""
    messages: int = 0
    looks: int = 0
    plans: int = 0
    edits: int = 0
    commits: int = 0
    checks: ChecksState = ChecksState.NONE
    failing: tuple[str, ...] = ()
    workflow: str = ""
    open_steps: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()

    @property
    def step(self) -> str:
        """The first step that nothing shows yet; "" where there is none."""
        return next(iter(self.open_steps), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """What rules remember of one session, bounded; the paths are absolute, the latest last.

    `looks` and `edits` count calls that showed or changed something, `failing` are the checks that did not pass since
    they failed. `failure` is the hash of the last call that
    failed, with its arguments and error, `strikes` how often it failed so in a row. `counters` are those that rules
    count, `task` is what was done for the task of the moment.
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
    task: TaskState = TaskState()
