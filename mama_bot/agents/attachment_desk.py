"""What came with a message: laid out where the agent may read it, and images shown in its prompt."""

import asyncio
import base64
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import structlog

from mama_bot.agents.homes import PRIVATE, AgentHome
from mama_bot.agents.image_sides import longest_side
from mama_bot.agents.record import clean
from mama_bot.metrics import Metrics
from mama_bot.model import Attachment, LongText, Prompt, SessionId
from mama_bot.model.file_names import image_type, safe_name, shown_size
from mama_bot.wording import printable

log = structlog.get_logger(__name__)

MAX_IMAGES = 10
# The model's service takes 5 MiB of base64 for an image, 32 MB for a whole request, and 8,000 pixels a side.
MAX_IMAGE_BYTES = 5 * 2**20 // 4 * 3
MAX_IMAGES_BYTES = 15 * 2**20
MAX_IMAGE_SIDE = 8000
MAX_FILE_BYTES = 64 * 2**20
LAY_OUT_SECONDS = 60.0
_READ_ONLY = 0o400
_SHOWN_CHARACTERS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An image as a block of a prompt; `place` is what `seen` is told."""

    block: dict[str, Any]
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidOut:
    """The attachments of one prompt: a line for each, and the images that the session has not seen.

    `earlier` are the lines of what came with earlier messages.
    """

    lines: tuple[str, ...] = ()
    images: tuple[Shown, ...] = ()
    earlier: tuple[str, ...] = ()


class AttachmentDesk:
    """Lays out what came with messages for one agent, in a directory of its own that its file tools may read.

    An image is shown once in a session; what is too large or too much to be shown is there as a file.
    """

    def __init__(self, *, home: AgentHome, session_id: SessionId, metrics: Metrics | None = None) -> None:
        self._home = home
        self._session_id = session_id
        self._metrics = metrics or Metrics()

    async def lay_out(
        self,
        attachments: Sequence[Attachment],
        *,
        earlier: Sequence[Attachment] = (),
        texts: Sequence[LongText] = (),
        shows: bool = True,
    ) -> LaidOut:
        """Copy what is not there yet; never raises for a file that is gone or cannot be read.

        Who is shown nothing (`shows` is false) has images as files.
        The line of an attachment says so; what came `earlier`, and is gone, has no line. Of that, the newest are laid
        out up to 64 MiB in all.
        """
        if not attachments and not earlier and not texts:
            return LaidOut()
        async with asyncio.timeout(LAY_OUT_SECONDS):
            laid_out = await asyncio.to_thread(self._lay_out, attachments, shows)
            lines = await asyncio.to_thread(self._lay_out_earlier, earlier, texts)
            return replace(laid_out, earlier=lines)

    def seen(self, laid_out: LaidOut) -> None:
        """Note that the session has the images now."""
        for image in laid_out.images:
            try:
                self._mark(image.place).touch(_READ_ONLY)
            except OSError as error:  # then the image is shown again
                log.warning("image_not_noted", reason=str(error))

    def _lay_out(self, attachments: Sequence[Attachment], shows: bool) -> LaidOut:
        lines: list[str] = []
        images: list[Shown] = []
        room = MAX_IMAGES_BYTES
        for attachment in attachments:
            try:
                path, content = self._copied(attachment)
            except OSError as error:
                log.warning("attachment_gone", file=attachment.name, reason=error.strerror or str(error))
                self._metrics.count("attachments_gone")
                lines.append(f"file: {_described(attachment)}: it is gone, its content cannot be read any more")
                continue
            place = path.parent.name
            kind = _shown_type(content, room) if shows and len(images) < MAX_IMAGES else ""
            if kind and not self._mark(place).exists():
                room -= len(content)
                images.append(Shown(block=_block(kind, content), place=place))
                lines.append(f"image: {_described(attachment)}, shown here, at {path}")
            else:
                lines.append(f"{'image' if image_type(content) else 'file'}: {_described(attachment)} at {path}")
        return LaidOut(lines=tuple(lines), images=tuple(images))

    def _lay_out_earlier(self, earlier: Sequence[Attachment], texts: Sequence[LongText]) -> tuple[str, ...]:
        lines: list[str] = []
        room = MAX_FILE_BYTES
        for attachment in reversed(earlier):
            if attachment.size > room:
                continue
            try:
                path, content = self._copied(attachment)
            except OSError as error:
                log.info("earlier_attachment_gone", file=attachment.name, reason=error.strerror or str(error))
                continue
            room -= attachment.size
            lines.append(f"{'image' if image_type(content) else 'file'}: {_described(attachment)} at {path}")
        lines.reverse()
        for text in texts:
            content = text.text.encode("utf-8", "replace")
            path = self._home.attachments / _place_of(text.name, content) / safe_name(text.name)
            try:
                if not path.is_file():
                    _write(path, content)
            except OSError as error:
                log.warning("long_text_not_written", reason=error.strerror or str(error))
                continue
            lines.append(f"message: {safe_name(text.name)} ({len(text.text):,} characters) at {path}")
        return tuple(lines)

    def _copied(self, attachment: Attachment) -> tuple[Path, bytes]:
        """Return where the agent's copy is, and its content as far as it may be an image."""
        place = sha256(str(attachment.path).encode("utf-8", "surrogateescape")).hexdigest()[:12]
        path = self._home.attachments / place / safe_name(attachment.name)
        if not path.is_file():
            with attachment.path.open("rb") as source:
                content = source.read(MAX_FILE_BYTES + 1)
            if len(content) > MAX_FILE_BYTES:
                raise OSError(f"it is larger than {shown_size(MAX_FILE_BYTES)}")
            _write(path, content)
            return path, content
        with path.open("rb") as copy:
            return path, copy.read(MAX_IMAGE_BYTES + 1)

    def _mark(self, place: str) -> Path:
        return self._home.shown / f"{place}.{self._session_id}"


def text_of(prompt: Prompt, laid_out: LaidOut) -> str:
    """Return the words of a prompt, and where everything that came with it lies."""
    text = clean(prompt.text)
    if laid_out.lines:
        text = "\n- ".join((f"{text}\n\nCame with the message:", *laid_out.lines))
    if laid_out.earlier:
        text = "\n- ".join((f"{text}\n\nCame earlier in this conversation, if you need it:", *laid_out.earlier))
    return text


def user_message(prompt: Prompt, uuid: str, laid_out: LaidOut) -> dict[str, Any]:
    """Return what the CLI is sent: the images, then the words and where everything lies."""
    text = text_of(prompt, laid_out)
    blocks = [*(image.block for image in laid_out.images), {"type": "text", "text": text}]
    message = {"role": "user", "content": blocks if laid_out.images else text}
    return {"type": "user", "uuid": uuid, "message": message, "parent_tool_use_id": None}


def _place_of(name: str, content: bytes) -> str:
    return sha256(name.encode("utf-8", "surrogateescape") + b"\0" + content).hexdigest()[:12]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=PRIVATE)
    draft = path.parent / f".{sha256(path.name.encode()).hexdigest()[:12]}"
    draft.unlink(missing_ok=True)
    with draft.open("wb") as file:
        os.fchmod(file.fileno(), _READ_ONLY)
        file.write(content)
    draft.replace(path)


def _shown_type(content: bytes, room: int) -> str:
    """Return the media type of an image that can be shown; "" for any other file."""
    fits = len(content) <= min(room, MAX_IMAGE_BYTES) and longest_side(content) <= MAX_IMAGE_SIDE
    return image_type(content) if fits else ""


def _block(kind: str, content: bytes) -> dict[str, Any]:
    data = base64.b64encode(content).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}


def _described(attachment: Attachment) -> str:
    kind = printable(attachment.media_type, instead="")[:_SHOWN_CHARACTERS]
    return f"{safe_name(attachment.name)} ({kind or 'unknown'}, {shown_size(attachment.size)})"
