"""Which workflow people chose for conversations."""

from datetime import datetime

from mama_bot.model import ConversationKey, well_formed
from mama_bot.store.codec import conversation_of, instant
from mama_bot.store.connection import Statement
from mama_bot.store.database import Database

_CHOICE = Statement("SELECT workflow FROM workflow_choices WHERE conversation = :conversation")
_CHOOSE = Statement(
    """
    INSERT INTO workflow_choices (conversation, workflow, chosen_by, at) VALUES (:conversation, :workflow, :by, :at)
    ON CONFLICT (conversation) DO UPDATE SET
        workflow = excluded.workflow, chosen_by = excluded.chosen_by, at = excluded.at
    """
)


class StoredWorkflowChoices:
    """The `WorkflowChoices` of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def choice(self, key: ConversationKey) -> str | None:
        """See WorkflowChoices.choice."""
        facts = {"conversation": conversation_of(key)}
        name: str | None = await self._database.read(lambda connection: connection.execute(_CHOICE, facts).scalar())
        return name or None

    async def choose(self, key: ConversationKey, workflow: str, *, by: str, at: datetime) -> None:
        """See WorkflowChoices.choose."""
        facts = {"conversation": conversation_of(key), "workflow": workflow, "by": well_formed(by), "at": instant(at)}
        await self._database.write(lambda connection: connection.execute(_CHOOSE, facts).close())
