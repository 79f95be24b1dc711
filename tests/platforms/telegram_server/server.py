"""The server itself, and what tests let people do there."""

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.platforms.pickiness import Pickiness
from tests.platforms.standstill import Standstill
from tests.platforms.telegram_server.methods import Methods
from tests.platforms.telegram_server.people import People
from tests.platforms.telegram_server.wire import ApiError, Json, Request, answered, read_request, refused
from tests.platforms.telegram_server.world import Bot, World

MOST_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Call:
    """A call that came in; polls are left out."""

    bot: str
    method: str
    fields: Json


@dataclass(slots=True)
class Fault:
    """What goes wrong with the next calls of a method: a refusal, or with status 0 a connection that breaks.

    `carried_out`: the call takes effect all the same, and only its answer is lost; `http_status` differs from `status`
    where a proxy stands between.
    """

    method: str
    status: int
    description: str = ""
    count: int = 1
    carried_out: bool = False
    bot: str = ""
    http_status: int = 0
    parameters: dict[str, int] = field(default_factory=dict)


class TelegramServer(People):
    """A Bot API server on a free port of this machine: `async with TelegramServer() as server`.

    `silent` makes it accept polls and never answer; `files_open` cleared holds every download back.
    """

    def __init__(self) -> None:
        world = World()
        methods = Methods(world, now=time.monotonic)
        super().__init__(world, methods.sending)
        self._methods = methods
        self._runner: web.AppRunner | None = None
        self._polls: dict[int, web.Request] = {}
        self.url = ""
        self.calls: list[Call] = []
        self.faults: deque[Fault] = deque()
        self.silent = False
        self.standstill = Standstill()
        self.pickiness = Pickiness()
        self.files_open = asyncio.Event()
        self.files_open.set()

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=MOST_BYTES)
        application.router.add_route("*", "/bot{token}/{method}", self._api)
        application.router.add_get("/file/bot{token}/documents/{file}", self._download)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.01)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop_connections()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def api_url(self) -> str:
        """What stands before the token in the address of a method."""
        return f"{self.url}/bot"

    @property
    def files_url(self) -> str:
        """What stands before the token in the address of a file."""
        return f"{self.url}/file/bot"

    def fail_next(self, method: str, status: int, description: str = "", **parameters: int) -> Fault:
        """Refuse the next call of a method; 0: break its connection. The fault can be changed further."""
        fault = Fault(method=method, status=status, description=description, parameters=parameters)
        self.faults.append(fault)
        return fault

    def drop_connections(self) -> None:
        """Break every running poll."""
        for request in list(self._polls.values()):
            if request.transport is not None:
                request.transport.abort()

    def called(self, method: str) -> list[Call]:
        """The calls of a method, in order."""
        return [call for call in self.calls if call.method == method]

    async def _api(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        try:
            bot = self._bot(request.match_info["token"])
            read = await read_request(request)
            await self.standstill.over()
            if self.pickiness.refuses(read.text("text"), with_file=bool(read.uploads)):
                return refused(ApiError(500, "Internal Server Error"))
            if method.lower() == "getupdates":
                return await self._poll(request, bot, method, read)
            self.calls.append(Call(bot=bot.username, method=method, fields=read.fields))
            return answered(await self._call(bot, method, read))
        except ApiError as error:
            if error.status == 0 and request.transport is not None:
                request.transport.abort()
            return refused(error)

    async def _poll(self, request: web.Request, bot: Bot, method: str, read: Request) -> web.StreamResponse:
        self._polls[id(request)] = request
        try:
            if self.silent:
                await asyncio.Event().wait()
            return answered(await self._call(bot, method, read))
        finally:
            self._polls.pop(id(request), None)

    async def _call(self, bot: Bot, method: str, read: Request) -> object:
        for fault in self.faults:
            if fault.method.lower() == method.lower() and fault.bot in {"", bot.username} and fault.count > 0:
                fault.count -= 1
                if fault.carried_out:
                    await self._methods.call(bot, method, read)
                description = fault.description or f"Error {fault.status}"
                raise ApiError(fault.status, description, http_status=fault.http_status, **fault.parameters)
        return await self._methods.call(bot, method, read)

    def _bot(self, token: str) -> Bot:
        bot = self.world.bots.get(token)
        if bot is None or bot.revoked:
            raise ApiError(401, "Unauthorized") if ":" in token else ApiError(404, "Not Found")
        return bot

    async def _download(self, request: web.Request) -> web.StreamResponse:
        try:
            self._bot(request.match_info["token"])
        except ApiError as error:
            return refused(error)
        upload = self.world.files.get(request.match_info["file"])
        if upload is None:
            return refused(ApiError(404, "Not Found"))
        response = web.StreamResponse()
        response.content_length = len(upload.content)
        await response.prepare(request)
        half = len(upload.content) // 2
        await response.write(upload.content[:half])
        await self.files_open.wait()
        await response.write(upload.content[half:])
        await response.write_eof()
        return response
