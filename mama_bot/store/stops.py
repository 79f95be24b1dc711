"""What is to stop and what may not begin: durable, so that whoever runs an exchange learns it from anybody."""

from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from mama_bot.model import ConversationKey, Exchange, InboundMessage, MessageId, Notice, StopAsked, StopScope
from mama_bot.protocols import Clock, OutboxBell
from mama_bot.store.bell import Bell
from mama_bot.store.codec import NAMES, conversation_of, instant
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
from mama_bot.store.jobs import LONGEST_HOLD_SECONDS, taken_message, waiting_messages
from mama_bot.store.outbox import add_post
from mama_bot.store.stored_exchanges import load_exchange
from mama_bot.store.turns import end_exchange

HELD_SECONDS = 30.0  # a process that dies while it holds a conversation must not keep it for good

_ASK = Statement("UPDATE messages SET stop_asked_by = :by WHERE id = :id AND stop_asked_by IS NULL")
_ASKED = Statement(
    """
    SELECT id, stop_asked_by FROM messages
    WHERE id IN (SELECT value FROM json_each(:ids)) AND stop_asked_by IS NOT NULL
    """
)
_HELD = Statement("SELECT 1 FROM holds WHERE conversation = :conversation AND until > :now AND until <= :furthest")
_HOLD = Statement(
    """
    INSERT INTO holds (conversation, until) VALUES (:conversation, :until)
    ON CONFLICT (conversation) DO UPDATE SET until = excluded.until
    """
)
# Of two holds of a conversation the later one ends later: its end says whose it is.
_LET_GO = Statement("DELETE FROM holds WHERE conversation = :conversation AND until = :until")


class StoredStops:
    """The `Stops` of the database."""

    def __init__(self, *, database: Database, clock: Clock, bell: Bell, posts: OutboxBell) -> None:
        self._database = database
        self._clock = clock
        self._bell = bell
        self._posts = posts

    async def runs(self, key: ConversationKey) -> bool:
        lock = conversation_of(key)
        return await self._database.read(lambda connection: taken_message(connection, lock)) is not None

    async def ask(
        self,
        key: ConversationKey,
        by: str,
        line: Callable[[InboundMessage], Notice],
        scope: StopScope = StopScope.USUAL,
    ) -> StopAsked:
        at, lock = instant(self._clock.now()), conversation_of(key)

        def work(connection: Connection) -> StopAsked:
            running = StopAsked() if scope is StopScope.WAITING else _ask(connection, lock, by)
            if scope is StopScope.USUAL and (running or running.already):
                return running
            ended = _end_unbegun(connection, lock, line, at, first=scope is StopScope.USUAL)
            return replace(running, ended=ended, already=running.already and not ended)

        stop = await self._database.write(work)
        if stop.ended:
            self._posts.ring(key)
        return stop

    async def asked(self, messages: Collection[MessageId]) -> Mapping[MessageId, str]:
        ids = NAMES.dump(tuple(messages))
        rows = await self._database.read(lambda connection: connection.execute(_ASKED, {"ids": ids}).all())
        return {MessageId(row.id): row.stop_asked_by for row in rows}

    @asynccontextmanager
    async def held(
        self, key: ConversationKey, *, seconds: float = HELD_SECONDS, anew: bool = False
    ) -> AsyncIterator[bool]:
        """See `Stops.held`; a hold that nobody ends is over after these seconds."""
        conversation = conversation_of(key)
        now = self._clock.now().timestamp()
        until = now + seconds
        if not await self._database.write(lambda connection: _hold(connection, conversation, now, until, anew=anew)):
            yield False
            return
        try:
            yield True
        finally:
            own = {"conversation": conversation, "until": until}
            await self._database.write(lambda connection: connection.execute(_LET_GO, own).close())
            self._bell.ring()


def _ask(connection: Connection, lock: str, by: str) -> StopAsked:
    """Ask for the stop of the exchange that is at work; nothing where none has begun."""
    taken = taken_message(connection, lock)
    if taken is None:
        return StopAsked()
    exchange = load_exchange(connection, taken)
    if not exchange.turns:
        return StopAsked(already=exchange.stopped)
    fresh = connection.execute(_ASK, {"id": taken, "by": by}).rowcount
    return StopAsked(running=taken) if fresh else StopAsked(already=True)


def _end_unbegun(
    connection: Connection, lock: str, line: Callable[[InboundMessage], Notice], at: str, *, first: bool
) -> tuple[Exchange, ...]:
    """Stop what was taken and has not begun, and what waits; of the two only the `first` that there is."""
    taken = taken_message(connection, lock)
    begun = taken is not None and bool(load_exchange(connection, taken).turns)
    unbegun = [] if taken is None or begun else [taken]
    waiting = [] if first and unbegun else waiting_messages(connection, lock)
    ended = []
    for message_id in [*unbegun, *waiting]:
        exchange = load_exchange(connection, message_id)
        if not exchange.stopped:
            end_exchange(connection, message_id, at)
            add_post(connection, line(exchange.message), at)
            ended.append(exchange)
    return tuple(ended)


def _hold(connection: Connection, conversation: str, now: float, until: float, *, anew: bool) -> bool:
    if taken_message(connection, conversation) is not None:
        return False
    times = {"now": now, "furthest": now + LONGEST_HOLD_SECONDS}
    if not anew and connection.execute(_HELD, {"conversation": conversation, **times}).first() is not None:
        return False
    connection.execute(_HOLD, {"conversation": conversation, "until": until})
    return True
