"""REST: who the bot is, channels, threads, direct channels, commands."""

from aiohttp import web

from tests.platforms.discord_server.limits import answer
from tests.platforms.discord_server.refusals import Json, Refused, invalid
from tests.platforms.discord_server.requests import sent_with, token_of
from tests.platforms.discord_server.sessions import Sessions
from tests.platforms.discord_server.world import CONTENT_FLAG, DIRECT, PERMISSIONS, THREAD, World

CANNOT_MESSAGE = 50007


class PlaceRoutes:
    """Everything that is not a message."""

    def __init__(self, world: World, sessions: Sessions) -> None:
        self._world = world
        self._sessions = sessions

    def routes(self) -> list[web.RouteDef]:
        """Paths below the API's base."""
        return [
            web.get("/users/@me", self._me),
            web.get("/users/@me/guilds", self._guilds),
            web.get("/guilds/{guild}/members/{user}", self._member),
            web.get("/oauth2/applications/@me", self._application),
            web.get("/applications/@me", self._application),
            web.get("/gateway", self._gateway),
            web.get("/gateway/bot", self._gateway),
            web.post("/users/@me/channels", self._direct),
            web.get("/channels/{channel}", self._channel),
            web.patch("/channels/{channel}", self._change),
            web.post("/channels/{channel}/threads", self._thread),
            web.post("/channels/{channel}/messages/{message}/threads", self._thread),
            web.put("/applications/{application}/commands", self._commands),
            web.get("/applications/{application}/commands", self._known_commands),
            web.put("/applications/{application}/guilds/{guild}/commands", self._commands),
        ]

    async def _me(self, request: web.Request) -> web.Response:
        return answer(self._world.bot_of(token_of(request)))

    async def _guilds(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        granted = str(self.granted())
        guild = {"id": self._world.guild_id, "name": "Test", "icon": None, "owner": False, "permissions": granted}
        return answer([guild])

    def granted(self) -> int:
        """The permissions of the bot on the server, less what is denied under the name of the server."""
        denied = self._world.denied.get(self._world.guild_id, set())
        return sum(bit for name, bit in PERMISSIONS.items() if name not in denied)

    async def _member(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        if request.match_info["user"] not in self._world.users:
            raise Refused(404, 10007, "Unknown Member")
        return answer(self._world.member(request.match_info["user"]))

    async def _application(self, request: web.Request) -> web.Response:
        bot = self._world.bot_of(token_of(request))
        return answer(
            {
                "id": self._world.application_id,
                "name": bot["username"],
                "icon": None,
                "description": "",
                "bot_public": True,
                "bot_require_code_grant": False,
                "verify_key": "0" * 64,
                "owner": bot,
                "team": None,
                "flags": CONTENT_FLAG if self._world.content_allowed else 0,
            }
        )

    async def _gateway(self, request: web.Request) -> web.Response:
        start_limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        url = f"ws://{request.host}/gateway"
        return answer({"url": url, "shards": 1, "session_start_limit": start_limit})

    async def _direct(self, request: web.Request) -> web.Response:
        bot = self._world.bot_of(token_of(request))
        person = str((await sent_with(request)).form.get("recipient_id"))
        if person not in self._world.users:
            raise invalid("recipient_id", "NUMBER_TYPE_COERCE", "Unknown user")
        if self._world.users[person]["bot"]:
            raise Refused(403, CANNOT_MESSAGE, "Cannot send messages to this user")
        return answer(self._world.add_direct(person, bot["id"]))

    async def _channel(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        return answer(self._world.channel(request.match_info["channel"]))

    async def _change(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        channel = self._world.channel(request.match_info["channel"], "SEND_MESSAGES_IN_THREADS")
        form = (await sent_with(request)).form
        for name in ("archived", "locked"):
            if name in form:
                channel["thread_metadata"][name] = bool(form[name])
        if "name" in form:
            channel["name"] = form["name"]
        await self._sessions.tell("THREAD_UPDATE" if channel["type"] == THREAD else "CHANNEL_UPDATE", channel)
        return answer(channel)

    async def _thread(self, request: web.Request) -> web.Response:
        bot = self._world.bot_of(token_of(request))
        parent = self._world.channel(request.match_info["channel"], "CREATE_PUBLIC_THREADS")
        form = (await sent_with(request)).form
        if parent["type"] in {DIRECT, THREAD}:
            raise Refused(400, 50024, "Cannot execute action on this channel type")
        if not 1 <= len(str(form.get("name") or "").strip()) <= 100:
            raise invalid("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
        origin = request.match_info.get("message", "")
        if origin:
            self._world.message(parent["id"], origin)
        if origin in self._world.channels:
            raise Refused(400, 160004, "A thread has already been created for this message")
        thread = self._world.add_thread(parent["id"], form["name"], bot["id"], origin)
        await self._sessions.tell("THREAD_CREATE", {**thread, "newly_created": True})
        return answer(thread, 201)

    async def _commands(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        application = request.match_info["application"]
        if application != self._world.application_id:
            raise Refused(403, 20012, "You are not authorized to perform this action on this application")
        listed = (await sent_with(request)).form.get("", [])
        self._world.commands[request.match_info.get("guild", "")] = kept = [self._command(one) for one in listed]
        return answer(kept)

    async def _known_commands(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        return answer(self._world.commands.get("", []))

    def _command(self, form: Json) -> Json:
        if not 1 <= len(form.get("description") or "") <= 100:
            raise invalid("description", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
        return {**form, "id": self._world.snowflake(), "application_id": self._world.application_id, "version": "1"}
