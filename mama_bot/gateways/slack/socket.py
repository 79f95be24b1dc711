"""One websocket of Socket Mode, by the SDK's client, from its opening until it is of no use any more."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import structlog
from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.web.async_client import AsyncWebClient

from mama_bot.gateways.slack.calls import quiet
from mama_bot.protocols import Clock

log = structlog.get_logger(__name__)

OPEN_SECONDS = 20.0
# Slack greets at once; a connection without a greeting is as good as its pings are answered.
GREETING_SECONDS = 5.0
# After a request to connect anew, what was received is still acknowledged on the old websocket.
LINGER_SECONDS = 5.0
SILENT_INTERVALS = 3
LOOK_SECONDS = 0.5
QUEUE = 5000


class Ended(StrEnum):
    """Why a websocket is of no use any more."""

    REPLACED = "Slack asked for a new connection"
    CLOSED = "the connection was lost"
    SILENT = "the connection was open, but silent"


class _Client(SocketModeClient):
    """The SDK's client without its own ideas of reconnecting: it hands over each frame, and no more."""

    def __init__(self, *, take: Callable[[str], None], **arguments: Any) -> None:
        super().__init__(auto_reconnect_enabled=False, **arguments)
        self.message_queue = asyncio.Queue(maxsize=QUEUE)
        self._take = take

    async def process_message(self) -> None:
        """Hand over one frame."""
        self._take(await self.message_queue.get())

    async def connect_to_new_endpoint(self, force: bool = False) -> None:
        """Do nothing: the gateway opens the next one."""


class Socket:
    """Opens once, and calls `take` with each frame that is an envelope."""

    def __init__(
        self,
        *,
        app_token: str,
        web: AsyncWebClient,
        ping_seconds: float,
        clock: Clock,
        take: Callable[["Socket", dict[str, Any]], None],
        unreadable: Callable[[str], None],
    ) -> None:
        self._app_token = app_token
        self._web = web
        self._ping_seconds = ping_seconds
        self._clock = clock
        self._give = take
        self._unreadable = unreadable
        self._client: _Client | None = None
        self._greeted = asyncio.Event()
        self._replaced = asyncio.Event()
        self._frames = 0
        self.app_id = ""

    @property
    def client(self) -> SocketModeClient:
        """The SDK's client, once `open` has returned."""
        assert self._client is not None
        return self._client

    async def open(self) -> None:
        """Connect, and wait for Slack's greeting; raises what a call raises (TROUBLE)."""
        async with asyncio.timeout(OPEN_SECONDS):
            answer = await self._web.apps_connections_open(app_token=self._app_token)
        self._client = _Client(
            take=self._read,
            app_token=self._app_token,
            logger=quiet,
            web_client=self._web,
            ping_interval=self._ping_seconds,
        )
        self._client.wss_uri = str(answer.get("url") or "")
        async with asyncio.timeout(OPEN_SECONDS):
            await self._client.connect()  # type: ignore[no-untyped-call]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(GREETING_SECONDS, SILENT_INTERVALS * self._ping_seconds)):
                await self._greeted.wait()
        session = self._client.current_session
        if session is None or session.closed:
            raise OSError("the connection was closed at once")

    async def ended(self) -> Ended:
        """Wait until it is of no use any more."""
        pause = min(self._ping_seconds / 4, LOOK_SECONDS)
        heard, since = self._heard(), self._clock.monotonic()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._replaced.wait()
                    return Ended.REPLACED
            now = self._clock.monotonic()
            if (latest := self._heard()) != heard:
                heard, since = latest, now
            session = self.client.current_session
            if session is None or session.closed:
                return Ended.CLOSED if now - since < self._ping_seconds else Ended.SILENT
            if now - since > SILENT_INTERVALS * self._ping_seconds:
                return Ended.SILENT

    async def linger(self) -> None:
        """Go on acknowledging for a while, then close."""
        try:
            session = self.client.current_session
            if session is not None and not session.closed:
                await asyncio.sleep(min(LINGER_SECONDS, self._ping_seconds))
        finally:
            await self.close()

    async def close(self) -> None:
        """Close it, whatever state it is in."""
        if self._client is None:
            return
        with contextlib.suppress(Exception):
            async with asyncio.timeout(LINGER_SECONDS):
                await self._client.close()  # type: ignore[no-untyped-call]
        await self._client.aiohttp_client_session.close()

    def _heard(self) -> tuple[int, float | None]:
        """Changes with every frame and every answer to a ping."""
        return self._frames, self.client.last_ping_pong_time

    def _read(self, text: str) -> None:
        self._frames += 1
        try:
            frame = json.loads(text)
        except (ValueError, RecursionError):
            frame = None
        if not isinstance(frame, dict):
            if text.strip():
                self._unreadable("a frame is no JSON object")
            return
        match frame.get("type"):
            case "hello":
                about = frame.get("connection_info")
                self.app_id = str(about.get("app_id") or "") if isinstance(about, dict) else ""
                self._greeted.set()
            case "disconnect":
                log.info("slack_connection_ends", reason=str(frame.get("reason"))[:80])
                self._replaced.set()
            case _:
                self._give(self, frame)
