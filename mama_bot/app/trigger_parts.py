"""What asks without a person, put together from the settings and the store."""

from dataclasses import dataclass

from mama_bot.app.configuration import Configuration
from mama_bot.metrics import Metrics
from mama_bot.model import Platform
from mama_bot.protocols import Clock
from mama_bot.store import Store
from mama_bot.triggers.delivery_desk import DeliveryDesk
from mama_bot.triggers.pauses import Pauses
from mama_bot.triggers.schedules import Schedules

STATE = Platform("triggers")  # no platform: the name under which triggers keep what they know


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """The schedules and hooks of a service, and which of them rest."""

    schedules: Schedules
    desk: DeliveryDesk
    pauses: Pauses


def triggers_of(configuration: Configuration, store: Store, clock: Clock, metrics: Metrics) -> Triggers:
    """Return what asks without a person."""
    settings, state = configuration.settings, store.gateway_state(STATE)
    pauses = Pauses(state=state, clock=clock)
    schedules = Schedules(
        schedules=settings.schedules,
        default_persona=settings.router.default_persona,
        inbox=store.inbox,
        outbox=store.outbox,
        state=state,
        pauses=pauses,
        clock=clock,
        metrics=metrics,
    )
    desk = DeliveryDesk(
        webhooks=settings.webhooks,
        default_persona=settings.router.default_persona,
        max_characters=settings.web.max_message_characters,
        outbox=store.outbox,
        pauses=pauses,
        clock=clock,
        metrics=metrics,
    )
    return Triggers(schedules=schedules, desk=desk, pauses=pauses)
