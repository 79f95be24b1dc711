"""The server itself: routes, and the methods by which a test plays people and the weather."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from mama_bot.testing.slack_server.faults import Fault, Faults, Manner
from mama_bot.testing.slack_server.sockets import Envelope, Sockets
from mama_bot.testing.slack_server.web_api import WebApi
from mama_bot.testing.slack_server.workspace import Channel, JsonObject, Refused, SlackApp, Workspace, escaped, stamp

RESPONSE_URL_USES = 5
_JSON_ARGUMENTS = frozenset({"blocks", "files", "metadata", "view", "attachments"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person wrote: its time stamp, and the envelopes that tell of it."""

    channel: str
    ts: str
    envelopes: tuple[Envelope, ...]

    async def settled(self, *, attempts: int = 1) -> bool:
        """Wait until every envelope is acknowledged (True), or one was not within so many attempts (False)."""
        return all([await envelope.settled(attempts=attempts) for envelope in self.envelopes])


@dataclass(slots=True, kw_only=True)
class _ResponseUrl:
    channel: str
    user: str
    thread: str
    left: int = RESPONSE_URL_USES


class SlackServer:
    """A workspace with one app ("mama"), two people (`person`, `other`), a channel and a direct conversation."""

    def __init__(
        self, *, spawn: Callable[..., object], ack_seconds: float, redelivery_seconds: Sequence[float]
    ) -> None:
        self.sockets = Sockets(spawn=spawn, ack_seconds=ack_seconds, redelivery_seconds=redelivery_seconds)
        self.workspace = Workspace(tell=self._tell)
        self.api = WebApi(self.workspace)
        self.faults = Faults()
        self.calls: list[tuple[str, JsonObject]] = []
        self.downloads: list[str] = []
        self._response_urls: dict[str, _ResponseUrl] = {}
        self._sent: list[Envelope] = []
        self.app = self.workspace.add_app("mama")
        self.person, self.other = "U0ALICE", "U0BOB"
        self.workspace.add_user(self.person, "alice")
        self.workspace.add_user(self.other, "bob")
        self.channel = self.workspace.add_channel("C0GENERAL", "general", list(self.workspace.users))
        self.direct = self.workspace.direct_channel(self.person, self.app)

    @property
    def api_url(self) -> str:
        """What the clients are given as the base of the Web API."""
        return f"{self.api.address}/api/"

    def application(self) -> web.Application:
        """The routes."""
        application = web.Application(client_max_size=2**26)
        application.router.add_route("*", "/api/{method}", self._call)
        application.router.add_get("/link/{app_id}", self._link)
        application.router.add_post("/upload/{file_id}", self._upload)
        application.router.add_get("/files/{file_id}", self._download)
        application.router.add_get("/login", self._login)
        application.router.add_post("/response/{key}", self._respond)
        return application

    # What people do.

    def say(
        self,
        text: str,
        *,
        channel: Channel | None = None,
        user: str = "",
        mention: SlackApp | None = None,
        thread: str = "",
        files: Sequence[JsonObject] = (),
        ts: str = "",
        raw: bool = False,
    ) -> Said:
        """A person writes a text (`raw`: in Slack's own markup already), behind a mention of an app."""
        where = channel or self.channel
        written = text if raw else escaped(text)
        message: JsonObject = {
            "user": user or self.person,
            "text": f"{mention.mention()} {written}" if mention else written,
            "client_msg_id": str(uuid.uuid4()),
        }
        message |= {"thread_ts": thread} if thread else {}
        message |= {"files": list(files), "subtype": "file_share"} if files else {}
        self._sent = []
        made = self.workspace.add_message(where, message, ts=ts)
        return Said(channel=where.id, ts=made["ts"], envelopes=tuple(self._sent))

    def tell_again(self, said: Said) -> Said:
        """Slack tells of a message again, in new envelopes."""
        self._sent = []
        channel = self.workspace.channels[said.channel]
        self.workspace.tell_message(channel, self.workspace.message(said.channel, said.ts))
        return Said(channel=said.channel, ts=said.ts, envelopes=tuple(self._sent))

    def say_as_bot(
        self, text: str, *, channel: Channel | None = None, bot_id: str = "B0OTHER", thread: str = ""
    ) -> Said:
        """An app that is not installed here writes by a webhook, in Slack's own markup."""
        message: JsonObject = {"subtype": "bot_message", "bot_id": bot_id, "username": "Other bot", "text": text}
        message |= {"thread_ts": thread} if thread else {}
        self._sent = []
        where = channel or self.channel
        made = self.workspace.add_message(where, message)
        return Said(channel=where.id, ts=made["ts"], envelopes=tuple(self._sent))

    def edit(self, said: Said, text: str, *, mention: SlackApp | None = None) -> Said:
        """The person edits a message."""
        written = f"{mention.mention()} {escaped(text)}" if mention else escaped(text)
        return self._change(said, {"text": written})

    def unfurl(self, said: Said) -> Said:
        """Slack changes a message without changing its words."""
        return self._change(said, {"attachments": [{"title": "a preview"}]})

    def delete(self, said: Said) -> Said:
        """The person deletes a message."""
        self._sent = []
        self.workspace.delete_message(self.workspace.channels[said.channel], said.ts)
        return Said(channel=said.channel, ts=said.ts, envelopes=tuple(self._sent))

    def file(self, name: str, media_type: str, content: bytes) -> JsonObject:
        """A file that a person put on the platform, to be given to `say`."""
        file_id = f"F{self.workspace.next_number():06d}"
        upload = {"id": file_id, "name": name, "mimetype": media_type, "size": len(content), "content": content}
        self.api.uploads[file_id] = upload
        return self.api.public(upload)

    def press(self, channel: str, ts: str, action_id: str, *, user: str = "", app: SlackApp | None = None) -> Envelope:
        """A person presses a button of a message."""
        message, who = self.workspace.message(channel, ts), user or self.person
        thread = str(message.get("thread_ts") or "")
        action = {"type": "button", "action_id": action_id, "block_id": "b", "action_ts": self.workspace.next_ts()}
        container = {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": False}
        payload: JsonObject = {
            "type": "block_actions",
            "user": {"id": who, "username": self.workspace.users[who]["name"], "team_id": self.workspace.team_id},
            "api_app_id": (app or self.app).app_id,
            "team": {"id": self.workspace.team_id, "domain": "team"},
            "channel": {"id": channel, "name": self.workspace.channels[channel].name},
            "container": container | ({"thread_ts": thread} if thread else {}),
            "message": message,
            "trigger_id": "1.2.3",
            "response_url": self._response_url(channel, who, thread),
            "actions": [action],
        }
        return self.sockets.send(app or self.app, "interactive", payload)

    def slash(self, command: str, text: str = "", *, channel: Channel | None = None, user: str = "") -> Envelope:
        """A person gives a slash command; they come from no thread, ever."""
        where, who = channel or self.channel, user or self.person
        payload: JsonObject = {
            "command": command,
            "text": text,
            "team_id": self.workspace.team_id,
            "team_domain": "team",
            "channel_id": where.id,
            "channel_name": "directmessage" if where.direct else where.name,
            "user_id": who,
            "user_name": self.workspace.users[who]["name"],
            "api_app_id": self.app.app_id,
            "is_enterprise_install": "false",
            "trigger_id": "1.2.3",
            "response_url": self._response_url(where.id, who, ""),
        }
        return self.sockets.send(self.app, "slash_commands", payload)

    def send_event(self, event: object) -> Envelope:
        """Any event, well formed or not."""
        return self.sockets.send(self.app, "events_api", self._callback(event))

    def remove_from(self, channel: Channel, app: SlackApp | None = None) -> None:
        """The app is removed from a channel."""
        removed = app or self.app
        event = {"type": "member_left_channel", "user": removed.user_id, "channel": channel.id}
        self._tell(event | {"event_ts": self.workspace.next_ts()}, [removed.app_id])
        channel.members.discard(removed.user_id)

    # What a reader sees.

    def shown(self, channel: str, *, thread: str = "") -> list[str]:
        """What apps have posted in a channel or one of its threads, and what one person was shown, in order."""
        posts = [
            (stamp(message), message.get("text", ""))
            for (where, _), message in self.workspace.messages.items()
            if where == channel and message.get("bot_id") and message.get("thread_ts", "") == thread
        ]
        alone = [
            (stamp({"ts": one.at}), one.text)
            for one in self.workspace.ephemerals
            if one.channel == channel and one.thread in ("", thread)
        ]
        return [text for _, text in sorted(posts + alone)]

    def called(self, method: str) -> list[JsonObject]:
        """The arguments of every call of a method, those that failed included."""
        return [arguments for name, arguments in self.calls if name == method]

    # The weather.

    def fail(
        self,
        method: str,
        error: str = "",
        *,
        status: int = 200,
        retry_after: int | None = None,
        times: int = 1,
        manner: Manner = Manner.REFUSED,
    ) -> Fault:
        """Let the next calls of a method fail."""
        fault = Fault(method=method, error=error, status=status, retry_after=retry_after, times=times, manner=manner)
        return self.faults.add(fault)

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask an app to connect anew, as Slack does every few hours."""
        frame = {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink-1"}}
        await self.sockets.frame(self.app, json.dumps(frame))

    def cut(self) -> None:
        """Reset every connection."""
        for socket in list(self.sockets.open):
            if socket.request.transport is not None:
                socket.request.transport.abort()

    def fall_silent(self) -> None:
        """The websockets stay open, and nothing comes through them any more."""
        for socket in self.sockets.open:
            socket.silent = True

    def _change(self, said: Said, changes: JsonObject) -> Said:
        self._sent = []
        channel = self.workspace.channels[said.channel]
        self.workspace.change_message(channel, said.ts, changes, by=self.person)
        return Said(channel=said.channel, ts=said.ts, envelopes=tuple(self._sent))

    def _tell(self, event: JsonObject, only: Sequence[str] | None) -> None:
        channel = self.workspace.channels[event["channel"]]
        for app in self.workspace.apps.values():
            wanted = app.app_id in only if only is not None else app.user_id in channel.members
            if wanted and app is self.app:
                self._sent.append(self.sockets.send(app, "events_api", self._callback(event)))

    def _callback(self, event: object) -> JsonObject:
        return {
            "token": "verification",
            "team_id": self.workspace.team_id,
            "api_app_id": self.app.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": f"Ev{uuid.uuid4().hex[:9].upper()}",
            "event_time": 1_700_000_000,
            "authorizations": [{"team_id": self.workspace.team_id, "user_id": self.app.user_id, "is_bot": True}],
        }

    def _response_url(self, channel: str, user: str, thread: str) -> str:
        key = uuid.uuid4().hex
        self._response_urls[key] = _ResponseUrl(channel=channel, user=user, thread=thread)
        return f"{self.api.address}/response/{key}"

    # The routes.

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method, arguments = request.match_info["method"], await _arguments(request)
        self.calls.append((method, arguments))
        fault = self.faults.next(method)
        if fault is not None and fault.manner is Manner.SILENT:
            await asyncio.sleep(3600)
        if fault is not None and fault.manner is Manner.REFUSED:
            return _refusal(fault)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        answer, scopes = self._answer(method, token, arguments)
        if fault is not None:
            if request.transport is not None:
                request.transport.abort()
            raise web.HTTPServiceUnavailable
        return web.json_response(answer, headers={"X-OAuth-Scopes": ",".join(scopes)} if scopes else None)

    def _answer(self, method: str, token: str, arguments: JsonObject) -> tuple[JsonObject, Sequence[str]]:
        try:
            if method == "apps.connections.open":
                app = self._app_of(token, "app_token")
                return {"ok": True, "url": f"{self.api.address.replace('http', 'ws', 1)}/link/{app.app_id}"}, ()
            app = self._app_of(token, "bot_token")
            return {"ok": True} | self.api.call(method, app, arguments), app.scopes
        except Refused as refused:
            return {"ok": False, "error": refused.error} | refused.facts, ()

    def _app_of(self, token: str, kind: str) -> SlackApp:
        for app in self.workspace.apps.values():
            if getattr(app, kind) == token:
                if app.app_token_revoked if kind == "app_token" else app.revoked:
                    raise Refused("token_revoked" if kind == "bot_token" else "invalid_auth")
                return app
        known = [value for app in self.workspace.apps.values() for value in (app.bot_token, app.app_token)]
        raise Refused("not_allowed_token_type" if token in known else "invalid_auth")

    async def _link(self, request: web.Request) -> web.StreamResponse:
        return await self.sockets.serve(request, self.workspace.apps[request.match_info["app_id"]])

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        upload = self.api.uploads[request.match_info["file_id"]]
        upload["content"] = await request.read()
        return web.Response(text=f"OK - {len(upload['content'])}")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.downloads.append(token)
        try:
            app = self._app_of(token, "bot_token")
        except Refused:
            raise web.HTTPFound("/login") from None
        if "files:read" not in app.scopes:
            raise web.HTTPFound("/login")
        return web.Response(body=self.api.uploads[request.match_info["file_id"]]["content"])

    async def _login(self, request: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>Sign in to Slack</html>", content_type="text/html")

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        url, body = self._response_urls.get(request.match_info["key"]), await request.json()
        if url is None or url.left <= 0:
            raise web.HTTPNotFound(text="used_url" if url is not None else "expired_url")
        url.left -= 1
        self.workspace.show_to(url.user, url.channel, body.get("text", ""), thread=url.thread)
        return web.Response(text="ok")


async def _arguments(request: web.Request) -> JsonObject:
    """What a call says: in the query, a form or as JSON."""
    arguments: JsonObject = dict(request.query)
    if request.can_read_body:
        if request.content_type == "application/json":
            arguments |= await request.json()
        else:
            arguments |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    for name in _JSON_ARGUMENTS & arguments.keys():
        if isinstance(arguments[name], str):
            arguments[name] = json.loads(arguments[name])
    return arguments


def _refusal(fault: Fault) -> web.Response:
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    if fault.status >= 500:
        return web.Response(status=fault.status, text="<html>Server error</html>", content_type="text/html")
    error = fault.error or ("ratelimited" if fault.status == 429 else "access_denied")
    return web.json_response({"ok": False, "error": error}, status=fault.status, headers=headers)


@asynccontextmanager
async def slack_server(
    *, ack_seconds: float = 3.0, redelivery_seconds: Sequence[float] = (0, 60, 300)
) -> AsyncIterator[SlackServer]:
    """A running server on a free port of the loopback address."""
    async with asyncio.TaskGroup() as group:
        tasks: set[asyncio.Task[None]] = set()

        def spawn(work: Coroutine[None, None, None]) -> None:
            task = group.create_task(work)
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        server = SlackServer(spawn=spawn, ack_seconds=ack_seconds, redelivery_seconds=redelivery_seconds)
        runner = web.AppRunner(server.application(), shutdown_timeout=0.1, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        server.api.address = f"http://127.0.0.1:{port}"
        try:
            yield server
        finally:
            for socket in list(server.sockets.open):
                await socket.stream.close()
            await runner.cleanup()
            for task in list(tasks):
                task.cancel()
