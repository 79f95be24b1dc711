"""A conversation that is deleted: no table keeps rows of it but those that are named here, each with its reason."""

from collections.abc import Mapping, Sequence

import pytest

from mama_bot.model import SCRATCH, ConversationKey, board_of
from mama_bot.store import Store
from mama_bot.store.codec import conversation_of
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
from mama_bot.store.table_shapes import ColumnType, StoredTable
from mama_bot.store.tables import metadata
from tests.store.making import ELSEWHERE, HERE, message

# Tables whose rows of a conversation stay when it is deleted.
KEPT = {
    "measured_attempts": "figures alone: what was measured stays true",
    "spendings": "figures alone: a deletion lifts no cap",
    "objections": "figures alone: what was measured stays true",
    "reports": "a reported draft stays with its report, until that is settled",
    "assignments": "where the work lies",
    "checkouts": "the work stays in its work tree, which is put away by its age",
}
# Tables that have nothing of a single conversation.
OF_NO_CONVERSATION = {
    "schema_version": "the shape of the database",
    "gateway_state": "of a platform",
    "pairings": "of a person",
    "repository_choices": "of a channel",
    "rule_records": "of a rule",
    "raised_caps": "of a cap, until midnight",
    "nodes": "of a process",
    "duties": "of a process",
}
# A job is work that is not finished: a conversation with one is not deleted.
REFUSED = {"jobs": "lock"}
LATER = 4_000_000_000


def value_of(table: StoredTable, column: str, key: ConversationKey) -> object:
    """Return what a row of a conversation has in a column: its names there are those of the schema."""
    if column == "conversation":
        return conversation_of(key)
    if column == "board":
        return board_of(SCRATCH, key)  # of a conversation without a repository
    if column == "id" or column.endswith("_id") or column == "source":
        return f"{key}:work"  # the same for a message, its turn and its session: whatever refers to one finds it
    if table.name == "pull_requests" and column == "number":
        return len(str(key))
    if table.name == "deeds" and column == "outcome":
        return "{}"
    return 0 if table.columns[column].type is not ColumnType.TEXT else f"{key}:{column}"


def fill(connection: Connection, key: ConversationKey) -> None:
    """Put a row of a conversation into every table that has such rows; what it refers to comes first."""
    for table in metadata.tables.values():
        if table.name in OF_NO_CONVERSATION or table.name in REFUSED:
            continue
        row = {
            column.name: value_of(table, column.name, key)
            for column in table.columns.values()
            if not (column.name == "sequence" and column.primary_key)
        }
        names = ", ".join(row)
        places = ", ".join(f":{name}" for name in row)
        connection.execute(Statement(f"INSERT INTO {table.name} ({names}) VALUES ({places})"), row)


def rows_of(connection: Connection, key: ConversationKey) -> Mapping[str, int]:
    """Return how many rows each table has in which a conversation is named, by its key or by what is in it."""
    return {table.name: count for table in metadata.tables.values() if (count := _count(connection, table, key))}


def _count(connection: Connection, table: StoredTable, key: ConversationKey) -> int:
    marks: Sequence[object] = (conversation_of(key), board_of(SCRATCH, key), f"{key}:work")
    rows = connection.execute(Statement(f"SELECT * FROM {table.name}")).all()
    return sum(any(getattr(row, column.name) in marks for column in table.columns.values()) for row in rows)


def test_every_table_has_rows_of_conversations_or_is_named() -> None:
    named = {*OF_NO_CONVERSATION, *REFUSED}
    refers = {
        table.name
        for table in metadata.tables.values()
        if any(name in ("conversation", "board") or name.endswith("_id") for name in table.columns)
    }
    assert refers | named == {table.name for table in metadata.tables.values()}
    assert not refers & named
    assert refers >= KEPT.keys()


async def test_a_deleted_conversation_leaves_what_is_kept_on_purpose_and_no_row_else(
    store: Store, database: Database
) -> None:
    await database.write(lambda connection: fill(connection, HERE))
    await database.write(lambda connection: fill(connection, ELSEWHERE))
    before = await database.read(lambda connection: rows_of(connection, HERE))
    others = await database.read(lambda connection: rows_of(connection, ELSEWHERE))
    assert before.keys() == {table.name for table in metadata.tables.values()} - {*OF_NO_CONVERSATION, *REFUSED}
    assert await store.conversations.delete(HERE)
    assert (await database.read(lambda connection: rows_of(connection, HERE))).keys() == KEPT.keys()
    assert await database.read(lambda connection: rows_of(connection, ELSEWHERE)) == others, "others lose nothing"


@pytest.mark.parametrize(
    "work",
    [
        "INSERT INTO deeds (id, conversation, kind, body) VALUES ('d', :conversation, 'undo', '{}')",
        "INSERT INTO holds (conversation, until) VALUES (:conversation, :later)",
    ],
    ids=["a deed that is asked for", "a hold"],
)
async def test_a_conversation_whose_work_tree_somebody_works_on_stays(
    store: Store, database: Database, work: str
) -> None:
    facts = {"conversation": conversation_of(HERE), "later": LATER}
    await database.write(lambda connection: connection.execute(Statement(work), facts).close())
    assert not await store.conversations.delete(HERE)
    assert await store.conversations.delete(ELSEWHERE)


async def test_a_conversation_in_which_a_message_waits_stays(store: Store) -> None:
    await store.inbox.accept(message(1))
    assert not await store.conversations.delete(HERE)
