"""The work trees that delegations had of their own, and what became of the work in them."""

from collections.abc import Sequence

from mama_bot.model import BringingPlan, ConversationKey, DelegateTree, StoredDelegateTree, TurnId, WorkBrought
from mama_bot.store.codec import BRINGING, BROUGHT, DELEGATE_TREE, conversation_of
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database

_MAKE = Statement(
    """
    INSERT INTO delegate_trees (id, conversation, body) VALUES (:id, :conversation, :body)
    ON CONFLICT (id) DO UPDATE SET body = excluded.body, plan = NULL WHERE delegate_trees.outcome IS NULL
    """
)
_KNOWN = Statement("SELECT body, plan, outcome FROM delegate_trees WHERE id = :id")
_PLAN = Statement("UPDATE delegate_trees SET plan = :plan WHERE id = :id AND outcome IS NULL")
_SETTLE = Statement("UPDATE delegate_trees SET outcome = :outcome WHERE id = :id AND outcome IS NULL")
_OPEN = Statement(
    """
    SELECT body, plan, outcome FROM delegate_trees WHERE conversation = :conversation AND outcome IS NULL
    ORDER BY sequence
    """
)


class StoredDelegateTrees:
    """The `DelegateTreeRecords` of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def make(self, tree: DelegateTree) -> None:
        facts = {"id": tree.id, "conversation": conversation_of(tree.key), "body": DELEGATE_TREE.dump(tree)}
        await self._database.write(lambda connection: connection.execute(_MAKE, facts).close())

    async def known(self, tree: TurnId) -> StoredDelegateTree | None:
        row = await self._database.read(lambda connection: connection.execute(_KNOWN, {"id": tree}).first())
        return None if row is None else _stored(row)

    async def plan(self, tree: TurnId, plan: BringingPlan) -> None:
        facts = {"id": tree, "plan": BRINGING.dump(plan)}
        await self._database.write(lambda connection: connection.execute(_PLAN, facts).close())

    async def settle(self, tree: TurnId, outcome: WorkBrought) -> None:
        facts = {"id": tree, "outcome": BROUGHT.dump(outcome)}
        await self._database.write(lambda connection: connection.execute(_SETTLE, facts).close())


def open_delegate_trees(connection: Connection, key: ConversationKey) -> Sequence[StoredDelegateTree]:
    """Return the work trees of a conversation's delegations whose work is not settled, the oldest first."""
    return [_stored(row) for row in connection.execute(_OPEN, {"conversation": conversation_of(key)})]


def _stored(row: Row) -> StoredDelegateTree:
    return StoredDelegateTree(
        tree=DELEGATE_TREE.load(row.body),
        plan=None if row.plan is None else BRINGING.load(row.plan),
        outcome=None if row.outcome is None else BROUGHT.load(row.outcome),
    )
