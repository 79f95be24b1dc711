"""What is kept of the work trees of delegations."""

from typing import Protocol

from mama_bot.model import BringingPlan, DelegateTree, StoredDelegateTree, TurnId, WorkBrought


class DelegateTreeRecords(Protocol):
    """The work trees that delegations had of their own; each method is one transaction."""

    async def make(self, tree: DelegateTree) -> None:
        """Note a work tree that was made; one made anew replaces it, unless its outcome stands."""
        ...

    async def known(self, tree: TurnId) -> StoredDelegateTree | None:
        """Return what is known of the work tree of a delegation; None where it has none."""
        ...

    async def plan(self, tree: TurnId, plan: BringingPlan) -> None:
        """Note what is about to be done with its work, unless that is settled."""
        ...

    async def settle(self, tree: TurnId, outcome: WorkBrought) -> None:
        """Note what became of its work; what was settled before stays."""
        ...
