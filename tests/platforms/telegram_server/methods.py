"""The Bot API's methods by name."""

from collections.abc import Awaitable, Callable
from inspect import isawaitable

from tests.platforms.telegram_server.sending import Sending
from tests.platforms.telegram_server.updates import HOOKED
from tests.platforms.telegram_server.wire import ApiError, Json, Request, bad_request
from tests.platforms.telegram_server.world import KICKED, PRIVATE, Bot, World

DOWNLOAD_BYTES = 20 * 2**20
QUERY_SECONDS = 15.0
COMMANDS = 100
TOO_OLD = "query is too old and response timeout expired or query ID is invalid"

Method = Callable[[Bot, Request], object]
EMOJI = frozenset("👀👍👎👌🤔🎉🔥")  # some of those that a bot may use


class Methods:
    """Answers calls; `now` is in seconds, for what grows too old."""

    def __init__(self, world: World, *, now: Callable[[], float]) -> None:
        self._world = world
        self._now = now
        self.sending = Sending(world)
        self._by_name: dict[str, Method] = {
            "getMe": lambda bot, _: bot.me(),
            "getUpdates": self._get_updates,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "getWebhookInfo": self._webhook,
            "sendMessage": self.sending.send_message,
            "sendDocument": self.sending.send_document,
            "sendPhoto": self.sending.send_photo,
            "sendChatAction": self.sending.send_chat_action,
            "sendMessageDraft": self.sending.send_draft,
            "editMessageText": self.sending.edit_text,
            "editMessageReplyMarkup": self.sending.edit_markup,
            "deleteMessage": self.sending.delete_message,
            "createForumTopic": self.sending.create_topic,
            "answerCallbackQuery": self._answer_query,
            "setMyCommands": self._set_commands,
            "getMyCommands": self._commands,
            "getFile": self._file,
            "getChat": self._chat,
            "setMessageReaction": self._react,
            "getChatMember": self._member,
        }
        self._by_name = {name.lower(): method for name, method in self._by_name.items()}

    async def call(self, bot: Bot, name: str, request: Request) -> object:
        """The result of a method; raises ApiError."""
        method = self._by_name.get(name.lower())
        if method is None:
            raise ApiError(404, "Not Found: method not found")
        result = method(bot, request)
        return await result if isawaitable(result) else result

    def _get_updates(self, bot: Bot, request: Request) -> Awaitable[list[Json]]:
        if bot.webhook:
            raise ApiError(409, HOOKED)
        allowed = request.fields.get("allowed_updates")
        if isinstance(allowed, list):
            bot.queue.allowed = allowed
        seconds = min(50, request.number("timeout"))
        return bot.queue.take(request.number("offset"), limit=request.number("limit"), seconds=seconds)

    def _set_webhook(self, bot: Bot, request: Request) -> bool:
        bot.webhook = request.text("url")
        return True

    def _delete_webhook(self, bot: Bot, request: Request) -> bool:
        bot.webhook = ""
        return True

    def _webhook(self, bot: Bot, request: Request) -> Json:
        return {"url": bot.webhook, "has_custom_certificate": False, "pending_update_count": bot.queue.waiting}

    def _answer_query(self, bot: Bot, request: Request) -> bool:
        query = self._world.queries.get(request.text("callback_query_id"))
        if query is None or query.expired or self._now() - query.at > QUERY_SECONDS:
            raise bad_request(TOO_OLD)
        if len(request.text("text")) > 200:
            raise bad_request("MESSAGE_TOO_LONG")
        query.answer = {"text": request.text("text"), "alert": request.text("show_alert") == "true"}
        return True

    def _set_commands(self, bot: Bot, request: Request) -> bool:
        commands = request.fields.get("commands")
        if not isinstance(commands, list) or len(commands) > COMMANDS:
            raise bad_request("can't parse commands")
        for command in commands:
            name = command.get("command", "")
            if not name.islower() or not name.isidentifier() or not name.isascii() or len(name) > 32:
                raise bad_request("BOT_COMMAND_INVALID")
            if not 0 < len(command.get("description", "")) <= 256:
                raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
        bot.commands[request.text("language_code")] = commands
        return True

    def _commands(self, bot: Bot, request: Request) -> list[Json]:
        return bot.commands.get(request.text("language_code"), [])

    def _file(self, bot: Bot, request: Request) -> Json:
        file_id = request.text("file_id")
        upload = self._world.files.get(file_id)
        if upload is None:
            raise bad_request("invalid file_id")
        if len(upload.content) > DOWNLOAD_BYTES:
            raise bad_request("file is too big")
        described: Json = {"file_id": file_id, "file_unique_id": f"U{file_id}", "file_size": len(upload.content)}
        return described | {"file_path": f"documents/{file_id}"}

    def _chat(self, bot: Bot, request: Request) -> Json:
        return self._world.reachable(bot, request.number("chat_id")).shown() | {"accent_color_id": 0}

    def _react(self, bot: Bot, request: Request) -> bool:
        chat = self._world.reachable(bot, request.number("chat_id"))
        number = request.number("message_id")
        if number not in self._world.box(bot, chat).messages:
            raise bad_request("message to react not found")
        wanted = request.fields.get("reaction") or []
        if not isinstance(wanted, list) or len(wanted) > 1 or any(one.get("emoji") not in EMOJI for one in wanted):
            raise bad_request("REACTION_INVALID")
        (self._world.reactions.add if wanted else self._world.reactions.discard)((chat.id, number, bot.id))
        return True

    def _member(self, bot: Bot, request: Request) -> Json:
        chat = self._world.reachable(bot, request.number("chat_id"))
        user_id = request.number("user_id")
        if any(other.id == user_id for other in self._world.bots.values()):
            status = chat.members.get(user_id, "left")
            until: Json = {"until_date": 0} if status == KICKED else {}
            return {"status": status, "user": self._world.bot_of(user_id).user(), **until}
        person = self._world.people.get(user_id)
        if person is None or (chat.kind == PRIVATE and chat.id != user_id):
            raise bad_request("user not found")
        return {"status": "member", "user": person.user()}
