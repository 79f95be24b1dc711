"""The threads in which the team takes part: what is written there needs no mention."""

from mama_bot.protocols import Clock, GatewayState

LIMIT = 5000
# How often it is stored that a thread lives: after a gap the latest ones of a channel are read.
KEPT_SECONDS = 3600.0
_PREFIX = "thread/"


class SlackThreads:
    """Remembered over restarts, the latest `LIMIT` of them."""

    def __init__(self, *, state: GatewayState, clock: Clock) -> None:
        self._state = state
        self._clock = clock
        self._known: dict[tuple[str, str], None] = {}
        self._stored: dict[tuple[str, str], float] = {}

    async def load(self) -> None:
        """Read what an earlier life remembered, and forget the oldest beyond the limit; raises StoreUnavailable."""
        entries = await self._state.entries(_PREFIX)
        ordered = sorted(entries, key=lambda name: entries[name])
        if len(ordered) > LIMIT:
            await self._state.drop(*ordered[:-LIMIT])
        for name in ordered[-LIMIT:]:
            channel, _, thread = name.removeprefix(_PREFIX).partition("/")
            self._known[channel, thread] = None
            self._stored[channel, thread] = -KEPT_SECONDS

    def joined(self, channel: str, thread: str) -> bool:
        """Return whether the team takes part."""
        return (channel, thread) in self._known

    def latest(self, channel: str) -> str:
        """Return the thread of a channel in which something was written last; "" for none."""
        return next((thread for where, thread in reversed(self._known) if where == channel), "")

    def of(self, channel: str, most: int) -> list[str]:
        """Return the threads of a channel in which the team takes part, the latest ones."""
        return [thread for where, thread in self._known if where == channel][-most:]

    async def join(self, channel: str, thread: str) -> None:
        """Take part from now on; raises StoreUnavailable (it holds for this life all the same)."""
        place = (channel, thread)
        self._known.pop(place, None)
        self._known[place] = None
        now = self._clock.monotonic()
        if place in self._stored and now - self._stored[place] < KEPT_SECONDS:
            return
        await self._state.put({f"{_PREFIX}{channel}/{thread}": self._clock.now().isoformat()})
        self._stored[place] = now
        while len(self._known) > LIMIT:
            oldest = next(iter(self._known))
            del self._known[oldest]
            self._stored.pop(oldest, None)
            await self._state.drop(f"{_PREFIX}{oldest[0]}/{oldest[1]}")
