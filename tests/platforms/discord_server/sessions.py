"""The gateway's websocket: sessions that can be resumed, heartbeats, intents."""

import json
import zlib
from collections.abc import Callable

from aiohttp import WSMsgType, web

from tests.platforms.discord_server.refusals import Json
from tests.platforms.discord_server.world import CONTENT_FLAG, MESSAGE_CONTENT_INTENT, World

DISPATCH, HEARTBEAT, IDENTIFY, RESUME, RECONNECT = 0, 1, 2, 6, 7
INVALID_SESSION, HELLO, ACKNOWLEDGED = 9, 10, 11
BAD_TOKEN, NOT_ALLOWED_INTENTS, UNDECODABLE = 4004, 4014, 4002
MESSAGES, DIRECT_MESSAGES = 1 << 9, 1 << 12


class Socket:
    """One websocket, plain or compressed with one zlib stream."""

    def __init__(self, websocket: web.WebSocketResponse, request: web.Request) -> None:
        self.websocket = websocket
        self._request = request
        self._zlib = zlib.compressobj() if request.query.get("compress") == "zlib-stream" else None

    async def send(self, payload: object) -> None:
        """Send a frame; a socket that is gone takes nothing."""
        text = payload if isinstance(payload, str) else json.dumps(payload)
        try:
            if self._zlib is None:
                await self.websocket.send_str(text)
            else:
                data = self._zlib.compress(text.encode()) + self._zlib.flush(zlib.Z_SYNC_FLUSH)
                await self.websocket.send_bytes(data)
        except (ConnectionError, RuntimeError):
            return

    def abort(self) -> None:
        """Cut the connection without a word."""
        if self._request.transport is not None:
            self._request.transport.abort()


class Session:
    """What a client identified for; lives on when its socket is gone."""

    def __init__(self, session_id: str, bot: Json, intents: int, socket: Socket) -> None:
        self.id = session_id
        self.bot = bot
        self.intents = intents
        self.socket: Socket | None = socket
        self.sequence = 0
        self.journal: list[Json] = []

    async def dispatch(self, name: str, payload: object) -> None:
        """Tell an event, now or when the session is resumed."""
        self.sequence += 1
        frame = {"op": DISPATCH, "t": name, "s": self.sequence, "d": payload}
        self.journal.append(frame)
        if self.socket is not None:
            await self.socket.send(frame)


class Sessions:
    """All sessions; `silent` keeps sockets open and says nothing on them.

    Whoever resumes an unknown session is told that it is invalid, or is sent away with `unknown_closes`, or with
    `unknown_ignored` hears nothing but acknowledged heartbeats.
    """

    def __init__(self, world: World, url: Callable[[], str]) -> None:
        self._world = world
        self._url = url
        self.live: dict[str, Session] = {}
        self.heartbeat_milliseconds = 41_250
        self.silent = False
        self.accepting = True
        self.unknown_closes = 0
        self.unknown_ignored = False
        self.resume_url = ""
        self.identified = 0
        self.resumed = 0
        self.intents: list[int] = []

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection, until it ends."""
        if not self.accepting:
            return web.Response(status=503)
        websocket = web.WebSocketResponse(max_msg_size=0)
        await websocket.prepare(request)
        socket = Socket(websocket, request)
        await socket.send(_frame(HELLO, {"heartbeat_interval": self.heartbeat_milliseconds}))
        async for message in websocket:
            if message.type is not WSMsgType.TEXT or not await self._take(socket, message.data):
                break
        for session in self.live.values():
            if session.socket is socket:
                session.socket = None
        return websocket

    async def _take(self, socket: Socket, data: str) -> bool:
        if self.silent:
            return True
        try:
            frame = json.loads(data)
            kind, body = frame["op"], frame.get("d")
        except (ValueError, KeyError, TypeError):
            await socket.websocket.close(code=UNDECODABLE)
            return False
        if kind == HEARTBEAT:
            await socket.send(_frame(ACKNOWLEDGED, None))
        elif kind == IDENTIFY:
            return await self._identify(socket, body)
        elif kind == RESUME:
            return await self._resume(socket, body)
        return True

    async def _identify(self, socket: Socket, body: Json) -> bool:
        self.intents.append(body["intents"])
        user_id = self._world.tokens.get(body["token"])
        if user_id is None:
            await socket.websocket.close(code=BAD_TOKEN)
            return False
        if body["intents"] & MESSAGE_CONTENT_INTENT and not self._world.content_allowed:
            await socket.websocket.close(code=NOT_ALLOWED_INTENTS)
            return False
        self.identified += 1
        bot = self._world.users[user_id]
        session = Session(self._world.snowflake(), bot, body["intents"], socket)
        self.live[session.id] = session
        guild = self._world.guild()
        ready = {
            "v": 10,
            "user": bot,
            "guilds": [{"id": guild["id"], "unavailable": True}],
            "session_id": session.id,
            "resume_gateway_url": self.resume_url or self._url(),
            "application": {"id": self._world.application_id, "flags": CONTENT_FLAG},
            "private_channels": [],
        }
        await session.dispatch("READY", ready)
        await session.dispatch("GUILD_CREATE", guild)
        return True

    async def _resume(self, socket: Socket, body: Json) -> bool:
        session = self.live.get(body["session_id"])
        if session is None or body["token"] not in self._world.tokens:
            if self.unknown_ignored:
                return True
            if self.unknown_closes:
                await socket.websocket.close(code=self.unknown_closes)
                return False
            await socket.send(_frame(INVALID_SESSION, payload=False))
            return True
        self.resumed += 1
        session.socket = socket
        for frame in [one for one in session.journal if one["s"] > (body["seq"] or 0)]:
            await socket.send(frame)
        await session.dispatch("RESUMED", {"_trace": []})
        return True

    async def tell(self, name: str, payload: object, *, readers: set[str] | None = None) -> None:
        """An event to every session that may see it."""
        if self.silent:
            return
        for session in list(self.live.values()):
            if readers is not None and session.bot["id"] not in readers:
                continue
            await session.dispatch(name, payload)

    async def tell_message(self, name: str, message: Json) -> None:
        """A message, without its words for who lacks the intent, unless it is theirs, to them or direct."""
        readers = self._world.audience(message["channel_id"])
        if self.silent:
            return
        for session in list(self.live.values()):
            bot = session.bot["id"]
            if readers is not None and bot not in readers:
                continue
            if not session.intents & (DIRECT_MESSAGES if readers is not None else MESSAGES):
                continue
            mentioned = any(user["id"] == bot for user in message["mentions"])
            open_to = readers is not None or mentioned or message["author"]["id"] == bot
            payload = self._world.event_of(message)
            if not open_to and not session.intents & MESSAGE_CONTENT_INTENT:
                payload = {**payload, "content": "", "embeds": [], "attachments": [], "components": []}
            await session.dispatch(name, payload)

    async def say(self, kind: int, payload: object = None) -> None:
        """A frame that is no event, to every open socket."""
        for session in list(self.live.values()):
            if session.socket is not None:
                await session.socket.send(_frame(kind, payload))

    async def close(self, code: int) -> None:
        """Close every socket with a code."""
        for session in list(self.live.values()):
            if session.socket is not None:
                await session.socket.websocket.close(code=code)

    def abort(self) -> None:
        """Cut every socket."""
        for session in list(self.live.values()):
            if session.socket is not None:
                session.socket.abort()


def _frame(kind: int, payload: object) -> Json:
    return {"op": kind, "d": payload, "s": None, "t": None}
