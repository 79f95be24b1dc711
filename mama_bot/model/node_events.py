"""What the nodes of a service tell each other while it happens; what must not be lost stands in the store as well."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from mama_bot.model.commands import Answer, Command
from mama_bot.model.conversations import ConversationKey
from mama_bot.model.ids import MessageId, PostId
from mama_bot.model.message_standings import MessageStanding
from mama_bot.model.progress_events import (
    AttemptJudged,
    CheckSeen,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from mama_bot.model.turns import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSeen:
    """An agent called a tool, or its call ended."""

    turn: Turn
    attempt: int
    event: ToolStarted | ToolFinished
    at: datetime
    kind: Literal["tool_seen"] = "tool_seen"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTold:
    """The service runs a check of a draft, or has."""

    turn: Turn
    attempt: int
    event: CheckSeen
    at: datetime
    kind: Literal["check_told"] = "check_told"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWaited:
    """An agent waits for its model, which failed."""

    turn: Turn
    attempt: int
    tried: int
    status: int | None
    reason: str
    wait_seconds: float
    error: str
    at: datetime
    kind: Literal["model_waited"] = "model_waited"


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingMarked:
    """How a message stands has changed."""

    standing: MessageStanding
    kind: Literal["standing_marked"] = "standing_marked"


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePosted:
    """The page has another post."""

    key: ConversationKey
    post_id: PostId
    kind: Literal["page_posted"] = "page_posted"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCame:
    """A message waits where an exchange may run, whose agent can be told of it."""

    key: ConversationKey
    message_id: MessageId
    kind: Literal["message_came"] = "message_came"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSettled:
    """A question of an agent has an answer."""

    number: int
    kind: Literal["question_settled"] = "question_settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsForgotten:
    """The agents of a conversation begin anew: on the node that tells it they have (`by`, its id)."""

    key: ConversationKey
    by: str = ""
    kind: Literal["sessions_forgotten"] = "sessions_forgotten"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnersTold:
    """Owners are to be told something, once for each `occasion`, in both languages."""

    occasion: str
    english: str
    korean: str
    kind: Literal["owners_told"] = "owners_told"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAsked:
    """A command is for the node that has the files of its conversation; `id` is that of the question."""

    id: str
    node: str
    command: Command
    kind: Literal["command_asked"] = "command_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandAnswered:
    """The answer to such a command."""

    id: str
    answer: Answer
    kind: Literal["command_answered"] = "command_answered"


SeenProgress = TurnStarted | ToolSeen | CheckTold | ModelWaited | AttemptJudged | TurnFinished
NodeEvent = (
    SeenProgress
    | StandingMarked
    | PagePosted
    | MessageCame
    | QuestionSettled
    | SessionsForgotten
    | OwnersTold
    | CommandAsked
    | CommandAnswered
)
