"""What the Bot API tells, as far as it matters here: read once, unknown fields let pass."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from mama_bot.model import well_formed
from mama_bot.wording import Language, language_of_locale

Text = Annotated[str, BeforeValidator(lambda value: well_formed(value) if isinstance(value, str) else value)]


class _Wire(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        return {name: field for name, field in value.items() if field is not None} if isinstance(value, dict) else value


class User(_Wire):
    """Who wrote."""

    id: int
    is_bot: bool = False
    first_name: Text = ""
    last_name: Text = ""
    username: Text = ""
    language_code: Text = ""

    @property
    def full_name(self) -> str:
        """As the app shows it."""
        return f"{self.first_name} {self.last_name}".strip() or self.username or str(self.id)

    @property
    def language(self) -> Language:
        """The language of their app."""
        return language_of_locale(self.language_code)


class Chat(_Wire):
    """Where it was written."""

    id: int
    type: str = ""
    title: Text = ""
    is_forum: bool = False

    @property
    def private(self) -> bool:
        """Between a person and a bot."""
        return self.type == "private"


class Entity(_Wire):
    """What a span of the text is, in UTF-16 units."""

    type: str = ""
    offset: int = 0
    length: int = 0
    user: User | None = None


class FileReference(_Wire):
    """A file that the Bot API keeps."""

    file_id: Text
    file_size: int = 0
    file_name: Text = ""
    mime_type: Text = ""
    width: int = 0
    height: int = 0


class Replied(_Wire):
    """The message that one answers."""

    message_id: int = 0
    sender: User | None = Field(default=None, alias="from")
    is_topic_message: bool = False
    forum_topic_created: dict[str, Any] | None = None


class TelegramMessage(_Wire):
    """A message; `sender` is missing in channels."""

    message_id: int
    chat: Chat
    message_thread_id: int = 0
    is_topic_message: bool = False
    sender: User | None = Field(default=None, alias="from")
    sender_chat: Chat | None = None
    is_automatic_forward: bool = False
    date: int = 0
    edit_date: int = 0
    text: Text = ""
    caption: Text = ""
    entities: tuple[Entity, ...] = ()
    caption_entities: tuple[Entity, ...] = ()
    media_group_id: Text = ""
    reply_to_message: Replied | None = None
    photo: tuple[FileReference, ...] = ()
    document: FileReference | None = None
    animation: dict[str, Any] | None = None
    audio: dict[str, Any] | None = None
    contact: dict[str, Any] | None = None
    location: dict[str, Any] | None = None
    poll: dict[str, Any] | None = None
    sticker: dict[str, Any] | None = None
    story: dict[str, Any] | None = None
    video: dict[str, Any] | None = None
    video_note: dict[str, Any] | None = None
    voice: dict[str, Any] | None = None
    migrate_to_chat_id: int = 0
    migrate_from_chat_id: int = 0

    @property
    def words(self) -> str:
        """The text, or the caption of a file."""
        return self.text or self.caption

    @property
    def marks(self) -> tuple[Entity, ...]:
        """The entities of `words`."""
        return self.entities if self.text else self.caption_entities

    @property
    def topic(self) -> int:
        """The forum topic it stands in; 0 elsewhere, although answers in other groups have a thread number, too.

        Not every server marks topics; in a forum, only answers have a thread number that may not be one.
        """
        marked = self.is_topic_message or (self.chat.is_forum and self._in_topic_by_its_look)
        return self.message_thread_id if marked else 0

    @property
    def _in_topic_by_its_look(self) -> bool:
        replied = self.reply_to_message
        return replied is None or replied.is_topic_message or replied.forum_topic_created is not None


class CallbackQuery(_Wire):
    """A button that was pressed."""

    id: Text
    sender: User = Field(alias="from")
    message: TelegramMessage | None = None
    data: Text = ""


class MemberChange(_Wire):
    """The bot's own standing in a chat changed."""

    chat: Chat
    new_chat_member: dict[str, Any] = Field(default_factory=dict)


class Update(_Wire):
    """One thing that happened."""

    update_id: int
    message: TelegramMessage | None = None
    edited_message: TelegramMessage | None = None
    callback_query: CallbackQuery | None = None
    my_chat_member: MemberChange | None = None

    @property
    def chat_id(self) -> int:
        """Where somebody wrote; 0 for anything else."""
        message = self.message or self.edited_message
        return message.chat.id if message is not None else 0

    @property
    def queue_key(self) -> tuple[int, int]:
        """Within which updates keep their order: a chat, or a topic of it; a pressed button waits for nobody."""
        message = self.message or self.edited_message
        return (message.chat.id, message.topic) if message is not None else (0, self.update_id)


ASKED_FOR = ("message", "edited_message", "callback_query", "my_chat_member")


def update_number(raw: object) -> int | None:
    """Return the number of an update, even of one that makes no sense otherwise."""
    number = raw.get("update_id") if isinstance(raw, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def chat_of(raw: object) -> int | None:
    """Return the chat of an update that could not be read, to tell somebody there."""
    message = raw.get("message") if isinstance(raw, dict) else None
    chat = message.get("chat") if isinstance(message, dict) else None
    number = chat.get("id") if isinstance(chat, dict) and chat.get("type") == "private" else None
    return number if isinstance(number, int) and abs(number) < 2**53 else None


def read_update(raw: object) -> Update | str:
    """Return an update, or why it cannot be read."""
    try:
        return Update.model_validate(raw)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        return f"{'.'.join(str(place) for place in problem['loc'])}: {problem['msg']}"
