"""Lines of the service for the owners of each platform, in their direct conversations."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import structlog

from mama_bot.config import AccessSettings
from mama_bot.errors import StoreInUse, StoreUnavailable
from mama_bot.intake.kept_owner_lines import KeptOwnerLines
from mama_bot.metrics import Metrics
from mama_bot.model import Notice, NoticeKind, Platform, PostId
from mama_bot.protocols import Gateway
from mama_bot.recent import Recent
from mama_bot.wording import Language, Said

WAITING_LINES = 100
REMEMBERED = 1_000
DIRECT_SECONDS = 20.0
STORED_SECONDS = 20.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _OwnerLine:
    id: str
    sentence: Said


class OwnerAlarms:
    """What owners are to be told, until somebody tells them: bounded, and put in by whoever has no gateway."""

    def __init__(self, *, metrics: Metrics) -> None:
        self._metrics = metrics
        self.kept: KeptOwnerLines | None = None
        """Where platforms of owners are other nodes': keeps a line, and tells all nodes, this one too, to `take` it."""

        self.tells_owners = True
        """Whether this process has, or may come to have, a platform of owners."""

        self._taken: Recent[str, bool] = Recent(REMEMBERED)
        self._lines: asyncio.Queue[_OwnerLine] = asyncio.Queue(WAITING_LINES)

    def put(self, occasion: str, sentence: Said) -> None:
        """Have a line told to owners, here first: other nodes hear nothing where the database is away."""
        if self.tells_owners:
            self.take(occasion, sentence)
        if self.kept is not None:
            self.kept.put(occasion, sentence)

    def take(self, occasion: str, sentence: Said) -> None:
        """Take a line in, once for each `occasion`; where too many wait already it is logged and not told."""
        if not self.tells_owners or occasion in self._taken:
            return
        self._taken[occasion] = True
        try:
            self._lines.put_nowait(_OwnerLine(occasion, sentence))
        except asyncio.QueueFull:
            self._metrics.count("owners_not_told")
            log.warning("owners_not_told", line=sentence.to(Language.ENGLISH), reason="Too many other lines wait.")

    async def next(self) -> tuple[str, Said]:
        """Wait for a line, and take it out."""
        line = await self._lines.get()
        return line.id, line.sentence


class OwnerLines:
    """Posts, while `run` runs, each line of `alarms` to every owner; in both languages, since theirs is not known.

    `queue` puts a line into the outbox while that is wanted; `post_unstored` posts one while that takes none, or has
    not within `stored_seconds`.
    """

    def __init__(
        self,
        *,
        alarms: OwnerAlarms,
        settings: Callable[[], Mapping[Platform, AccessSettings]],
        gateways: Mapping[Platform, Gateway],
        queue: Callable[[Notice, Callable[[], bool]], Awaitable[None]],
        post_unstored: Callable[[Notice], Awaitable[None]],
        metrics: Metrics,
        stored_seconds: float = STORED_SECONDS,
    ) -> None:
        self._alarms = alarms
        self.kept = alarms.kept
        self._stored_seconds = stored_seconds
        self._settings = settings
        self._gateways = gateways
        self._queue = queue
        self._post_unstored = post_unstored
        self._metrics = metrics

    async def run(self) -> None:
        """Tell owners what there is to tell, until cancelled."""
        while True:
            occasion, sentence = await self._alarms.next()
            for platform in self._settings():
                await self._tell_on(platform, occasion, sentence)

    async def tell_again(self, platform: Platform) -> None:
        """Tell the owners of a platform whose connection has just come here what was kept lately; whoever was told
        before is not told again. Raises StoreUnavailable.
        """
        for occasion, sentence in await self.kept.lately() if self.kept is not None else ():
            await self._tell_on(platform, occasion, sentence)

    async def _tell_on(self, platform: Platform, occasion: str, sentence: Said) -> None:
        text = f"{sentence.to(Language.ENGLISH)}\n{sentence.to(Language.KOREAN)}"
        settings = self._settings().get(platform)
        for owner in settings.owners if settings is not None else ():
            await self._tell(platform, owner, PostId(f"{occasion}-{platform}-{owner}"), text)

    async def _tell(self, platform: Platform, owner: str, post_id: PostId, text: str) -> None:
        reason = "They cannot be written to."
        try:
            async with asyncio.timeout(DIRECT_SECONDS):
                gateway = self._gateways.get(platform)
                key = None if gateway is None else await gateway.direct(owner)
            if key is not None:
                await self._post(Notice(id=post_id, key=key, notice=NoticeKind.OWNER_ALARM, text=text))
                return
        except Exception as error:  # noqa: BLE001 - telling people is an addition: the log line stands
            reason = repr(error)
        self._metrics.count("owners_not_told")
        log.warning("owner_not_told", platform=platform, person=owner, line=text, reason=reason)

    async def _post(self, notice: Notice) -> None:
        """Queue a line; where nothing can be stored it goes out at once, for that is what owners are to know of."""
        posted = asyncio.Event()
        try:
            async with asyncio.timeout(self._stored_seconds):
                await self._queue(notice, lambda: not posted.is_set())
        except StoreInUse:  # another service works there by now, and tells what is to be told
            raise
        except (StoreUnavailable, TimeoutError):
            posted.set()  # first: a store that answers at last shall not post it as well
            await self._post_unstored(notice)
