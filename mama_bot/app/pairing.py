"""How somebody unknown comes to be served: a code in a direct message, which an owner confirms."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from random import Random
from typing import assert_never

import structlog

from mama_bot.config import AccessSettings
from mama_bot.delivery import Delivery
from mama_bot.errors import PairingRefused
from mama_bot.metrics import Metrics
from mama_bot.model import Author, Notice, NoticeKind, Pairing, PairingState, Platform, PostId
from mama_bot.protocols import Clock, Gateway, Pairings

log = structlog.get_logger(__name__)

LETTERS = "ACDEFGHJKLMNPQRTUVWXY"  # none that is read as another one, or as a digit
TOLD_ONCE_IN_SECONDS = 60.0
REMEMBERED = 1_000
WAITING_NOTICES = 100
DIRECT_SECONDS = 20.0
NAME_CHARACTERS = 80
MARKUP = "`*_~|[]()<>\\"


def new_code(chance: Random) -> str:
    """A code like ABCD-EFGH."""
    letters = "".join(chance.choice(LETTERS) for _ in range(8))
    return f"{letters[:4]}-{letters[4:]}"


class PairingRequests:
    """Answers unknown people with a code, and tells the owners of a new request while `run` runs."""

    def __init__(
        self,
        *,
        pairings: Pairings,
        settings: Mapping[Platform, AccessSettings],
        gateways: Mapping[Platform, Gateway],
        delivery: Delivery,
        clock: Clock,
        metrics: Metrics,
        chance: Random,
    ) -> None:
        self._pairings = pairings
        self._settings = settings
        self._gateways = gateways
        self._delivery = delivery
        self._clock = clock
        self._metrics = metrics
        self._chance = chance
        self._told: OrderedDict[tuple[Platform, str], float] = OrderedDict()
        self._new: asyncio.Queue[tuple[Pairing, bool]] = asyncio.Queue(WAITING_NOTICES)

    async def ask(self, platform: Platform, author: Author, *, korean: bool) -> str:
        """What an unknown person is told: their code, once a minute at most; "": nothing. Raises StoreUnavailable."""
        if self._was_told((platform, author.id)):
            return ""
        try:
            pairing = await self._pairings.ask(platform, author.id, _plain(author.name), code=new_code(self._chance))
        except PairingRefused as error:
            log.warning("pairing_refused", platform=platform, person=author.id, reason=str(error))
            self._metrics.count("pairings_refused", platform=platform)
            return ""
        match pairing.state:
            case PairingState.DENIED:
                return ""
            case PairingState.PAIRED:  # just now, or by another process
                return "이제 연결되었습니다. 다시 써 주세요." if korean else "You are paired now. Write it again."
            case PairingState.ASKED:
                if pairing.asked == 1:
                    self._announce(pairing, korean=korean)
                return _told(pairing.code, korean=korean)
            case unexpected:
                assert_never(unexpected)

    async def run(self) -> None:
        """Write to the owners of new requests, until cancelled."""
        while True:
            pairing, korean = await self._new.get()
            for owner in self._settings.get(pairing.platform, AccessSettings()).owners:
                try:
                    await self._tell(owner, pairing, korean=korean)
                except Exception as error:  # noqa: BLE001 - telling owners is an addition: the log line stands
                    log.warning("owner_not_told", owner=owner, code=pairing.code, reason=f"{error!r}")

    def _announce(self, pairing: Pairing, *, korean: bool) -> None:
        log.warning(
            "pairing_asked",
            platform=pairing.platform,
            person=pairing.person,
            name=pairing.name,
            code=pairing.code,
            remedy=f"mama-bot pair {pairing.code}",
        )
        self._metrics.count("pairings_asked", platform=pairing.platform)
        try:
            self._new.put_nowait((pairing, korean))
        except asyncio.QueueFull:
            log.warning("owner_not_told", code=pairing.code, reason="Too many other requests wait to be told.")

    async def _tell(self, owner: str, pairing: Pairing, *, korean: bool) -> None:
        gateway = self._gateways.get(pairing.platform)
        async with asyncio.timeout(DIRECT_SECONDS):
            key = None if gateway is None else await gateway.direct(owner)
        if key is None:
            log.warning("owner_not_told", owner=owner, code=pairing.code, reason="They cannot be written to.")
            return
        notice = Notice(
            id=PostId(f"pairing-{pairing.code}-{owner}"),
            key=key,
            notice=NoticeKind.PAIRING,
            text=_announcement(pairing, korean=korean),
            approval=pairing.code,
        )
        await self._delivery.notice(notice)

    def _was_told(self, person: tuple[Platform, str]) -> bool:
        """Whether this person had an answer within the last minute; if not, they get one now."""
        now = self._clock.monotonic()
        told = self._told.get(person)
        if told is not None and now - told < TOLD_ONCE_IN_SECONDS:
            return True
        self._told.pop(person, None)
        self._told[person] = now
        if len(self._told) > REMEMBERED:
            self._told.popitem(last=False)
        return False


def _plain(name: str) -> str:
    """A name that somebody unknown chose, as owners may read it: no control characters, no markup."""
    words = "".join(one if one.isprintable() and one not in MARKUP else " " for one in name).split()
    return " ".join(words)[:NAME_CHARACTERS]


def _told(code: str, *, korean: bool) -> str:
    if korean:
        return (
            f"아직 모르는 분입니다. 코드는 {code} 입니다. 소유자가 서버에서 `mama-bot pair {code}` 명령을 실행하거나 "
            "받은 버튼을 누르면 연결됩니다. 그 뒤에 다시 써 주세요."
        )
    return (
        f"I do not know you yet. Your code is {code}: an owner confirms it with `mama-bot pair {code}` on the machine, "
        "or with the button that they were sent. Then write again."
    )


def _announcement(pairing: Pairing, *, korean: bool) -> str:
    platform = pairing.platform.capitalize()
    who = f"{pairing.name or pairing.person} (id {pairing.person})"
    if korean:
        return f"{who} 님이 {platform}에서 팀과 대화하려고 합니다. 코드 {pairing.code}."
    return f"{who} wants to talk to the team on {platform}. Code {pairing.code}."
