"""Work items of boards; each change is checked against the items that are there, in one transaction."""

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import partial

from mama_bot.boards import sentences as says
from mama_bot.boards.item_graph import is_ready, most_urgent_first, open_blockers
from mama_bot.boards.item_imports import incoming_items
from mama_bot.boards.item_steps import changed_item, closed_item, item_of
from mama_bot.boards.ulids import CHARACTERS
from mama_bot.errors import BoardRefused
from mama_bot.model import (
    BoardId,
    Contributor,
    ItemChange,
    ItemId,
    ItemQuery,
    ListedItem,
    NewItem,
    TakenIn,
    WorkItem,
    text_hash,
)
from mama_bot.protocols import Clock
from mama_bot.store.codec import WORK_ITEM
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
from mama_bot.wording import one_line

MOST_ITEMS = 20_000
ID_PREFIX = "mb-"
ID_CHARACTERS = 5

_KEEP = Statement(
    """
    INSERT INTO work_items (id, board, body, once) VALUES (:id, :board, :body, :once)
    ON CONFLICT (board, id) DO UPDATE SET body = excluded.body
    """
)
_ONCE = Statement("SELECT body FROM work_items WHERE once = :once")
_ALL = Statement("SELECT body FROM work_items WHERE board = :board ORDER BY id")
_BOARDS = Statement("SELECT board FROM topic_posts UNION SELECT board FROM work_items ORDER BY board")

Items = dict[ItemId, WorkItem]


class StoredItems:
    """The `Items` of the database."""

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        randomness: Callable[[int], bytes] = os.urandom,
        most: int = MOST_ITEMS,
    ) -> None:
        self._database = database
        self._clock = clock
        self._randomness = randomness
        self._most = most

    async def create(self, board: BoardId, new: NewItem) -> WorkItem:
        at, once = self._clock.now(), _once(board, new)

        def work(connection: Connection) -> WorkItem:
            if once is not None and (body := connection.execute(_ONCE, {"once": once}).scalar()):
                return WORK_ITEM.load(body)
            items = _items(connection, board)
            if len(items) >= self._most:
                raise BoardRefused(says.FULL.of(most=self._most))
            item = item_of(new, self._unused_id(items), at, items)
            _keep(connection, board, item, once)
            return item

        return await self._database.write(work)

    async def update(self, board: BoardId, item_id: ItemId, change: ItemChange, by: Contributor) -> WorkItem:
        at = self._clock.now()
        return await self._changed(board, item_id, lambda item, items: changed_item(item, change, by, at, items))

    async def close(self, board: BoardId, item_id: ItemId, reason: str, by: Contributor) -> WorkItem:
        at = self._clock.now()
        return await self._changed(board, item_id, lambda item, items: closed_item(item, reason, by, at, items))

    async def find(self, board: BoardId, item_id: ItemId) -> ListedItem | None:
        items = await self._database.read(lambda connection: _items(connection, board))
        item = items.get(item_id)
        return None if item is None else ListedItem(item=item, blockers=open_blockers(item, items))

    async def query(self, board: BoardId, query: ItemQuery) -> Sequence[ListedItem]:
        items = await self._database.read(lambda connection: _items(connection, board))
        wanted = most_urgent_first(item for item in items.values() if _is_wanted(item, query, items))
        return [ListedItem(item=item, blockers=open_blockers(item, items)) for item in wanted[: query.limit]]

    async def all_items(self, board: BoardId) -> Sequence[WorkItem]:
        return list((await self._database.read(lambda connection: _items(connection, board))).values())

    async def boards(self) -> Sequence[BoardId]:
        boards = await self._database.read(lambda connection: list(connection.execute(_BOARDS).scalars()))
        return [BoardId(board) for board in boards]

    async def take_in(self, board: BoardId, items: Sequence[WorkItem], *, own_too: bool = False) -> TakenIn:
        imports = partial(incoming_items, items, own_too=own_too)
        # Worked out before the transaction, so that a large file holds nobody up; anew where the board changed since.
        before = await self._database.read(lambda connection: _items(connection, board))
        prepared = await asyncio.to_thread(imports, before)

        def work(connection: Connection) -> TakenIn:
            there = _items(connection, board)
            incoming = prepared if there == before else imports(there)
            if len(there) + incoming.taken_in.new > self._most:
                raise BoardRefused(says.FULL.of(most=self._most))
            for item in incoming.items:
                _keep(connection, board, item, None)
            return incoming.taken_in

        return await self._database.write(work)

    async def _changed(self, board: BoardId, item_id: ItemId, step: Callable[[WorkItem, Items], WorkItem]) -> WorkItem:
        def work(connection: Connection) -> WorkItem:
            items = _items(connection, board)
            item = items.get(item_id)
            if item is None:
                raise BoardRefused(says.NO_ITEM.of(id=one_line(item_id, 60)))
            after = step(item, items)
            if after != item:
                _keep(connection, board, after, None)
            return after

        return await self._database.write(work)

    def _unused_id(self, items: Items) -> ItemId:
        while True:
            letters = "".join(CHARACTERS[byte & 31] for byte in self._randomness(ID_CHARACTERS)).lower()
            if (identifier := ItemId(f"{ID_PREFIX}{letters}")) not in items:
                return identifier


def _is_wanted(item: WorkItem, query: ItemQuery, items: Items) -> bool:
    if query.ready and not is_ready(item, items):
        return False
    if query.status is not None and item.status is not query.status:
        return False
    if query.status is None and not query.closed_too and not item.is_open:
        return False
    if query.kind is not None and item.kind != query.kind:
        return False
    return query.assignee is None or item.assignee == query.assignee


def _items(connection: Connection, board: BoardId) -> Items:
    loaded = map(WORK_ITEM.load, connection.execute(_ALL, {"board": board}).scalars())
    return {item.id: item for item in loaded}


def _keep(connection: Connection, board: BoardId, item: WorkItem, once: str | None) -> None:
    facts = {"id": item.id, "board": board, "body": WORK_ITEM.dump(item), "once": once}
    connection.execute(_KEEP, facts).close()


def _once(board: BoardId, new: NewItem) -> str | None:
    """Return what a turn creates once; None for a person, who may want two alike."""
    if new.turn_id is None:
        return None
    return text_hash("\0".join((board, new.turn_id, new.kind, " ".join(new.title.split()))))
