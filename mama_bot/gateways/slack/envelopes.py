"""Envelopes through Bolt: a middleware in front of everything stores, and only then Slack has its acknowledgement."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import structlog
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app, send_async_response
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.arrivals import SlackInbound
from mama_bot.gateways.slack.calls import quiet
from mama_bot.gateways.slack.socket import Socket
from mama_bot.gateways.slack.wire import Written, event_of
from mama_bot.metrics import Metrics
from mama_bot.protocols import Inlet
from mama_bot.recent import Recent

log = structlog.get_logger(__name__)

STORE_SECONDS = 90.0
# What fails so often, and not for the store's sake, would fail for ever.
ATTEMPTS = 20
REMEMBERED = 1000


class _StoreFirst(AsyncMiddleware):
    """Stands before Bolt's own middleware, which would acknowledge what it cannot authorize."""

    def __init__(self, take: Callable[[AsyncBoltRequest], Awaitable[None]]) -> None:
        self._take = take

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002 - the name is Bolt's
    ) -> BoltResponse:
        await self._take(req)
        return BoltResponse(status=200, body="")


class Envelopes:
    """Takes what comes through a socket; an envelope that could not be stored stays unacknowledged, and comes again."""

    def __init__(
        self, *, accounts: SlackAccounts, inbound: SlackInbound, web: AsyncWebClient, metrics: Metrics
    ) -> None:
        self._accounts = accounts
        self._inbound = inbound
        self._metrics = metrics
        self._inlet: Inlet | None = None
        self._failures: Recent[str, int] = Recent(REMEMBERED)
        self._app = AsyncApp(
            name="mama-bot",
            client=web,
            logger=quiet,
            signing_secret="",
            before_authorize=_StoreFirst(self._store),
            request_verification_enabled=False,
            ssl_check_enabled=False,
            url_verification_enabled=False,
            ignoring_self_events_enabled=False,
            attaching_function_token_enabled=False,
        )

    def use(self, inlet: Inlet | None) -> None:
        """Hand everything to this inlet from now on."""
        self._inlet = inlet

    async def take(self, socket: Socket, frame: dict[str, Any]) -> None:
        """Store what an envelope holds, and acknowledge it."""
        envelope_id = frame.get("envelope_id")
        if not isinstance(envelope_id, str) or not envelope_id:
            self.unreadable("an envelope has no id")
            return
        try:
            request = _request(frame)
            response = None if request is None else await self._dispatched(request)
            if request is None or response is None:
                self.unreadable("an envelope is not as Slack documents it")
                await socket.client.send_socket_mode_response(SocketModeResponse(envelope_id=envelope_id))
                return
            await send_async_response(socket.client, request, response, 0.0)
        except (OSError, RuntimeError) as error:
            # The socket has gone: Slack tells of it again on the next one, and what is stored is known by its id.
            log.info("slack_not_acknowledged", reason=f"{type(error).__name__}: {error}")

    def unreadable(self, reason: str) -> None:
        """Note something that no later attempt could read either."""
        self._metrics.count("slack_envelopes_unreadable")
        log.warning("slack_envelope_unreadable", reason=reason)

    async def _dispatched(self, request: SocketModeRequest) -> BoltResponse | None:
        """Bolt's response; None for an envelope that it cannot read."""
        try:
            response: BoltResponse = await run_async_bolt_app(self._app, request)
        except Exception as error:  # noqa: BLE001 - Bolt reads the payload without looking
            log.info("slack_payload_unreadable", reason=f"{type(error).__name__}: {error}")
            return None
        return response

    async def _store(self, request: AsyncBoltRequest) -> None:
        """Raises when nothing was stored: Bolt then answers with a failure, and nothing is acknowledged."""
        if self._inlet is None:
            raise RuntimeError("the gateway has ended")
        self._accounts.is_app(str(request.body.get("api_app_id") or ""))
        event = event_of(request.body)
        if event is None:
            self._metrics.count("slack_events_ignored")
            return
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await self._inbound.take(event, self._inlet)
        except StoreUnavailable:
            log.warning("slack_event_left_to_slack", remedy="Slack delivers it again")
            raise
        except Exception as error:
            self._metrics.count("slack_events_failed")
            given_up = not isinstance(error, TimeoutError) and self._is_hopeless(request)
            log.exception("slack_event_failed", reason=f"{type(error).__name__}: {error}", given_up=given_up)
            if not given_up:
                raise
            self._metrics.count("slack_events_given_up")
            if isinstance(event, Written):
                await self._inbound.give_up(event)

    def _is_hopeless(self, request: AsyncBoltRequest) -> bool:
        """Count a failure of an event; whether it has failed too often."""
        name = str(request.body.get("event_id") or "")
        failures = self._failures.pop(name, 0) + 1
        if not name or failures >= ATTEMPTS:
            return bool(name)
        self._failures[name] = failures
        return False


def _request(frame: dict[str, Any]) -> SocketModeRequest | None:
    """Return the SDK's own reading of an envelope; None where it fails."""
    try:
        return SocketModeRequest.from_dict(frame)
    except (TypeError, ValueError):
        return None
