"""Socket Mode: what an app is sent, until it says that it has it."""

import asyncio
import contextlib
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.platforms.slack_server.workspace import JsonObject, SlackApp

NO_SOCKET_SECONDS = 30.0


@dataclass(slots=True, kw_only=True)
class Envelope:
    """One thing that an app is sent, with what became of it: `attempts` of sending, `acked`, and what the ack said."""

    id: str
    kind: str
    payload: JsonObject
    attempts: int = 0
    failed_attempts: int = 0
    acked: bool = False
    response: JsonObject | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def settled(self, *, attempts: int = 1, seconds: float = 20.0) -> bool:
        """Wait until it is acknowledged (True), or was not within so many attempts (False)."""
        async with asyncio.timeout(seconds):
            while not self.acked and self.failed_attempts < attempts:
                self.changed.clear()
                await self.changed.wait()
        return self.acked


@dataclass(slots=True, eq=False)
class Socket:
    """One open websocket; a `silent` one answers no ping and is sent nothing, as if the line were dead."""

    app: SlackApp
    request: web.Request
    stream: web.WebSocketResponse
    silent: bool = False
    pings: int = 0
    waiting: dict[str, asyncio.Event] = field(default_factory=dict)


class Sockets:
    """All websockets of all apps; each event goes to one of an app's, and comes again until it is acknowledged."""

    def __init__(
        self,
        *,
        spawn: Callable[..., object],
        ack_seconds: float,
        redelivery_seconds: Sequence[float],
    ) -> None:
        self._spawn = spawn
        self._ack_seconds = ack_seconds
        self._redelivery_seconds = redelivery_seconds
        self._opened = asyncio.Condition()
        self.open: list[Socket] = []
        self.opened = 0
        self.greets = True
        self._by_id: dict[str, Envelope] = {}

    @property
    def envelopes(self) -> Sequence[Envelope]:
        """All that was ever sent, oldest first."""
        return tuple(self._by_id.values())

    async def serve(self, request: web.Request, app: SlackApp) -> web.WebSocketResponse:
        """Speak with one websocket of an app until it closes."""
        stream = web.WebSocketResponse(autoping=False)
        await stream.prepare(request)
        socket = Socket(app, request, stream)
        if self.greets:
            await stream.send_json(self._hello(app))
        async with self._opened:
            self.open.append(socket)
            self.opened += 1
            self._opened.notify_all()
        try:
            await self._listen(socket)
        finally:
            self.open.remove(socket)
            for ended in socket.waiting.values():
                ended.set()
        return stream

    def send(self, app: SlackApp, kind: str, payload: JsonObject) -> Envelope:
        """Send something to an app; a command or a pressed button is sent once only, as Slack does."""
        envelope = Envelope(id=str(uuid.uuid4()), kind=kind, payload=payload)
        self._by_id[envelope.id] = envelope
        self._spawn(self._deliver(app, envelope))
        return envelope

    async def frame(self, app: SlackApp, text: str) -> None:
        """Send a raw frame on every open websocket of an app."""
        for socket in self.of(app):
            with contextlib.suppress(ConnectionError):
                await socket.stream.send_str(text)

    def of(self, app: SlackApp) -> list[Socket]:
        """The open websockets of an app."""
        return [socket for socket in self.open if socket.app is app]

    async def until_open(self, app: SlackApp, count: int = 1) -> None:
        """Wait for open websockets of an app."""
        async with asyncio.timeout(NO_SOCKET_SECONDS), self._opened:
            await self._opened.wait_for(lambda: len(self.of(app)) >= count)

    def _hello(self, app: SlackApp) -> JsonObject:
        return {
            "type": "hello",
            "num_connections": len(self.of(app)) + 1,
            "debug_info": {"host": "applink-1", "build_number": 1, "approximate_connection_time": 18060},
            "connection_info": {"app_id": app.app_id},
        }

    async def _listen(self, socket: Socket) -> None:
        async for message in socket.stream:
            match message.type:
                case WSMsgType.PING:
                    socket.pings += 1
                    if not socket.silent:
                        await socket.stream.pong(message.data)
                case WSMsgType.TEXT:
                    self._acknowledge(socket, message.data)
                case _:
                    pass

    def _acknowledge(self, socket: Socket, text: str) -> None:
        if socket.silent:
            return
        answer = json.loads(text)
        envelope_id = answer.get("envelope_id")
        if (envelope := self._by_id.get(envelope_id)) is not None:
            envelope.acked = True
            envelope.response = answer.get("payload")
            envelope.changed.set()
        if (ended := socket.waiting.get(envelope_id)) is not None:
            ended.set()

    async def _deliver(self, app: SlackApp, envelope: Envelope) -> None:
        again = self._redelivery_seconds if envelope.kind == "events_api" else ()
        for attempt, pause in enumerate((0.0, *again)):
            if attempt:
                await asyncio.sleep(pause)
            await self._attempt(app, envelope, attempt)
            if envelope.acked:
                return
            envelope.failed_attempts += 1
            envelope.changed.set()

    async def _attempt(self, app: SlackApp, envelope: Envelope, attempt: int) -> None:
        try:
            await self.until_open(app)
        except TimeoutError:
            return
        socket = self.of(app)[-1]
        ended = socket.waiting[envelope.id] = asyncio.Event()
        envelope.attempts += 1
        try:
            if not socket.silent:
                await socket.stream.send_json(self._frame(envelope, attempt))
            async with asyncio.timeout(self._ack_seconds):
                await ended.wait()
        except (TimeoutError, ConnectionError):
            return
        finally:
            socket.waiting.pop(envelope.id, None)

    def _frame(self, envelope: Envelope, attempt: int) -> JsonObject:
        retried = {"retry_attempt": attempt, "retry_reason": "timeout" if attempt else ""}
        return {
            "envelope_id": envelope.id,
            "type": envelope.kind,
            "payload": envelope.payload,
            "accepts_response_payload": envelope.kind != "events_api",
        } | (retried if envelope.kind == "events_api" else {})
