"""The events that agents and turns report while they work."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from mama_bot.errors import AgentError
from mama_bot.model.conversations import Attachment
from mama_bot.model.ids import SessionId
from mama_bot.model.judgements import Judgement
from mama_bot.model.texts import keep_well_formed
from mama_bot.model.turns import ToolRecord, ToolRun, Turn, TurnState, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class LongText:
    """What a person wrote earlier and no window shows whole; `name` is that of the file in which an agent reads it."""

    name: str
    text: str

    def __post_init__(self) -> None:
        keep_well_formed(self, "name", "text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What an agent is asked.

    Images among `attachments` are shown to the agent once in a session, all of them can be read by its file tools.
    `earlier` and `texts` came with earlier messages of the conversation: they can be read, and are listed.
    `request` is the message of a person that all of it is for ("": the one before).
    """

    text: str
    attachments: tuple[Attachment, ...] = ()
    earlier: tuple[Attachment, ...] = ()
    texts: tuple[LongText, ...] = ()
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStarted:
    """A tool call began; `run` has no end yet."""

    run: ToolRun
    kind: Literal["tool_started"] = "tool_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFinished:
    """A tool call ended."""

    run: ToolRun
    kind: Literal["tool_finished"] = "tool_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRetried:
    """The model's service failed and is asked again by the CLI, after `wait_seconds`.

    `error` is the CLI's name of it, `trouble` what it is for whoever waits: what an end now would be put down to.
    """

    attempt: int
    status: int | None
    trouble: AgentError
    wait_seconds: float = 0.0
    error: str = ""
    kind: Literal["model_retried"] = "model_retried"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSeen:
    """The service itself runs a command of the check `name`, or has (`ended_at`); `id` is that of the run."""

    id: str
    name: str
    command: str
    started_at: datetime
    ended_at: datetime | None = None
    ok: bool | None = None
    exit_status: int | None = None
    kind: Literal["check_seen"] = "check_seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageTold:
    """What the agent took since it was asked, as far as its model has told; its money may be an estimate."""

    usage: Usage
    kind: Literal["usage_told"] = "usage_told"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """The agent finished: its final text, what happened, what it cost.

    `cut_short` says that the model ran into its limit of tokens.
    """

    text: str
    record: ToolRecord
    usage: Usage
    session_id: SessionId
    cut_short: bool = False
    kind: Literal["turn_ended"] = "turn_ended"


AgentEvent = ToolStarted | ToolFinished | ModelRetried | UsageTold | TurnEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopping:
    """An agent is about to end its turn with this text, and may still be told to go on.

    `record` is what it did so far in this `ask`; `agent` is "" for the agent itself, else the name of a subagent that
    is about to report ("developer/sub1"). `usage` is what it took so far in this `ask` (None: nobody knows).
    """

    text: str
    record: ToolRecord
    usage: Usage | None = None
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """A persona began to work on a turn."""

    turn: Turn
    at: datetime
    kind: Literal["turn_started"] = "turn_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWorking:
    """Something happened inside a turn."""

    turn: Turn
    attempt: int
    event: ToolStarted | ToolFinished | ModelRetried | CheckSeen
    at: datetime
    kind: Literal["turn_working"] = "turn_working"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptJudged:
    """The chain decided about an attempt; the draft's words are not part of the event."""

    turn: Turn
    judgement: Judgement
    at: datetime
    kind: Literal["attempt_judged"] = "attempt_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished:
    """A turn reached a final state."""

    turn: Turn
    state: TurnState
    at: datetime
    kind: Literal["turn_finished"] = "turn_finished"


Progress = TurnStarted | TurnWorking | AttemptJudged | TurnFinished
