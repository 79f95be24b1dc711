"""REST: webhooks, and the answers to interactions, which are webhooks of the application."""

import time

from aiohttp import web

from tests.platforms.discord_server.forms import check_form
from tests.platforms.discord_server.limits import answer
from tests.platforms.discord_server.refusals import (
    Json,
    Refused,
    unauthorized,
    unknown_channel,
    unknown_interaction,
    unknown_webhook,
)
from tests.platforms.discord_server.requests import Sent, sent_with, token_of
from tests.platforms.discord_server.sessions import Sessions
from tests.platforms.discord_server.shapes import Interaction
from tests.platforms.discord_server.world import EPHEMERAL, World

MAX_WEBHOOKS = 15
ANSWER_SECONDS = 3.0
MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE = 4, 5, 6, 7


class HookRoutes:
    """Posting without a bot's token."""

    def __init__(self, world: World, sessions: Sessions) -> None:
        self._world = world
        self._sessions = sessions

    def routes(self) -> list[web.RouteDef]:
        """Paths below the API's base."""
        one = "/webhooks/{webhook}/{token}"
        return [
            web.post("/channels/{channel}/webhooks", self._create),
            web.get("/channels/{channel}/webhooks", self._list),
            web.delete("/webhooks/{webhook}", self._remove),
            web.get(one, self._fetch),
            web.post(one, self._execute),
            web.patch(f"{one}/messages/{{message}}", self._edit),
            web.delete(f"{one}/messages/{{message}}", self._delete),
            web.post("/interactions/{interaction}/{token}/callback", self._callback),
        ]

    async def _create(self, request: web.Request) -> web.Response:
        bot = self._world.bot_of(token_of(request))
        channel = self._world.channel(request.match_info["channel"], "MANAGE_WEBHOOKS")
        if len(self._of(channel["id"])) >= MAX_WEBHOOKS:
            raise Refused(400, 30007, f"Maximum number of webhooks reached ({MAX_WEBHOOKS})")
        webhook = {
            "id": self._world.snowflake(),
            "type": 1,
            "token": f"hook{self._world.snowflake()}",
            "name": (await sent_with(request)).form["name"],
            "avatar": None,
            "channel_id": channel["id"],
            "guild_id": self._world.guild_id,
            "application_id": self._world.application_id,
            "user": bot,
        }
        self._world.webhooks[webhook["id"]] = webhook
        return answer(webhook)

    async def _list(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        return answer(self._of(self._world.channel(request.match_info["channel"], "MANAGE_WEBHOOKS")["id"]))

    def _of(self, channel_id: str) -> list[Json]:
        return [one for one in self._world.webhooks.values() if one["channel_id"] == channel_id]

    async def _remove(self, request: web.Request) -> web.Response:
        self._world.bot_of(token_of(request))
        if self._world.webhooks.pop(request.match_info["webhook"], None) is None:
            raise unknown_webhook()
        return web.Response(status=204)

    def _webhook(self, request: web.Request) -> Json:
        webhook = self._world.webhooks.get(request.match_info["webhook"])
        if webhook is None or webhook["token"] != request.match_info["token"]:
            raise unknown_webhook()
        return webhook

    async def _fetch(self, request: web.Request) -> web.Response:
        return answer(self._webhook(request))

    async def _execute(self, request: web.Request) -> web.Response:
        sent = await sent_with(request)
        interaction = self._world.interactions.get(request.match_info["token"])
        if interaction is not None:
            return answer(await self._say(interaction, sent))
        webhook = self._webhook(request)
        message = await self._post_as(webhook, sent, request.query.get("thread_id", ""))
        return answer(message) if request.query.get("wait") in {"1", "true"} else web.Response(status=204)

    async def _post_as(self, webhook: Json, sent: Sent, thread: str) -> Json:
        place = self._world.channel(thread or webhook["channel_id"])
        if thread and place.get("parent_id") != webhook["channel_id"]:
            raise unknown_channel()
        if thread and not place["thread_metadata"]["locked"]:
            place["thread_metadata"]["archived"] = False
        author = {
            "id": webhook["id"],
            "username": sent.form.get("username") or webhook["name"],
            "avatar": sent.form.get("avatar_url"),
            "discriminator": "0000",
            "bot": True,
        }
        message = self._world.new_message(place["id"], author, sent.form, sent.files, webhook=webhook)
        await self._sessions.tell_message("MESSAGE_CREATE", message)
        return message

    async def _edit(self, request: web.Request) -> web.Response:
        sent = await sent_with(request)
        interaction = self._world.interactions.get(request.match_info["token"])
        if interaction is not None:
            return answer(await self._say(interaction, sent))
        webhook = self._webhook(request)
        place = request.query.get("thread_id") or webhook["channel_id"]
        message = self._world.message(place, request.match_info["message"])
        self._world.edit_message(message, sent.form)
        await self._sessions.tell_message("MESSAGE_UPDATE", message)
        return answer(message)

    async def _delete(self, request: web.Request) -> web.Response:
        webhook = self._webhook(request)
        place = request.query.get("thread_id") or webhook["channel_id"]
        self._world.message(place, request.match_info["message"])
        del self._world.messages[place][request.match_info["message"]]
        await self._sessions.tell("MESSAGE_DELETE", {"id": request.match_info["message"], "channel_id": place})
        return web.Response(status=204)

    async def _callback(self, request: web.Request) -> web.Response:
        interaction = self._world.interactions.get(request.match_info["token"])
        if interaction is None:
            raise unknown_interaction()
        if interaction.answered is not None:
            raise Refused(400, 40060, "Interaction has already been acknowledged.")
        if time.monotonic() - interaction.at > ANSWER_SECONDS:
            raise unknown_interaction()
        sent = await sent_with(request)
        interaction.answered = kind = sent.form["type"]
        form = sent.form.get("data") or {}
        interaction.hidden = bool((form.get("flags") or 0) & EPHEMERAL)
        if kind == MESSAGE:
            await self._say(interaction, Sent(form=form, files=sent.files))
        known = {"id": request.match_info["interaction"], "type": interaction.kind}
        return answer({"interaction": known, "resource": {"type": kind}})

    async def _say(self, interaction: Interaction, sent: Sent) -> Json:
        """Show a message to whoever pressed or asked: to them alone when it is ephemeral."""
        if interaction.answered is None:
            raise unauthorized()
        check_form(sent.form, files=bool(sent.files))
        interaction.texts.append(sent.form.get("content") or "")
        flags = (sent.form.get("flags") or 0) | (EPHEMERAL if interaction.hidden else 0)
        message = self._world.new_message(interaction.channel, interaction.bot, {**sent.form, "flags": flags})
        interaction.original = interaction.original or message["id"]
        if not flags & EPHEMERAL:
            await self._sessions.tell_message("MESSAGE_CREATE", message)
        return message
