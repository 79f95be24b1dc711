"""What Socket Mode brings, as values: parsed once, here; unknown fields and kinds are nobody's trouble."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mama_bot.gateways.chat.attachments import OfferedFile
from mama_bot.gateways.slack.constants import METADATA_TYPE
from mama_bot.gateways.slack.rich_text import text_of_blocks

_READ_SUBTYPES = frozenset({"", "file_share", "thread_broadcast", "me_message", "bot_message"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A message as Slack tells it; `mentioned` says that Slack itself reports it as a mention of our app.

    `guest_of` is the workspace of another company that its author belongs to (Slack Connect), else "". It was `missed`
    where it was read later, `perhaps_before` in a life that was cut off.
    """

    team: str
    channel: str
    ts: str
    thread: str = ""
    user: str = ""
    bot: str = ""
    app: str = ""
    name: str = ""
    text: str = ""
    direct: bool = False
    mentioned: bool = False
    parent_user: str = ""
    files: tuple[OfferedFile, ...] = ()
    emoji: Mapping[str, str] = field(default_factory=dict)
    guest_of: str = ""
    missed: bool = False
    perhaps_before: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A message with its new text, and the text before ("" where it was not told)."""

    message: Written
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deleted:
    """A message that is gone, as it was."""

    message: Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Somebody left a channel, or was removed from it."""

    channel: str
    user: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slashed:
    """A slash command."""

    team: str
    channel: str
    user: str
    name: str
    command: str
    text: str
    response_url: str
    thread: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pressed:
    """A pressed button, under the message `ts`; `guest_of` as in a message."""

    team: str
    channel: str
    ts: str
    thread: str
    user: str
    name: str
    action: str
    text: str
    response_url: str
    post: str = ""
    guest_of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Envelope:
    """What tells of an event whose it is: where it came from, and the workspace that the app is installed in.

    `shared_inside` says that the channel is shared with no other company: workspaces of one company differ too.
    """

    team: str
    own: str
    shared_inside: bool

    def guest_of(self, event: Mapping[str, object]) -> str:
        homes = (_text(event, name) for name in ("user_team", "source_team", "team"))
        return (
            ""
            if self.shared_inside or not self.own
            else next((home for home in homes if home not in ("", self.own)), "")
        )


Event = Written | Edited | Deleted | Left | Slashed | Pressed


def event_of(body: Mapping[str, object]) -> Event | None:
    """Return the event that a payload is; None for what does not concern us."""
    if _text(body, "command"):
        return _slashed(body)
    if body.get("type") == "block_actions":
        return _pressed(body)
    event = _object(body, "event")
    installed = _installed_in(body)
    team = _text(body, "team_id") or _text(event, "team") or installed
    envelope = _Envelope(
        team=team,
        own=installed or _text(body, "team_id"),
        shared_inside=body.get("is_ext_shared_channel") is False,
    )
    match _text(event, "type"):
        case "app_mention":
            return _written(event, envelope, mentioned=True)
        case "message":
            return _message(event, envelope)
        case "member_left_channel":
            return Left(channel=_text(event, "channel"), user=_text(event, "user"))
        case _:
            return None


def _installed_in(body: Mapping[str, object]) -> str:
    """Return the workspace for which an event came, where only its authorizations tell."""
    listed = [item for item in _list(body, "authorizations") if isinstance(item, Mapping)]
    return next(filter(None, (_text(item, "team_id") for item in listed)), "")


def _message(event: Mapping[str, object], envelope: _Envelope) -> Event | None:
    subtype = _text(event, "subtype")
    if subtype == "message_changed":
        return _changed(event, envelope)
    if subtype == "message_deleted":
        previous = _object(event, "previous_message")
        gone = {"ts": _text(event, "deleted_ts")} | {name: previous[name] for name in previous if name != "ts"}
        message = _written(_placed(gone, event), envelope)
        return None if message is None else Deleted(message=message)
    return _written(event, envelope) if subtype in _READ_SUBTYPES else None


def _changed(event: Mapping[str, object], envelope: _Envelope) -> Event | None:
    now, previous = _object(event, "message"), _object(event, "previous_message")
    if _text(now, "subtype") == "tombstone":
        was = _written(_placed(dict(previous) or now, event), envelope)
        return None if was is None else Deleted(message=was)
    before = _words(previous)
    message = _written(_placed(now, event), envelope)
    if message is None or _text(now, "subtype") not in _READ_SUBTYPES or message.text == before:
        return None
    return Edited(message=message, before=before)


def missed_message(message: Mapping[str, object], *, channel: str, team: str) -> Written | None:
    """Return a message of a channel's history; None for what nobody wrote, such as that somebody joined."""
    if _text(message, "type") not in {"", "message"} or _text(message, "subtype") not in _READ_SUBTYPES:
        return None
    placed = {**message, "channel": channel}
    written = _written(placed, _Envelope(team=team, own=team, shared_inside=False))
    return None if written is None else replace(written, missed=True)


def _placed(message: Mapping[str, object], event: Mapping[str, object]) -> Mapping[str, object]:
    """Return a message within an event, with where it stands."""
    return dict(message) | {name: event[name] for name in ("channel", "channel_type") if name in event}


def _written(event: Mapping[str, object], envelope: _Envelope, *, mentioned: bool = False) -> Written | None:
    channel, ts = _text(event, "channel"), _text(event, "ts")
    if not channel or not ts:
        return None
    profile = _object(event, "bot_profile")
    return Written(
        team=envelope.team,
        channel=channel,
        ts=ts,
        thread=_text(event, "thread_ts"),
        user=_text(event, "user"),
        bot=_text(event, "bot_id"),
        app=_text(event, "app_id"),
        name=_text(event, "username") or _text(profile, "name"),
        text=_words(event),
        direct=_text(event, "channel_type") == "im" or (not _text(event, "channel_type") and channel.startswith("D")),
        mentioned=mentioned,
        parent_user=_text(event, "parent_user_id"),
        files=tuple(_file(file) for file in _list(event, "files") if isinstance(file, Mapping)),
        emoji=dict(_emoji(_list(event, "blocks"))),
        guest_of=envelope.guest_of(event),
    )


def _words(message: Mapping[str, object]) -> str:
    """Return what a person wrote, and below it, as a quotation, what they passed on of others."""
    text = _text(message, "text") or text_of_blocks(_list(message, "blocks"))
    passed_on = [
        item for item in _list(message, "attachments") if isinstance(item, Mapping) and item.get("is_share") is True
    ]
    lines = [line for item in passed_on for line in (_text(item, "text") or _text(item, "fallback")).splitlines()]
    return "\n".join([*filter(None, [text]), *(f"&gt; {line}" for line in lines)])


def _file(file: Mapping[str, object]) -> OfferedFile:
    size = file.get("size")
    return OfferedFile(
        name=_text(file, "name") or _text(file, "title") or "file",
        media_type=_text(file, "mimetype"),
        size=size if isinstance(size, int) else 0,
        address=_text(file, "url_private_download") or _text(file, "url_private"),
    )


def _slashed(body: Mapping[str, object]) -> Slashed | None:
    channel, user = _text(body, "channel_id"), _text(body, "user_id")
    if not channel or not user:
        return None
    return Slashed(
        team=_text(body, "team_id"),
        channel=channel,
        user=user,
        name=_text(body, "user_name"),
        command=_text(body, "command"),
        text=_text(body, "text"),
        response_url=_text(body, "response_url"),
        thread=_text(body, "thread_ts"),
    )


def _pressed(body: Mapping[str, object]) -> Pressed | None:
    user, container, message = _object(body, "user"), _object(body, "container"), _object(body, "message")
    metadata = _object(message, "metadata")
    actions = [action for action in _list(body, "actions") if isinstance(action, Mapping)]
    channel = _text(_object(body, "channel"), "id") or _text(container, "channel_id")
    if not actions or not channel or not _text(user, "id"):
        return None
    team, home = _text(_object(body, "team"), "id"), _text(user, "team_id")
    return Pressed(
        team=team or home,
        guest_of=home if team and home != team else "",
        channel=channel,
        ts=_text(container, "message_ts") or _text(message, "ts"),
        thread=_text(message, "thread_ts") or _text(container, "thread_ts"),
        user=_text(user, "id"),
        name=_text(user, "username") or _text(user, "name"),
        action=_text(actions[0], "action_id"),
        text=_text(message, "text"),
        response_url=_text(body, "response_url"),
        post=_text(_object(metadata, "event_payload"), "post") if metadata.get("event_type") == METADATA_TYPE else "",
    )


def _emoji(blocks: Sequence[object], depth: int = 0) -> list[tuple[str, str]]:
    """Return the names and characters of the emoji in a rich text: the plain text has their names only."""
    emoji: list[tuple[str, str]] = []
    for block in blocks:
        if not isinstance(block, Mapping):
            continue
        if block.get("type") == "emoji" and (characters := _characters(_text(block, "unicode"))):
            emoji.append((_text(block, "name"), characters))
        elif depth < 6:
            emoji.extend(_emoji(_list(block, "elements"), depth + 1))
    return emoji


def _characters(unicode: str) -> str:
    try:
        return "".join(chr(int(point, 16)) for point in unicode.split("-")) if unicode else ""
    except (ValueError, OverflowError):
        return ""


def _text(value: Mapping[str, object], name: str) -> str:
    text = value.get(name)
    return text if isinstance(text, str) else ""


def _object(value: Mapping[str, object], name: str) -> Mapping[str, object]:
    inner = value.get(name)
    return inner if isinstance(inner, Mapping) else {}


def _list(value: Mapping[str, object], name: str) -> Sequence[object]:
    items = value.get(name)
    return items if isinstance(items, list) else ()
