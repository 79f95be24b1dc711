"""What the server knows: people, channels, messages, webhooks, in the shapes of the wire."""

import itertools
import re
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from tests.platforms.discord_server.forms import MAX_CONTENT, check_form, too_long
from tests.platforms.discord_server.refusals import (
    Json,
    archived_thread,
    invalid,
    missing_access,
    missing_permissions,
    unauthorized,
    unknown_channel,
    unknown_message,
)
from tests.platforms.discord_server.shapes import File, Interaction, Shown

EPOCH_MILLISECONDS = 1_420_070_400_000
TEXT, DIRECT, THREAD = 0, 1, 11
EPHEMERAL = 64
MESSAGE_CONTENT_INTENT = 1 << 15
CONTENT_FLAG = 1 << 19
PERMISSIONS = {
    "ADD_REACTIONS": 1 << 6,
    "VIEW_CHANNEL": 1 << 10,
    "SEND_MESSAGES": 1 << 11,
    "EMBED_LINKS": 1 << 14,
    "ATTACH_FILES": 1 << 15,
    "READ_MESSAGE_HISTORY": 1 << 16,
    "MANAGE_WEBHOOKS": 1 << 29,
    "CREATE_PUBLIC_THREADS": 1 << 35,
    "SEND_MESSAGES_IN_THREADS": 1 << 38,
}
_MENTION = re.compile(r"<@!?(\d{1,20})>")
_ROLE = re.compile(r"<@&(\d{1,20})>")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


class World:
    """One Discord server with people, bots and channels; every change is made by `rest` or by the test."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.files_url = ""
        self.guild_id = self.snowflake()
        self.application_id = self.snowflake()
        self.users: dict[str, Json] = {}
        self.tokens: dict[str, str] = {}
        self.channels: dict[str, Json] = {}
        self.readers: dict[str, set[str]] = {}
        self.messages: dict[str, dict[str, Json]] = {}
        self.webhooks: dict[str, Json] = {}
        self.commands: dict[str, list[Json]] = {}
        self.interactions: dict[str, Interaction] = {}
        self.files: dict[str, File] = {}
        self.roles: list[Json] = [self._role("@everyone", self.guild_id)]
        self.member_roles: dict[str, list[str]] = {}
        self.denied: dict[str, set[str]] = {}
        self.content_allowed = True

    def snowflake(self) -> str:
        """A new id; later ones are greater."""
        milliseconds = int(time.time() * 1000) - EPOCH_MILLISECONDS
        return str((milliseconds << 22) | (next(self._numbers) & 0x3FFFFF))

    def add_user(self, name: str, *, bot: bool = False, shown: str | None = None) -> str:
        """Somebody on the server."""
        user_id = self.snowflake()
        self.users[user_id] = {
            "id": user_id,
            "username": name,
            "global_name": shown,
            "discriminator": "0",
            "avatar": None,
            "bot": bot,
            "public_flags": 0,
        }
        return user_id

    def add_channel(self, name: str, kind: int = TEXT, **more: object) -> str:
        """A channel of the server."""
        return self._keep_channel(self.snowflake(), name, kind, more)

    def add_thread(self, parent: str, name: str, owner: str, thread_id: str = "") -> Json:
        """A thread below a channel."""
        created = _now()
        settings = {
            "archived": False,
            "auto_archive_duration": 1440,
            "archive_timestamp": created,
            "locked": False,
            "create_timestamp": created,
        }
        more = {"parent_id": parent, "owner_id": owner, "thread_metadata": settings, "message_count": 0}
        thread_id = self._keep_channel(thread_id or self.snowflake(), name, THREAD, {**more, "member_count": 1})
        return self.channels[thread_id]

    def add_direct(self, person: str, bot: str) -> Json:
        """The channel between a person and a bot; always the same."""
        for channel in self.channels.values():
            if channel["type"] == DIRECT and self.readers[channel["id"]] == {person, bot}:
                return channel
        channel_id = self.snowflake()
        self.readers[channel_id] = {person, bot}
        self.messages[channel_id] = {}
        self.channels[channel_id] = {
            "id": channel_id,
            "type": DIRECT,
            "last_message_id": None,
            "recipients": [self.users[person]],
            "flags": 0,
        }
        return self.channels[channel_id]

    def add_role(self, name: str, *, bot: str = "") -> str:
        """A role; with `bot`, the one that Discord makes for that bot."""
        role_id = self.snowflake()
        self.roles.append({**self._role(name, role_id), **({"managed": True, "tags": {"bot_id": bot}} if bot else {})})
        return role_id

    def _role(self, name: str, role_id: str) -> Json:
        permissions = str(sum(PERMISSIONS.values()))
        colors = {"primary_color": 0, "secondary_color": None, "tertiary_color": None}
        return {
            "id": role_id,
            "name": name,
            "color": 0,
            "colors": colors,
            "hoist": False,
            "position": 0,
            "permissions": permissions,
            "managed": False,
            "mentionable": True,
            "flags": 0,
        }

    def _keep_channel(self, channel_id: str, name: str, kind: int, more: dict[str, object]) -> str:
        self.messages.setdefault(channel_id, {})
        self.channels[channel_id] = {
            "id": channel_id,
            "type": kind,
            "guild_id": self.guild_id,
            "name": name,
            "position": 0,
            "permission_overwrites": [],
            "nsfw": False,
            "topic": None,
            "rate_limit_per_user": 0,
            "parent_id": None,
            "last_message_id": None,
            "flags": 0,
            **more,
        }
        return channel_id

    def bot_of(self, token: str) -> Json:
        """Whose token this is."""
        if token not in self.tokens:
            raise unauthorized()
        return self.users[self.tokens[token]]

    def channel(self, channel_id: str, *needs: str) -> Json:
        """A channel that the bots see and in which they may do what is needed."""
        if channel_id not in self.channels:
            raise unknown_channel()
        channel = self.channels[channel_id]
        denied = self.denied.get(channel_id, set()) | self.denied.get(str(channel.get("parent_id")), set())
        if "VIEW_CHANNEL" in denied:
            raise missing_access()
        if denied & set(needs):
            raise missing_permissions()
        return channel

    def message(self, channel_id: str, message_id: str) -> Json:
        """A message of a channel."""
        if message_id not in self.messages.get(channel_id, {}):
            raise unknown_message()
        return self.messages[channel_id][message_id]

    def visible(self, channel_id: str) -> list[Json]:
        """What everybody sees in a channel, oldest first."""
        kept = sorted(self.messages[channel_id].values(), key=lambda message: int(message["id"]))
        return [message for message in kept if not message["flags"] & EPHEMERAL]

    def member(self, user_id: str) -> Json:
        """Somebody as a member of the server."""
        return {
            "user": self.users[user_id],
            "nick": None,
            "avatar": None,
            "roles": list(self.member_roles.get(user_id, [])),
            "joined_at": "2024-01-01T00:00:00+00:00",
            "deaf": False,
            "mute": False,
            "flags": 0,
            "pending": False,
        }

    def new_message(
        self, channel_id: str, author: Json, form: Json, files: Iterable[File] = (), *, webhook: Json | None = None
    ) -> Json:
        """Check a form as Discord does and keep the message; a repeated nonce gets the message that is there."""
        attachments = [self._attachment(channel_id, one) for one in files]
        check_form(form, files=bool(attachments))
        known = self._same_nonce(channel_id, author, form)
        if known is not None:
            return known
        channel = self.channels[channel_id]
        if channel.get("thread_metadata", {}).get("archived"):
            raise archived_thread()
        content = (form.get("content") or "").strip()
        reference = self._reference(channel_id, form)
        message: Json = {
            "id": self.snowflake(),
            "channel_id": channel_id,
            "author": author,
            "content": content,
            "timestamp": _now(),
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": list(self._mentions(content)),
            "mention_roles": [role for role in _ROLE.findall(content) if any(role == r["id"] for r in self.roles)],
            "attachments": attachments,
            "embeds": form.get("embeds") or [],
            "pinned": False,
            "type": 19 if reference else 0,
            "flags": form.get("flags") or 0,
            "components": form.get("components") or [],
            **reference,
        }
        if form.get("nonce") is not None:
            message["nonce"] = form["nonce"]
        if webhook is not None:
            message |= {"webhook_id": webhook["id"], "application_id": webhook["application_id"]}
        self.messages[channel_id][message["id"]] = message
        channel["last_message_id"] = message["id"]
        return message

    def _same_nonce(self, channel_id: str, author: Json, form: Json) -> Json | None:
        if not form.get("enforce_nonce"):
            return None
        mine = (m for m in self.messages[channel_id].values() if m["author"]["id"] == author["id"])
        return next((message for message in mine if message.get("nonce") == form.get("nonce")), None)

    def _reference(self, channel_id: str, form: Json) -> Json:
        asked = form.get("message_reference")
        if not asked:
            return {}
        target = str(asked.get("message_id"))
        known = self.messages[channel_id].get(target)
        if known is None:
            if asked.get("fail_if_not_exists", True):
                raise invalid("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
            return {}
        reference = {"type": 0, "channel_id": channel_id, "message_id": target}
        return {"message_reference": reference, "referenced_message": known}

    def _mentions(self, content: str) -> Iterator[Json]:
        for user_id in dict.fromkeys(_MENTION.findall(_CODE.sub("", content))):
            if user_id in self.users:
                yield self.users[user_id]

    def _attachment(self, channel_id: str, file: File) -> Json:
        file_id = self.snowflake()
        self.files[file_id] = file
        url = f"{self.files_url}/attachments/{channel_id}/{file_id}/{file.name}"
        return {
            "id": file_id,
            "filename": file.name,
            "size": len(file.content),
            "url": url,
            "proxy_url": url,
            "content_type": file.media_type,
        }

    def edit_message(self, message: Json, form: Json) -> Json:
        """Change what the form names."""
        if len(form.get("content") or "") > MAX_CONTENT:
            raise too_long()
        changed = {name: value for name, value in form.items() if name in {"content", "embeds", "components"}}
        message |= {name: value for name, value in changed.items() if value is not None}
        if "content" in form:
            message["content"] = (form["content"] or "").strip()
            message["mentions"] = list(self._mentions(message["content"]))
        message["edited_timestamp"] = _now()
        return message

    def audience(self, channel_id: str) -> set[str] | None:
        """Who alone reads a channel; None for a channel of the server."""
        return self.readers.get(channel_id)

    def event_of(self, message: Json) -> Json:
        """A message as the gateway tells it."""
        if self.audience(message["channel_id"]) is not None:
            return message
        author = message["author"]["id"]
        extra: Json = {"guild_id": self.guild_id}
        if "webhook_id" not in message:
            extra["member"] = {name: value for name, value in self.member(author).items() if name != "user"}
        return {**message, **extra}

    def guild(self) -> Json:
        """The server as GUILD_CREATE tells it."""
        channels = list(self.channels.values())
        return {
            "id": self.guild_id,
            "name": "Test",
            "icon": None,
            "owner_id": next(iter(self.users), "1"),
            "roles": self.roles,
            "emojis": [],
            "stickers": [],
            "features": [],
            "joined_at": "2024-01-01T00:00:00+00:00",
            "large": False,
            "unavailable": False,
            "member_count": len(self.users),
            "members": [self.member(user) for user in self.users],
            "channels": [one for one in channels if one["type"] == TEXT],
            "threads": [one for one in channels if one["type"] == THREAD and not one["thread_metadata"]["archived"]],
            "voice_states": [],
            "presences": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
            "afk_timeout": 300,
            "verification_level": 0,
            "default_message_notifications": 0,
            "explicit_content_filter": 0,
            "mfa_level": 0,
            "system_channel_flags": 0,
            "premium_tier": 0,
            "preferred_locale": "en-US",
            "nsfw_level": 0,
            "premium_progress_bar_enabled": False,
        }

    def shown(self, message: Json) -> Shown:
        """A message for the eyes of a test."""
        rows = [row for row in message["components"] if isinstance(row, dict)]
        return Shown(
            id=message["id"],
            author=message["author"]["username"],
            text=message["content"],
            avatar=message["author"].get("avatar"),
            answers=(message.get("message_reference") or {}).get("message_id", ""),
            files=tuple(attachment["filename"] for attachment in message["attachments"]),
            buttons=tuple(one.get("custom_id", "") for row in rows for one in row.get("components", [])),
            webhook="webhook_id" in message,
        )


def _now() -> str:
    return datetime.now(UTC).isoformat()
