"""The webhook of each channel, through which personas speak under their own names."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import structlog

from mama_bot.gateways.discord.rest import DiscordRefused, Rest
from mama_bot.gateways.discord.wire import dicts, optional_id
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock, GatewayState

log = structlog.get_logger(__name__)
NAME = "mama-bot"
WITHOUT_SECONDS = 600.0
_PREFIX = "webhook/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A webhook of ours."""

    id: str
    token: str


class Webhooks:
    """Made on demand, found again by listing, kept in the gateway's state; `ids` are all that were ever ours here."""

    def __init__(
        self, *, rest: Rest, state: GatewayState, clock: Clock, metrics: Metrics, application: Callable[[], str]
    ) -> None:
        self._rest = rest
        self._state = state
        self._clock = clock
        self._metrics = metrics
        self._application = application
        self._known: dict[str, Webhook] = {}
        self._without: dict[str, float] = {}
        self._making = asyncio.Lock()
        self._loaded = False
        self.ids: set[str] = set()

    async def load(self) -> None:
        """Read what an earlier life left, once; raises StoreUnavailable."""
        if self._loaded:
            return
        for name, value in (await self._state.entries(_PREFIX)).items():
            webhook_id, _, token = value.partition("/")
            if webhook_id and token:
                self._known.setdefault(name.removeprefix(_PREFIX), Webhook(id=webhook_id, token=token))
                self.ids.add(webhook_id)
        self._loaded = True

    async def of(self, channel: str) -> Webhook | None:
        """Return the channel's webhook; None where the bot may not have one (asked again after ten minutes).

        Raises Limited, Unreachable, Closed or StoreUnavailable.
        """
        await self.load()
        if channel in self._known:
            return self._known[channel]
        async with self._making:
            if channel in self._known:
                return self._known[channel]
            if self._clock.monotonic() < self._without.get(channel, float("-inf")):
                return None
            try:
                webhook = await self._found(channel) or await self._made(channel)
            except DiscordRefused as refused:
                self._without[channel] = self._clock.monotonic() + WITHOUT_SECONDS
                self._metrics.count("discord_webhooks_refused")
                remedy = "Give the bot the permission Manage Webhooks there, so that each persona has its own name."
                log.warning("webhook_refused", channel=channel, reason=str(refused), remedy=remedy)
                return None
            self.ids.add(webhook.id)
            await self._state.put({f"{_PREFIX}{channel}": f"{webhook.id}/{webhook.token}"})
            self._known[channel] = webhook
            return webhook

    async def forget(self, channel: str) -> None:
        """Forget the channel's webhook, which was deleted; raises StoreUnavailable."""
        self._known.pop(channel, None)
        await self._state.drop(f"{_PREFIX}{channel}")

    async def _found(self, channel: str) -> Webhook | None:
        listed = await self._rest.request("GET", "/channels/{channel_id}/webhooks", channel_id=channel)
        for raw in dicts(listed):
            here = optional_id(raw.get("channel_id")) in {"", channel}
            if here and raw.get("name") == NAME and self._is_ours(raw) and (webhook := _webhook(raw)):
                return webhook
        return None

    def _is_ours(self, raw: Mapping[str, object]) -> bool:
        user = raw.get("user")
        maker = optional_id(user.get("id")) if isinstance(user, dict) else ""
        application = optional_id(raw.get("application_id"))
        return bool((maker and maker == self._rest.user) or (application and application == self._application()))

    async def _made(self, channel: str) -> Webhook:
        raw = await self._rest.request(
            "POST", "/channels/{channel_id}/webhooks", body={"name": NAME}, channel_id=channel
        )
        webhook = _webhook(raw) if isinstance(raw, dict) else None
        if webhook is None:
            raise DiscordRefused(200, 0, "Discord's answer holds no webhook")
        return webhook


def _webhook(raw: Mapping[str, object]) -> Webhook | None:
    webhook_id, token = optional_id(raw.get("id")), raw.get("token")
    return Webhook(id=webhook_id, token=token) if webhook_id and isinstance(token, str) and token else None
