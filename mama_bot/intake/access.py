"""Who is served: the one place that decides it."""

from collections import deque
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from datetime import timedelta
from typing import assert_never

import structlog

from mama_bot.config import AccessSettings, Settings
from mama_bot.errors import AccessRefused
from mama_bot.intake.pairing_requests import PairingRequests
from mama_bot.intake.sentences import OWNERS_DECIDE
from mama_bot.metrics import Metrics
from mama_bot.model import Author, AuthorKind, CommandName, ConversationKey, Origin, Platform
from mama_bot.protocols import Clock, Pairings
from mama_bot.recent import Recent
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

BOT_MESSAGES = 20
BOT_SECONDS = 60.0
WARNED_ONCE_IN = timedelta(hours=1)
REMEMBERED = 10_000
# What rules ask is not among it: whom a rule names may answer, and that is looked at with the question.
OWNERS_ONLY = frozenset({CommandName.APPROVE, CommandName.DENY})


@dataclass(slots=True)
class _Pace:
    """How a bot writes in a conversation: its latest messages, and until when it is refused (monotonic seconds)."""

    sent: deque[float] = field(default_factory=deque)
    refused_until: float = 0.0


class Access:
    """Serves owners, listed and paired people, whoever has a listed role, and everybody in a listed place.

    A bot is served when it is listed, and at a bounded pace, so that two of them cannot keep each other talking. On
    platforms that are `decided` the gateway itself lets in only whom it serves (the page has a key of its own). The
    `settings` are asked for each time: they may change while the service runs.
    """

    def __init__(
        self,
        *,
        settings: Callable[[], Mapping[Platform, AccessSettings]],
        decided: Set[Platform] = frozenset(),
        pairings: Pairings,
        requests: PairingRequests,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        self._decided = decided
        self._pairings = pairings
        self._requests = requests
        self._clock = clock
        self._metrics = metrics
        self._warned: Recent[tuple[Platform, str], float] = Recent(REMEMBERED)
        self._paces: Recent[tuple[str, ConversationKey], _Pace] = Recent(REMEMBERED)

    async def check(
        self,
        origin: Origin,
        author: Author,
        key: ConversationKey,
        language: Language = Language.ENGLISH,
        *,
        command: CommandName | None = None,
        new: bool = False,
    ) -> None:
        """Return when the author is served there; raises AccessRefused, or StoreUnavailable when that is not known.

        A `new` message of a bot counts against its pace. Only owners approve and deny. An unknown person in a direct
        message is given a code, in their language.
        """
        if key.platform in self._decided:
            return
        settings = self._of(key.platform)
        match author.kind:
            case AuthorKind.AGENT:
                raise self._refused("agent", "Agents of ours are not answered.", origin, author, key)
            case AuthorKind.SCHEDULE | AuthorKind.HOOK:
                # Those ask by no platform: whoever says so there is none of them.
                raise self._refused("trigger", "Triggers are no authors on a platform.", origin, author, key)
            case AuthorKind.BOT:
                if author.id not in settings.bots:
                    raise self._refused("bot", "The bot is not listed in access.bots.", origin, author, key)
                if new:
                    self._bound(origin, author, key)
            case AuthorKind.PERSON:
                if not await self._is_served(settings, origin, author, key.platform):
                    await self._refuse_stranger(settings, origin, author, key, language, command)
            case unexpected:
                assert_never(unexpected)
        if command in OWNERS_ONLY and not self.is_owner(key.platform, author):
            error = self._refused("not_owner", "Only owners approve and deny.", origin, author, key)
            error.tell = OWNERS_DECIDE
            raise error

    def is_owner(self, platform: Platform, author: Author) -> bool:
        """Return whether somebody is an owner; on a platform that lets in only whom it serves, everybody is."""
        return platform in self._decided or author.id in self._of(platform).owners

    def _of(self, platform: Platform) -> AccessSettings:
        return self._settings().get(platform, AccessSettings())

    async def _is_served(self, settings: AccessSettings, origin: Origin, author: Author, platform: Platform) -> bool:
        return (
            author.id in settings.owners
            or author.id in settings.people
            or not frozenset(origin.roles).isdisjoint(settings.roles)
            or (origin.channel != "" and origin.channel in settings.channels and not origin.guest)
            or (origin.workspace != "" and origin.workspace in settings.servers)
            or await self._pairings.is_paired(platform, author.id)
        )

    async def _refuse_stranger(
        self,
        settings: AccessSettings,
        origin: Origin,
        author: Author,
        key: ConversationKey,
        language: Language,
        command: CommandName | None,
    ) -> None:
        error = self._refused("stranger", "The person, their roles and the place are not listed.", origin, author, key)
        if origin.direct and settings.pairing and command not in OWNERS_ONLY:
            error.tell = await self._requests.ask(key.platform, author, language)
        raise error

    def _bound(self, origin: Origin, author: Author, key: ConversationKey) -> None:
        now = self._clock.monotonic()
        pace = self._paces[author.id, key] = self._paces.get((author.id, key)) or _Pace()
        if now < pace.refused_until:
            raise self._refused("bot_too_quick", "The bot writes too much here.", origin, author, key, quietly=True)
        while pace.sent and now - pace.sent[0] >= BOT_SECONDS:
            pace.sent.popleft()
        if len(pace.sent) >= BOT_MESSAGES:
            pace.refused_until = now + BOT_SECONDS
            pace.sent.clear()
            log.warning("bot_too_quick", bot=author.id, name=author.name, conversation=str(key), seconds=BOT_SECONDS)
            raise self._refused("bot_too_quick", "The bot writes too much here.", origin, author, key, quietly=True)
        pace.sent.append(now)

    def _refused(
        self, why: str, reason: str, origin: Origin, author: Author, key: ConversationKey, *, quietly: bool = False
    ) -> AccessRefused:
        """The refusal, counted, and logged: owners are to see it, but not once for each message."""
        self._metrics.count("access_refused", platform=key.platform, reason=why)
        write = log.debug if quietly or not self._is_news((key.platform, author.id)) else log.warning
        write(
            "access_refused",
            reason=why,
            person=author.id,
            name=author.name,
            kind=author.kind.value,
            conversation=str(key),
            workspace=origin.workspace,
            channel=origin.channel,
        )
        return AccessRefused(reason=reason)

    def _is_news(self, person: tuple[Platform, str]) -> bool:
        now = self._clock.monotonic()
        warned = self._warned.get(person)
        if warned is not None and now - warned < WARNED_ONCE_IN.total_seconds():
            return False
        self._warned[person] = now
        return True


def access_settings(settings: Settings) -> Mapping[Platform, AccessSettings]:
    """Return who is served on each platform, as configured."""
    return {
        Platform("discord"): settings.discord.access,
        Platform("slack"): settings.slack.access,
        Platform("telegram"): settings.telegram.access,
    }
