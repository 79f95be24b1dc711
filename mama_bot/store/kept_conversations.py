"""Conversations as whoever has them wants them: under a name of their own, or gone."""

from mama_bot.model import ConversationKey, well_formed
from mama_bot.store.codec import conversation_of
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database

_RENAME = Statement("UPDATE conversations SET title = :title WHERE conversation = :conversation")
_UNFINISHED = Statement("SELECT count(*) FROM jobs WHERE lock = :conversation")
_OF_CONVERSATION = "SELECT id FROM messages WHERE conversation = :conversation"
_TURNS = f"SELECT id FROM turns WHERE message_id IN ({_OF_CONVERSATION})"  # noqa: S608 - a constant
# What was said, and what agents know of it. What was measured, what a person reported, and the work itself stay.
_DELETIONS = tuple(
    Statement(text)
    for text in (
        f"DELETE FROM attempts WHERE turn_id IN ({_TURNS})",  # noqa: S608 - a constant
        f"DELETE FROM checklists WHERE message_id IN ({_OF_CONVERSATION})",  # noqa: S608 - a constant
        f"DELETE FROM turns WHERE message_id IN ({_OF_CONVERSATION})",  # noqa: S608 - a constant
        *(
            f"DELETE FROM {table} WHERE conversation = :conversation"  # noqa: S608 - constants
            for table in (
                "outbox_parts",
                "outbox",
                "receipts",
                "context",
                "earlier_facts",
                "reminders",
                "sessions",
                "messages",
                "conversations",
            )
        ),
    )
)


class StoredConversations:
    """The `KeptConversations` of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def rename(self, key: ConversationKey, title: str) -> bool:
        """See `KeptConversations.rename`."""
        facts = {"conversation": conversation_of(key), "title": well_formed(title)}
        return await self._database.write(lambda connection: connection.execute(_RENAME, facts).rowcount > 0)

    async def delete(self, key: ConversationKey) -> bool:
        """See `KeptConversations.delete`; in one transaction, in which nothing of it waits or runs."""
        facts = {"conversation": conversation_of(key)}

        def work(connection: Connection) -> bool:
            if connection.execute(_UNFINISHED, facts).scalar():
                return False
            for deletion in _DELETIONS:
                connection.execute(deletion, facts)
            return True

        return await self._database.write(work)
