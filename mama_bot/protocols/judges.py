"""What the core asks of the chain, and of the pool that drives agents."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from typing import Protocol

from mama_bot.model import (
    AgentPersona,
    Approval,
    Ask,
    ConversationKey,
    Decision,
    Draft,
    Judgement,
    Moment,
    OwnText,
    SessionId,
    ToolCall,
    ToolTurn,
    Trial,
    Turn,
    WorkflowStanding,
)
from mama_bot.protocols.agents import AgentSession


class LeasedSession(Protocol):
    """The right to use a session for one turn; `fresh` when it remembers nothing of the conversation."""

    @property
    def session(self) -> AgentSession: ...

    @property
    def fresh(self) -> bool: ...

    @property
    def lost(self) -> bool:
        """Whether it is fresh because what the agent remembered is not there any more."""
        ...

    @property
    def resumed(self) -> bool:
        """Whether a new process took up an old session."""
        ...

    @property
    def lent(self) -> Callable[[], AbstractContextManager[None]]:
        """Lets others use the place of the session during a block, in which its agent waits for them."""
        ...

    @property
    def forget(self) -> Callable[[], None]:
        """Lets nobody use the session again: the next one begins anew."""
        ...


class SessionPool(Protocol):
    """Where sessions come from."""

    def lease(
        self,
        *,
        persona: AgentPersona,
        key: ConversationKey,
        workspace: Path,
        stored: Callable[[], Awaitable[SessionId | None]],
        read_only: bool = False,
        later: bool = False,
        apart: str = "",
    ) -> AbstractAsyncContextManager[LeasedSession]:
        """Lease the session of this persona in this conversation: warm, resumed by id, or new.

        `stored` is asked for its id where no process has had it in this life. One that is `read_only` changes nothing
        of the workspace; what can be served `later` waits behind all that cannot. `apart` names the delegation in whose
        work tree it works: it has a session of its own there.
        Raises PoolExhausted, AgentUnavailable, AgentCrashed or AgentTimedOut on entry.
        """
        ...


class ToolGuard(Protocol):
    """What decides about tool calls before they are made: the phase TOOL."""

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        """Decide about one call: Block and Ask keep it from being made, with their reason for the agent.

        A guard that raises, or is late, blocks.
        """
        ...


class SessionWatch(Protocol):
    """What is told of a session beside the calls that it asks for: its start, ended calls, compaction, stops."""

    async def at(self, moment: Moment, turn: ToolTurn) -> Decision:
        """Decide about a moment: the reminder of an Amend and the feedback of a Block are told to the agent.

        What already happened stays; a Block of COMPACTION or STOP keeps it from happening.
        """
        ...

    async def standing(self, turn: ToolTurn) -> WorkflowStanding | None:
        """Return how far a session is by the workflow that the turn is held to; None where it is held to none."""
        ...


class Approver(Protocol):
    """Who answers a question that a rule asks before a call may run."""

    @property
    def seconds(self) -> float:
        """How long an answer may take."""
        ...

    async def answer(self, question: Ask, call: ToolCall, turn: ToolTurn, *, stopped: asyncio.Event) -> Approval:
        """Return a person's answer; none in time is a no, and so is a stop of the turn.

        Whoever cancels it leaves the question open for a later life.
        """
        ...


class Judge(Protocol):
    """The enforcement chain, as the orchestrator sees it."""

    async def judge(
        self, draft: Draft, turn: Turn, *, rejections: int = 0, last: Callable[[], bool] | None = None
    ) -> Judgement:
        """Decide about a draft: cleared, sent back or withheld.

        `rejections` counts the drafts of this persona that were rejected in a row in this exchange before this one.
        Where it would be sent back, `last` says whether it is not, as if its retries were spent (None: it is).
        """
        ...


class TextJudge(Protocol):
    """Where a person has a text of their own judged: nothing of it is stored, posted or told to an agent."""

    async def judge(self, given: OwnText) -> Trial:
        """Return what the chain says; raises TextRefused when it cannot be read, or not now, or takes too long."""
        ...
