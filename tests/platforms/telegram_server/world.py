"""The bots, people and chats of the server, and who sees what."""

import itertools
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.platforms.telegram_server.markup import units
from tests.platforms.telegram_server.updates import UpdateQueue
from tests.platforms.telegram_server.wire import ApiError, Json, Upload, bad_request

PRIVATE, GROUP, SUPERGROUP, CHANNEL = "private", "group", "supergroup", "channel"
MEMBER, ADMINISTRATOR, KICKED = "member", "administrator", "kicked"
SERVICE_FIELDS = frozenset({"migrate_to_chat_id", "migrate_from_chat_id", "forum_topic_created", "new_chat_members"})
_MARKS = re.compile(r"(?<!\w)@\w{3,32}|(?:^|(?<=\s))/\w{1,32}(?:@\w{3,32})?")


@dataclass(slots=True)
class Bot:
    """An account of a bot; `privacy` hides from it what is not for it in groups."""

    id: int
    token: str
    username: str
    name: str
    privacy: bool
    queue: UpdateQueue
    revoked: bool = False
    webhook: str = ""
    commands: dict[str, list[Json]] = field(default_factory=dict)

    def user(self) -> Json:
        """As others see it."""
        return {"id": self.id, "is_bot": True, "first_name": self.name, "username": self.username}

    def me(self) -> Json:
        """As it sees itself."""
        return {
            **self.user(),
            "can_join_groups": True,
            "can_read_all_group_messages": not self.privacy,
            "supports_inline_queries": False,
        }


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who writes."""

    id: int
    first_name: str
    last_name: str = ""
    username: str = ""
    language: str = "en"

    def user(self) -> Json:
        """As bots see them."""
        optional = {"last_name": self.last_name, "username": self.username, "language_code": self.language}
        shown = {name: value for name, value in optional.items() if value}
        return {"id": self.id, "is_bot": False, "first_name": self.first_name, **shown}


@dataclass(slots=True)
class Topic:
    """A topic of a forum."""

    name: str
    author: Json
    closed: bool = False


@dataclass(slots=True)
class Chat:
    """A chat; `members` holds the bots in it with their standing."""

    id: int
    kind: str
    title: str = ""
    person: Person | None = None
    forum: bool = False
    members: dict[int, str] = field(default_factory=dict)
    topics: dict[int, Topic] = field(default_factory=dict)
    migrated_to: int = 0

    def shown(self) -> Json:
        """As it stands in a message."""
        if self.person is not None:
            return {"id": self.id, "type": PRIVATE, "first_name": self.person.first_name}
        return {"id": self.id, "type": self.kind, "title": self.title, **({"is_forum": True} if self.forum else {})}


@dataclass(slots=True)
class Box:
    """The messages of a chat as one account counts them: supergroups and channels have one count for all."""

    messages: dict[int, Json] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(10))


@dataclass(slots=True)
class Query:
    """A button that was pressed; `answer` is what the bot answered."""

    at: float
    answer: Json | None = None
    expired: bool = False


class World:
    """Everything there is; changed by the people (the server's methods for tests) and by the bots (API calls)."""

    def __init__(self) -> None:
        self.bots: dict[str, Bot] = {}
        self.reactions: set[tuple[int, int, int]] = set()
        self.people: dict[int, Person] = {}
        self.chats: dict[int, Chat] = {}
        self.blocked: set[tuple[int, int]] = set()
        self.files: dict[str, Upload] = {}
        self.queries: dict[str, Query] = {}
        self.bot_to_bot = False
        self.numbers = itertools.count(1)
        self._boxes: dict[tuple[int, int], Box] = {}

    def bot_of(self, bot_id: int) -> Bot:
        """The bot with an id."""
        return next(bot for bot in self.bots.values() if bot.id == bot_id)

    def box(self, bot: Bot, chat: Chat) -> Box:
        """Where a bot finds the messages of a chat."""
        own = chat.kind in {PRIVATE, GROUP}
        key = (bot.id if own else 0, chat.id)
        if key not in self._boxes:
            self._boxes[key] = Box(numbers=itertools.count(10 + 1000 * (bot.id % 7) if own else 10))
        return self._boxes[key]

    def boxes(self, chat: Chat) -> list[Box]:
        """All counts of a chat."""
        return [box for (_, chat_id), box in self._boxes.items() if chat_id == chat.id]

    def reachable(self, bot: Bot, chat_id: int) -> Chat:
        """The chat that a bot names; raises ApiError when it may not write there."""
        chat = self.chats.get(chat_id)
        if chat is None:
            raise bad_request("chat not found")
        if chat.migrated_to:
            raise ApiError(
                400,
                "Bad Request: group chat was upgraded to a supergroup chat",
                migrate_to_chat_id=chat.migrated_to,
            )
        standing = chat.members.get(bot.id)
        if chat.kind == PRIVATE:
            if (bot.id, chat_id) in self.blocked:
                raise ApiError(403, "Forbidden: bot was blocked by the user")
            if standing is None:
                raise ApiError(403, "Forbidden: bot can't initiate conversation with a user")
        elif standing == KICKED:
            raise ApiError(403, f"Forbidden: bot was kicked from the {chat.kind} chat")
        elif standing is None:
            raise ApiError(403, f"Forbidden: bot is not a member of the {chat.kind} chat")
        return chat

    def write(self, box: Box, chat: Chat, sender: Json, content: Json) -> Json:
        """A new message in a box."""
        number = next(box.numbers)
        message = {"message_id": number, "date": int(time.time()), "chat": chat.shown(), "from": sender, **content}
        box.messages[number] = message
        return message

    def viewers(self, chat: Chat, message: Json) -> list[Bot]:
        """The bots that are told of a message in a group or channel."""
        inside = [bot for bot in self.bots.values() if chat.members.get(bot.id) in {MEMBER, ADMINISTRATOR}]
        return [bot for bot in inside if self._sees(bot, chat, message)]

    def _sees(self, bot: Bot, chat: Chat, message: Json) -> bool:
        sender = message["from"]
        if sender["id"] == bot.id:
            return False
        direct = _addressed(bot, message)
        if sender["is_bot"] and not message.get("sender_chat"):
            return self.bot_to_bot and direct
        if SERVICE_FIELDS & set(message):
            return True
        return direct or not bot.privacy or chat.members[bot.id] == ADMINISTRATOR or chat.kind == CHANNEL


def entities_of(text: str) -> list[Json]:
    """The mentions and commands that Telegram finds in a text of a person."""
    return [
        {
            "type": "mention" if match[0].startswith("@") else "bot_command",
            "offset": units(text[: match.start()]),
            "length": units(match[0]),
        }
        for match in _MARKS.finditer(text)
    ]


def _addressed(bot: Bot, message: Json) -> bool:
    """What privacy mode lets a bot see: commands, mentions, and replies to it."""
    text = message.get("text") or message.get("caption") or ""
    reply = message.get("reply_to_message") or {}
    if reply.get("from", {}).get("id") == bot.id and "forum_topic_created" not in reply:
        return True
    words = [match[0].lower() for match in _MARKS.finditer(text)]
    name = f"@{bot.username.lower()}"
    return any(word == name or (word.startswith("/") and ("@" not in word or word.endswith(name))) for word in words)
