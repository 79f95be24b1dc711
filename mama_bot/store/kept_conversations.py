"""Conversations as whoever has them wants them: under a name of their own, or gone."""

from mama_bot.model import SCRATCH, ConversationKey, board_of, well_formed
from mama_bot.protocols import Clock
from mama_bot.store.codec import conversation_of
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database

_RENAME = Statement("UPDATE conversations SET title = :title WHERE conversation = :conversation")
# A deed that is asked for, or a hold of whoever takes the work out, is work too.
_AT_WORK = Statement(
    """
    SELECT EXISTS (SELECT 1 FROM jobs WHERE lock = :conversation)
        OR EXISTS (SELECT 1 FROM deeds WHERE conversation = :conversation AND outcome IS NULL)
        OR EXISTS (SELECT 1 FROM holds WHERE conversation = :conversation AND until > :now)
    """
)
_OF_CONVERSATION = "SELECT id FROM messages WHERE conversation = :conversation"
_TURNS = f"SELECT id FROM turns WHERE message_id IN ({_OF_CONVERSATION})"  # noqa: S608 - a constant
_SESSIONS = "SELECT session_id FROM sessions WHERE conversation = :conversation"
# What was said, what agents know of it, and what people did there: each table with the rows of a conversation. Those
# that others are found by come last.
_DELETED = {
    "attempts": f"turn_id IN ({_TURNS})",
    "checklists": f"message_id IN ({_OF_CONVERSATION})",
    "reviews": f"session_id IN ({_TURNS})",
    "rule_states": f"session_id IN ({_SESSIONS})",
    "turns": f"message_id IN ({_OF_CONVERSATION})",
    # A conversation without a repository has a board of its own; that of a repository is everybody's who works in it.
    **dict.fromkeys(("topic_posts", "work_items"), "board = :board"),
    **dict.fromkeys(
        (
            "outbox_parts",
            "outbox",
            "receipts",
            "context",
            "earlier_facts",
            "reminders",
            "sessions",
            "tool_questions",
            "work_changes",
            "deeds",
            "delegate_trees",
            "pull_requests",
            "holds",
            "homes",
            "transcripts",
            "messages",
            "conversations",
            "workflow_choices",
        ),
        "conversation = :conversation",
    ),
}
_DELETIONS = tuple(
    Statement(f"DELETE FROM {table} WHERE {rows}")  # noqa: S608 - constants
    for table, rows in _DELETED.items()
)


class StoredConversations:
    """The `KeptConversations` of the database."""

    def __init__(self, *, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def rename(self, key: ConversationKey, title: str) -> bool:
        """See `KeptConversations.rename`."""
        facts = {"conversation": conversation_of(key), "title": well_formed(title)}
        return await self._database.write(lambda connection: connection.execute(_RENAME, facts).rowcount > 0)

    async def delete(self, key: ConversationKey) -> bool:
        """See `KeptConversations.delete`; in one transaction, in which nothing of it waits or runs."""
        facts = {
            "conversation": conversation_of(key),
            "board": board_of(SCRATCH, key),
            "now": self._clock.now().timestamp(),
        }

        def work(connection: Connection) -> bool:
            if connection.execute(_AT_WORK, facts).scalar():
                return False
            for deletion in _DELETIONS:
                connection.execute(deletion, facts)
            return True

        return await self._database.write(work)
