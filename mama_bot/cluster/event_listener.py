"""What a node does with what the others tell."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import assert_never

import structlog

from mama_bot.cluster.relayed_commands import RelayedCommands
from mama_bot.cluster.shown_turns import ShownTurns
from mama_bot.cluster.told_progress import progress_of
from mama_bot.errors import MamaBotError
from mama_bot.model import (
    AttemptJudged,
    CheckTold,
    CommandAnswered,
    CommandAsked,
    ConversationKey,
    MessageCame,
    MessageStanding,
    ModelWaited,
    NodeEvent,
    OwnersTold,
    PagePosted,
    QuestionSettled,
    SessionsForgotten,
    StandingMarked,
    ToolSeen,
    TurnFinished,
    TurnStarted,
)
from mama_bot.protocols import NodeEvents
from mama_bot.wording import Said, as_written

MOST_AT_ONCE = 50  # of what takes longer: commands that are carried out here, and messages of which agents are told
SECONDS_EACH = 120.0  # whoever asked was told by then that nobody answers, and what came of a deed its thread is told

log = structlog.get_logger(__name__)


class EventListener:
    """Shows what other nodes tell of, and does here what they ask, while `run` runs.

    `shown`, `mark` and `post` show on the platforms that this node serves, `steer` tells an agent of a message,
    `settled` wakes whoever waits for an answer, `forget` ends the sessions of a conversation, `alarm` tells owners.
    `own` is the id of this node. However long commands take, whatever else is told is heard: beyond so many at once one
    is refused.
    """

    def __init__(
        self,
        *,
        events: NodeEvents,
        own: str,
        shown: ShownTurns,
        mark: Callable[[MessageStanding], Awaitable[None]],
        post: Callable[[PagePosted], Awaitable[None]],
        steer: Callable[[MessageCame], Awaitable[None]],
        settled: Callable[[int], None],
        forget: Callable[[ConversationKey], object],
        alarm: Callable[[str, Said], None],
        commands: RelayedCommands,
        most_at_once: int = MOST_AT_ONCE,
        seconds_each: float = SECONDS_EACH,
    ) -> None:
        self._events = events
        self._own = own
        self._seconds_each = seconds_each
        self._shown = shown
        self._mark = mark
        self._post = post
        self._steer = steer
        self._settled = settled
        self._forget = forget
        self._alarm = alarm
        self._commands = commands
        self._commands_room = asyncio.Semaphore(most_at_once)
        self._messages_room = asyncio.Semaphore(most_at_once)

    async def run(self) -> None:
        """Hear until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._shown.run())
            while True:
                event = await self._events.heard()
                await self._done(event, self._take(event, group))

    async def _take(self, event: NodeEvent, group: asyncio.TaskGroup) -> None:
        match event:
            case TurnStarted() | ToolSeen() | CheckTold() | ModelWaited() | AttemptJudged() | TurnFinished():
                await self._shown.show(progress_of(event))
            case StandingMarked():
                await self._mark(event.standing)
            case QuestionSettled():
                self._settled(event.number)
            case SessionsForgotten():
                if event.by != self._own:  # here they have begun anew by now
                    self._forget(event.key)
            case OwnersTold():
                self._alarm(event.occasion, Said(as_written(event.english).en, as_written(event.korean).ko))
            case CommandAnswered():
                self._commands.answered(event)
            case PagePosted():  # in the order in which they were told
                await self._post(event)
            case MessageCame() | CommandAsked():
                await self._begin_to(event, group)
            case unexpected:
                assert_never(unexpected)

    async def _begin_to(self, event: MessageCame | CommandAsked, group: asyncio.TaskGroup) -> None:
        """Begin what may take long, where there is room for it."""
        match event:
            case MessageCame():
                if self._messages_room.locked():
                    log.warning("node_event_not_followed", kind=event.kind, reason="too many at once")
                else:  # its turn comes all the same, once what runs has ended
                    await self._begin(group, event, self._steer(event), self._messages_room)
            case CommandAsked():
                if self._commands_room.locked():
                    self._commands.refuse(event)
                elif self._commands.is_asked(event):
                    await self._begin(group, event, self._commands.asked(event), self._commands_room)
            case unexpected:
                assert_never(unexpected)

    async def _begin(
        self, group: asyncio.TaskGroup, event: NodeEvent, deed: Awaitable[None], room: asyncio.Semaphore
    ) -> None:
        async def in_time() -> None:
            async with asyncio.timeout(self._seconds_each):
                await deed

        async def done() -> None:
            try:
                await self._done(event, in_time())
            finally:
                room.release()

        await room.acquire()  # there is some: nobody waits here
        group.create_task(done())

    async def _done(self, event: NodeEvent, deed: Awaitable[None]) -> None:
        try:
            await deed
        except (MamaBotError, TimeoutError) as error:
            log.warning("node_event_not_followed", kind=event.kind, reason=str(error))
        except Exception:  # what one node tells must not end another
            log.exception("node_event_not_followed", kind=event.kind)
