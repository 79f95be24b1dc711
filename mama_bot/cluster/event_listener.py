"""What a node does with what the others tell."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import assert_never

import structlog

from mama_bot.cluster.relayed_commands import RelayedCommands
from mama_bot.cluster.told_progress import progress_of
from mama_bot.errors import MamaBotError
from mama_bot.model import (
    AttemptJudged,
    CommandAnswered,
    CommandAsked,
    ConversationKey,
    MessageCame,
    MessageStanding,
    ModelWaited,
    NodeEvent,
    OwnersTold,
    PagePosted,
    Progress,
    QuestionSettled,
    SessionsForgotten,
    StandingMarked,
    ToolSeen,
    TurnFinished,
    TurnStarted,
)
from mama_bot.protocols import NodeEvents
from mama_bot.wording import Said, as_written

MOST_AT_ONCE = 50  # what takes longer, beside what is only shown

log = structlog.get_logger(__name__)


class EventListener:
    """Shows what other nodes tell of, and does here what they ask, while `run` runs.

    `show`, `mark` and `post` show on the platforms that this node serves, `steer` tells an agent of a message,
    `settled` wakes whoever waits for an answer, `forget` ends the sessions of a conversation, `alarm` tells owners.
    """

    def __init__(
        self,
        *,
        events: NodeEvents,
        show: Callable[[Progress], Awaitable[None]],
        mark: Callable[[MessageStanding], Awaitable[None]],
        post: Callable[[PagePosted], Awaitable[None]],
        steer: Callable[[MessageCame], Awaitable[None]],
        settled: Callable[[int], None],
        forget: Callable[[ConversationKey], object],
        alarm: Callable[[str, Said], None],
        commands: RelayedCommands,
    ) -> None:
        self._events = events
        self._show = show
        self._mark = mark
        self._post = post
        self._steer = steer
        self._settled = settled
        self._forget = forget
        self._alarm = alarm
        self._commands = commands
        self._room = asyncio.Semaphore(MOST_AT_ONCE)

    async def run(self) -> None:
        """Hear until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                event = await self._events.heard()
                await self._done(event, self._take(event, group))

    async def _take(self, event: NodeEvent, group: asyncio.TaskGroup) -> None:
        match event:
            case TurnStarted() | ToolSeen() | ModelWaited() | AttemptJudged() | TurnFinished():
                await self._show(progress_of(event))
            case StandingMarked():
                await self._mark(event.standing)
            case QuestionSettled():
                self._settled(event.number)
            case SessionsForgotten():
                self._forget(event.key)
            case OwnersTold():
                self._alarm(event.occasion, Said(as_written(event.english).en, as_written(event.korean).ko))
            case CommandAnswered():
                self._commands.answered(event)
            case PagePosted():  # in the order in which they were told
                await self._post(event)
            case MessageCame():
                await self._begin(group, event, self._steer(event))
            case CommandAsked():
                await self._begin(group, event, self._commands.asked(event))
            case unexpected:
                assert_never(unexpected)

    async def _begin(self, group: asyncio.TaskGroup, event: NodeEvent, deed: Awaitable[None]) -> None:
        await self._room.acquire()

        async def done() -> None:
            try:
                await self._done(event, deed)
            finally:
                self._room.release()

        group.create_task(done())

    async def _done(self, event: NodeEvent, deed: Awaitable[None]) -> None:
        try:
            await deed
        except MamaBotError as error:
            log.warning("node_event_not_followed", kind=event.kind, reason=str(error))
        except Exception:  # what one node tells must not end another
            log.exception("node_event_not_followed", kind=event.kind)
