"""Lines for owners that are kept for a while, so that none is lost with the node that was to tell it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from pydantic import TypeAdapter, ValidationError

from mama_bot.errors import StoreUnavailable
from mama_bot.protocols import Clock, GatewayState
from mama_bot.wording import Language, Said, as_written

KEPT_FOR = timedelta(minutes=15)
WAITING_LINES = 100

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptLine:
    at: datetime
    english: str
    korean: str


_LINE = TypeAdapter(_KeptLine)


class KeptOwnerLines:
    """Keeps each line in the store while `run` runs, then has every node hear of it by `tell`.

    A node that gets the connection of a platform tells its owners what was kept lately: who had it may have died with
    the line, and a line has one post for each owner, whoever queues it.
    """

    def __init__(self, *, state: GatewayState, clock: Clock, tell: Callable[[str, Said], None]) -> None:
        self._state = state
        self._clock = clock
        self._tell = tell
        self._lines: asyncio.Queue[tuple[str, Said]] = asyncio.Queue(WAITING_LINES)

    def put(self, occasion: str, sentence: Said) -> None:
        """Have a line kept and told; where too many wait it is told and not kept."""
        try:
            self._lines.put_nowait((occasion, sentence))
        except asyncio.QueueFull:
            log.warning("owner_line_not_kept", occasion=occasion, reason="too many wait")
            self._tell(occasion, sentence)

    async def run(self) -> None:
        """Keep and tell until cancelled."""
        while True:
            occasion, sentence = await self._lines.get()
            english, korean = sentence.to(Language.ENGLISH), sentence.to(Language.KOREAN)
            line = _KeptLine(at=self._clock.now(), english=english, korean=korean)
            try:
                await self._state.put({occasion: _LINE.dump_json(line).decode()})
                await self._state.drop(*[old for old, kept in await self._kept() if not self._is_recent(kept)])
            except StoreUnavailable as error:  # the other nodes may hear it all the same
                log.warning("owner_line_not_kept", occasion=occasion, reason=str(error))
            self._tell(occasion, sentence)

    async def lately(self) -> Sequence[tuple[str, Said]]:
        """Return the occasions and lines of the last minutes; raises StoreUnavailable."""
        lines = [(occasion, line) for occasion, line in await self._kept() if self._is_recent(line)]
        return [
            (occasion, Said(as_written(line.english).en, as_written(line.korean).ko))
            for occasion, line in sorted(lines, key=lambda kept: kept[1].at)
        ]

    def _is_recent(self, line: _KeptLine) -> bool:
        return self._clock.now() - line.at < KEPT_FOR

    async def _kept(self) -> Sequence[tuple[str, _KeptLine]]:
        kept: list[tuple[str, _KeptLine]] = []
        for occasion, words in (await self._state.entries("")).items():
            try:
                kept.append((occasion, _LINE.validate_json(words)))
            except ValidationError as error:  # of a newer release
                log.warning("owner_line_not_read", occasion=occasion, reason=str(error)[:200])
        return kept
