"""The way to the tools from outside the process: HTTP on this machine, and a socket for a relay of standard streams.

What speaks the protocol is loaded when the first session is let in: most services let none in, and it is large.
"""

import asyncio
import socket
import struct
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any, Self

import structlog
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from mama_bot.http_server import EmbeddedServer
from mama_bot.team_tools import standard_streams
from mama_bot.team_tools.session_tokens import Holder, SessionTokens
from mama_bot.team_tools.tool_desk import ToolDesk

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from mama_bot.team_tools.mcp_server import Context

SOCKET_NAME = "tools"
SCRIPT = str(Path(standard_streams.__file__).absolute())
PATH = "/mcp"
HOST = "127.0.0.1"
MOST_AT_ONCE = 256
LONGEST_LINE = 4 * 2**20
TOKEN_SECONDS = 5.0
CLOSE_SECONDS = 2.0
ACCEPT_PAUSE_SECONDS = 0.1
REFUSED = "This token lets nobody in: its session is over, or it is not yours."

TOO_LARGE = f"A request says how long it is, and has at most {LONGEST_LINE} bytes."

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What a CLI is given so that its agent reaches the tools: an address with a token, or a command with a variable.

    A sandboxed CLI is given the command, whose socket is reached in every wall; the address needs its port.
    """

    token: str = field(repr=False)
    url: str
    command: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)

    @property
    def headers(self) -> Mapping[str, str]:
        """What goes with each request to `url`."""
        return {"Authorization": f"Bearer {self.token}"}


class ToolDoor:
    """Lets sessions of agents in while its `async with` block runs; nothing listens before the first is admitted.

    The socket lies in `directory`, which belongs to the service alone.
    """

    def __init__(self, *, directory: Path, new_token: Callable[[], str]) -> None:
        self._directory = directory
        self._tokens = SessionTokens(new_token=new_token)
        self._closed = asyncio.Event()
        self._tasks = asyncio.TaskGroup()
        self._url = ""
        self._opening = asyncio.Lock()
        self._room = asyncio.Semaphore(MOST_AT_ONCE)
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        for connection in self._connections:
            connection.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    @property
    def directory(self) -> Path:
        """Where its socket lies."""
        return self._directory

    async def admit(self, desk: ToolDesk, *, is_of_session: Callable[[int], bool] | None = None) -> Admission:
        """Let a session in until it is dismissed.

        `is_of_session` says which processes of this machine are its own: no other one gets in with its token, so
        that it is good at the socket alone: HTTP does not tell who asks.
        """
        async with self._opening:
            if not self._url:
                opened: asyncio.Future[str] = asyncio.get_running_loop().create_future()
                self._tasks.create_task(self._stay_open(opened))
                self._url = await asyncio.shield(opened)
        token = self._tokens.issue(Holder(desk=desk, is_of_session=is_of_session))
        return Admission(
            token=token,
            url=self._url,
            command=(sys.executable, "-I", "-S", SCRIPT, str(self._directory / SOCKET_NAME)),
            variables=MappingProxyType({standard_streams.VARIABLE: token}),
        )

    def dismiss(self, admission: Admission) -> None:
        """Let a session in no longer: its token is worth nothing from now on, wherever it is."""
        self._tokens.end(admission.token)

    # --- both ways in ---------------------------------------------------------------------------------

    async def _stay_open(self, opened: "asyncio.Future[str]") -> None:
        """Listen until the door closes, in a task of its own: whoever is admitted first may be gone before that."""
        async with AsyncExitStack() as stack:
            try:
                url = await self._open(stack)
            except Exception as error:  # noqa: BLE001 - whoever is to be admitted is told
                opened.set_exception(error)
                return
            opened.set_result(url)
            await self._closed.wait()

    async def _open(self, stack: AsyncExitStack) -> str:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings

        from mama_bot.team_tools.mcp_server import tool_server

        web = socket.create_server((HOST, 0))
        port = web.getsockname()[1]
        security = TransportSecuritySettings(allowed_hosts=[f"{HOST}:{port}"], allowed_origins=[])
        manager = StreamableHTTPSessionManager(
            tool_server(self._desk_of_request), stateless=True, security_settings=security
        )
        await stack.enter_async_context(manager.run())

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                await self._answer(manager, scope, receive, send)

        config = uvicorn.Config(app, lifespan="off", log_config=None, timeout_graceful_shutdown=int(CLOSE_SECONDS))
        server = EmbeddedServer(config)
        serving = self._tasks.create_task(server.serve([web]))
        stack.push_async_callback(_ended, server, serving)
        listener = _bound(self._directory / SOCKET_NAME)
        stack.callback(listener.close)
        listening = self._tasks.create_task(self._listen(listener))
        stack.callback(listening.cancel)
        await server.ready.wait()
        url = f"http://{HOST}:{port}{PATH}"
        log.info("tools_offered", url=url)
        return url

    async def _answer(
        self, manager: "StreamableHTTPSessionManager", scope: Scope, receive: Receive, send: Send
    ) -> None:
        if scope["path"] != PATH:
            await PlainTextResponse("Not found.", status_code=404)(scope, receive, send)
        elif self._desk_of(Request(scope)) is None:
            log.warning("tools_refused", way="http")
            await PlainTextResponse(REFUSED, status_code=401)(scope, receive, send)
        elif scope["method"] == "POST" and not _is_bounded(Request(scope)):
            await PlainTextResponse(TOO_LARGE, status_code=413)(scope, receive, send)
        else:
            await manager.handle_request(scope, receive, send)

    def _desk_of_request(self, context: "Context") -> ToolDesk | None:
        request: Any = context.request
        return self._desk_of(request) if isinstance(request, Request) else None

    def _desk_of(self, request: Request) -> ToolDesk | None:
        holder = self._tokens.holder(_bearer(request))
        return None if holder is None or holder.is_of_session is not None else holder.desk

    async def _listen(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._room.acquire()
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError as error:  # of a client that left, or of a process with too many open files
                log.warning("tools_not_accepted", failure=str(error))
                self._room.release()
                await asyncio.sleep(ACCEPT_PAUSE_SECONDS)
                continue
            task = self._tasks.create_task(self._served(connection))
            self._connections.add(task)
            task.add_done_callback(self._left)

    def _left(self, connection: "asyncio.Task[None]") -> None:
        self._connections.discard(connection)
        self._room.release()

    async def _served(self, connection: socket.socket) -> None:
        from mama_bot.team_tools.line_streams import served_lines
        from mama_bot.team_tools.mcp_server import tool_server

        process = _peer(connection)
        reader, writer = await asyncio.open_unix_connection(sock=connection, limit=LONGEST_LINE)
        try:
            async with asyncio.timeout(TOKEN_SECONDS):
                token = (await reader.readline()).decode("utf-8", "replace").strip()
            holder = self._tokens.holder(token)
            if holder is None or (holder.is_of_session is not None and not holder.is_of_session(process)):
                log.warning("tools_refused", way="socket", process=process)
                return
            await served_lines(tool_server(lambda _: self._desk_of_token(token)), reader, writer)
        except Exception as error:  # noqa: BLE001 - one odd client must not end the service
            log.warning("tools_connection_lost", failure=f"{type(error).__name__}: {error}")
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    def _desk_of_token(self, token: str) -> ToolDesk | None:
        """Return the desk of a token as it is now: a connection outlives its session sometimes."""
        holder = self._tokens.holder(token)
        return None if holder is None else holder.desk


async def _ended(server: EmbeddedServer, serving: "asyncio.Task[None]") -> None:
    server.stop()
    await asyncio.wait([serving])


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _is_bounded(request: Request) -> bool:
    length = request.headers.get("content-length", "")
    in_pieces = "transfer-encoding" in request.headers  # then the length says nothing
    return not in_pieces and length.isdecimal() and int(length[:20]) <= LONGEST_LINE


def _bound(path: Path) -> socket.socket:
    """Return a socket for this user alone: nobody connects before it listens, and then its mode is set."""
    path.unlink(missing_ok=True)  # of a life that was killed: the directory is this process's alone
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.setblocking(False)
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen(MOST_AT_ONCE)
    return listener


def _peer(connection: socket.socket) -> int:
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return int(struct.unpack("3i", credentials)[0])
