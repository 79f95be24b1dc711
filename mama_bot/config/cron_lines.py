"""Lines of cron in a time zone: when they come next."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from mama_bot.similar_names import most_similar

FIELDS = 5
_BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class CronLine:
    """A line of five fields (minute, hour, day, month, weekday) as cron reads it, in a time zone.

    As in cron, a run at a set hour that the clock skips in spring comes right after the gap, and in autumn it comes
    once; what runs every so many minutes or hours goes by the time that really passes. Raises ValueError, a sentence.
    """

    def __init__(self, line: str, time_zone: str) -> None:
        self._line = line
        self.zone = zone_of(time_zone)
        if len(line.split()) != FIELDS:
            raise ValueError(_no_line(line, f"it has {len(line.split())} fields in place of {FIELDS}"))
        try:
            first = next(CronSim(line, _BEGIN), None)
        except CronSimError as error:
            raise ValueError(_no_line(line, str(error)[:1].lower() + str(error)[1:])) from None
        if first is None:
            raise ValueError(f"{line[:60]!r} names a day that never comes.")

    def after(self, moment: datetime) -> Iterator[datetime]:
        """Yield the times after a moment, in UTC, the earliest first."""
        for each in CronSim(self._line, moment.astimezone(self.zone)):
            time = each.astimezone(UTC)
            # The first of an hour that comes twice may be over; two in an hour that is skipped come at once.
            if time > moment:
                moment = time
                yield time


def _no_line(line: str, reason: str) -> str:
    shown = f"{line[:60]!r} is no line of cron: {reason}."
    return f'{shown} Write minute, hour, day, month and weekday, as "0 3 * * 1-5".'


@cache  # each turn asks, and all zones of a machine are a thousand files; a name that is none is not kept
def zone_of(name: str) -> ZoneInfo:
    """Return a time zone by its name, as "Europe/Berlin"; raises ValueError, a sentence."""
    known = available_timezones()
    if name in known:
        return ZoneInfo(name)
    similar = most_similar(name, known)
    meant = f"Did you mean {similar!r}?" if similar else "Write it as 'Europe/Berlin', 'Asia/Seoul' or 'UTC'."
    raise ValueError(f"{name[:60]!r} is no time zone. {meant}")
