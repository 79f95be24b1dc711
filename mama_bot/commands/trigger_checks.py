"""What the doctor says of schedules and hooks: when each asks next, and where each listens."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType

from mama_bot.app.configuration import Configuration
from mama_bot.app.system_clock import SystemClock
from mama_bot.app.trigger_parts import STATE
from mama_bot.commands.kept_store import opened
from mama_bot.config import CronLine, Settings
from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.web.hook_endpoint import HOOKS
from mama_bot.gateways.web.sessions import page_url
from mama_bot.model import Examination, TriggerPause
from mama_bot.triggers.pauses import Pauses
from mama_bot.wording import one_line

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


async def paused_triggers(configuration: Configuration) -> Mapping[str, TriggerPause]:
    """Return what rests, by name; nothing where nobody can tell."""
    if not configuration.settings.schedules and not configuration.settings.webhooks:
        return {}
    try:
        async with opened(configuration) as store:
            return {} if store is None else await Pauses(state=store.gateway_state(STATE), clock=SystemClock()).every()
    except StoreUnavailable:  # its own line says so
        return {}


def examined_triggers(
    settings: Settings, now: datetime, paused: Mapping[str, TriggerPause] = MappingProxyType({})
) -> Iterator[Examination]:
    """Yield a line for each schedule and each hook; what is `paused` has no next time."""
    for name, schedule in settings.schedules.items():
        cron = CronLine(schedule.cron, schedule.time_zone)
        upcoming = next(cron.after(now), None)
        time = f"{upcoming.astimezone(cron.zone):%Y-%m-%d %H:%M}" if upcoming else "never"
        outcome = f"asks in {schedule.channel}, {_rest(paused.get(name)) or f'next {time} ({schedule.time_zone})'}"
        yield Examination(subject=f"schedule {name}", ok=True, outcome=outcome)
    alone = settings.web.host in LOOPBACK
    reached = " (other machines reach it by a proxy only, or with another web.host)" if alone else ""
    for name, hook in settings.webhooks.items():
        address = f"{page_url(settings.web.host, settings.web.port)}{HOOKS}{name}"
        rest = _rest(paused.get(name))
        outcome = f"asks in {hook.channel}, {f'{rest}, ' if rest else ''}listens at {address}{reached}"
        yield Examination(subject=f"hook {name}", ok=True, outcome=outcome)


def _rest(pause: TriggerPause | None) -> str:
    return "" if pause is None else f"paused by {one_line(pause.by)} since {pause.at:%Y-%m-%d %H:%M} UTC"
