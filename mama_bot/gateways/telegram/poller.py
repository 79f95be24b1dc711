"""Long polling of one bot: updates are worked through in order for each chat and topic, and confirmed when stored."""

import asyncio
import json
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

import structlog
from telegram.error import TelegramError

from mama_bot.errors import MamaBotError, StoreUnavailable
from mama_bot.gateways.telegram import sentences
from mama_bot.gateways.telegram.absence import Absence
from mama_bot.gateways.telegram.accounts import TelegramAccount
from mama_bot.gateways.telegram.introduction import greet
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.transport import TelegramRefused
from mama_bot.gateways.telegram.trouble import meaning
from mama_bot.gateways.telegram.updates import ASKED_FOR, Update, chat_of, read_update, update_number
from mama_bot.gateways.telegram.window import Window
from mama_bot.metrics import Metrics
from mama_bot.model import Hearing
from mama_bot.protocols import Clock, GatewayState
from mama_bot.wording import Language, Said

log = structlog.get_logger(__name__)

TRIES = 3
FULL = 100  # updates that the platform tells at once
MOST_ASIDE = 1000
LONGEST_LOOK_SECONDS = 2.0
LOGGED_AGAIN_SECONDS = 600.0  # the same trouble, if it lasts or comes back
_DEAF = frozenset({401, 404, 409})


class Taker(Protocol):
    """What becomes of updates; both methods may raise anything."""

    async def take(self, account: TelegramAccount, updates: Sequence[Update]) -> None:
        """Work on an update, or on those of an album; raises StoreUnavailable when it has to come again."""
        ...

    async def give_up(self, account: TelegramAccount, chat: int) -> None:
        """Tell a chat that something of it could not be read."""
        ...


class Poller:
    """Hears for one bot, whatever happens; an update is confirmed to the platform when it is settled, never before."""

    def __init__(
        self,
        *,
        account: TelegramAccount,
        state: GatewayState,
        clock: Clock,
        metrics: Metrics,
        timing: Timing,
        poll_seconds: float,
    ) -> None:
        self._account = account
        self._taker: Taker | None = None
        self._state = state
        self._clock = clock
        self._metrics = metrics
        self._absence = Absence(state=state, clock=clock, metrics=metrics)
        self._timing = timing
        self._seconds = max(1, round(poll_seconds))
        self._window: Window | None = None
        self._queues: dict[tuple[int, int], deque[Update]] = {}
        self._aside = set[int]()
        self._group: asyncio.TaskGroup | None = None
        self._greeted = False
        self._failures = 0
        self._look = 0.0
        self._reason: Said | None = None
        self._logged: Said | None = None
        self._logged_at = 0.0
        self._deaf = False
        self._heard_at: float | None = None
        self._since: datetime | None = None

    def hearing(self) -> Hearing:
        """Return whether the platform answered the last poll (or the greeting before the first one) in time."""
        late = self._seconds + self._timing.silence
        recent = self._heard_at is not None and self._clock.monotonic() - self._heard_at <= late
        if recent and not self._deaf:
            return Hearing(ok=True, since=self._since, lost=self._absence.lost())
        if self._reason is not None:
            return Hearing(ok=False, reasons=(self._reason,))
        if self._heard_at is None:
            return Hearing(ok=False, reasons=(sentences.NOT_YET,))
        return Hearing(ok=False, reasons=(sentences.SILENT.of(seconds=late),))

    async def run(self, taker: Taker) -> None:
        """Poll until cancelled."""
        self._taker = taker
        self._window, self._queues, self._aside = None, {}, set()
        async with asyncio.TaskGroup() as group:
            self._group = group
            while True:
                try:
                    await self._poll()
                except Exception as error:  # noqa: BLE001 - the gateway outlives whatever one poll meets
                    await asyncio.sleep(self._trouble(error))
                else:
                    self._recover()

    async def _poll(self) -> None:
        if not self._greeted:
            await greet(self._account, self._state)
            self._greeted = True
            self._hear()
        if self._window is None:
            window = Window(int(await self._state.get(self._name()) or 0))
            await self._take_up()
            self._window = window
        window = self._window
        asked_at = self._clock.monotonic()
        raw = await self._updates(window)
        self._hear()
        await self._absence.heard(self._account.id)
        if not raw and not window.unsettled and self._clock.monotonic() - asked_at < self._timing.first_pause:
            await asyncio.sleep(self._timing.first_pause)  # a server that does not wait is not asked without a pause
        new = self._read(window, raw)
        for update in new:
            self._queue(update)
        self._look = 0.05 if new else min(LONGEST_LOOK_SECONDS, self._look * 2)
        if window.unsettled:
            # What takes longer (a large file) must not keep others waiting: look again, while it goes on.
            await window.settled(self._look)
        if (reached := window.reached()) != window.offset:
            await self._state.put({self._name(): str(reached)})
            window.confirm(reached)
        elif self._look >= LONGEST_LOOK_SECONDS and len(raw) >= FULL and len(self._aside) < MOST_ASIDE:
            await self._set_aside(window, raw)
        elif raw and not window.unsettled:
            await asyncio.sleep(self._timing.first_pause)  # a server that repeats itself is not asked without a pause

    async def _set_aside(self, window: Window, raw: list[object]) -> None:
        """Keep what still waits in the store instead: the platform tells no more than these before they are settled."""
        waiting, values = window.waiting(), {self._name(): str(window.end())}
        for update in raw:
            if (number := update_number(update)) in waiting and number is not None:
                values[self._name(number)] = json.dumps(update)
        await self._state.put(values)
        self._aside |= waiting
        log.warning("updates_set_aside", bot=self._account.username, updates=len(waiting))
        window.confirm(window.end())

    async def _take_up(self) -> None:
        """Work on what an earlier life set aside."""
        kept = await self._state.entries(self._name(""))
        for raw in sorted((json.loads(value) for value in kept.values()), key=lambda raw: int(raw["update_id"])):
            update = read_update(raw)
            if isinstance(update, Update):
                self._aside.add(update.update_id)
                self._queue(update)

    async def _forget(self, number: int) -> None:
        """What was set aside is settled."""
        if number in self._aside:
            self._aside.discard(number)
            try:
                await self._state.drop(self._name(number))
            except StoreUnavailable as error:  # it is told as known when it is taken up again
                log.warning("update_stays_aside", update=number, reason=str(error))

    def _hear(self) -> None:
        self._heard_at = self._clock.monotonic()
        self._since = self._since or self._clock.now()

    async def _updates(self, window: Window) -> list[object]:
        seconds = 0 if window.unsettled else self._seconds
        async with asyncio.timeout(seconds + 2 * self._timing.silence):
            return await self._account.client.raw_updates(
                offset=window.offset, seconds=seconds, silence_seconds=self._timing.silence, allowed=ASKED_FOR
            )

    def _read(self, window: Window, raw: list[object]) -> list[Update]:
        """What is new, each as a value; what makes no sense is settled at once: it would make none the next time."""
        read = list[Update]()
        for item in raw:
            number = update_number(item)
            if number is None:
                self._skip(number, "it has no number")
            elif window.take(number, hash(repr(item))):
                update = read_update(item)
                if isinstance(update, Update):
                    read.append(update)
                else:
                    self._skip(number, update)
                    self._spawn_notice(chat_of(item))
                    window.settle(number)
        return read

    def _skip(self, number: int | None, reason: str) -> None:
        self._metrics.count("updates_unreadable", platform="telegram")
        log.error("update_unreadable", update=number, bot=self._account.username, reason=reason)

    def _spawn_notice(self, chat: int | None) -> None:
        if chat is not None and self._group is not None:
            self._group.create_task(self._give_up(chat))

    def _queue(self, update: Update) -> None:
        assert self._group is not None
        queue_key = update.queue_key
        waiting = self._queues.get(queue_key)
        if waiting is None:
            waiting = self._queues[queue_key] = deque()
            self._group.create_task(self._work(queue_key, waiting))
        waiting.append(update)

    async def _work(self, queue_key: tuple[int, int], waiting: deque[Update]) -> None:
        """Work through what a chat has, one after the other."""
        assert self._window is not None
        while waiting:
            updates = await self._next(waiting)
            await self._settle(updates)
            for update in updates:
                waiting.popleft()
                self._window.settle(update.update_id)
                await self._forget(update.update_id)
        del self._queues[queue_key]

    async def _next(self, waiting: deque[Update]) -> list[Update]:
        """Return the next update, or all of an album; they stay where they are until they are settled."""
        head = waiting[0]
        album = head.message.media_group_id if head.message is not None else ""
        if not album:
            return [head]
        await asyncio.sleep(self._timing.album)
        together = list[Update]()
        for update in waiting:
            if update.message is None or update.message.media_group_id != album:
                break
            together.append(update)
        return together

    async def _settle(self, updates: list[Update]) -> None:
        assert self._taker is not None
        failures = refusals = 0
        while True:
            try:
                await self._taker.take(self._account, updates)
            except StoreUnavailable as error:
                refusals += 1
                log.warning("update_waits_for_the_store", update=updates[0].update_id, reason=str(error))
                await asyncio.sleep(self._timing.pause(refusals))
            except Exception:  # one update that cannot be worked on must not stop the others
                failures += 1
                self._metrics.count("updates_failed", platform="telegram")
                log.exception("update_failed", update=updates[0].update_id, attempt=failures)
                if failures >= TRIES:
                    await self._give_up(updates[0].chat_id)
                    return
                await asyncio.sleep(self._timing.pause(failures))
            else:
                return

    async def _give_up(self, chat: int) -> None:
        self._metrics.count("updates_given_up", platform="telegram")
        log.warning("update_given_up", bot=self._account.username, chat=chat)
        try:
            if chat and self._taker is not None:
                await self._taker.give_up(self._account, chat)
        except Exception as error:  # noqa: BLE001 - nothing more can be done for it, and the others go on
            log.warning("update_given_up_untold", chat=chat, reason=f"{type(error).__name__}: {error}")

    def _trouble(self, error: Exception) -> float:
        """Note what is wrong, once; returns how long to wait."""
        self._failures += 1
        reason, pause = meaning(error, persona=self._account.persona, failures=self._failures, timing=self._timing)
        self._deaf = isinstance(error, TelegramRefused) and error.status in _DEAF
        if self._deaf:
            self._greeted = False  # the account may be another one, or have a webhook
        self._reason = reason
        now = self._clock.monotonic()
        if reason != self._logged or now - self._logged_at > LOGGED_AGAIN_SECONDS:
            self._logged, self._logged_at = reason, now
            expected = isinstance(error, TelegramError | TimeoutError | MamaBotError)
            log.warning(
                "telegram_poll_failed",
                bot=self._account.username or self._account.persona,
                reason=reason.to(Language.ENGLISH),
                exc_info=None if expected else error,
            )
        self._metrics.count("polls_failed", platform="telegram")
        return pause

    def _recover(self) -> None:
        if self._reason:
            log.debug("telegram_polls_again", bot=self._account.username)
            self._since = self._clock.now()
        self._failures, self._reason, self._deaf = 0, None, False

    def _name(self, aside: int | str | None = None) -> str:
        return f"offset/{self._account.id}" if aside is None else f"aside/{self._account.id}/{aside}"
