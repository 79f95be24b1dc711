"""The server itself, and what a test does to it."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.platforms.discord_server.hooks import HookRoutes
from tests.platforms.discord_server.limits import RateLimits, answer, too_many
from tests.platforms.discord_server.messages import MessageRoutes
from tests.platforms.discord_server.places import PlaceRoutes
from tests.platforms.discord_server.refusals import Json, Refused
from tests.platforms.discord_server.sessions import INVALID_SESSION, RECONNECT, Sessions
from tests.platforms.discord_server.shapes import File, Interaction, Shown
from tests.platforms.discord_server.world import World
from tests.platforms.pickiness import Pickiness
from tests.platforms.standstill import Standstill

API = "/api/v10"
SLASH, BUTTON = 2, 3
MAX_REQUEST_BYTES = 25 * 2**20


@dataclass(slots=True)
class _Fault:
    status: int
    match: str
    left: int
    retry_after: float
    everywhere: bool
    done: bool


class DiscordServer:
    """One Discord server with a bot (`token`), a person and a channel, from `url` while its block runs."""

    def __init__(self, *, token: str = "bot-token") -> None:
        self.world = World()
        self.sessions = Sessions(self.world, lambda: self.gateway_url)
        self.limits = RateLimits()
        self.standstill = Standstill()
        self.pickiness = Pickiness()
        self._messages = MessageRoutes(self.world, self.sessions)
        self._faults: list[_Fault] = []
        self.requests: list[str] = []
        self.origin = ""
        self.token = token
        self.person = self.world.add_user("alice", shown="Alice")
        self.bot = self.add_bot("mama", token)
        self.channel = self.world.add_channel("general")
        self._runner: web.AppRunner | None = None

    @property
    def api_url(self) -> str:
        """The base of the REST API."""
        return f"{self.origin}{API}"

    @property
    def gateway_url(self) -> str:
        """Where the websocket is."""
        return f"{self.origin.replace('http', 'ws', 1)}/gateway"

    async def __aenter__(self) -> Self:
        application = web.Application(middlewares=[self._guard], client_max_size=MAX_REQUEST_BYTES)
        places, hooks = PlaceRoutes(self.world, self.sessions), HookRoutes(self.world, self.sessions)
        for route in (*self._messages.routes(), *places.routes(), *hooks.routes()):
            application.router.add_route(route.method, f"{API}{route.path}", route.handler)
        application.router.add_get("/gateway", self.sessions.serve)
        application.router.add_get("/gateway/", self.sessions.serve)
        application.router.add_get("/attachments/{channel}/{file}/{name}", self._file)
        self._runner = web.AppRunner(application, shutdown_timeout=0.5)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.origin = self.world.files_url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.sessions.abort()
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _guard(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        if not request.path.startswith(API):
            return await handler(request)
        line = f"{request.method} {request.path.removeprefix(API)}"
        self.requests.append(line)
        await self.standstill.over()
        with_file = request.content_type.startswith("multipart/")
        said = "" if with_file or request.method != "POST" else await request.text()
        if self.pickiness.refuses(said, with_file=with_file):
            return answer({"code": 0, "message": "500: Internal Server Error"}, 500)
        fault = self._fault_for(line)
        if fault is not None and not fault.done:
            return self._refusal(fault)
        route = request.match_info.route.resource
        major = "".join(request.match_info.get(name, "") for name in ("channel", "webhook", "token"))
        headers, wait = self.limits.take(f"{request.method} {route.canonical if route else ''}", major)
        if wait:
            return too_many(wait, headers)
        try:
            response = await handler(request)
        except Refused as refused:
            return answer(refused.body, refused.status, headers)
        if fault is not None:
            return self._refusal(fault)
        response.headers.update(headers)
        return response

    def _fault_for(self, line: str) -> _Fault | None:
        fault = next((one for one in self._faults if one.left and one.match in line), None)
        if fault is not None:
            fault.left -= 1
        return fault

    def _refusal(self, fault: _Fault) -> web.Response:
        if fault.status == 429:
            return too_many(fault.retry_after, {"Via": "1.1 google"}, everywhere=fault.everywhere)
        return answer({"code": 0, "message": "refused by the test"}, fault.status)

    async def _file(self, request: web.Request) -> web.Response:
        file = self.world.files.get(request.match_info["file"])
        if file is None:
            return web.Response(status=404)
        return web.Response(body=file.content, content_type=file.media_type.partition(";")[0])

    def add_bot(self, name: str, token: str) -> str:
        """Another bot, with a token of its own."""
        bot = self.world.add_user(name, bot=True)
        self.world.tokens[token] = bot
        return bot

    def refuse(
        self,
        status: int,
        match: str,
        *,
        times: int = 1,
        retry_after: float = 0.05,
        everywhere: bool = False,
        done: bool = False,
    ) -> None:
        """Refuse the next requests whose "METHOD /path" contains `match`; `done`: after having done what they ask."""
        self._faults.append(_Fault(status, match, times, retry_after, everywhere, done))

    def allow(self) -> None:
        """Refuse nothing any more."""
        self._faults.clear()

    async def say(
        self,
        text: str,
        *,
        channel: str = "",
        author: str = "",
        files: Iterable[File] = (),
        answers: str = "",
        told: bool = True,
        webhook: Json | None = None,
    ) -> str:
        """Somebody writes; with `told` False the gateway says nothing of it."""
        form: Json = {"content": text}
        if answers:
            form["message_reference"] = {"message_id": answers}
        who = self.world.users[author or self.person]
        if webhook is not None:
            who = {"id": webhook["id"], "username": webhook["name"], "discriminator": "0000", "bot": True}
        message = self.world.new_message(channel or self.channel, who, form, files, webhook=webhook)
        if told:
            await self.sessions.tell_message("MESSAGE_CREATE", message)
        return str(message["id"])

    async def repeat(self, message_id: str, *, channel: str = "") -> None:
        """Tell of a message once more."""
        message = self.world.message(channel or self.channel, message_id)
        await self.sessions.tell_message("MESSAGE_CREATE", message)

    async def edit(self, message_id: str, text: str, *, channel: str = "") -> None:
        """The author changes a message."""
        message = self.world.edit_message(self.world.message(channel or self.channel, message_id), {"content": text})
        await self.sessions.tell_message("MESSAGE_UPDATE", message)

    async def delete(self, message_id: str, *, channel: str = "") -> None:
        """The author deletes a message."""
        place = channel or self.channel
        self.world.messages[place].pop(message_id)
        readers = self.world.audience(place)
        await self.sessions.tell("MESSAGE_DELETE", {"id": message_id, "channel_id": place}, readers=readers)

    async def press(self, message_id: str, custom_id: str, *, channel: str = "", locale: str = "en-US") -> Interaction:
        """The person presses a button."""
        message = self.world.message(channel or self.channel, message_id)
        pressed = {"custom_id": custom_id, "component_type": 2}
        return await self._interact(BUTTON, pressed, channel or self.channel, locale, message)

    async def slash(
        self, name: str, options: dict[str, str] | None = None, *, channel: str = "", locale: str = "en-US"
    ) -> Interaction:
        """The person gives a command of the bot, which must have registered it."""
        command = next(one for one in self.world.commands[""] if one["name"] == name)
        known = {option["name"] for option in command.get("options", [])}
        given = [{"name": key, "type": 3, "value": value} for key, value in (options or {}).items() if key in known]
        body = {"id": command["id"], "name": name, "type": 1, "options": given}
        return await self._interact(SLASH, body, channel or self.channel, locale, None)

    async def _interact(self, kind: int, body: Json, channel: str, locale: str, message: Json | None) -> Interaction:
        token = f"interaction{self.world.snowflake()}"
        interaction = Interaction(kind=kind, channel=channel, bot=self.world.users[self.bot])
        self.world.interactions[token] = interaction
        direct = self.world.audience(channel) is not None
        person = self.world.member(self.person)
        who = {"user": person["user"]} if direct else {"member": {**person, "permissions": "0"}}
        where = {} if direct else {"guild_id": self.world.guild_id, "guild": {"id": self.world.guild_id}}
        event = {
            "id": self.world.snowflake(),
            "application_id": self.world.application_id,
            "token": token,
            "version": 1,
            "type": kind,
            "data": body,
            "channel_id": channel,
            "channel": {**self.world.channels[channel], "permissions": "0"},
            "locale": locale,
            "app_permissions": "0",
            "entitlements": [],
            "authorizing_integration_owners": {},
            "attachment_size_limit": 10 * 2**20,
            **who,
            **where,
            **({"message": message} if message else {}),
        }
        await self.sessions.tell("INTERACTION_CREATE", event, readers={self.bot})
        return interaction

    def direct_channel(self, person: str = "") -> str:
        """The channel between a person and the bot."""
        return str(self.world.add_direct(person or self.person, self.bot)["id"])

    def shown(self, channel: str = "") -> list[Shown]:
        """What everybody reads in a channel, oldest first."""
        return [self.world.shown(message) for message in self.world.visible(channel or self.channel)]

    def typed(self) -> list[str]:
        """In which channels the bot showed that it types."""
        return list(self._messages.typed)

    def reactions(self, message_id: str) -> list[str]:
        """The bots' reactions to a message."""
        return [emoji for known, emoji, _ in self._messages.reactions if known == message_id]

    def revoke(self, token: str = "") -> None:
        """A token is worth nothing any more."""
        self.world.tokens.pop(token or self.token)

    def grant(self, token: str = "", bot: str = "") -> None:
        """A token is worth something again."""
        self.world.tokens[token or self.token] = bot or self.bot

    def deny(self, *permissions: str, place: str = "") -> None:
        """The bot may not do this in a channel (or on the whole server, by its id)."""
        self.world.denied.setdefault(place or self.channel, set()).update(permissions)

    def archive(self, thread: str, *, locked: bool = False) -> None:
        """A thread is archived."""
        self.world.channels[thread]["thread_metadata"] |= {"archived": True, "locked": locked}

    def remove_channel(self, channel: str) -> None:
        """A channel is deleted."""
        self.world.channels.pop(channel)

    def remove_webhooks(self) -> None:
        """All webhooks are deleted."""
        self.world.webhooks.clear()

    def cut(self) -> None:
        """Every connection to the gateway breaks."""
        self.sessions.abort()

    def forget_sessions(self) -> None:
        """No session can be resumed any more."""
        self.sessions.live.clear()

    async def demand_reconnect(self) -> None:
        """Ask the clients to come again."""
        await self.sessions.say(RECONNECT)

    async def invalidate(self, *, resumable: bool = False) -> None:
        """Tell the clients that their session is not valid."""
        await self.sessions.say(INVALID_SESSION, resumable)
        if not resumable:
            self.forget_sessions()
