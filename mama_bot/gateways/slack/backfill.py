"""Messages that were written while nobody was connected, and that Slack tells of no more."""

import asyncio
from collections.abc import Awaitable, Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import structlog

from mama_bot.backoff import Backoff
from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.chat.gaps import BEHIND_SECONDS, Gaps, behind
from mama_bot.gateways.chat.read_marks import MAX_MARKS, Marks
from mama_bot.gateways.chat.sentences import NO_REASON
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.arrivals import SlackInbound
from mama_bot.gateways.slack.calls import TROUBLE, code_of, reason_of, trouble_of
from mama_bot.gateways.slack.missed_pages import MissedPages, Pages
from mama_bot.gateways.slack.places import mark_of
from mama_bot.gateways.slack.sentences import CUT
from mama_bot.gateways.slack.silent_places import SILENT, SilentPlaces
from mama_bot.gateways.slack.threads import LIMIT, SlackThreads
from mama_bot.gateways.slack.wire import Written, missed_message
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock, Inlet
from mama_bot.recent import Recent
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

# Of a channel's threads whose root is not among its latest 1,000 messages (200 where the team takes part in none).
THREADS = 20
ROOT_PAGES = 5
AT_ONCE = 4
CONNECTING_SECONDS = 60.0
LOOK_SECONDS = 1.0
TAKE_SECONDS = 90.0
ATTEMPTS = 5
REMEMBERED = 1000
PAUSES = Backoff(first=2.0, longest=300.0)
CUT_SHOWN_SECONDS = 3600.0
# The bot is not there any more, so nobody waits for an answer of it.
_CLOSED = frozenset({"channel_not_found", "not_in_channel", "is_archived"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillTimings:
    """For how long what is told waits for what was missed, before it overtakes; when owners hear of a gap."""

    held_seconds: float = 10.0
    behind_seconds: float = BEHIND_SECONDS


TIMINGS = BackfillTimings()


@dataclass(slots=True)
class _ChannelReading:
    """What was read of a channel and is not taken yet, and what became of the rest."""

    read: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    taken: int = 0
    failed: int = 0
    cut: bool = False

    def add(self, pages: Pages) -> None:
        self.read |= {message["ts"]: message for message in pages.messages}
        self.cut = self.cut or pages.cut


class SlackBackfill:
    """Reads each channel with a gap, and its threads; nothing older than `hours` before the gap.

    Slack tells of an event three times in some six minutes, and then never: whoever was away for longer reads it here.
    A gap is open until all of it is dealt with, over restarts; no lock is held while Slack is asked.
    """

    def __init__(
        self,
        *,
        accounts: SlackAccounts,
        pages: MissedPages,
        threads: SlackThreads,
        inbound: SlackInbound,
        marks: Marks,
        gaps: Gaps,
        clock: Clock,
        metrics: Metrics,
        hours: float,
        timings: BackfillTimings,
    ) -> None:
        self._timings = timings
        self._accounts = accounts
        self._pages = pages
        self._threads = threads
        self._inbound = inbound
        self._marks = marks
        self._gaps = gaps
        self._clock = clock
        self._metrics = metrics
        self._hours = hours
        self._room = asyncio.Semaphore(AT_ONCE)
        self._connected = False
        self._limit = 0
        self._before: Mapping[str, int] = {}
        self._not_before: dict[str, float] = {}
        self._failures: dict[str, int] = {}
        self._not_taken: Recent[tuple[str, str], int] = Recent(REMEMBERED)
        self._reason: Said | None = None
        self._silent = SilentPlaces(
            accounts=accounts, pages=pages, marks=marks, gaps=gaps, clock=clock, metrics=metrics
        )
        self._cut: Recent[str, float] = Recent(REMEMBERED)

    def begin(self) -> None:
        """Note that nothing is told from now on: each channel is read once there is a connection, the latest first."""
        limit = self._oldest()
        for channel in reversed(self._marks.latest(MAX_MARKS)):
            self._gaps.open(channel, max(self._marks.of(channel), limit))
        self._silent.begin()
        self._connected = False
        self._gaps.hold(CONNECTING_SECONDS)

    def resume(self) -> None:
        """Take over the gaps that an earlier life, or another node, left open: each may be in part dealt with."""
        self._silent.resume()
        self._limit = self._oldest()
        left = self._gaps.channels()
        self._before = {channel: self._marks.of(channel) for channel in left}
        if older := [channel for channel in left if (self._gaps.of(channel) or 0) < self._limit]:
            self._metrics.count("slack_gaps_cut_by_age", len(older))
            log.warning("gaps_cut_by_age", channels=older, hours=self._hours, remedy="Ask again what was not answered.")

    def _oldest(self) -> int:
        return int((self._clock.now().timestamp() - self._hours * 3600) * 1_000_000)

    def connected(self) -> None:
        """Note that there is a connection: what is written from now on is told."""
        self._connected = True
        self._silent.connected(self._oldest())
        self._gaps.hold(self._timings.held_seconds)

    def behind(self) -> tuple[Said, ...]:
        """Return what owners should know: that a gap stays open."""
        return behind(self._gaps, "Slack", reason=self._reason or NO_REASON, seconds=self._timings.behind_seconds)

    def lost(self) -> tuple[Said, ...]:
        """Return what owners should know: of each channel with a gap that was longer than is read."""
        now = self._clock.monotonic()
        return tuple(CUT.of(channel=channel) for channel, at in self._cut.items() if now - at < CUT_SHOWN_SECONDS)

    async def run(self, inlet: Inlet) -> None:
        """Fill gaps until cancelled, a few at once."""
        self._room = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            while True:
                await self._room.acquire()
                while (channel := self._gaps.next(self._is_due) if self._connected else None) is None:
                    await self._gaps.look(LOOK_SECONDS)
                group.create_task(self._fill(channel, self._gaps.begin(channel) or 0, inlet))

    def _is_due(self, channel: str) -> bool:
        return self._not_before.get(channel, 0.0) <= self._clock.monotonic()

    async def _fill(self, channel: str, after: int, inlet: Inlet) -> None:
        try:
            if channel == SILENT:
                await self._silent.look(after)
            elif failed := await self._read(channel, max(after, self._limit), inlet):
                self._postpone(channel, f"{failed} messages could not be taken", None)
                return
        except TROUBLE as error:
            if code_of(error) not in _CLOSED:
                self._postpone(channel, reason_of(error), trouble_of(error))
                return
            self._metrics.count("slack_backfills_refused")
            log.warning("history_refused", channel=channel, reason=reason_of(error))
        except StoreUnavailable as error:
            self._postpone(channel, str(error), None)
            return
        except Exception as error:  # one channel that cannot be read must not end the others
            log.exception("backfill_failed", channel=channel)
            self._postpone(channel, type(error).__name__, None)
            return
        finally:
            self._room.release()
        self._not_before.pop(channel, None)
        self._failures.pop(channel, None)
        self._gaps.close(channel)

    def _postpone(self, channel: str, reason: str, told: Said | None) -> None:
        self._metrics.count("slack_backfills_postponed")
        failures = self._failures[channel] = self._failures.get(channel, 0) + 1
        log.warning("backfill_postponed", channel=channel, failures=failures, reason=reason)
        self._reason = told or self._reason
        self._not_before[channel] = self._clock.monotonic() + PAUSES.pause(failures)
        self._gaps.put_back(channel)

    async def _read(self, channel: str, after: int, inlet: Inlet) -> int:
        """Read all, and take it in its order; return how many messages could not be taken.

        Where Slack has it take longer, what was read so far is taken at once.
        """
        reading = _ChannelReading()
        take = partial(self._take_all, channel, reading, inlet)
        history = await self._pages.read("conversations.history", channel, after, before_pause=take)
        opened = [message["ts"] for message in history.messages if message.get("reply_count")]
        threads = dict.fromkeys([*opened, *await self._older_threads(channel, after, take)])
        # What is shown in the channel of a thread that is read is taken with it, in its order.
        messages = [message for message in history.messages if not _is_reply_in(message, threads)]
        reading.add(replace(history, messages=messages))
        for thread in threads:
            reading.add(await self._thread(channel, thread, after, take))
        await take()
        if reading.taken:
            self._metrics.count("slack_messages_backfilled", reading.taken)
            log.info("backfilled", channel=channel, messages=reading.taken)
        if reading.cut:
            self._cut[channel] = self._clock.monotonic()
            self._metrics.count("slack_backfills_cut")
            log.warning("backfill_cut", channel=channel, remedy="Ask again what was not answered.")
        return reading.failed

    async def _older_threads(self, channel: str, after: int, take: Callable[[], Awaitable[None]]) -> list[str]:
        """Return the threads begun before a mark in which something may have been written after it.

        Roots tell of their last reply, so a page of the channel spares a call for each thread; the latest of those in
        which the team takes part are read where their root lies farther back.
        """
        joined = self._threads.of(channel, LIMIT)
        oldest = min((mark_of(thread) for thread in joined), default=0)
        most = ROOT_PAGES if joined else 1
        roots = await self._pages.before(channel, after, oldest=oldest, most=most, before_pause=take)
        seen = {message.get("ts") for message in roots.messages}
        replied = [
            message["ts"]
            for message in roots.messages
            if message.get("reply_count") and (mark_of(message.get("latest_reply")) or after + 1) > after
        ]
        return [*replied, *[thread for thread in joined if thread not in seen][-THREADS:]]

    async def _thread(self, channel: str, thread: str, after: int, take: Callable[[], Awaitable[None]]) -> Pages:
        try:
            return await self._pages.read("conversations.replies", channel, after, before_pause=take, thread=thread)
        except TROUBLE as error:
            if code_of(error) != "thread_not_found":
                raise
            return Pages(messages=())

    async def _take_all(self, channel: str, reading: "_ChannelReading", inlet: Inlet) -> None:
        waiting = sorted(reading.read.values(), key=lambda message: mark_of(message["ts"]))
        reading.read.clear()
        for message in waiting:
            if (written := self._written(message, channel)) is not None:
                done = await self._take(written, inlet)
                reading.taken, reading.failed = reading.taken + done, reading.failed + (not done)

    def _written(self, message: Mapping[str, Any], channel: str) -> Written | None:
        own = self._accounts.own
        written = missed_message(message, channel=channel, team="" if own is None else own.team)
        if written is None:
            return None
        return replace(written, perhaps_before=mark_of(written.ts) <= self._before.get(channel, 0))

    async def _take(self, message: Written, inlet: Inlet) -> bool:
        """Take a message; False where that failed and is tried again. Raises StoreUnavailable."""
        try:
            async with asyncio.timeout(TAKE_SECONDS):
                await self._inbound.take_missed(message, inlet)
        except StoreUnavailable:
            raise
        except Exception as error:
            name = (message.channel, message.ts)
            failures = self._not_taken[name] = self._not_taken.get(name, 0) + 1
            reason = f"{type(error).__name__}: {error}"
            if failures < ATTEMPTS:
                log.warning("missed_message_not_taken", channel=message.channel, failures=failures, reason=reason)
                return False
            log.exception("missed_message_not_taken", channel=message.channel, failures=failures, reason=reason)
            await self._inbound.give_up(message)
        return True


def _is_reply_in(message: Mapping[str, Any], threads: Container[str]) -> bool:
    thread = message.get("thread_ts")
    return thread != message["ts"] and thread in threads
