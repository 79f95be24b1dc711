"""When a bot was heard last, over restarts: Telegram keeps for a day what nobody asks for, and tells nothing older."""

from datetime import UTC, datetime, timedelta

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.telegram.sentences import AWAY_TOO_LONG
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock, GatewayState
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

KEPT = timedelta(hours=24)
NOTED_SECONDS = 300.0
SHOWN_SECONDS = 3600.0
_FORM = "%Y-%m-%d %H:%M UTC"


class Absence:
    """Finds out, at a poll that was answered, whether the one before it was longer ago than Telegram keeps messages."""

    def __init__(self, *, state: GatewayState, clock: Clock, metrics: Metrics) -> None:
        self._state = state
        self._clock = clock
        self._metrics = metrics
        self._name = ""
        self._noted_at: float | None = None
        self._told: Said | None = None
        self._told_at = 0.0

    def lost(self) -> tuple[Said, ...]:
        """Return what owners should know of messages that are gone, for an hour."""
        shown = self._told is not None and self._clock.monotonic() - self._told_at < SHOWN_SECONDS
        return (self._told,) if shown and self._told is not None else ()

    async def heard(self, account_id: int) -> None:
        """Note that a poll of this bot was answered now; where the store is away, with a later one."""
        now, monotonic = self._clock.now(), self._clock.monotonic()
        name = f"heard/{account_id}"
        if name == self._name and self._noted_at is not None and monotonic - self._noted_at < NOTED_SECONDS:
            return
        try:
            before = _moment(await self._state.get(name))
            await self._state.put({name: now.isoformat()})
        except StoreUnavailable as error:
            log.debug("poll_not_noted", reason=str(error))
            return
        self._name, self._noted_at = name, monotonic
        if before is not None and now - before > KEPT:
            since, kept = (moment.astimezone(UTC).strftime(_FORM) for moment in (before, now - KEPT))
            self._told, self._told_at = AWAY_TOO_LONG.of(since=since, kept=kept), monotonic
            self._metrics.count("telegram_absences_too_long")
            log.warning("telegram_messages_lost", since=since, until=kept, remedy="Ask again what was not answered.")


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
