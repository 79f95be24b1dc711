"""Look at the service again and again, and tell owners once of each trouble, and once when it has ended."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.model import Trouble, TroubleKind
from mama_bot.protocols import Clock, GatewayState
from mama_bot.vitality import sentences as says
from mama_bot.vitality.signs import Sign
from mama_bot.wording import Language, Said

LATE_LOOKS = 4  # so many looks may be missed before the watchdog itself counts as stalled
SIGN_SECONDS = 30.0

log = structlog.get_logger(__name__)


class Watchdog:
    """Keeps what is wrong with the service, and tells it with `alarm`.

    `patience` is for how many seconds a kind of trouble must last before owners are told; what it does not name is told
    at once. They are told that it has ended once all was well for `well_seconds`, so that what comes and goes is told
    once. What was told is kept in `told`, over restarts. `beat` is called after each look, with what is wrong.
    What was told of platforms is kept in `common`, where there are several nodes: whoever has the connection tells what
    no other one told before. `left` says whether a subject is another node's: its trouble ends there.
    """

    def __init__(
        self,
        *,
        signs: Sequence[Sign],
        told: GatewayState,
        common: GatewayState | None = None,
        alarm: Callable[[str, Said], None],
        patience: Mapping[TroubleKind, float],
        clock: Clock,
        every_seconds: float,
        well_seconds: float,
        beat: Callable[[Sequence[Trouble]], None] = lambda _: None,
        left: Callable[[TroubleKind, str], bool] = lambda _kind, _subject: False,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._signs = signs
        self._own = _Told(told, lambda name: common is None or not _is_of_platform(name))
        self._common = None if common is None else _Told(common, _is_of_platform)
        self._alarm = alarm
        self._patience = patience
        self._clock = clock
        self._every_seconds = every_seconds
        self._beat = beat
        self._left = left
        self._well_seconds = well_seconds
        self._sleep = sleep
        self._looked_at = clock.monotonic()
        self._troubles: Sequence[Trouble] | None = None
        self._shown: dict[Sign, Sequence[Trouble]] = {}  # what each sign told when it was last looked at
        self._since: dict[str, float] = {}  # of each trouble that stands
        self._well_since: dict[str, float] = {}  # of each that was told and stands no more
        self._told: dict[str, str] = {}  # the moment of each that was told
        self._is_draining = False

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await self.look()
            await self._sleep(self._every_seconds)

    def drain(self) -> None:
        """Note that the service takes no new work any more."""
        self._is_draining = True

    def troubles(self) -> Sequence[Trouble] | None:
        """Return what is wrong, as of the last look; None before the first."""
        if self._troubles is None:
            return None
        standing = list(self._troubles)
        if self._clock.monotonic() - self._looked_at > LATE_LOOKS * self._every_seconds + SIGN_SECONDS:
            standing.append(Trouble(kind=TroubleKind.STALLED, sentence=says.STALLED))
        if self._is_draining:
            standing.append(Trouble(kind=TroubleKind.DRAINING, sentence=says.DRAINING))
        return standing

    async def look(self) -> None:
        """Look at each sign once, and tell what is to be told."""
        standing = [trouble for sign in self._signs for trouble in await self._seen(sign)]
        await self._read_told()
        now = self._clock.monotonic()
        before = {trouble.name for trouble in self._troubles or ()}
        for trouble in standing:
            if trouble.name not in before:
                log.warning("trouble", kind=trouble.kind.value, of=trouble.subject, reason=_english(trouble))
        for name in before - {trouble.name for trouble in standing}:
            log.info("trouble_over", name=name)
        self._troubles, self._looked_at = standing, now
        self._tell(standing, now)
        self._beat(self.troubles() or ())
        await self._keep_told()

    async def _seen(self, sign: Sign) -> Sequence[Trouble]:
        try:
            async with asyncio.timeout(SIGN_SECONDS):
                self._shown[sign] = await sign()
        except Exception:  # a sign that breaks must not end the watch over the others, nor tell that all is well
            log.exception("sign_failed")
        return self._shown.get(sign, ())

    def _tell(self, standing: Sequence[Trouble], now: float) -> None:
        names = {trouble.name for trouble in standing}
        self._since = {name: self._since.get(name, now) for name in names}
        for trouble in standing:
            self._well_since.pop(trouble.name, None)
            lasted = now - self._since[trouble.name]
            if trouble.name not in self._told and lasted >= self._patience.get(trouble.kind, 0.0):
                self._told[trouble.name] = self._clock.now().isoformat(timespec="seconds")
                self._alarm(_occasion(trouble.name, self._told[trouble.name]), trouble.sentence)
        for name in self._told.keys() - names:
            kind, _, subject = name.partition(".")
            if self._left(TroubleKind(kind), subject):
                self._well_since.pop(name, None)
            elif now - self._well_since.setdefault(name, now) >= self._well_seconds:
                told, over = self._told.pop(name), says.OVER[TroubleKind(kind)]
                if over is not None:
                    self._alarm(f"{_occasion(name, told)}-over", over.of(subject=subject))
                del self._well_since[name]

    async def _read_told(self) -> None:
        """Take over what an earlier life told, and what another node did; what stands there and is not wrong has
        ended since.
        """
        if not self._own.was_read:
            await self._own.read(self._told)
        if self._common is not None:
            await self._common.read(self._told)

    async def _keep_told(self) -> None:
        await self._own.keep(self._told)
        if self._common is not None:
            await self._common.keep(self._told)


class _Told:
    """What of the troubles with certain names was told, as the store has it."""

    def __init__(self, state: GatewayState, holds: Callable[[str], bool]) -> None:
        self._state = state
        self._holds = holds
        self._kept: dict[str, str] | None = None  # None: not read yet

    @property
    def was_read(self) -> bool:
        return self._kept is not None

    async def read(self, told: dict[str, str]) -> None:
        """Bring what was told to how it stands in the store, but for what was told here and is not kept yet."""
        try:
            async with asyncio.timeout(SIGN_SECONDS):
                entries = await self._state.entries("")
        except (StoreUnavailable, TimeoutError):
            return
        before = self._kept or {}
        self._kept = {name: at for name, at in entries.items() if name.partition(".")[0] in says.OVER}
        self._kept = {name: at for name, at in self._kept.items() if self._holds(name)}
        for name in before.keys() - self._kept.keys():  # another node told that it has ended
            if told.get(name) == before[name]:
                del told[name]
        told |= {name: at for name, at in self._kept.items() if name not in before}

    async def keep(self, told: Mapping[str, str]) -> None:
        """Keep what was told; where that fails it is kept with the next look."""
        if self._kept is None:
            return
        ours = {name: at for name, at in told.items() if self._holds(name)}
        new = {name: at for name, at in ours.items() if self._kept.get(name) != at}
        gone = self._kept.keys() - ours.keys()
        try:
            async with asyncio.timeout(SIGN_SECONDS):
                if new:
                    await self._state.put(new)
                if gone:
                    await self._state.drop(*gone)
        except (StoreUnavailable, TimeoutError):
            return
        self._kept = ours


def _is_of_platform(name: str) -> bool:
    return name.partition(".")[0] in (TroubleKind.DEAF.value, TroubleKind.BEHIND.value)


def _english(trouble: Trouble) -> str:
    return trouble.sentence.to(Language.ENGLISH)


def _occasion(name: str, moment: str) -> str:
    return f"trouble-{name}-{moment}"
