"""What people do on the server: write, edit, press buttons, found groups, throw bots out."""

import time
from collections.abc import Sequence

from tests.platforms.telegram_server.sending import Sending
from tests.platforms.telegram_server.updates import UpdateQueue
from tests.platforms.telegram_server.wire import Json, Upload
from tests.platforms.telegram_server.world import (
    ADMINISTRATOR,
    CHANNEL,
    GROUP,
    KICKED,
    MEMBER,
    PRIVATE,
    SUPERGROUP,
    Bot,
    Chat,
    Person,
    Query,
    World,
    entities_of,
)


class People:
    """Each method is something that happens in the app of a person; messages are given back as bots see them."""

    def __init__(self, world: World, sending: Sending) -> None:
        self.world = world
        self._sending = sending

    def add_bot(self, token: str, username: str, *, name: str = "", privacy: bool = True) -> Bot:
        """Register a bot with the BotFather; its id stands before the colon of its token."""
        bot_id = int(token.partition(":")[0])
        queue = UpdateQueue(100_000 + bot_id % 1000 * 1000)
        bot = Bot(bot_id, token, username, name or username.title(), privacy=privacy, queue=queue)
        self.world.bots[token] = bot
        return bot

    def add_person(self, person_id: int, first_name: str, last_name: str = "", *, language: str = "en") -> Person:
        """Somebody new, with a private chat for whichever bots they write to."""
        person = Person(person_id, first_name, last_name, first_name.lower(), language)
        self.world.people[person_id] = person
        self.world.chats[person_id] = Chat(person_id, PRIVATE, person=person)
        return person

    def add_group(
        self, chat_id: int, *bots: Bot, kind: str = SUPERGROUP, forum: bool = False, admins: Sequence[Bot] = ()
    ) -> Chat:
        """A group with bots in it."""
        members = {bot.id: MEMBER for bot in bots} | {bot.id: ADMINISTRATOR for bot in admins}
        self.world.chats[chat_id] = Chat(chat_id, kind, title=f"Group {chat_id}", forum=forum, members=members)
        return self.world.chats[chat_id]

    def open_topic(self, chat: Chat, person: Person, name: str) -> int:
        """A person opens a topic of a forum."""
        bot = self.world.bot_of(next(iter(chat.members)))
        return self._sending.open_topic(bot, chat, name, person.user())

    def say(
        self,
        person: Person,
        text: str,
        *,
        chat: Chat | None = None,
        bot: Bot | None = None,
        reply_to: Json | None = None,
        topic: int = 0,
        **more: object,
    ) -> Json:
        """A person writes in a group, or to a bot in private; `more` are further fields of the message."""
        content: Json = {"text": text, "entities": entities_of(text)} if text else {}
        return self.post(person.user(), content | more, chat=chat, bot=bot, reply_to=reply_to, topic=topic, who=person)

    def send(
        self,
        person: Person,
        upload: Upload,
        *,
        caption: str = "",
        kind: str = "document",
        chat: Chat | None = None,
        bot: Bot | None = None,
        **more: object,
    ) -> Json:
        """A person sends a file; a photo comes in two sizes, of which the last is the larger one."""
        kept: Json = self._sending.kept(upload) | {"file_name": upload.name, "mime_type": upload.media_type}
        if kind == "photo":
            small = self._sending.kept(Upload("small.jpg", "image/jpeg", upload.content[:20]))
            del kept["file_name"], kept["mime_type"]
            sizes = [small | {"width": 90, "height": 60}, kept | {"width": 900, "height": 600}]
            content: Json = {"photo": sizes}
        else:
            content = {kind: kept | ({} if kind == "document" else {"duration": 3})}
        if caption:
            content |= {"caption": caption, "caption_entities": entities_of(caption)}
        return self.post(person.user(), content | more, chat=chat, bot=bot, who=person)

    def post(
        self,
        sender: Json,
        content: Json,
        *,
        chat: Chat | None = None,
        bot: Bot | None = None,
        reply_to: Json | None = None,
        topic: int = 0,
        who: Person | None = None,
    ) -> Json:
        """Somebody posts, and the bots that may see it are told."""
        if chat is None:
            assert bot is not None
            assert who is not None
            chat = self.world.chats[who.id]
            chat.members[bot.id] = MEMBER
        if reply_to is not None:
            content = content | {"reply_to_message": {k: v for k, v in reply_to.items() if k != "reply_to_message"}}
        if topic:
            content = content | {"message_thread_id": topic, "is_topic_message": True}
            if reply_to is None:
                created: Json = {
                    "message_id": topic,
                    "date": 1,
                    "chat": chat.shown(),
                    "from": chat.topics[topic].author,
                }
                content["reply_to_message"] = created | {"forum_topic_created": {"name": chat.topics[topic].name}}
        if chat.kind == PRIVATE:
            assert bot is not None
            message = self.world.write(self.world.box(bot, chat), chat, sender, content)
            bot.queue.push({"message": message})
            return message
        return self._tell(chat, sender, content)

    def _tell(self, chat: Chat, sender: Json, content: Json) -> Json:
        kind = "channel_post" if chat.kind == CHANNEL else "message"
        inside = [self.world.bot_of(bot_id) for bot_id in chat.members]
        told: Json = {}
        written: set[int] = set()
        for bot in inside:
            box = self.world.box(bot, chat)
            if id(box) not in written:
                written.add(id(box))
                message = self.world.write(box, chat, sender, content)
            if bot in self.world.viewers(chat, message):
                bot.queue.push({kind: message})
                told = told or message
        return told or message

    def push_again(self, bot: Bot, message: Json, kind: str = "message") -> int:
        """Telegram gives a message to a bot once more."""
        return bot.queue.push({kind: message})

    def edit(self, message: Json, text: str) -> None:
        """A person edits a text or a caption."""
        name = "text" if "text" in message else "caption"
        marks = "entities" if name == "text" else "caption_entities"
        message |= {name: text, marks: entities_of(text), "edit_date": int(time.time())}
        chat = self.world.chats[message["chat"]["id"]]
        for bot in self.world.bots.values():
            private = chat.kind == PRIVATE and message in self.world.box(bot, chat).messages.values()
            if private or (chat.kind != PRIVATE and bot in self.world.viewers(chat, message)):
                bot.queue.push({"edited_message": dict(message)})

    def press(self, person: Person, message: Json, value: str) -> str:
        """A person presses a button under a bot's message; returns the id of the query."""
        query_id = str(9000 + next(self.world.numbers))
        self.world.queries[query_id] = Query(at=time.monotonic())
        query = {"id": query_id, "from": person.user(), "message": message, "chat_instance": "1", "data": value}
        self.world.bot_of(message["from"]["id"]).queue.push({"callback_query": query})
        return query_id

    def block(self, person: Person, bot: Bot) -> None:
        """A person blocks a bot."""
        self.world.blocked.add((bot.id, person.id))

    def kick(self, chat: Chat, bot: Bot) -> None:
        """A bot is thrown out of a group."""
        chat.members[bot.id] = KICKED

    def migrate(self, chat: Chat, new_id: int) -> Chat:
        """A group becomes a supergroup with another id."""
        new = Chat(new_id, SUPERGROUP, title=chat.title, members=dict(chat.members))
        self.world.chats[new_id] = new
        people = next(iter(self.world.people.values())).user()
        self._tell(chat, people, {"migrate_to_chat_id": new_id})
        self._tell(new, people, {"migrate_from_chat_id": chat.id})
        chat.migrated_to = new_id
        return new

    def message(self, bot: Bot, chat: Chat, message_id: int) -> Json:
        """A message as a bot counts it."""
        return self.world.box(bot, chat).messages[message_id]

    def shown(self, chat: Chat, *, topic: int | None = None, bot: Bot | None = None) -> list[str]:
        """What bots wrote there, oldest first, captions and the names of files too."""
        boxes = [self.world.box(bot, chat)] if bot is not None and chat.kind in {PRIVATE, GROUP} else None
        messages = [message for box in boxes or self.world.boxes(chat) for message in box.messages.values()]
        return [
            _words(message)
            for message in messages
            if message["from"]["is_bot"]
            and "forum_topic_created" not in message
            and (topic is None or message.get("message_thread_id", 0) == topic)
            and (bot is None or message["from"]["id"] == bot.id)
        ]


def _words(message: Json) -> str:
    document = message.get("document", {}).get("file_name", "")
    return "\n".join(part for part in (message.get("text"), message.get("caption"), document) if part)
