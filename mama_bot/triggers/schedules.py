"""Schedules: what is asked at set times, each time once, and never beside itself."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

import structlog

from mama_bot.config import CronLine, ScheduleSettings
from mama_bot.errors import MessageRefused, QueueFull, StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import AuthorKind, ConversationKey, InboundMessage, MessageId, ScheduleStanding
from mama_bot.protocols import Clock, GatewayState, Inbox, Inlet, Outbox
from mama_bot.triggers import sentences as says
from mama_bot.triggers.asked_messages import SHOWS_MESSAGES, asked_message, asker_of, line_about, place_of
from mama_bot.triggers.pauses import Pauses
from mama_bot.wording import Language, Said, language_of, one_line

log = structlog.get_logger(__name__)

LONGEST_SLEEP_SECONDS = 20.0  # clocks are set, machines are suspended, and a store comes back
ON_TIME = timedelta(seconds=90)
MOST_COUNTED = 100
SHOWN_CHARACTERS = 120
NO_MESSAGE = MessageId("")
_PREFIX = "schedule/"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """How far a schedule is: until when its times were looked at, and the message of its last run ("": none)."""

    line: str
    until: datetime
    message_id: MessageId = NO_MESSAGE

    @property
    def value(self) -> str:
        return json.dumps({"line": self.line, "until": self.until.isoformat(), "message": self.message_id})


class _Schedule:
    """A schedule of the settings, with all that follows from them."""

    def __init__(self, name: str, settings: ScheduleSettings, default_persona: str) -> None:
        self.name = name
        self.settings = settings
        self.cron = CronLine(settings.cron, settings.time_zone)
        self.line = f"{settings.cron} {settings.time_zone}"
        self.key = place_of(settings.channel)
        self.language = language_of(settings.prompt)
        self.persona = settings.persona or default_persona
        self.asker = asker_of(AuthorKind.SCHEDULE, name)

    def message(self, due: datetime, at: datetime) -> InboundMessage:
        """Return what it asks at a time; the same time is the same message."""
        return asked_message(
            self.asker,
            f"{due:%Y%m%dT%H%M}Z",
            key=self.key,
            text=self.settings.prompt,
            persona=self.persona,
            at=at,
            language=self.language,
        )

    def says(self, sentence: Said, due: datetime, **values: object) -> str:
        """Return what the channel is told of the run of a time."""
        local = f"{due.astimezone(self.cron.zone):%Y-%m-%d %H:%M}"
        return sentence.to(self.language, name=self.name, time=local, zone=self.settings.time_zone, **values)


class Schedules:
    """Asks what is due while `run` runs, by the inlet: the way in that everybody's messages take.

    A run that was missed is made up for once, however many there were; while a run works, the next one is left out. A
    schedule that is new, or whose times were changed, begins now. Each run is stored under the id of its time, so a
    crash at any moment neither loses nor repeats it.
    """

    def __init__(
        self,
        *,
        schedules: Mapping[str, ScheduleSettings],
        default_persona: str,
        inbox: Inbox,
        outbox: Outbox,
        state: GatewayState,
        pauses: Pauses,
        clock: Clock,
        metrics: Metrics,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._schedules = [_Schedule(name, settings, default_persona) for name, settings in schedules.items()]
        self._inbox = inbox
        self._outbox = outbox
        self._state = state
        self._pauses = pauses
        self._clock = clock
        self._metrics = metrics
        self._sleep = sleep
        self._unstored = False

    async def run(self, inlet: Inlet) -> None:
        """Ask what is due, until cancelled."""
        while True:
            await self.ask_due(inlet)
            await self._sleep(self._seconds())

    async def ask_due(self, inlet: Inlet) -> None:
        """Ask what is due now."""
        for schedule in self._schedules:
            try:
                await self._look(schedule, inlet)
            except (StoreUnavailable, MessageRefused) as error:
                # Nothing is lost: what is due is found again, at the latest by the next life of the service.
                if not self._unstored:
                    log.warning("schedule_not_stored", schedule=schedule.name, reason=str(error))
                self._unstored = True
                return
        self._unstored = False

    async def standings(self) -> Sequence[ScheduleStanding]:
        """Return how each schedule stands; raises StoreUnavailable."""
        now, paused = self._clock.now(), await self._pauses.every()
        standings = []
        for schedule in self._schedules:
            kept = await self._kept(schedule)
            upcoming = next(schedule.cron.after(now), None)
            standings.append(
                ScheduleStanding(
                    name=schedule.name,
                    cron=schedule.settings.cron,
                    time_zone=schedule.settings.time_zone,
                    key=schedule.key,
                    next_at=upcoming.astimezone(schedule.cron.zone) if upcoming else None,
                    pause=paused.get(schedule.name),
                    working=kept is not None and await self._works(schedule.key, kept.message_id),
                )
            )
        return standings

    def _seconds(self) -> float:
        """How long nothing is due."""
        now = self._clock.now()
        upcoming = (next(schedule.cron.after(now), None) for schedule in self._schedules)
        return min([LONGEST_SLEEP_SECONDS, *((time - now).total_seconds() for time in upcoming if time is not None)])

    async def _look(self, schedule: _Schedule, inlet: Inlet) -> None:
        now, kept = self._clock.now(), await self._kept(schedule)
        # A clock that was far ahead and is set right must not hold a schedule up until that time comes again.
        if kept is None or kept.line != schedule.line or kept.until > now:
            begun = _Kept(line=schedule.line, until=now, message_id=kept.message_id if kept else NO_MESSAGE)
            await self._keep(schedule, begun)
            return
        due = _until(schedule.cron, kept.until, now)
        if not due:
            return
        message_id = kept.message_id
        if await self._pauses.of(schedule.name) is not None:
            self._count("paused", schedule)
        elif await self._works(schedule.key, kept.message_id):
            await self._leave_out(schedule, kept.message_id, due)
        else:
            message_id = await self._ask(schedule, due, now, inlet) or message_id
        await self._keep(schedule, _Kept(line=schedule.line, until=now, message_id=message_id))

    async def _ask(self, schedule: _Schedule, due: Sequence[datetime], now: datetime, inlet: Inlet) -> MessageId | None:
        """Ask once for all that is due; None where there is no room for it."""
        message = schedule.message(due[0], now)
        try:
            await inlet.deliver(message)
        except QueueFull as error:
            reason = error.to(schedule.language)
            text = schedule.says(says.SCHEDULE_NOT_TAKEN, due[0], reason=reason)
            await self._outbox.add(line_about(message.id, "not_taken", schedule.key, text))
            self._count("refused", schedule)
            return None
        late = len(due) > 1 or now - due[0] > ON_TIME
        self._count("late" if late else "asked", schedule)
        log.info("schedule_asked", schedule=schedule.name, message=message.id, late=late, times=len(due))
        if line := self._line(schedule, due, late=late):
            await self._outbox.add(line_about(message.id, "asks", schedule.key, line))
        return message.id

    def _line(self, schedule: _Schedule, due: Sequence[datetime], *, late: bool) -> str:
        """What the channel is told of a run."""
        if late:
            if len(due) == 1:
                return schedule.says(says.SCHEDULE_LATE, due[0])
            return schedule.says(says.SCHEDULE_LATE_TIMES, due[0], times=_times(len(due), schedule.language))
        if schedule.key.platform in SHOWS_MESSAGES:
            return ""
        words = one_line(schedule.settings.prompt, SHOWN_CHARACTERS)
        return says.SCHEDULE_ASKS.to(schedule.language, name=schedule.name, words=words)

    async def _leave_out(self, schedule: _Schedule, running: MessageId, due: Sequence[datetime]) -> None:
        """Say once for each run that is at work that the next ones are left out; count each."""
        for _ in due:
            self._count("left_out", schedule)
        log.info("schedule_left_out", schedule=schedule.name, running=running, times=len(due))
        text = schedule.says(says.SCHEDULE_LEFT_OUT, due[0])
        await self._outbox.add(line_about(running, "left_out", schedule.key, text))

    async def _works(self, key: ConversationKey, message_id: MessageId) -> bool:
        return bool(message_id) and await self._inbox.unfinished(key, message_id)

    async def _kept(self, schedule: _Schedule) -> _Kept | None:
        value = await self._state.get(f"{_PREFIX}{schedule.name}")
        if value is None:
            return None
        known = json.loads(value)
        until = datetime.fromisoformat(known["until"])
        return _Kept(line=known["line"], until=until, message_id=MessageId(known["message"]))

    async def _keep(self, schedule: _Schedule, kept: _Kept) -> None:
        await self._state.put({f"{_PREFIX}{schedule.name}": kept.value})

    def _count(self, outcome: str, schedule: _Schedule) -> None:
        self._metrics.count("schedule_runs", outcome=outcome, schedule=schedule.name)


def _until(cron: CronLine, since: datetime, now: datetime) -> Sequence[datetime]:
    """The times after a moment and not after now, a bounded number of them."""
    times = []
    for time in islice(cron.after(since), MOST_COUNTED + 1):
        if time > now:
            break
        times.append(time)
    return times


def _times(count: int, language: Language) -> str:
    times = says.TIMES.of(n=count)
    return times.to(language) if count <= MOST_COUNTED else says.MANY_TIMES.to(language, most=MOST_COUNTED)
