"""How the nodes of a service tell each other what happens."""

from typing import Protocol

from mama_bot.model import NodeEvent


class NodeEvents(Protocol):
    """What the nodes of a service tell each other, in the order in which one of them told it.

    An event may be lost, as while a node has no connection: whatever must not be is looked for in the store as well.
    """

    def publish(self, event: NodeEvent) -> None:
        """Tell every node, this one too, within a moment; never waits, never raises."""
        ...

    async def heard(self) -> NodeEvent:
        """Wait for the next event and return it; one task hears."""
        ...

    async def run(self) -> None:
        """Send what is published, until cancelled."""
        ...
