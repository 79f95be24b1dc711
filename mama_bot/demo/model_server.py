"""A scripted Anthropic Messages API on loopback, for the real `claude` CLI: `async with ModelServer(script=...)`."""

import asyncio
import json
import socket
from collections import deque
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import sha256
from types import TracebackType
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, parse_request
from mama_bot.demo.model_stream import Pause, error_body, event, message, stream
from mama_bot.http_server import EmbeddedServer

JOURNAL_SIZE = 500
STOP_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelExchange:
    """A request that the server received, and the reply of the script."""

    request: ModelRequest
    reply: ModelReply
    body: dict[str, Any]


class ModelServer:
    """Answers as the script says, from `url` on loopback, while its `async with` block runs.

    It holds no state of its own: the same request gets the same answer after a restart when the script is a pure
    function. `port` 0 takes a free one. The journal keeps the newest 500 exchanges.
    """

    def __init__(self, *, script: ModelScript, port: int = 0) -> None:
        self._script = script
        self._wanted_port = port
        self._connections: dict[tuple[str, int], asyncio.Transport] = {}
        self._stopping = asyncio.Event()
        self._stack = AsyncExitStack()
        self.journal: deque[ModelExchange] = deque(maxlen=JOURNAL_SIZE)
        self.url = ""

    async def __aenter__(self) -> Self:
        listening = _listen(self._wanted_port)
        self.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with AsyncExitStack() as stack:
            stack.callback(listening.close)
            server = EmbeddedServer(self._config())
            tasks = await stack.enter_async_context(asyncio.TaskGroup())
            serving = tasks.create_task(server.serve(sockets=[listening]))
            stack.push_async_callback(self._stop, server, serving)
            async with asyncio.timeout(STOP_SECONDS):
                await server.ready.wait()
            self._stack = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.__aexit__(kind, error, trace)

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        """The requests so far, oldest first."""
        return tuple(exchange.request for exchange in self.journal)

    async def _stop(self, server: EmbeddedServer, serving: asyncio.Task[None]) -> None:
        self._stopping.set()
        server.stop()
        for transport in tuple(self._connections.values()):
            transport.abort()
        async with asyncio.timeout(STOP_SECONDS):
            await serving

    def _config(self) -> uvicorn.Config:
        app = Starlette(
            routes=[
                Route("/v1/messages", self._messages, methods=["POST"]),
                Route("/v1/messages/count_tokens", self._count_tokens, methods=["POST"]),
                Route("/{path:path}", self._other, methods=["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]),
            ]
        )
        return uvicorn.Config(
            app,
            http=_protocol(self._connections),
            loop="asyncio",
            ws="none",
            lifespan="off",
            access_log=False,
            date_header=False,
            log_config=None,
            timeout_graceful_shutdown=1,
        )

    async def _messages(self, request: Request) -> Response:
        try:
            body = json.loads(await request.body())
            asked = parse_request(body)
        except (ValueError, TypeError, AttributeError) as error:
            return JSONResponse(error_body(400, f"not a Messages API request: {error}"), status_code=400)
        reply = self._script(asked)
        self.journal.append(ModelExchange(request=asked, reply=reply, body=body))
        await self._wait(None if reply.hang else reply.delay_seconds)
        if reply.status != 200:
            return _failure(reply)
        message_id = _message_id(body)
        if not body.get("stream"):
            return JSONResponse(message(reply, message_id=message_id, model=asked.model))
        return StreamingResponse(
            self._events(reply, message_id=message_id, model=asked.model, peer=request.client),
            media_type="text/event-stream",
            headers={"request-id": f"req_{message_id}"},
        )

    async def _events(self, reply: ModelReply, *, message_id: str, model: str, peer: Any) -> AsyncIterator[bytes]:
        for step in stream(reply, message_id=message_id, model=model):
            if not isinstance(step, Pause):
                yield event(step)
                continue
            if step.first and reply.drop:
                self._connections[tuple(peer)].abort()
                return
            if step.first and reply.stream_error:
                failure = {"type": reply.stream_error, "message": reply.error_message}
                yield event({"type": "error", "error": failure})
                return
            await self._wait(reply.pause_seconds)

    async def _wait(self, seconds: float | None) -> None:
        """Sleep, but no longer than the server lives."""
        if seconds == 0:
            return
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return

    async def _count_tokens(self, request: Request) -> Response:
        return JSONResponse({"input_tokens": len(await request.body()) // 4})

    async def _other(self, request: Request) -> Response:
        if request.method in {"HEAD", "OPTIONS"} or request.url.path == "/":
            return Response()
        return JSONResponse(error_body(404, f"nothing at {request.url.path}"), status_code=404)


def _message_id(body: dict[str, Any]) -> str:
    """Return an id that is the same for equal requests, also after a restart of the server, and else another."""
    return f"msg_{sha256(json.dumps(body.get('messages')).encode()).hexdigest()[:24]}"


def _listen(port: int) -> socket.socket:
    # asyncio sends small writes at once only on sockets that name TCP: without it every stream waits 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError:
        listening.close()
        raise
    return listening


def _failure(reply: ModelReply) -> Response:
    headers = {} if reply.retry_after_seconds is None else {"retry-after": f"{reply.retry_after_seconds:g}"}
    return JSONResponse(error_body(reply.status, reply.error_message), status_code=reply.status, headers=headers)


def _protocol(connections: dict[tuple[str, int], asyncio.Transport]) -> type[asyncio.Protocol]:
    """Return uvicorn's HTTP protocol with its connections kept by peer, so that one of them can be cut."""

    class Cuttable(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if self.client is not None:
                connections[self.client] = transport

        def connection_lost(self, exc: Exception | None) -> None:
            if self.client is not None:
                connections.pop(self.client, None)
            super().connection_lost(exc)

    return Cuttable
