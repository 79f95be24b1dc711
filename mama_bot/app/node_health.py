"""What says how a node is that serves no page."""

from mama_bot.app.assembly import Parts
from mama_bot.app.configuration import Configuration
from mama_bot.app.platforms import hearing_of
from mama_bot.app.readiness import lacking_here
from mama_bot.app.system_clock import SystemClock
from mama_bot.config import ServiceRole
from mama_bot.gateways.web.health import STARTING_SECONDS, Health
from mama_bot.gateways.web.health_server import HealthServer


def health_of_node(parts: Parts, configuration: Configuration) -> HealthServer | None:
    """Return what answers at the node's own port; None where it has none, and where the page answers."""
    nodes = configuration.settings.nodes
    if not nodes.health_port or configuration.role not in (ServiceRole.GATEWAY, ServiceRole.WORKER):
        return None
    health = Health(
        hearing=lambda: hearing_of(parts.served.showing),
        lacking=lacking_here(configuration),
        troubles=parts.watchdog.troubles,
        clock=SystemClock(),
        starting_seconds=STARTING_SECONDS,
    )
    return HealthServer(host=nodes.health_host, port=nodes.health_port, health=health)
