"""The methods with which bots write."""

from tests.platforms.telegram_server.markup import CAPTION_UNITS, Formatted, read_text
from tests.platforms.telegram_server.wire import Json, Request, Upload, bad_request
from tests.platforms.telegram_server.world import ADMINISTRATOR, GROUP, PRIVATE, Bot, Box, Chat, Topic, World

BUTTON_BYTES = 64
PHOTO_BYTES = 10 * 2**20
DOCUMENT_BYTES = 50 * 2**20
TOPIC_NAME_CHARACTERS = 128
_UNMODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)


class Sending:
    """Checks what a bot sends as the Bot API does, and puts it into the chat."""

    def __init__(self, world: World) -> None:
        self._world = world

    def send_message(self, bot: Bot, request: Request) -> Json:
        """sendMessage."""
        chat = self._world.reachable(bot, request.number("chat_id"))
        formatted = read_text(request.text("text"), request.text("parse_mode"))
        return self._put(bot, chat, request, {"text": formatted.text, **_entities("entities", formatted)})

    def send_document(self, bot: Bot, request: Request) -> Json:
        """sendDocument."""
        chat = self._world.reachable(bot, request.number("chat_id"))
        upload = _file(request, "document", DOCUMENT_BYTES)
        document = self.kept(upload) | {"file_name": upload.name, "mime_type": upload.media_type}
        return self._put(bot, chat, request, {"document": document, **_caption(request)})

    def send_photo(self, bot: Bot, request: Request) -> Json:
        """sendPhoto."""
        chat = self._world.reachable(bot, request.number("chat_id"))
        upload = _file(request, "photo", PHOTO_BYTES)
        if not upload.media_type.startswith("image/"):
            raise bad_request("IMAGE_PROCESS_FAILED")
        photo = self.kept(upload) | {"width": 90, "height": 90}
        return self._put(bot, chat, request, {"photo": [photo], **_caption(request)})

    def send_chat_action(self, bot: Bot, request: Request) -> bool:
        """sendChatAction."""
        chat = self._world.reachable(bot, request.number("chat_id"))
        _thread(chat, request)
        if not request.text("action"):
            raise bad_request("wrong parameter action in request")
        return True

    def send_draft(self, bot: Bot, request: Request) -> bool:
        """sendMessageDraft."""
        chat = self._world.reachable(bot, request.number("chat_id"))
        if chat.kind != PRIVATE:
            raise bad_request("TEXTDRAFT_PEER_INVALID")
        read_text(request.text("text"), request.text("parse_mode"))
        return True

    def edit_text(self, bot: Bot, request: Request) -> Json:
        """editMessageText."""
        chat = self._world.reachable(bot, request.number("chat_id"))
        message = self._own(bot, self._world.box(bot, chat), request, "edit")
        formatted = read_text(request.text("text"), request.text("parse_mode"))
        content = {"text": formatted.text, **_entities("entities", formatted)}
        return _changed(message, content, _keyboard(request))

    def edit_markup(self, bot: Bot, request: Request) -> Json:
        """editMessageReplyMarkup."""
        chat = self._world.reachable(bot, request.number("chat_id"))
        return _changed(self._own(bot, self._world.box(bot, chat), request, "edit"), {}, _keyboard(request))

    def delete_message(self, bot: Bot, request: Request) -> bool:
        """deleteMessage."""
        chat = self._world.reachable(bot, request.number("chat_id"))
        box = self._world.box(bot, chat)
        message = box.messages.get(request.number("message_id"))
        if message is None:
            raise bad_request("message to delete not found")
        if message["from"]["id"] != bot.id and chat.members.get(bot.id) != ADMINISTRATOR:
            raise bad_request("message can't be deleted")
        del box.messages[message["message_id"]]
        return True

    def create_topic(self, bot: Bot, request: Request) -> Json:
        """createForumTopic."""
        chat = self._world.reachable(bot, request.number("chat_id"))
        name = request.text("name")
        if not chat.forum:
            raise bad_request("the chat is not a forum")
        if chat.members[bot.id] != ADMINISTRATOR:
            raise bad_request("not enough rights to create a topic")
        if not 0 < len(name) <= TOPIC_NAME_CHARACTERS:
            raise bad_request("TOPIC_TITLE_EMPTY" if not name else "TOPIC_TITLE_TOO_LONG")
        number = self.open_topic(bot, chat, name, bot.user())
        return {"message_thread_id": number, "name": name, "icon_color": 7322096}

    def open_topic(self, bot: Bot, chat: Chat, name: str, author: Json) -> int:
        """Put a topic into a forum; its number is that of the message that tells of it."""
        content = {"forum_topic_created": {"name": name, "icon_color": 7322096}, "is_topic_message": True}
        message = self._world.write(self._world.box(bot, chat), chat, author, content)
        message["message_thread_id"] = message["message_id"]
        number: int = message["message_id"]
        chat.topics[number] = Topic(name=name, author=author)
        return number

    def kept(self, upload: Upload) -> Json:
        """The description of a file that the server keeps."""
        number = next(self._world.numbers)
        file_id = f"FILE{number}"
        self._world.files[file_id] = upload
        return {"file_id": file_id, "file_unique_id": f"U{number}", "file_size": len(upload.content)}

    def _put(self, bot: Bot, chat: Chat, request: Request, content: Json) -> Json:
        box = self._world.box(bot, chat)
        content |= _thread(chat, request) | self._reply(box, request)
        keyboard = _keyboard(request)
        if keyboard:
            content["reply_markup"] = keyboard
        message = self._world.write(box, chat, bot.user(), content)
        if chat.kind == GROUP:
            return message
        for viewer in self._world.viewers(chat, message) if chat.kind != PRIVATE else ():
            viewer.queue.push({"message": message})
        return message

    def _reply(self, box: Box, request: Request) -> Json:
        asked = request.record("reply_parameters")
        if asked is None and request.number("reply_to_message_id"):
            asked = {"message_id": request.number("reply_to_message_id")}
        if asked is None:
            return {}
        answered = box.messages.get(int(asked.get("message_id", 0)))
        if answered is not None:
            return {"reply_to_message": {key: answered[key] for key in answered if key != "reply_to_message"}}
        if asked.get("allow_sending_without_reply") or request.text("allow_sending_without_reply") == "true":
            return {}
        raise bad_request("message to be replied not found")

    def _own(self, bot: Bot, box: Box, request: Request, what: str) -> Json:
        message = box.messages.get(request.number("message_id"))
        if message is None:
            raise bad_request(f"message to {what} not found")
        if message["from"]["id"] != bot.id:
            raise bad_request(f"message can't be {what}ed")
        return message


def _changed(message: Json, content: Json, keyboard: Json | None) -> Json:
    same = all(message.get(name) == value for name, value in content.items())
    if same and (keyboard or None) == message.get("reply_markup"):
        raise bad_request(_UNMODIFIED)
    message.pop("entities", None)
    message.pop("reply_markup", None)
    message |= content
    if keyboard:
        message["reply_markup"] = keyboard
    return message


def _entities(name: str, formatted: Formatted) -> Json:
    return {name: formatted.entities} if formatted.entities else {}


def _caption(request: Request) -> Json:
    formatted = read_text(request.text("caption"), request.text("parse_mode"), limit=CAPTION_UNITS, caption=True)
    return {"caption": formatted.text, **_entities("caption_entities", formatted)} if formatted.text else {}


def _file(request: Request, name: str, limit: int) -> Upload:
    upload = request.upload(name)
    if upload is None:
        raise bad_request(f"there is no {name} in the request")
    if not upload.content:
        raise bad_request("file must be non-empty")
    if len(upload.content) > limit:
        raise bad_request(f"file is too big: {len(upload.content)} bytes")
    return upload


def _thread(chat: Chat, request: Request) -> Json:
    number = request.number("message_thread_id")
    if not number:
        return {}
    topic = chat.topics.get(number)
    if topic is None:
        raise bad_request("message thread not found")
    if topic.closed:
        raise bad_request("TOPIC_CLOSED")
    return {"message_thread_id": number, "is_topic_message": True}


def _keyboard(request: Request) -> Json | None:
    keyboard = request.record("reply_markup")
    for row in (keyboard or {}).get("inline_keyboard", []):
        for button in row:
            if not button.get("text"):
                raise bad_request("text buttons are unallowed in the inline keyboard")
            if not 0 < len(button.get("callback_data", "").encode()) <= BUTTON_BYTES:
                raise bad_request("BUTTON_DATA_INVALID")
    return keyboard
