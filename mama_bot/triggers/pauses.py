"""Which triggers rest, as owners asked for it."""

import json
from collections.abc import Mapping
from datetime import datetime

from mama_bot.model import TriggerPause
from mama_bot.protocols import Clock, GatewayState

_PREFIX = "paused/"


class Pauses:
    """Remembered over restarts, by the name of the trigger; each method raises StoreUnavailable."""

    def __init__(self, *, state: GatewayState, clock: Clock) -> None:
        self._state = state
        self._clock = clock

    async def of(self, name: str) -> TriggerPause | None:
        """Return since when a trigger rests; None where it does not."""
        value = await self._state.get(f"{_PREFIX}{name}")
        return None if value is None else _read(value)

    async def every(self) -> Mapping[str, TriggerPause]:
        """Return what rests, by name."""
        entries = await self._state.entries(_PREFIX)
        return {name.removeprefix(_PREFIX): _read(value) for name, value in entries.items()}

    async def begin(self, name: str, *, by: str) -> None:
        """Let a trigger rest."""
        value = json.dumps({"by": by, "at": self._clock.now().isoformat()})
        await self._state.put({f"{_PREFIX}{name}": value})

    async def end(self, name: str) -> None:
        """Let a trigger ask again."""
        await self._state.drop(f"{_PREFIX}{name}")


def _read(value: str) -> TriggerPause:
    known = json.loads(value)
    return TriggerPause(by=known["by"], at=datetime.fromisoformat(known["at"]))
