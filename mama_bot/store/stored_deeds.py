"""What changed in work trees, and what people did with it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from functools import partial

from mama_bot.model import (
    ChangeId,
    ConversationKey,
    DeedId,
    DeedOutcome,
    DeedPlan,
    DeedRequest,
    Notice,
    StoredDeed,
    WorkChange,
    well_formed,
)
from mama_bot.protocols import Clock, OutboxBell
from mama_bot.store.codec import CHANGE, DEED, DEED_OUTCOME, PLAN, conversation_of, instant
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database
from mama_bot.store.outbox import add_post

_BEGIN = Statement(
    """
    INSERT INTO work_changes (id, conversation, body) VALUES (:id, :conversation, :body)
    ON CONFLICT (id) DO NOTHING
    """
)
_END = Statement(
    """
    INSERT INTO work_changes (id, conversation, body, ended) VALUES (:id, :conversation, :body, 1)
    ON CONFLICT (id) DO UPDATE SET body = excluded.body, ended = 1
    """
)
_FORGET = Statement("DELETE FROM work_changes WHERE id = :id AND ended = 0")
_BEGUN = Statement("SELECT body, undone_by FROM work_changes WHERE id = :id")
_CHANGE = Statement(
    "SELECT body, undone_by FROM work_changes WHERE id = :id AND conversation = :conversation AND ended = 1"
)
_CHANGES = Statement(
    """
    SELECT body, undone_by FROM work_changes WHERE conversation = :conversation AND ended = 1
    ORDER BY sequence DESC LIMIT :limit
    """
)
_UNDONE = Statement("UPDATE work_changes SET undone_by = :by WHERE id = :id")
_TITLE = Statement("SELECT title FROM conversations WHERE conversation = :conversation")
_ASK = Statement(
    """
    INSERT INTO deeds (id, conversation, kind, body) VALUES (:id, :conversation, :kind, :body)
    ON CONFLICT DO NOTHING
    """
)
_PLAN = Statement("UPDATE deeds SET plan = :plan WHERE id = :id AND outcome IS NULL")
_SETTLE = Statement(
    "UPDATE deeds SET outcome = :outcome, settled_at = :at WHERE id = :id AND outcome IS NULL",
)
_UNSETTLED = Statement("SELECT body, plan, outcome FROM deeds WHERE outcome IS NULL ORDER BY sequence")
_DEEDS = Statement(
    """
    SELECT body, plan, outcome FROM deeds WHERE conversation = :conversation
    ORDER BY sequence DESC LIMIT :limit
    """
)


_EVERY_CHANGE = Statement(
    "SELECT sequence, body, undone_by FROM work_changes WHERE sequence > :after ORDER BY sequence LIMIT :limit"
)
_EVERY_DEED = Statement(
    "SELECT sequence, body, plan, outcome FROM deeds WHERE sequence > :after ORDER BY sequence LIMIT :limit"
)
PAGE = 500


class StoredDeeds:
    """The `DeedRecords` of the database."""

    def __init__(self, *, database: Database, clock: Clock, bell: OutboxBell) -> None:
        self._database = database
        self._clock = clock
        self._bell = bell

    async def begin(self, change: WorkChange) -> WorkChange:
        def work(connection: Connection) -> WorkChange:
            connection.execute(_BEGIN, _facts(change))
            row = connection.execute(_BEGUN, {"id": change.id}).first()
            return change if row is None else _change(row)

        return await self._database.write(work)

    async def begun(self, change: ChangeId) -> WorkChange | None:
        row = await self._database.read(lambda connection: connection.execute(_BEGUN, {"id": change}).first())
        return None if row is None else _change(row)

    async def end(self, change: WorkChange) -> None:
        await self._database.write(lambda connection: connection.execute(_END, _facts(change)).close())

    async def forget(self, change: ChangeId) -> None:
        await self._database.write(lambda connection: connection.execute(_FORGET, {"id": change}).close())

    async def change(self, key: ConversationKey, change: ChangeId) -> WorkChange | None:
        facts = {"id": well_formed(change), "conversation": conversation_of(key)}
        row = await self._database.read(lambda connection: connection.execute(_CHANGE, facts).first())
        return None if row is None else _change(row)

    async def changes(self, key: ConversationKey, limit: int) -> Sequence[WorkChange]:
        facts = {"conversation": conversation_of(key), "limit": limit}
        rows = await self._database.read(lambda connection: connection.execute(_CHANGES, facts).all())
        return [_change(row) for row in rows]

    async def title(self, key: ConversationKey) -> str:
        facts = {"conversation": conversation_of(key)}
        title = await self._database.read(lambda connection: connection.execute(_TITLE, facts).scalar())
        return str(title or "")

    async def ask(self, request: DeedRequest) -> bool:
        facts = {
            "id": request.id,
            "conversation": conversation_of(request.key),
            "kind": request.deed.kind,
            "body": DEED.dump(request),
        }
        return bool(await self._database.write(lambda connection: connection.execute(_ASK, facts).rowcount))

    async def plan(self, deed: DeedId, plan: DeedPlan) -> None:
        facts = {"id": deed, "plan": PLAN.dump(plan)}
        await self._database.write(lambda connection: connection.execute(_PLAN, facts).close())

    async def unsettled(self) -> Sequence[StoredDeed]:
        rows = await self._database.read(lambda connection: connection.execute(_UNSETTLED).all())
        return [_deed(row) for row in rows]

    async def settle(
        self, request: DeedRequest, outcome: DeedOutcome, notice: Notice | None, change: WorkChange | None = None
    ) -> None:
        at = instant(self._clock.now())
        facts = {"id": request.id, "outcome": DEED_OUTCOME.dump(outcome), "at": at}

        def work(connection: Connection) -> None:
            if not connection.execute(_SETTLE, facts).rowcount:
                return
            if notice is not None:
                add_post(connection, notice, at)
            if change is not None:
                _take_back(connection, change, request.id)

        await self._database.write(work)
        self._bell.ring(request.key)

    async def every_change(self) -> AsyncIterator[WorkChange]:
        async for row in self._every(_EVERY_CHANGE):
            yield _change(row)

    async def every_deed(self) -> AsyncIterator[StoredDeed]:
        async for row in self._every(_EVERY_DEED):
            yield _deed(row)

    async def _every(self, statement: Statement) -> AsyncIterator[Row]:
        after = 0
        while True:
            rows = await self._database.read(partial(_page, statement=statement, after=after))
            for row in rows:
                yield row
            if len(rows) < PAGE:
                return
            after = rows[-1].sequence

    async def deeds(self, key: ConversationKey, limit: int) -> Sequence[StoredDeed]:
        facts = {"conversation": conversation_of(key), "limit": limit}
        rows = await self._database.read(lambda connection: connection.execute(_DEEDS, facts).all())
        return [_deed(row) for row in rows]


def _page(connection: Connection, *, statement: Statement, after: int) -> Sequence[Row]:
    return connection.execute(statement, {"after": after, "limit": PAGE}).all()


def _take_back(connection: Connection, change: WorkChange, deed: DeedId) -> None:
    """Note the change of an undo: what it took back is undone, what that one had taken back stands again, and so on."""
    connection.execute(_END, _facts(change))
    earlier: ChangeId | None = change.undoes
    by: DeedId | None = deed
    seen = set[ChangeId]()
    while earlier is not None and earlier not in seen:
        seen.add(earlier)
        connection.execute(_UNDONE, {"id": earlier, "by": by})
        row = connection.execute(_BEGUN, {"id": earlier}).first()
        earlier, by = (None if row is None else CHANGE.load(row.body).undoes), (None if by else deed)


def _facts(change: WorkChange) -> dict[str, str]:
    return {"id": change.id, "conversation": conversation_of(change.key), "body": CHANGE.dump(change)}


def _change(row: Row) -> WorkChange:
    return replace(CHANGE.load(row.body), undone_by=None if row.undone_by is None else DeedId(row.undone_by))


def _deed(row: Row) -> StoredDeed:
    return StoredDeed(
        request=DEED.load(row.body),
        plan=PLAN.load(row.plan) if row.plan else None,
        outcome=DEED_OUTCOME.load(row.outcome) if row.outcome else None,
    )
