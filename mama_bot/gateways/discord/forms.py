"""The shapes in which Discord takes a message; pure but for reading a file that goes out."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from mama_bot.gateways.chat.command_forms import Button
from mama_bot.gateways.chat.markdown.posts import parts_of, short_message
from mama_bot.gateways.chat.sentences import DUPLICATE
from mama_bot.gateways.discord.dialect import DIALECT
from mama_bot.gateways.discord.places import PLATFORM
from mama_bot.gateways.discord.rest import Unreachable, Upload
from mama_bot.gateways.discord.wire import DiscordMessage, optional_id
from mama_bot.model import CommandName, ConversationKey, Notice, NoticeKind, OutgoingFile, Part, Post, PostId, Reply
from mama_bot.wording import Language, one_line

MAX_CONTENT = 2000
MAX_USERNAME = 80
MAX_LINES = 5
NOTHING_TO_SEE = "—"
QUIETLY = 1 << 12  # no notification
HIDDEN = 1 << 6  # seen by one person only
NOBODY = {"parse": [], "replied_user": False}
_GREY = 2
_STYLES = {CommandName.STOP: 4, CommandName.APPROVE: 3, CommandName.DENY: 4}
_RESERVED = re.compile(r"(?i)(disc|cly)(ord|de)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One message before it is sent, whoever sends it."""

    text: str
    nonce: str
    buttons: tuple[dict[str, object], ...] = ()
    files: tuple[Upload, ...] = ()
    answers: str = ""
    first: bool = False
    bare: bool = False

    def plain(self, text: str) -> "Form":
        """Return the same words without markup, and without what else could be refused."""
        return replace(self, text=text, answers="", bare=True)

    def without_buttons(self) -> "Form":
        """Return the message alone."""
        return replace(self, buttons=())

    def without_files(self, text: str) -> "Form":
        """Return the text alone."""
        return replace(self, text=text, files=())

    def line_above(self, text: str) -> "Form":
        """Return a line that stands before it."""
        digest = hashlib.sha256(f"{self.nonce}/above".encode()).hexdigest()
        return Form(text=text, nonce=digest[:24], answers=self.answers)

    def body_of_bot(self, text: str) -> dict[str, object]:
        """Return what a bot sends: Discord returns the message that it has where the nonce comes again."""
        body: dict[str, object] = {"nonce": self.nonce, "enforce_nonce": True, **self._common(text)}
        if self.answers:
            body["message_reference"] = {"message_id": self.answers, "fail_if_not_exists": False}
        return body

    def body_of_webhook(self, text: str, username: str, avatar: str) -> dict[str, object]:
        """Return what a webhook sends."""
        body: dict[str, object] = {"username": username, **self._common(text)}
        if avatar.startswith(("http://", "https://")) and not self.bare:
            body["avatar_url"] = avatar
        return body

    def _common(self, text: str) -> dict[str, object]:
        body: dict[str, object] = {"content": text, "allowed_mentions": NOBODY}
        if self.buttons:
            body["components"] = list(self.buttons)
        if self.files:
            body["attachments"] = [{"id": at, "filename": file.name} for at, file in enumerate(self.files)]
        return body


def nonce_of(post: Post, part: Part) -> str:
    """Always the same for the same part; at most 25 characters."""
    return hashlib.sha256(f"{post.id}/{part.index}".encode()).hexdigest()[:24]


def button_row(buttons: Sequence[Button], language: Language) -> dict[str, object]:
    """Return buttons side by side, as a component."""
    made = [
        {
            "type": 2,
            "style": _STYLES.get(button.name, _GREY),
            "label": button.label.to(language),
            "custom_id": button.value,
        }
        for button in buttons
    ]
    return {"type": 1, "components": made}


def username_of(name: str) -> str:
    """Return a persona's name as a webhook may have it: short, without the two words that Discord keeps to itself."""
    return _RESERVED.sub(r"\1-\2", name.strip())[:MAX_USERNAME] or "agent"


def header_of(reply: Reply) -> str:
    """Return the line above what the bot posts for a persona."""
    name = one_line(reply.display_name)[:MAX_USERNAME]
    return f"**{name}**" if name else ""


def platform_id_of(raw: object) -> str:
    """Return the id of a message that Discord says it has; raises Unreachable when it does not say so."""
    platform_id = optional_id(raw.get("id")) if isinstance(raw, dict) else ""
    if not platform_id:
        raise Unreachable("Discord's answer holds no message id", sent=True)
    return platform_id


def same_post(
    message: DiscordMessage, post: Post, part: Part, *, bots: AbstractSet[str], webhooks: AbstractSet[str]
) -> bool:
    """Return whether a message of the history is a part that we posted."""
    if message.author.id in bots and message.nonce and message.nonce == nonce_of(post, part):
        return True
    if message.webhook:
        name = username_of(post.display_name) if isinstance(post, Reply) else ""
        if message.webhook not in webhooks or message.author.name != name:
            return False
    elif message.author.id not in bots:
        return False
    if part.file is not None and [file.name for file in message.files] != [part.file.name]:
        return False
    shown = _without_lines_above(message.text, post)
    return shown in {_spaceless(part.text), _spaceless(part.plain)} and bool(shown or part.file)


def _without_lines_above(text: str, post: Post) -> str:
    """Return a message's text as it was rendered: without the persona's name and the mark of a possible duplicate."""
    lines = _spaceless(text).split("\n")
    above = {DUPLICATE.to(language) for language in Language} | (
        {header_of(post)} if isinstance(post, Reply) else set()
    )
    while lines and lines[0] in above:
        lines.pop(0)
    return "\n".join(lines)


def _spaceless(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


async def upload_of(file: OutgoingFile) -> Upload:
    """Return a file as it goes out; raises OSError when it cannot be read."""
    content = file.content if file.path is None else await asyncio.to_thread(file.path.read_bytes)
    return Upload(name=file.name, media_type=file.media_type, content=content)


def service_messages(markdown: str) -> list[str]:
    """Return what the service itself says, in as many messages as it takes, five at most."""
    key = ConversationKey(PLATFORM, "")
    parts = parts_of(Notice(id=PostId(""), key=key, notice=NoticeKind.REFUSED, text=markdown), DIALECT)
    shown = [part.text for part in parts if part.text.strip()]
    if not shown or len(shown) > MAX_LINES or any(part.file for part in parts):
        return [short_message(markdown, DIALECT)[0].strip() or NOTHING_TO_SEE]
    return shown
