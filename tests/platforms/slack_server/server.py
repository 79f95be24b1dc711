"""The server itself: routes, and the methods by which a test plays people and the weather."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from tests.platforms.pickiness import Pickiness
from tests.platforms.slack_server.faults import Fault, Faults, Manner
from tests.platforms.slack_server.routes import ResponseUrl, Routes
from tests.platforms.slack_server.sockets import Envelope, Sockets
from tests.platforms.slack_server.web_api import WebApi
from tests.platforms.slack_server.workspace import Channel, Ephemeral, JsonObject, SlackApp, Workspace, escaped, stamp
from tests.platforms.standstill import Standstill


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person wrote: its time stamp, and the envelopes that tell of it."""

    channel: str
    ts: str
    envelopes: tuple[Envelope, ...]

    async def settled(self, *, attempts: int = 1) -> bool:
        """Wait until every envelope is acknowledged (True), or one was not within so many attempts (False)."""
        return all([await envelope.settled(attempts=attempts) for envelope in self.envelopes])


class SlackServer:
    """A workspace with one app ("mama"), two people (`person`, `other`), a channel and a direct conversation."""

    def __init__(
        self, *, spawn: Callable[..., object], ack_seconds: float, redelivery_seconds: Sequence[float]
    ) -> None:
        self.sockets = Sockets(spawn=spawn, ack_seconds=ack_seconds, redelivery_seconds=redelivery_seconds)
        self.workspace = Workspace(tell=self._tell)
        self.api = WebApi(self.workspace)
        self.faults = Faults()
        self._response_urls: dict[str, ResponseUrl] = {}
        self.routes = Routes(
            workspace=self.workspace, api=self.api, faults=self.faults, sockets=self.sockets, urls=self._response_urls
        )
        self._sent: list[Envelope] = []
        self.app = self.workspace.add_app("mama")
        self.person, self.other = "U0ALICE", "U0BOB"
        self.workspace.add_user(self.person, "alice")
        self.workspace.add_user(self.other, "bob")
        self.channel = self.workspace.add_channel("C0GENERAL", "general", list(self.workspace.users))
        self.direct = self.workspace.direct_channel(self.person, self.app)

    @property
    def standstill(self) -> Standstill:
        """What holds every call of the Web API up."""
        return self.routes.standstill

    @property
    def pickiness(self) -> Pickiness:
        """What it never takes."""
        return self.routes.pickiness

    @property
    def downloads(self) -> list[str]:
        """The tokens with which files were asked for."""
        return self.routes.downloads

    @property
    def api_url(self) -> str:
        """What the clients are given as the base of the Web API."""
        return f"{self.api.address}/api/"

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
        return self._press(channel, ts, action_id, who, str(message.get("thread_ts") or ""), message, app or self.app)

    def press_shown(self, shown: Ephemeral, action_id: str) -> Envelope:
        """Whoever alone was shown something presses a button of it: Slack tells no message then."""
        return self._press(shown.channel, shown.at, action_id, shown.user, shown.thread, None, self.app)

    def _press(
        self,
        channel: str,
        ts: str,
        action_id: str,
        who: str,
        thread: str,
        message: JsonObject | None,
        app: SlackApp,
    ) -> Envelope:
        action = {"type": "button", "action_id": action_id, "block_id": "b", "action_ts": self.workspace.next_ts()}
        container = {"type": "message", "message_ts": ts, "channel_id": channel, "is_ephemeral": message is None}
        payload: JsonObject = {
            "type": "block_actions",
            "user": {"id": who, "username": self.workspace.users[who]["name"], "team_id": self.workspace.team_id},
            "api_app_id": app.app_id,
            "team": {"id": self.workspace.team_id, "domain": "team"},
            "channel": {"id": channel, "name": self.workspace.channels[channel].name},
            "container": container | ({"thread_ts": thread} if thread else {}),
            **({} if message is None else {"message": message}),
            "trigger_id": "1.2.3",
            "response_url": self._response_url(channel, who, thread),
            "actions": [action],
        }
        return self.sockets.send(app, "interactive", payload)

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

    def write_untold(
        self,
        text: str,
        *,
        channel: Channel | None = None,
        mention: SlackApp | None = None,
        thread: str = "",
        ts: str = "",
    ) -> str:
        """A person writes, and no app is told of it any more: it was tried in vain before. Returns its time stamp."""
        where = channel or self.channel
        message: JsonObject = {"type": "message", "ts": ts or self.workspace.next_ts(), "team": self.workspace.team_id}
        message |= {"user": self.person, "text": f"{mention.mention()} {text}" if mention else text}
        message |= {"thread_ts": thread} if thread else {}
        self.workspace.messages[where.id, message["ts"]] = message
        return str(message["ts"])

    def shown(self, channel: str, *, thread: str = "") -> list[str]:
        """What apps have posted in a channel or one of its threads, and what one person was shown, in order."""
        posts = [
            (stamp(message), "\n".join([message.get("text", ""), *self._files_of(message)]))
            for (where, _), message in self.workspace.messages.items()
            if where == channel and message.get("bot_id") and message.get("thread_ts", "") == thread
        ]
        alone = [
            (stamp({"ts": one.at}), one.text)
            for one in self.workspace.ephemerals
            if one.channel == channel and one.thread in ("", thread)
        ]
        return [text for _, text in sorted(posts + alone)]

    def _files_of(self, message: JsonObject) -> list[str]:
        uploads = [self.api.uploads[file["id"]] for file in message.get("files", [])]
        return [upload["content"].decode(errors="replace") for upload in uploads]

    def called(self, method: str) -> list[JsonObject]:
        """The arguments of every call of a method, those that failed included."""
        return [arguments for name, arguments in self.routes.calls if name == method]

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

    def expire_response_urls(self) -> None:
        """More than half an hour goes by."""
        self._response_urls.clear()

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
        self._response_urls[key] = ResponseUrl(channel=channel, user=user, thread=thread)
        return f"{self.api.address}/response/{key}"


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
        runner = web.AppRunner(server.routes.application(), shutdown_timeout=0.1, access_log=None)
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
