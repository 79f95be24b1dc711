"""What says how a node is at a port of its own, from its start on: also while it stands by and has nothing yet."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from mama_bot.app.assembly import Parts
from mama_bot.app.configuration import Configuration
from mama_bot.app.platforms import hearing_of
from mama_bot.app.readiness import lacking_here
from mama_bot.app.system_clock import SystemClock
from mama_bot.config import ServiceRole
from mama_bot.gateways.web.health import STARTING_SECONDS, Health
from mama_bot.gateways.web.health_server import HealthServer


@asynccontextmanager
async def node_health(configuration: Configuration) -> AsyncIterator[Callable[[Parts], None]]:
    """Answer at the node's own port while the block runs; what is yielded is told of the parts, once there are some.

    Raises PortTaken.
    """
    nodes = configuration.settings.nodes
    if not nodes.health_port or configuration.role is ServiceRole.ALL:
        yield lambda _: None
        return
    server = HealthServer(host=nodes.health_host, port=nodes.health_port)
    try:
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(server.run(), name="The health of the node")
            try:
                yield lambda parts: server.begin(_health(parts, configuration))
            finally:
                serving.cancel()
    except BaseExceptionGroup as failed:  # whoever waits for an error of the block waits for that one
        if len(failed.exceptions) > 1:
            raise
        raise failed.exceptions[0] from None


def _health(parts: Parts, configuration: Configuration) -> Health:
    return Health(
        hearing=lambda: hearing_of(parts.served.showing),
        lacking=lacking_here(configuration),
        troubles=parts.watchdog.troubles,
        clock=SystemClock(),
        starting_seconds=STARTING_SECONDS,
    )
