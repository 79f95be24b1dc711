"""The team: personas, and how one asks another."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from mama_bot.model.menus import CriticalAction, MenuCommand, PersonaVariable
from mama_bot.model.texts import keep_well_formed


class Tier(StrEnum):
    """What a persona may do: lead others, change files, or only look."""

    LEAD = "lead"
    WORKER = "worker"
    READER = "reader"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPersona:
    """One member of the team, as its file in `personas/` describes it.

    `command` starts its agent where the `backend` has none of its own. Its `fallbacks` work in turn where the `backend`
    cannot, each with the model of its own settings: `model` is one of the `backend`. It is offered the tools of its
    `mcp_servers`, and told of its `skills`, where it works and there are such.
    `instructions` is the whole of what its agent is told of itself and of its team, once it is in one ("": `prompt`).
    `workflow` is what its work is held to ("": what the service says, `NO_WORKFLOW`: none). `menu` are its commands,
    with the `variables` that they speak of; `critical_actions` are verified by code before it speaks.
    """

    name: str
    display_name: str
    prompt: str
    avatar: str = ""
    backend: str = "claude"
    fallbacks: tuple[str, ...] = ()
    command: str = ""
    model: str | None = None
    tools: tuple[str, ...] = ()
    tier: Tier = Tier.WORKER
    delegates_to: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    workspace: str = "own"
    mcp_servers: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    instructions: str = ""
    workflow: str = ""
    menu: tuple[MenuCommand, ...] = ()
    variables: tuple[PersonaVariable, ...] = ()
    critical_actions: tuple[CriticalAction, ...] = ()

    @property
    def backends(self) -> tuple[str, ...]:
        """All that may work for it, the first choice first."""
        return (self.backend, *self.fallbacks)


class DelegationForm(StrEnum):
    """How an agent asked another one."""

    DIRECTIVE = "directive"
    MENTION = "mention"
    TOOL = "tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A request of one persona to another; the parts after `task` are empty when the sender left them out.

    `goes_on` says that it asks for nothing new: what was asked before is to go on (None: nobody has looked yet).
    Whoever asks for it in the `background` does not wait.
    """

    sender: str
    recipient: str
    task: str
    form: DelegationForm
    expected_outcome: str = ""
    required_tools: str = ""
    must_do: str = ""
    must_not_do: str = ""
    context: str = ""
    goes_on: bool | None = None
    background: bool = False

    def __post_init__(self) -> None:
        keep_well_formed(self, "task", "expected_outcome", "required_tools", "must_do", "must_not_do", "context")

    @property
    def task_key(self) -> str:
        """The task without regard to case and spaces: work on it counts when the same task is asked again."""
        return sha256(" ".join(self.task.lower().split()).encode()).hexdigest()[:16]

    @property
    def request_key(self) -> str:
        """The whole of what is asked, and of whom: the same when a call is made anew after a crash."""
        parts = (self.recipient, self.task, self.expected_outcome, self.required_tools, self.must_do, self.must_not_do)
        return sha256("\0".join((*parts, self.context)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checklist:
    """How far a persona is with a task: what was asked, the keys of the items that are done, and how many of its
    turns in a row ticked none; `given_up` when it is not reminded any more.
    """

    task: str
    asked: str
    done: tuple[str, ...] = ()
    open_items: int = 0
    idle_turns: int = 0
    given_up: bool = False
