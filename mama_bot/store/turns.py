"""The durable state of exchanges, and the last guard of the one way to a reply."""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from mama_bot.model import (
    Added,
    Attempt,
    Checklist,
    Cleared,
    ConversationKey,
    Exchange,
    Facts,
    InboundMessage,
    MessageId,
    Post,
    Reminders,
    Reply,
    ReviewMove,
    SessionId,
    Turn,
    TurnState,
    text_hash,
)
from mama_bot.protocols import Clock, OutboxBell
from mama_bot.store.added import end_added, has_added, has_untaken, take_added
from mama_bot.store.bell import Bell
from mama_bot.store.checklists import checklist_of, keep_checklist
from mama_bot.store.codec import ATTEMPT, TURN, conversation_of, instant, moment
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.context import add_reply
from mama_bot.store.database import Database
from mama_bot.store.earlier_facts import keep_facts
from mama_bot.store.measure_rows import add_measures
from mama_bot.store.outbox import add_post
from mama_bot.store.queue_lines import waiting_line
from mama_bot.store.receipts import add_receipt
from mama_bot.store.review_states import try_moves
from mama_bot.store.stored_exchanges import UNFINISHED, load_exchange
from mama_bot.store.stored_transcripts import forget_session

log = structlog.get_logger(__name__)

_ADD_TURN = Statement(
    """
    INSERT INTO turns (id, message_id, body, state, created_at, ended_at, persona, kind, audience)
    SELECT :id, id, :body, CASE stopped WHEN 0 THEN 'pending' ELSE 'stopped' END, :at,
           CASE stopped WHEN 0 THEN NULL ELSE :at END, :persona, :kind, :audience
    FROM messages WHERE id = :message_id
    ON CONFLICT (id) DO NOTHING
    """
)
_BEGIN_ATTEMPT = Statement(
    """
    UPDATE turns SET state = 'running', asked = :attempt, started_at = COALESCE(started_at, :at)
    WHERE id = :id AND state IN ('pending', 'running')
    """
)
_KEEP_SESSION = Statement(
    """
    INSERT INTO sessions (conversation, persona, session_id, backend)
    VALUES (:conversation, :persona, :session_id, :backend)
    ON CONFLICT (conversation, persona) DO UPDATE SET session_id = excluded.session_id, backend = excluded.backend
    """
)
_SESSION = Statement(
    "SELECT session_id, backend FROM sessions WHERE conversation = :conversation AND persona = :persona"
)
_ADD_ATTEMPT = Statement(
    "INSERT INTO attempts (turn_id, attempt, body) VALUES (:turn_id, :attempt, :body) ON CONFLICT DO NOTHING"
)
_SET_BODY = Statement("UPDATE turns SET body = :body WHERE id = :id")
_UNDRAFTED = Statement("SELECT body FROM turns WHERE id = :id AND json_array_length(body, '$.undrafted.runs') > 0")
_END_TURN = Statement(
    "UPDATE turns SET state = :state, ended_at = :at WHERE id = :id AND state IN ('pending', 'running')"
)
_STATE = Statement("SELECT state FROM turns WHERE id = :id")
_ADD_REMINDER = Statement(
    """
    INSERT INTO reminders (origin, position, conversation, persona, body, said_before)
    VALUES (:origin, :position, :conversation, :persona, :body,
            (SELECT sequence FROM messages WHERE id = :message_id))
    ON CONFLICT DO NOTHING
    """
)
_FIRST_TIME = Statement("UPDATE turns SET reminded = 1 WHERE id = :id AND reminded = 0")
_TAKE_REMINDERS = Statement(
    """
    UPDATE reminders SET taken_by = :id,
        dropped = CASE WHEN said_before < (
            SELECT COALESCE(MAX(sequence), 0) FROM messages WHERE conversation = :conversation
        ) THEN 1 ELSE 0 END
    WHERE conversation = :conversation AND persona = :persona AND taken_by IS NULL AND dropped = 0
    """
)
_DROP_REMINDERS = Statement(
    """
    UPDATE reminders SET dropped = 1
    WHERE taken_by IS NULL AND origin IN (SELECT id FROM turns WHERE message_id = :id)
    """
)
_REMINDERS = Statement(
    """
    SELECT reminders.body, reminders.dropped FROM reminders JOIN turns ON turns.id = reminders.origin
    WHERE reminders.taken_by = :id ORDER BY turns.sequence, reminders.position
    """
)
_TOUCH_CONVERSATION = Statement("UPDATE conversations SET last_at = :at WHERE conversation = :conversation")
_STOP_MESSAGE = Statement("UPDATE messages SET stopped = 1 WHERE id = :id")
_STOP_TURNS = Statement(
    """
    UPDATE turns SET state = 'stopped', ended_at = :at
    WHERE message_id = :id AND state IN ('pending', 'running')
    """
)


class StoredTurns:
    """The `TurnStore` of the database.

    A final state is final: whatever comes later for a turn that was stopped is left out.
    """

    def __init__(self, *, database: Database, clock: Clock, bell: OutboxBell, jobs: Bell) -> None:
        self._jobs = jobs
        self._database = database
        self._clock = clock
        self._bell = bell

    async def load(self, message_id: MessageId) -> Exchange:
        """See `TurnStore.load`; raises LookupError when there is no such message."""
        return await self._database.read(lambda connection: load_exchange(connection, message_id))

    async def add_turns(self, turns: Sequence[Turn]) -> None:
        """See `TurnStore.add_turns`; in an exchange that was stopped they are STOPPED at once."""
        at = self._now()
        await self._database.write(lambda connection: _add_turns(connection, turns, at))

    async def keep_turn(self, turn: Turn) -> None:
        await self._database.write(
            lambda connection: connection.execute(_SET_BODY, {"id": turn.id, "body": TURN.dump(turn)}).close()
        )

    async def begin_exchange(self, message_id: MessageId, turns: Sequence[Turn]) -> Exchange:
        """See `TurnStore.begin_exchange`; raises LookupError when there is no such message."""
        at = self._now()

        def work(connection: Connection) -> Exchange:
            _add_turns(connection, turns, at)
            return load_exchange(connection, message_id)

        return await self._database.write(work)

    async def begin_attempt(self, turn: Turn, attempt: int, session_id: SessionId, *, backend: str = "") -> Reminders:
        asked = {"id": turn.id, "attempt": attempt, "at": self._now()}
        session = {**_place(turn.key, turn.session_name), "session_id": session_id, "backend": backend}

        def work(connection: Connection) -> Reminders:
            connection.execute(_BEGIN_ATTEMPT, asked)
            connection.execute(_KEEP_SESSION, session)
            return _take_reminders(connection, turn)

        return await self._database.write(work)

    async def add_attempt(self, attempt: Attempt) -> None:
        """See `TurnStore.add_attempt`; the first draft of an attempt stays."""
        await self._database.write(lambda connection: _add_attempt(connection, attempt))

    async def finish(
        self,
        turn: Turn,
        state: TurnState,
        *,
        attempt: Attempt | None = None,
        posts: Sequence[Post] = (),
        turns: Sequence[Turn] = (),
        reminders: Sequence[str] = (),
        checklist: Checklist | None = None,
        reviews: Sequence[ReviewMove] = (),
        facts: Facts | None = None,
    ) -> None:
        """See `TurnStore.finish`; raises ValueError for a reply that this turn's chain did not clear word for word."""
        if state in UNFINISHED:
            raise ValueError(f"Turn {turn.id} cannot be finished as {state}: that is not a final state.")
        for post in posts:
            _refuse_uncleared(post, turn)
        at = self._now()

        def work(connection: Connection) -> None:
            if not _end_turn(connection, turn, state, at):
                return
            if attempt is not None:
                _add_attempt(connection, attempt)
                _leave_drafted(connection, attempt)
            _publish(connection, posts, at)
            reply = next((post for post in posts if isinstance(post, Reply)), None)
            if attempt is not None and reply is not None:
                add_receipt(connection, turn, attempt, reply)
            _add_turns(connection, turns, at)
            _add_reminders(connection, turn, reminders)
            if checklist is not None:
                keep_checklist(connection, turn, checklist)
            try_moves(connection, reviews, moment(at))
            if facts is not None:
                keep_facts(connection, turn, facts)

        await self._database.write(work)
        for key in {post.key for post in posts}:
            self._bell.ring(key)

    async def take_added(self, turn: Turn) -> tuple[Turn, Sequence[InboundMessage]]:
        if not await self._database.read(lambda connection: has_untaken(connection, turn.message_id)):
            return turn, ()  # nearly always
        return await self._database.write(lambda connection: take_added(connection, turn))

    async def end_added(self, message: InboundMessage, *, most: int) -> Added:
        conversation = conversation_of(message.key)

        def look(connection: Connection) -> Added | None:
            if has_added(connection, message.id):
                return None
            return Added(line=waiting_line(connection, conversation, most))

        def end(connection: Connection) -> Added:
            added = end_added(connection, message.id)
            return replace(added, line=waiting_line(connection, conversation, most))

        added = await self._database.read(look)
        if added is None:
            added = await self._database.write(end)
        if added.left:
            self._jobs.ring()
        return added

    async def session(self, key: ConversationKey, persona: str, *, backend: str | None = None) -> SessionId | None:
        place = _place(key, persona)
        rows = await self._database.read(lambda connection: connection.execute(_SESSION, place).all())
        of_it = [row[0] for row in rows if backend is None or row[1] in (backend, "")]  # "": by an earlier release
        return SessionId(of_it[0]) if of_it else None

    async def forget_session(self, key: ConversationKey, persona: str) -> None:
        place = _place(key, persona)
        await self._database.write(lambda connection: forget_session(connection, place))

    async def checklist(self, turn: Turn, *, goes_on: bool = False) -> Checklist | None:
        return await self._database.read(lambda connection: checklist_of(connection, turn, goes_on=goes_on))

    async def stop_exchange(self, message_id: MessageId) -> None:
        at = self._now()
        await self._database.write(lambda connection: end_exchange(connection, message_id, at))

    def _now(self) -> str:
        return instant(self._clock.now())


def end_exchange(connection: Connection, message_id: MessageId, at: str) -> None:
    """Mark an exchange as stopped, with its unfinished turns; what it left to be reminded of is dropped."""
    connection.execute(_STOP_MESSAGE, {"id": message_id})
    connection.execute(_STOP_TURNS, {"id": message_id, "at": at})
    connection.execute(_DROP_REMINDERS, {"id": message_id})


def _place(key: ConversationKey, persona: str) -> dict[str, str]:
    return {"conversation": conversation_of(key), "persona": persona}


def _refuse_uncleared(post: Post, turn: Turn) -> None:
    if not isinstance(post, Reply):
        return
    judgement = post.judgement
    if not isinstance(judgement.outcome, Cleared):
        raise ValueError(f"Reply {post.id} was not cleared by the chain ({judgement.outcome.kind}).")  # noqa: TRY004 - it is the value
    if judgement.text_sha256 != text_hash(post.text):
        raise ValueError(f"Reply {post.id} is not the text that the chain cleared.")
    if not post.turn_id == judgement.turn_id == turn.id:
        raise ValueError(f"Reply {post.id} and its judgement do not both belong to turn {turn.id}.")


def _add_turns(connection: Connection, turns: Sequence[Turn], at: str) -> None:
    for turn in turns:
        facts = {"id": turn.id, "message_id": turn.message_id, "body": TURN.dump(turn), "at": at}
        connection.execute(_ADD_TURN, facts | {"persona": turn.persona, "kind": turn.kind, "audience": turn.audience})


def _add_attempt(connection: Connection, attempt: Attempt) -> None:
    draft = attempt.draft
    facts = {"turn_id": draft.turn_id, "attempt": draft.attempt, "body": ATTEMPT.dump(attempt)}
    if connection.execute(_ADD_ATTEMPT, facts).rowcount:
        add_measures(connection, attempt)


def _leave_drafted(connection: Connection, attempt: Attempt) -> None:
    """Keep of a turn's `undrafted` only what its last draft does not hold as well."""
    turn_id = attempt.draft.turn_id
    body = connection.execute(_UNDRAFTED, {"id": turn_id}).scalar()
    if body is not None:
        turn = TURN.load(body)
        left = replace(turn, undrafted=turn.undrafted.without(attempt.draft.record))
        connection.execute(_SET_BODY, {"id": turn_id, "body": TURN.dump(left)})


def _end_turn(connection: Connection, turn: Turn, state: TurnState, at: str) -> bool:
    """Whether the turn now stands in this state, be it by an earlier call."""
    if connection.execute(_END_TURN, {"id": turn.id, "state": state, "at": at}).rowcount:
        return True
    stands = connection.execute(_STATE, {"id": turn.id}).scalar()
    if stands is None:
        raise LookupError(f"The store has no turn {turn.id!r}.")
    if stands != state:
        log.warning("turn_already_ended", turn=turn.id, stands=stands, asked_for=state)
    return bool(stands == state)


def _publish(connection: Connection, posts: Sequence[Post], at: str) -> None:
    for post in posts:
        if isinstance(post, Reply):
            add_reply(connection, post, at)
        add_post(connection, post, at)
        connection.execute(_TOUCH_CONVERSATION, {"conversation": conversation_of(post.key), "at": at})


def _add_reminders(connection: Connection, turn: Turn, reminders: Sequence[str]) -> None:
    for position, reminder in enumerate(reminders):
        facts = {"origin": turn.id, "message_id": turn.message_id, "position": position, "body": reminder}
        connection.execute(_ADD_REMINDER, facts | _place(turn.key, turn.persona))


def _take_reminders(connection: Connection, turn: Turn) -> Reminders:
    if connection.execute(_FIRST_TIME, {"id": turn.id}).rowcount:
        connection.execute(_TAKE_REMINDERS, {**_place(turn.key, turn.persona), "id": turn.id})
    rows = connection.execute(_REMINDERS, {"id": turn.id}).all()
    texts = tuple(row.body for row in rows if not row.dropped)
    return Reminders(texts=texts, dropped=len(rows) - len(texts))
