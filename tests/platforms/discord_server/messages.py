"""REST: messages, files, reactions."""

from aiohttp import web

from tests.platforms.discord_server.limits import answer
from tests.platforms.discord_server.refusals import Refused, unknown_message
from tests.platforms.discord_server.requests import sent_with, token_of
from tests.platforms.discord_server.sessions import Sessions
from tests.platforms.discord_server.world import World

EMPTY = 204
MAX_PAGE = 100


class MessageRoutes:
    """What a bot does with messages."""

    def __init__(self, world: World, sessions: Sessions) -> None:
        self._world = world
        self._sessions = sessions
        self.typed: list[str] = []
        self.reactions: set[tuple[str, str, str]] = set()

    def routes(self) -> list[web.RouteDef]:
        """Paths below the API's base."""
        messages = "/channels/{channel}/messages"
        one = f"{messages}/{{message}}"
        reaction = f"{one}/reactions/{{emoji}}/@me"
        return [
            web.post(messages, self._create),
            web.get(messages, self._history),
            web.get(one, self._fetch),
            web.patch(one, self._edit),
            web.delete(one, self._delete),
            web.post("/channels/{channel}/typing", self._typing),
            web.put(reaction, self._react),
            web.delete(reaction, self._react),
        ]

    async def _create(self, request: web.Request) -> web.Response:
        bot = self._world.bot_of(token_of(request))
        channel_id = request.match_info["channel"]
        self._world.channel(channel_id, "SEND_MESSAGES")
        sent = await sent_with(request)
        if sent.files:
            self._world.channel(channel_id, "ATTACH_FILES")
        known = set(self._world.messages[channel_id])
        message = self._world.new_message(channel_id, bot, sent.form, sent.files)
        if message["id"] not in known:
            await self._sessions.tell_message("MESSAGE_CREATE", message)
        return answer(message)

    async def _history(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        channel_id = request.match_info["channel"]
        self._world.channel(channel_id, "READ_MESSAGE_HISTORY")
        try:
            limit = min(MAX_PAGE, int(request.query.get("limit", "50")))
            after, before = int(request.query.get("after", "0")), int(request.query.get("before", "0"))
        except ValueError:
            raise Refused(400, 50035, "Invalid Form Body") from None
        found = [
            message
            for message in self._world.visible(channel_id)
            if int(message["id"]) > after and (not before or int(message["id"]) < before)
        ]
        page = found[:limit] if after else found[-limit:]
        without_nonce = [{name: value for name, value in one.items() if name != "nonce"} for one in reversed(page)]
        return answer(without_nonce)

    async def _fetch(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        self._world.channel(request.match_info["channel"], "READ_MESSAGE_HISTORY")
        return answer(self._world.message(request.match_info["channel"], request.match_info["message"]))

    async def _edit(self, request: web.Request) -> web.Response:
        bot = self._world.bot_of(token_of(request))
        self._world.channel(request.match_info["channel"])
        message = self._world.message(request.match_info["channel"], request.match_info["message"])
        if message["author"]["id"] != bot["id"]:
            raise Refused(403, 50005, "Cannot edit a message authored by another user")
        self._world.edit_message(message, (await sent_with(request)).form)
        await self._sessions.tell_message("MESSAGE_UPDATE", message)
        return answer(message)

    async def _delete(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        channel_id, message_id = request.match_info["channel"], request.match_info["message"]
        self._world.channel(channel_id)
        if self._world.messages[channel_id].pop(message_id, None) is None:
            raise unknown_message()
        readers = self._world.audience(channel_id)
        event = {"id": message_id, "channel_id": channel_id}
        where = {} if readers is not None else {"guild_id": self._world.guild_id}
        await self._sessions.tell("MESSAGE_DELETE", event | where, readers=readers)
        return web.Response(status=EMPTY)

    async def _typing(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        self._world.channel(request.match_info["channel"], "SEND_MESSAGES")
        self.typed.append(request.match_info["channel"])
        return web.Response(status=EMPTY)

    async def _react(self, request: web.Request) -> web.Response:
        bot = self._world.bot_of(token_of(request))
        self._world.channel(request.match_info["channel"], "ADD_REACTIONS")
        message = self._world.message(request.match_info["channel"], request.match_info["message"])
        mark = (message["id"], request.match_info["emoji"], bot["id"])
        (self.reactions.add if request.method == "PUT" else self.reactions.discard)(mark)
        event = {
            "user_id": bot["id"],
            "channel_id": message["channel_id"],
            "message_id": message["id"],
            "guild_id": self._world.guild_id,
            "emoji": {"id": None, "name": request.match_info["emoji"]},
            "type": 0,
            "burst": False,
        }
        name = "MESSAGE_REACTION_ADD" if request.method == "PUT" else "MESSAGE_REACTION_REMOVE"
        await self._sessions.tell(name, event, readers=self._world.audience(message["channel_id"]))
        return web.Response(status=EMPTY)
