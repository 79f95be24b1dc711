"""What is kept durably of rules: their sessions, their figures and failures, the workflows that people chose."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from mama_bot.model import ConversationKey, RuleBlock, RuleRecord, RuleState


class RuleStates(Protocol):
    """What rules remember of sessions, over restarts."""

    async def load(self, session: str) -> RuleState | None:
        """Return what is remembered of a session; None for one that nothing is known of."""
        ...

    async def save(self, session: str, state: RuleState) -> None:
        """Remember a state in place of the one before; the sessions that were not seen for longest are forgotten."""
        ...


class RuleRecords(Protocol):
    """What is kept of rules over all sessions; each method may raise StoreUnavailable."""

    async def load(self) -> Sequence[RuleRecord]:
        """Return all there are, by name, those that were seen last at the end."""
        ...

    async def save(self, records: Sequence[RuleRecord]) -> None:
        """Keep these in place of what was kept of the same rules in the same wording."""
        ...


class RuleReports(Protocol):
    """Calls that rules stopped, for people who call that wrong."""

    def blocks(self, key: ConversationKey) -> Sequence[RuleBlock]:
        """Return the latest blocks in a conversation since the service began, the latest first."""
        ...

    async def report_block(self, key: ConversationKey, block: RuleBlock, *, note: str) -> None:
        """Count a block as wrong, once."""
        ...


class WorkflowChoices(Protocol):
    """Which workflow people chose for conversations."""

    async def choice(self, key: ConversationKey) -> str | None:
        """Return the workflow that was chosen for a conversation; None where nobody chose one."""
        ...

    async def choose(self, key: ConversationKey, workflow: str, *, by: str, at: datetime) -> None:
        """Note what was chosen for a conversation ("": what its repository and its persona say)."""
        ...
