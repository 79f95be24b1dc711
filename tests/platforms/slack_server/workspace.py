"""What a Slack workspace holds: people, apps, channels and messages."""

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

JsonObject = dict[str, Any]

ALL_SCOPES = (
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "chat:write.customize",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "mpim:read",
    "reactions:write",
    "users:read",
)
TEXT_LIMIT = 40_000
SECTION_LIMIT = 3000
BLOCK_LIMIT = 50
ACTION_LIMIT = 25


class Refused(Exception):
    """A call that Slack answers with `ok: false`."""

    def __init__(self, error: str, **facts: object) -> None:
        super().__init__(error)
        self.error = error
        self.facts = facts


@dataclass(slots=True, kw_only=True)
class SlackApp:
    """An app that is installed in the workspace; `revoked` and `app_token_revoked` make its tokens invalid."""

    name: str
    bot_token: str
    app_token: str
    app_id: str
    user_id: str
    bot_id: str
    scopes: list[str] = field(default_factory=lambda: list(ALL_SCOPES))
    revoked: bool = False
    app_token_revoked: bool = False

    def mention(self) -> str:
        """How a message names the app."""
        return f"<@{self.user_id}>"


@dataclass(slots=True, kw_only=True)
class Channel:
    """A channel, or with `direct` the conversation of a person with an app."""

    id: str
    name: str
    members: set[str]
    direct: bool = False
    archived: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ephemeral:
    """What one person alone is shown."""

    channel: str
    user: str
    text: str
    thread: str
    at: str
    blocks: Sequence[JsonObject] = ()


class Workspace:
    """The state; `tell` hears of every change: the event, and the ids of the apps that it is for (None: all there)."""

    def __init__(self, *, team_id: str = "T0TEAM", tell: Callable[[JsonObject, Sequence[str] | None], None]) -> None:
        self.team_id = team_id
        self.apps: dict[str, SlackApp] = {}
        self.users: dict[str, JsonObject] = {}
        self.channels: dict[str, Channel] = {}
        self.messages: dict[tuple[str, str], JsonObject] = {}
        self.ephemerals: list[Ephemeral] = []
        self._tell = tell
        self._numbers = itertools.count(1)

    def next_number(self) -> int:
        """A number that was not used."""
        return next(self._numbers)

    def next_ts(self) -> str:
        """The time stamp of a new message: unique, rising."""
        return f"{int(time.time())}.{self.next_number():06d}"

    def add_app(self, name: str) -> SlackApp:
        """Install an app and give it a bot user."""
        number = len(self.apps) + 1
        app = SlackApp(
            name=name,
            bot_token=f"xoxb-test-{number}",
            app_token=f"xapp-test-{number}",
            app_id=f"A0APP{number}",
            user_id=f"U0BOT{number}",
            bot_id=f"B0BOT{number}",
        )
        self.apps[app.app_id] = app
        self.add_user(app.user_id, name, bot_id=app.bot_id)
        return app

    def add_user(self, user_id: str, name: str, *, bot_id: str = "") -> None:
        """Let somebody join the workspace."""
        profile = {"display_name": name, "real_name": name.title()} | ({"bot_id": bot_id} if bot_id else {})
        self.users[user_id] = {
            "id": user_id,
            "team_id": self.team_id,
            "name": name.lower(),
            "real_name": name.title(),
            "is_bot": bool(bot_id),
            "profile": profile,
        }

    def add_channel(self, channel_id: str, name: str, members: Sequence[str], *, direct: bool = False) -> Channel:
        """Make a channel."""
        channel = Channel(id=channel_id, name=name, members=set(members), direct=direct)
        self.channels[channel_id] = channel
        return channel

    def direct_channel(self, user: str, app: SlackApp) -> Channel:
        """The conversation of a person with an app; made when it is not there."""
        for channel in self.channels.values():
            if channel.direct and channel.members == {user, app.user_id}:
                return channel
        return self.add_channel(f"D{self.next_number():06d}", "", [user, app.user_id], direct=True)

    def open_channel(self, channel_id: object, app: SlackApp) -> Channel:
        """A channel in which an app may write; raises Refused."""
        channel = self.channels.get(str(channel_id))
        if channel is None:
            raise Refused("channel_not_found")
        if app.user_id not in channel.members:
            raise Refused("not_in_channel")
        return channel

    def message(self, channel: str, ts: object) -> JsonObject:
        """A message; raises Refused."""
        message = self.messages.get((channel, str(ts)))
        if message is None:
            raise Refused("message_not_found")
        return message

    def add_message(self, channel: Channel, message: JsonObject, *, ts: str = "") -> JsonObject:
        """Store a message and tell the apps in the channel, twice where it mentions one of them."""
        message = {"type": "message", "ts": ts or self.next_ts(), "team": self.team_id} | message
        parent = self.messages.get((channel.id, str(message.get("thread_ts"))))
        if parent is not None and "user" in parent:
            message["parent_user_id"] = parent["user"]
        self.messages[channel.id, message["ts"]] = message
        self.tell_message(channel, message)
        return message

    def tell_message(self, channel: Channel, message: JsonObject) -> None:
        """Tell the apps of a message, as when it was written."""
        kind = "im" if channel.direct else "channel"
        event = message | {"channel": channel.id, "event_ts": message["ts"], "channel_type": kind}
        mentioned = [
            app
            for app in self.apps.values()
            if app.mention() in message.get("text", "") and app.user_id in channel.members
        ]
        if not channel.direct:
            for app in mentioned:
                if message.get("user") != app.user_id:
                    whole = {name: value for name, value in event.items() if name not in {"channel_type", "subtype"}}
                    self._tell(whole | {"type": "app_mention"}, [app.app_id])
        self._tell(event, None)

    def change_message(self, channel: Channel, ts: str, changes: JsonObject, *, by: str) -> JsonObject:
        """Change a message and tell the apps."""
        message = self.message(channel.id, ts)
        previous = dict(message)
        message.update(changes)
        message["edited"] = {"user": by, "ts": self.next_ts()}
        self._tell_hidden(channel, "message_changed", message=dict(message), previous_message=previous)
        return message

    def delete_message(self, channel: Channel, ts: str) -> None:
        """Delete a message and tell the apps; the first of a thread leaves a tombstone."""
        previous = dict(self.message(channel.id, ts))
        if any(one.get("thread_ts") == ts and one["ts"] != ts for one in self.messages.values()):
            tomb = {"type": "message", "subtype": "tombstone", "text": "This message was deleted.", "user": "USLACKBOT"}
            self.messages[channel.id, ts] = tomb | {"ts": ts, "thread_ts": ts, "hidden": True}
            message = dict(self.messages[channel.id, ts])
            self._tell_hidden(channel, "message_changed", message=message, previous_message=previous)
            return
        del self.messages[channel.id, ts]
        self._tell_hidden(channel, "message_deleted", deleted_ts=ts, previous_message=previous)

    def _tell_hidden(self, channel: Channel, subtype: str, **facts: object) -> None:
        now = self.next_ts()
        kind = "im" if channel.direct else "channel"
        event = {"type": "message", "subtype": subtype, "hidden": True, "channel": channel.id, "channel_type": kind}
        self._tell(event | {"ts": now, "event_ts": now} | facts, None)

    def show_to(
        self, user: str, channel: str, text: str, *, thread: str = "", blocks: Sequence[JsonObject] = ()
    ) -> str:
        """Show something to one person."""
        ephemeral = Ephemeral(channel=channel, user=user, text=text, thread=thread, at=self.next_ts(), blocks=blocks)
        self.ephemerals.append(ephemeral)
        return ephemeral.at

    def thread(self, channel: str, ts: str) -> list[JsonObject]:
        """A message and what answers it, oldest first."""
        found = [
            message
            for (where, _), message in self.messages.items()
            if where == channel and ts in (message["ts"], message.get("thread_ts"))
        ]
        return sorted(found, key=stamp)

    def history(self, channel: str) -> list[JsonObject]:
        """What stands in a channel outside threads, newest first; with its replies' count where it opened a thread."""
        found = [
            message
            | (
                {"thread_ts": ts, "reply_count": len(replies), "latest_reply": replies[-1]["ts"]}
                if (replies := self.thread(channel, ts)[1:])
                else {}
            )
            for (where, ts), message in self.messages.items()
            if where == channel and message.get("thread_ts") in (None, ts)
        ]
        return sorted(found, key=stamp, reverse=True)


def stamp(message: JsonObject) -> tuple[int, int]:
    """The time stamp of a message, to sort by."""
    seconds, _, rest = str(message["ts"]).partition(".")
    return int(seconds), int(rest or 0)


def escaped(typed: str) -> str:
    """What Slack makes of what a person types."""
    return typed.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def check_content(arguments: JsonObject) -> None:
    """Whether Slack takes a message with this content; raises Refused."""
    text, blocks = arguments.get("text") or "", arguments.get("blocks") or []
    if not isinstance(text, str) or not isinstance(blocks, list):
        raise Refused("invalid_arguments")
    if not text.strip() and not blocks:
        raise Refused("no_text")
    if len(text) > TEXT_LIMIT:
        raise Refused("msg_too_long")
    if len(blocks) > BLOCK_LIMIT or not all(_is_block(block) for block in blocks):
        raise Refused("invalid_blocks")


def _is_block(block: JsonObject) -> bool:
    match block:
        case {"type": "section", "text": {"type": "mrkdwn" | "plain_text", "text": str(text)}}:
            return 0 < len(text) <= SECTION_LIMIT
        case {"type": "actions", "elements": [*elements]}:
            ids = [element.get("action_id") for element in elements]
            return 0 < len(elements) <= ACTION_LIMIT and len(set(ids)) == len(ids) and all(map(_is_button, elements))
        case {"type": "context" | "divider" | "markdown" | "rich_text"}:
            return True
        case _:
            return False


def _is_button(element: JsonObject) -> bool:
    match element:
        case {"type": "button", "action_id": str(action), "text": {"type": "plain_text", "text": str(text)}}:
            return 0 < len(action) <= 255 and 0 < len(text) <= 75 and len(str(element.get("value", ""))) <= 2000
        case _:
            return False
