"""Hooks: what another service delivers asks the team, where it is proven, wanted, new and not too often."""

import json
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

import structlog

from mama_bot.config import WebhookSettings, parse_template
from mama_bot.errors import MessageRefused, QueueFull
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AuthorKind,
    HookDelivery,
    HookIgnored,
    HookOutcome,
    HookRefusal,
    HookRefused,
    HookRepeated,
    HookStored,
    InboundMessage,
    Unwanted,
)
from mama_bot.protocols import Clock, Inlet, Outbox
from mama_bot.triggers import sentences as says
from mama_bot.triggers.asked_messages import SHOWS_MESSAGES, asked_message, asker_of, line_about, place_of
from mama_bot.triggers.foreign_text import MOST_IN_ALL, prompt_of
from mama_bot.triggers.happenings import Happening, happening_of
from mama_bot.triggers.pauses import Pauses
from mama_bot.triggers.proofs import identity_of, is_proven, proof_in
from mama_bot.wording import language_of

log = structlog.get_logger(__name__)

HOUR_SECONDS = 3600.0
AGAIN_SECONDS = 60
WARNED_ONCE_IN = 60.0
_OF_MARKS = 150  # characters around a foreign value, and a field's name among them


@dataclass(slots=True)
class _Pace:
    """When a hook asked, in the last hour."""

    most: int
    asked: deque[float] = field(default_factory=deque)

    def seconds_to_wait(self, now: float) -> float:
        while self.asked and now - self.asked[0] >= HOUR_SECONDS:
            self.asked.popleft()
        return self.asked[0] + HOUR_SECONDS - now if len(self.asked) >= self.most else 0.0


class _Hook:
    """A hook of the settings, with all that follows from them."""

    def __init__(self, name: str, settings: WebhookSettings, default_persona: str, most: int) -> None:
        self.name = name
        self.settings = settings
        self.key = place_of(settings.channel)
        self.asker = asker_of(AuthorKind.HOOK, name)
        self.pace = _Pace(settings.per_hour)
        self._template = parse_template(settings.prompt)
        # By the words of whoever wrote the prompt: names of fields are English everywhere.
        self.language = language_of("".join(piece for piece in self._template if isinstance(piece, str)))
        self._persona = settings.persona or default_persona
        own = len(settings.prompt) + _OF_MARKS * (len(self._template) + 1)
        self._most = max(0, min(MOST_IN_ALL, most - own))

    def message(self, delivery: HookDelivery, document: object, clock: Clock) -> InboundMessage:
        """Return what a delivery asks; the same delivery is the same message."""
        return asked_message(
            self.asker,
            identity_of(self.settings, delivery.headers, delivery.body),
            key=self.key,
            text=prompt_of(self._template, document, self.language, most=self._most),
            persona=self._persona,
            at=clock.now(),
            language=self.language,
        )

    def line(self, happening: Happening) -> str:
        """Return what the channel is told of a delivery; "" where the message itself is shown."""
        if self.key.platform in SHOWS_MESSAGES:
            return ""
        words = happening.words or says.HOOK_DELIVERY.to(self.language)
        return says.HOOK_ASKS.to(self.language, name=self.name, words=words)


class DeliveryDesk:
    """A `HookDesk`: what it takes is stored by the inlet, under an id that follows from the delivery.

    So a delivery that comes twice is the same message, in whatever life of the service. `max_characters` is how long a
    message may be.
    """

    def __init__(
        self,
        *,
        webhooks: Mapping[str, WebhookSettings],
        default_persona: str,
        max_characters: int,
        outbox: Outbox,
        pauses: Pauses,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._hooks = {
            name: _Hook(name, settings, default_persona, max_characters) for name, settings in webhooks.items()
        }
        self._outbox = outbox
        self._pauses = pauses
        self._clock = clock
        self._metrics = metrics
        self._warned_at = float("-inf")

    def most_bytes(self, hook: str, headers: Mapping[str, str]) -> int:
        """See `HookDesk.most_bytes`: nothing is read for a hook that is not there, or without any proof."""
        known = self._hooks.get(hook)
        if known is None or not proof_in(known.settings, headers):
            self._refused(hook, HookRefusal.UNKNOWN if known is None else HookRefusal.UNPROVEN)
            return 0
        return known.settings.max_kilobytes * 1024

    async def take(self, delivery: HookDelivery, inlet: Inlet) -> HookOutcome:
        """See `HookDesk.take`."""
        hook = self._hooks.get(delivery.hook)
        if hook is None:
            return self._refused(delivery.hook, HookRefusal.UNKNOWN)
        if not is_proven(hook.settings, delivery.headers, delivery.body):
            return self._refused(hook.name, HookRefusal.UNPROVEN)
        document = _document(delivery.body)
        if document is None:
            return self._refused(hook.name, HookRefusal.NO_JSON)
        happening = happening_of(hook.settings, delivery.headers, document)
        if why := await self._unwanted(hook, happening):
            return self._ignored(hook, happening, why)
        return await self._ask(hook, hook.message(delivery, document, self._clock), happening, inlet)

    async def _ask(self, hook: _Hook, message: InboundMessage, happening: Happening, inlet: Inlet) -> HookOutcome:
        now = self._clock.monotonic()
        if seconds := hook.pace.seconds_to_wait(now):
            return self._refused(hook.name, HookRefusal.TOO_OFTEN, retry_seconds=int(seconds) + 1)
        hook.pace.asked.append(now)  # before the wait for the store: others may come meanwhile
        stored = False
        try:
            stored = await inlet.deliver(message)
        except QueueFull:
            return self._refused(hook.name, HookRefusal.NO_ROOM, retry_seconds=AGAIN_SECONDS)
        except MessageRefused as error:
            log.warning("hook_delivery_not_taken", hook=hook.name, reason=str(error))
            return self._refused(hook.name, HookRefusal.STOPPING, retry_seconds=AGAIN_SECONDS)
        finally:
            if not stored:
                hook.pace.asked.remove(now)
        # Also for a repetition: the service may have been killed before the line was kept.
        if line := hook.line(happening):
            await self._outbox.add(line_about(message.id, "asks", hook.key, line))
        self._count(hook.name, "stored" if stored else "repeated")
        log.info("hook_delivery", hook=hook.name, message=message.id, about=happening.words, stored=stored)
        return HookStored(message_id=message.id) if stored else HookRepeated()

    async def _unwanted(self, hook: _Hook, happening: Happening) -> Unwanted | None:
        if not happening.is_of(hook.settings.events):
            return Unwanted.EVENT
        if not happening.is_on(hook.settings.branches):
            return Unwanted.BRANCH
        if not happening.is_by(hook.settings.senders):
            return Unwanted.SENDER
        return Unwanted.PAUSED if await self._pauses.of(hook.name) is not None else None

    def _ignored(self, hook: _Hook, happening: Happening, why: Unwanted) -> HookIgnored:
        self._count(hook.name, why.value)
        log.info("hook_delivery_ignored", hook=hook.name, about=happening.words, reason=why.value)
        return HookIgnored(why=why)

    def _refused(self, hook: str, why: HookRefusal, *, retry_seconds: int = 0) -> HookRefused:
        """The refusal, counted, and logged once a minute: anybody may send anything here."""
        self._count(hook if hook in self._hooks else "", why.value)
        now = self._clock.monotonic()
        if now - self._warned_at >= WARNED_ONCE_IN:
            self._warned_at = now
            log.warning("hook_delivery_refused", hook=hook[:60], reason=why.value)
        return HookRefused(why=why, retry_seconds=retry_seconds)

    def _count(self, hook: str, outcome: str) -> None:
        self._metrics.count("hook_deliveries", hook=hook, outcome=outcome)


def _document(body: bytes) -> dict[str, object] | None:
    """The JSON object that a body is; None for anything else."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
