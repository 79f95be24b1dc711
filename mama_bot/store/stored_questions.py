"""Questions that rules ask people before a tool call runs, and their answers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from mama_bot.model import (
    ConversationKey,
    Notice,
    QuestionAnswer,
    QuestionState,
    StoredQuestion,
    StoredTurn,
    ToolQuestion,
)
from mama_bot.protocols import Clock, OutboxBell
from mama_bot.store.codec import QUESTION, channel_of, conversation_of, instant, moment
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database
from mama_bot.store.outbox import add_post

_COLUMNS = "sequence, body, state, decided_by, why, settled_at"
_ASK = Statement(
    """
    INSERT INTO tool_questions (conversation, message_id, digest, rule, body, expires_at)
    VALUES (:conversation, :message, :digest, :rule, :body, :expires)
    RETURNING sequence
    """
)
# What nobody was told yet: open, or answered while the agent that asked was away.
_SAME = Statement(
    f"""
    SELECT {_COLUMNS} FROM tool_questions
    WHERE message_id = :message AND conversation = :conversation AND digest = :digest AND rule = :rule
      AND told = 0 AND state IN ('open', 'approved', 'always', 'denied', 'replied')
    ORDER BY sequence DESC
    """  # noqa: S608 - a constant
)
_RENEW = Statement("UPDATE tool_questions SET expires_at = :expires WHERE sequence = :number")
_ALWAYS = Statement(
    """
    SELECT 1 FROM tool_questions, json_each(tool_questions.body, '$.rules') AS named
    WHERE tool_questions.conversation = :conversation AND tool_questions.state = 'always' AND named.value = :rule
      AND coalesce(json_extract(tool_questions.body, '$.checkpoint'), '') = ''
    LIMIT 1
    """
)
_PASSED = Statement(
    """
    SELECT 1 FROM tool_questions
    WHERE conversation = :conversation AND state = 'always' AND json_extract(body, '$.checkpoint') = :checkpoint
    LIMIT 1
    """
)
# Whoever begins anew comes to each checkpoint again.
_CLOSE = Statement(
    """
    UPDATE tool_questions SET state = 'withdrawn', decided_by = :by, why = '', settled_at = :at
    WHERE conversation = :conversation AND state = 'always' AND coalesce(json_extract(body, '$.checkpoint'), '') != ''
    """
)
# Its time is up, or no turn of its message is to come to an end any more.
_ABANDONED = Statement(
    f"""
    SELECT {_COLUMNS} FROM tool_questions
    WHERE state = 'open' AND (expires_at <= :at OR NOT EXISTS (
        SELECT 1 FROM turns WHERE turns.message_id = tool_questions.message_id AND turns.ended_at IS NULL
    ))
    ORDER BY sequence LIMIT 50
    """  # noqa: S608 - a constant
)
_GOES_ON = Statement("SELECT 1 FROM turns WHERE message_id = :message AND ended_at IS NULL LIMIT 1")
_FIND = Statement(f"SELECT {_COLUMNS}, expires_at, conversation FROM tool_questions WHERE sequence = :number")  # noqa: S608 - a constant
_SETTLE = Statement(
    """
    UPDATE tool_questions SET state = :state, decided_by = :by, why = :why, settled_at = :at
    WHERE sequence = :number AND state = :before
    """
)
_TOLD = Statement("UPDATE tool_questions SET told = 1 WHERE sequence = :number")
_OF_MESSAGE = Statement(
    f"""
    SELECT {_COLUMNS} FROM tool_questions
    WHERE message_id = :message AND conversation = :conversation ORDER BY sequence
    """  # noqa: S608 - a constant
)
_OPEN = Statement(
    f"""
    SELECT {_COLUMNS} FROM tool_questions
    WHERE conversation = :conversation AND state = 'open' AND expires_at > :at ORDER BY sequence
    """  # noqa: S608 - a constant
)


class StoredQuestions:
    """The `ToolQuestions` of the database."""

    def __init__(self, *, database: Database, clock: Clock, bell: OutboxBell) -> None:
        self._database = database
        self._clock = clock
        self._bell = bell

    async def always(self, key: ConversationKey, rules: Sequence[str]) -> bool:
        conversation = conversation_of(key)

        def work(connection: Connection) -> bool:
            rows = (connection.execute(_ALWAYS, {"conversation": conversation, "rule": rule}) for rule in rules)
            return bool(rules) and all(row.scalar() is not None for row in rows)

        return await self._database.read(work)

    async def passed(self, key: ConversationKey, checkpoint: str) -> bool:
        facts = {"conversation": conversation_of(key), "checkpoint": checkpoint}
        return await self._database.read(lambda connection: connection.execute(_PASSED, facts).scalar() is not None)

    async def ask(
        self, question: ToolQuestion, notice: Callable[[int], Notice], *, besides: frozenset[int] = frozenset()
    ) -> StoredQuestion:
        at = instant(self._clock.now())
        facts = {
            "conversation": conversation_of(question.key),
            "message": question.message_id,
            "digest": question.digest,
            "rule": question.rules[0],
            "body": QUESTION.dump(question),
            "expires": instant(question.expires_at),
        }

        def work(connection: Connection) -> StoredQuestion:
            rows = connection.execute(_SAME, facts).all()
            row = next((each for each in rows if each.sequence not in besides), None)
            if row is not None:
                connection.execute(_RENEW, {"number": row.sequence, "expires": facts["expires"]})
                return _stored(row)
            number = int(connection.execute(_ASK, facts).scalar() or 0)
            add_post(connection, notice(number), at)
            return StoredQuestion(number=number, question=question)

        stored = await self._database.write(work)
        self._bell.ring(question.key)
        return stored

    async def find(self, key: ConversationKey, number: int) -> StoredQuestion | None:
        row = await self._database.read(lambda connection: connection.execute(_FIND, {"number": number}).first())
        return _stored(row) if row is not None and str(row.conversation).startswith(channel_of(key)) else None

    async def settle(
        self, question: StoredQuestion, answer: QuestionAnswer, notice: Callable[[StoredQuestion], Notice]
    ) -> tuple[StoredQuestion, bool]:
        at = self._clock.now()

        def work(connection: Connection) -> tuple[StoredQuestion, bool]:
            return _settled(connection, question, answer, at, notice)

        stored, changed = await self._database.write(work)
        self._bell.ring(stored.question.key)
        return stored, changed

    async def tell(self, number: int) -> None:
        await self._database.write(lambda connection: connection.execute(_TOLD, {"number": number}).close())

    async def abandoned(self) -> Sequence[StoredQuestion]:
        facts = {"at": instant(self._clock.now())}
        rows = await self._database.read(lambda connection: connection.execute(_ABANDONED, facts).all())
        return [_stored(row) for row in rows]

    async def of_turn(self, stored: StoredTurn) -> Sequence[StoredQuestion]:
        facts = {"conversation": conversation_of(stored.turn.key), "message": stored.turn.message_id}
        rows = await self._database.read(lambda connection: connection.execute(_OF_MESSAGE, facts).all())
        questions = [_stored(row) for row in rows]
        return [each for each in questions if each.question.persona == stored.turn.persona]

    async def unanswered(self, key: ConversationKey) -> Sequence[StoredQuestion]:
        facts = {"conversation": conversation_of(key), "at": instant(self._clock.now())}
        rows = await self._database.read(lambda connection: connection.execute(_OPEN, facts).all())
        return [_stored(row) for row in rows]


def close_checkpoints(connection: Connection, key: ConversationKey, *, by: str, at: datetime) -> None:
    """Let no approval of a checkpoint in a conversation hold any longer, by the word of whoever began anew."""
    connection.execute(_CLOSE, {"conversation": conversation_of(key), "by": by, "at": instant(at)})


def _settled(
    connection: Connection,
    known: StoredQuestion,
    answer: QuestionAnswer,
    at: datetime,
    notice: Callable[[StoredQuestion], Notice],
) -> tuple[StoredQuestion, bool]:
    """Settle a question that is open, or deny for the time to come what was allowed for good."""
    row = connection.execute(_FIND, {"number": known.number}).first()
    if row is None:  # its conversation was deleted
        return replace(known, state=QuestionState.STOPPED), False
    before, number = _stored(row), known.number
    late = before.state is QuestionState.OPEN and bool(answer.by)
    if late and row.expires_at <= instant(at):
        answer = QuestionAnswer(state=QuestionState.EXPIRED)
    elif late and connection.execute(_GOES_ON, {"message": before.question.message_id}).first() is None:
        answer = QuestionAnswer(state=QuestionState.STOPPED)  # whoever asked is on the way to say so
    else:
        late = False
    if before.state is QuestionState.ALWAYS and answer.state is QuestionState.DENIED:
        answer = replace(answer, state=QuestionState.WITHDRAWN)
    elif before.state is not QuestionState.OPEN:
        return before, False
    facts = {"number": number, "before": before.state.value, "at": instant(at)}
    connection.execute(_SETTLE, {**facts, "state": answer.state.value, "by": answer.by, "why": answer.why})
    after = replace(before, state=answer.state, by=answer.by, why=answer.why, settled_at=at)
    add_post(connection, notice(after), instant(at))
    return after, not late


def _stored(row: Row) -> StoredQuestion:
    return StoredQuestion(
        number=row.sequence,
        question=QUESTION.load(row.body),
        state=QuestionState(row.state),
        by=row.decided_by,
        why=row.why,
        settled_at=None if row.settled_at is None else moment(row.settled_at),
    )
