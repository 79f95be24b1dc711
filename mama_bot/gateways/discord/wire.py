"""What Discord sends, read once at the border: unknown fields are ignored, missing ones have a plain default."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from mama_bot.gateways.chat.attachments import OfferedFile
from mama_bot.model import well_formed
from mama_bot.wording import Language, language_of_locale

TEXT, DIRECT, NEWS = 0, 1, 5
THREADS = frozenset({10, 11, 12})
ORDINARY = frozenset({0, 19})  # a plain message, a reply; everything else is the platform's own line
COMMAND, BUTTON = 2, 3
_MAX_DIGITS = 20


class NotUnderstood(ValueError):
    """An event lacks what it cannot be without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who wrote or pressed."""

    id: str
    name: str
    bot: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordPlace:
    """A channel, thread or direct channel."""

    id: str
    kind: int = TEXT
    guild: str = ""
    parent: str = ""
    name: str = ""
    last_message: str = ""

    @property
    def direct(self) -> bool:
        """Whether nobody but a person and the bot reads along."""
        return self.kind == DIRECT

    @property
    def holds_messages(self) -> bool:
        """Whether people write in it, and not only in threads below it."""
        return self.kind in {TEXT, DIRECT, NEWS} or self.thread

    @property
    def thread(self) -> bool:
        """Whether it is a thread of another channel."""
        return self.kind in THREADS


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordMessage:
    """A message as it was sent; `roles` is None where the platform does not tell them (in a history)."""

    id: str
    channel: str
    guild: str
    author: Person
    text: str
    kind: int = 0
    at: datetime | None = None
    edited: bool = False
    webhook: str = ""
    application: str = ""
    nonce: str = ""
    roles: tuple[str, ...] | None = None
    mentions: Mapping[str, str] = field(default_factory=dict)
    role_mentions: tuple[str, ...] = ()
    files: tuple[OfferedFile, ...] = ()
    answers: str = ""
    answered: "DiscordMessage | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """A command that was given, or a button that was pressed; `name` is the command's, or the button's value."""

    id: str
    token: str
    application: str
    kind: int
    name: str
    argument: str
    place: DiscordPlace
    author: Person
    roles: tuple[str, ...]
    message: str
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Guild:
    """A Discord server with what the bot sees of it: roles by id, and the role that is each bot's own."""

    id: str
    roles: Mapping[str, str]
    bot_roles: Mapping[str, str]
    places: tuple[DiscordPlace, ...]


def message_of(raw: object, *, nested: bool = False) -> DiscordMessage:
    """Return a message; raises NotUnderstood without ids or an author."""
    data = mapping(raw)
    member = data.get("member")
    answered = data.get("referenced_message")
    edited = data.get("edited_timestamp")
    return DiscordMessage(
        id=identifier(data.get("id")),
        channel=identifier(data.get("channel_id")),
        guild=optional_id(data.get("guild_id")),
        author=_person(data.get("author"), member),
        text=_text(data.get("content")),
        kind=_number(data.get("type")),
        at=_moment(data.get("timestamp")),
        edited=isinstance(edited, str) and bool(edited),
        webhook=optional_id(data.get("webhook_id")),
        application=optional_id(data.get("application_id")),
        nonce=str(data.get("nonce") or ""),
        roles=tuple(_ids(member.get("roles"))) if isinstance(member, dict) else None,
        mentions=dict(_named(data.get("mentions"))),
        role_mentions=tuple(_ids(data.get("mention_roles"))),
        files=tuple(_files(data.get("attachments"))),
        answers=_reference(data.get("message_reference")),
        answered=None if nested or not isinstance(answered, dict) else _answered(answered),
    )


def messages_of(listed: object) -> list[DiscordMessage]:
    """Return the messages of a history that can be read, the oldest first."""
    messages = []
    for raw in dicts(listed):
        try:
            messages.append(message_of(raw))
        except NotUnderstood:
            continue
    return sorted(messages, key=lambda message: int(message.id))


def _answered(raw: object) -> DiscordMessage | None:
    try:
        return message_of(raw, nested=True)
    except NotUnderstood:
        return None


def read_place(raw: object, *, guild: str = "") -> DiscordPlace:
    """Return a channel; raises NotUnderstood without an id."""
    data = mapping(raw)
    return DiscordPlace(
        id=identifier(data.get("id")),
        kind=_number(data.get("type")),
        guild=optional_id(data.get("guild_id")) or guild,
        parent=optional_id(data.get("parent_id")),
        name=_text(data.get("name")),
        last_message=optional_id(data.get("last_message_id")),
    )


def guild_of(raw: object) -> Guild:
    """Return a Discord server; channels and roles that cannot be read are left out."""
    data = mapping(raw)
    guild = identifier(data.get("id"))
    roles, bots = {}, {}
    for role in dicts(data.get("roles")):
        role_id = optional_id(role.get("id"))
        if role_id:
            roles[role_id] = _text(role.get("name"))
            tags = role.get("tags")
            if isinstance(tags, dict) and (bot := optional_id(tags.get("bot_id"))):
                bots[role_id] = bot
    listed = (*dicts(data.get("channels")), *dicts(data.get("threads")))
    places = tuple(read_place(channel, guild=guild) for channel in listed if optional_id(channel.get("id")))
    return Guild(id=guild, roles=roles, bot_roles=bots, places=places)


def interaction_of(raw: object) -> Interaction:
    """Return a given command or a pressed button; raises NotUnderstood for anything else."""
    data = mapping(raw)
    body = mapping(data.get("data"))
    kind = _number(data.get("type"))
    if kind not in {COMMAND, BUTTON}:
        raise NotUnderstood(f"an interaction of kind {kind}")
    member = data.get("member")
    member = member if isinstance(member, dict) else {}
    guild = optional_id(data.get("guild_id"))
    channel = data.get("channel")
    place = read_place(channel, guild=guild) if isinstance(channel, dict) and "type" in channel else None
    message = data.get("message")
    locale = _text(data.get("locale"))
    return Interaction(
        id=identifier(data.get("id")),
        token=_required(data.get("token")),
        application=identifier(data.get("application_id")),
        kind=kind,
        name=_required(body.get("name") if kind == COMMAND else body.get("custom_id")),
        argument=" ".join(_text(option.get("value")) for option in dicts(body.get("options"))),
        place=place or DiscordPlace(id=identifier(data.get("channel_id")), guild=guild, kind=TEXT if guild else DIRECT),
        author=_person(data.get("user") or member.get("user"), member),
        roles=tuple(_ids(member.get("roles"))),
        message=optional_id(message.get("id")) if isinstance(message, dict) else "",
        language=language_of_locale(locale),
    )


def mapping(raw: object) -> Mapping[str, object]:
    """Return an object; raises NotUnderstood for anything else."""
    if not isinstance(raw, dict):
        raise NotUnderstood(f"{type(raw).__name__} where an object belongs")
    return raw


def dicts(raw: object) -> Iterator[Mapping[str, object]]:
    """Yield the objects of a list, and nothing else that it holds."""
    if isinstance(raw, list):
        yield from (item for item in raw if isinstance(item, dict))


def identifier(raw: object) -> str:
    """Return an id, sent as a string or as a number; raises NotUnderstood."""
    number = optional_id(raw)
    if not number:
        raise NotUnderstood(f"{str(raw)[:40]!r} is no id")
    return number


def optional_id(raw: object) -> str:
    """Return an id, or ""."""
    text = str(raw) if isinstance(raw, str) or (isinstance(raw, int) and not isinstance(raw, bool)) else ""
    return text if len(text) <= _MAX_DIGITS and text.isascii() and text.isdigit() else ""


def _person(raw: object, member: object) -> Person:
    data = mapping(raw)
    nick = member.get("nick") if isinstance(member, dict) else None
    names = (nick, data.get("global_name"), data.get("username"))
    person = identifier(data.get("id"))
    name = next((text for name in names if (text := _text(name)).strip()), person)
    return Person(id=person, name=name, bot=data.get("bot") is True)


def _named(raw: object) -> Iterator[tuple[str, str]]:
    for user in dicts(raw):
        try:
            person = _person(user, user.get("member"))
        except NotUnderstood:
            continue
        yield person.id, person.name


def _files(raw: object) -> Iterator[OfferedFile]:
    for file in dicts(raw):
        yield OfferedFile(
            name=_text(file.get("filename")) or "file",
            media_type=_text(file.get("content_type")),
            size=_number(file.get("size")),
            address=_text(file.get("url")),
        )


def _reference(raw: object) -> str:
    return optional_id(raw.get("message_id")) if isinstance(raw, dict) and not raw.get("type") else ""


def _ids(raw: object) -> Iterator[str]:
    if isinstance(raw, list):
        yield from (number for item in raw if (number := optional_id(item)))


def _moment(raw: object) -> datetime | None:
    if not isinstance(raw, str):
        return None
    try:
        moment = datetime.fromisoformat(raw)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _required(raw: object) -> str:
    text = _text(raw)
    if not text:
        raise NotUnderstood("a name is missing")
    return text


def _text(raw: object) -> str:
    return well_formed(raw) if isinstance(raw, str) else ""


def _number(raw: object) -> int:
    return raw if isinstance(raw, int) and not isinstance(raw, bool) else 0
