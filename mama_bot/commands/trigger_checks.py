"""What the doctor says of schedules and hooks: when each asks next, and where each listens."""

from collections.abc import Iterator
from datetime import datetime

from mama_bot.config import CronLine, Settings
from mama_bot.gateways.web.hook_endpoint import HOOKS
from mama_bot.gateways.web.sessions import page_url
from mama_bot.model import Examination

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def examined_triggers(settings: Settings, now: datetime) -> Iterator[Examination]:
    """Yield a line for each schedule and each hook."""
    for name, schedule in settings.schedules.items():
        cron = CronLine(schedule.cron, schedule.time_zone)
        upcoming = next(cron.after(now), None)
        time = f"{upcoming.astimezone(cron.zone):%Y-%m-%d %H:%M}" if upcoming else "never"
        outcome = f"asks in {schedule.channel}, next {time} ({schedule.time_zone})"
        yield Examination(subject=f"schedule {name}", ok=True, outcome=outcome)
    alone = settings.web.host in LOOPBACK
    reached = " (other machines reach it by a proxy only, or with another web.host)" if alone else ""
    for name, hook in settings.webhooks.items():
        address = f"{page_url(settings.web.host, settings.web.port)}{HOOKS}{name}"
        outcome = f"asks in {hook.channel}, listens at {address}{reached}"
        yield Examination(subject=f"hook {name}", ok=True, outcome=outcome)
