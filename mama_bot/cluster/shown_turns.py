"""Turns that are shown here as being worked on elsewhere: their end is looked for, where nobody heard of it."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.model import Progress, Turn, TurnFinished, TurnId, TurnState
from mama_bot.protocols import Clock
from mama_bot.recent import Recent

LOOK_SECONDS = 30.0
REMEMBERED = 1_000

log = structlog.get_logger(__name__)


class ShownTurns:
    """Passes progress on to `show`, and tells it of an end that no event told, while `run` runs.

    `ended` returns how a turn ended, None while it has not. Raises StoreUnavailable.
    """

    def __init__(
        self,
        *,
        show: Callable[[Progress], Awaitable[None]],
        ended: Callable[[Turn], Awaitable[TurnState | None]],
        clock: Clock,
        look_seconds: float = LOOK_SECONDS,
    ) -> None:
        self._show = show
        self._ended = ended
        self._clock = clock
        self._look_seconds = look_seconds
        self._shown: Recent[TurnId, Turn] = Recent(REMEMBERED)

    async def show(self, progress: Progress) -> None:
        """Show a step of a turn."""
        if isinstance(progress, TurnFinished):
            self._shown.pop(progress.turn.id, None)
        else:
            self._shown[progress.turn.id] = progress.turn
        await self._show(progress)

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await asyncio.sleep(self._look_seconds)
            for turn in [*self._shown.values()]:
                try:
                    state = await self._ended(turn)
                except StoreUnavailable as error:
                    log.warning("shown_turns_not_seen", reason=str(error))
                    break
                except Exception:  # one that cannot be read must not end the node; it is not looked for again
                    log.exception("shown_turn_not_read", turn=turn.id)
                    self._shown.pop(turn.id, None)
                    continue
                if state is not None and turn.id in self._shown:
                    log.info("turn_ended_unheard", turn=turn.id, state=state.value)
                    await self.show(TurnFinished(turn=turn, state=state, at=self._clock.now()))
