"""How somebody unknown comes to be served: a code in a direct message, which an owner confirms."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import assert_never

import structlog

from mama_bot.config import AccessSettings
from mama_bot.errors import PairingRefused, StoreUnavailable
from mama_bot.intake.sentences import ASKS_TO_TALK, PAIRED_NOW, WELCOME, YOUR_CODE
from mama_bot.metrics import Metrics
from mama_bot.model import Author, Notice, NoticeKind, Pairing, PairingState, Platform, PostId
from mama_bot.model.access import OPEN_FOR
from mama_bot.protocols import Clock, Gateway, Outbox, Pairings
from mama_bot.recent import Recent
from mama_bot.wording import Language, Said, plain_name

log = structlog.get_logger(__name__)

LETTERS = "ACDEFGHJKLMNPQRTUVWXY"  # none that is read as another one, or as a digit
TOLD_ONCE_IN_SECONDS = 60.0
REMEMBERED = 1_000
WAITING_LINES = 100  # of one platform
LOOK_SECONDS = 2.0
DIRECT_SECONDS = 20.0


def new_code(chance: Random) -> str:
    """Return a code like ABCD-EFGH."""
    letters = "".join(chance.choice(LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


@dataclass(frozen=True, slots=True)
class _Line:
    """What a person is to be told in their direct conversation."""

    platform: Platform
    person: str
    id: PostId
    text: str
    approval: str = ""


class PairingRequests:
    """Answers unknown people with a code; while `run` runs, tells owners of new requests, and whom they confirmed.

    Each platform has a queue of its own: one that hangs holds up nobody on another.
    """

    def __init__(
        self,
        *,
        pairings: Pairings,
        settings: Callable[[], Mapping[Platform, AccessSettings]],
        gateways: Mapping[Platform, Gateway],
        outbox: Outbox,
        clock: Clock,
        metrics: Metrics,
        chance: Random,
    ) -> None:
        self._pairings = pairings
        self._settings = settings
        self._gateways = gateways
        self._outbox = outbox
        self._clock = clock
        self._metrics = metrics
        self._chance = chance
        self._told: Recent[tuple[Platform, str], float] = Recent(REMEMBERED)
        self._lines: dict[Platform, asyncio.Queue[_Line]] = {
            platform: asyncio.Queue(WAITING_LINES) for platform in gateways
        }
        self._welcomed: set[PostId] = set()

    async def ask(self, platform: Platform, author: Author, language: Language) -> Said | None:
        """Return what an unknown person is told: their code, once a minute at most. Raises StoreUnavailable."""
        if self._was_told((platform, author.id)):
            return None
        try:
            pairing = await self._pairings.ask(
                platform, author.id, plain_name(author.name), code=new_code(self._chance), language=language
            )
        except PairingRefused as error:
            log.warning("pairing_refused", platform=platform, person=author.id, reason=str(error))
            self._metrics.count("pairings_refused", platform=platform)
            return None
        except StoreUnavailable:
            del self._told[platform, author.id]  # they hear of it when their message is delivered again
            raise
        match pairing.state:
            case PairingState.DENIED:
                return None
            case PairingState.PAIRED:  # just now, or by another process
                return PAIRED_NOW
            case PairingState.ASKED:
                if pairing.asked == 1:
                    self._announce(pairing)
                return YOUR_CODE.of(code=pairing.code)
            case unexpected:
                assert_never(unexpected)

    async def run(self) -> None:
        """Write to the owners of new requests, and to whom they confirmed, until cancelled."""
        async with asyncio.TaskGroup() as group:
            for lines in self._lines.values():
                group.create_task(self._write(lines))
            while True:
                try:
                    await self._welcome()
                except StoreUnavailable as error:
                    log.warning("paired_people_wait", reason=str(error))
                await asyncio.sleep(LOOK_SECONDS)

    async def _write(self, lines: asyncio.Queue[_Line]) -> None:
        while True:
            line = await lines.get()
            try:
                await self._tell(line)
            except Exception as error:  # noqa: BLE001 - telling people is an addition: the log line stands
                self._not_told(line, f"{error!r}")

    def _announce(self, pairing: Pairing) -> None:
        log.warning(
            "pairing_asked",
            platform=pairing.platform,
            person=pairing.person,
            name=pairing.name,
            code=pairing.code,
            remedy=f"mama-bot pair {pairing.code}",
        )
        self._metrics.count("pairings_asked", platform=pairing.platform)
        for owner in self._settings().get(pairing.platform, AccessSettings()).owners:
            post_id = PostId(f"pairing-{pairing.code}-{owner}")
            self._queue(_Line(pairing.platform, owner, post_id, _announcement(pairing), approval=pairing.code))

    async def _welcome(self) -> None:
        """Tell those who were confirmed of late, here or by another process; the outbox takes each line once."""
        known: set[PostId] = set()
        for pairing in await self._pairings.paired_since(self._clock.now() - OPEN_FOR):
            gateway = self._gateways.get(pairing.platform)
            post_id = PostId(f"paired-{pairing.platform}-{pairing.person}-{pairing.settled_at}")
            if post_id in self._welcomed:
                known.add(post_id)
            elif gateway is not None and gateway.hearing().ok:  # before that it could be told to nobody
                known.add(post_id)
                self._queue(_Line(pairing.platform, pairing.person, post_id, WELCOME.to(pairing.language)))
        self._welcomed = known

    def _queue(self, line: _Line) -> None:
        lines = self._lines.get(line.platform)
        try:
            if lines is not None:
                lines.put_nowait(line)
        except asyncio.QueueFull:
            self._not_told(line, "Too many other lines wait to be told.")

    async def _tell(self, line: _Line) -> None:
        async with asyncio.timeout(DIRECT_SECONDS):
            key = await self._gateways[line.platform].direct(line.person)
        if key is None:
            self._not_told(line, "They cannot be written to.")
            return
        await self._outbox.add(
            Notice(id=line.id, key=key, notice=NoticeKind.PAIRING, text=line.text, approval=line.approval)
        )

    def _not_told(self, line: _Line, reason: str) -> None:
        self._metrics.count("pairings_not_told", platform=line.platform)
        log.warning("pairing_not_told", platform=line.platform, person=line.person, code=line.approval, reason=reason)

    def _was_told(self, person: tuple[Platform, str]) -> bool:
        """Whether this person had an answer within the last minute; if not, they get one now."""
        now = self._clock.monotonic()
        told = self._told.get(person)
        if told is not None and now - told < TOLD_ONCE_IN_SECONDS:
            return True
        self._told[person] = now
        return False


def _announcement(pairing: Pairing) -> str:
    who = f"`{pairing.name or pairing.person}` (id {pairing.person})"  # as code, no address or mention of it works
    return ASKS_TO_TALK.to(pairing.language, who=who, platform=pairing.platform.capitalize(), code=pairing.code)
