"""Sending one message: what the platform refuses of it is left out, rather than the message."""

import asyncio
from dataclasses import dataclass, replace

import structlog
from telegram import InlineKeyboardMarkup, InputFile, LinkPreviewOptions, Message, ReplyParameters
from telegram.constants import ParseMode
from telegram.error import TelegramError

from mama_bot.errors import DeliveryError, DeliveryFailed, DeliveryUnknown
from mama_bot.gateways.telegram.accounts import TelegramAccount
from mama_bot.gateways.telegram.remembered_chats import RememberedChats
from mama_bot.gateways.telegram.transport import TelegramRefused, Unreached
from mama_bot.model import OutgoingFile, well_formed

log = structlog.get_logger(__name__)

TEXT_UNITS = 4096
CAPTION_UNITS = 1024
PHOTO_BYTES = 10 * 2**20
FILE_BYTES = 50 * 2**20
_PHOTOS = frozenset({"image/png", "image/jpeg", "image/webp"})
_ATTEMPTS = 8
UNCHANGED = "message is not modified"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMessage:
    """A message as it is meant; `text` is HTML, `plain` the same words; 0 and None leave something out."""

    chat: int
    text: str
    plain: str
    thread: int = 0
    reply_to: int = 0
    keyboard: InlineKeyboardMarkup | None = None
    file: OutgoingFile | None = None
    html: bool = True
    as_photo: bool = True

    @property
    def words(self) -> str:
        """What is sent."""
        return well_formed(self.text if self.html else self.plain)


class Sender:
    """Sends messages; raises TelegramError (refused, unreached) when none of its forms is taken."""

    def __init__(self, chats: RememberedChats) -> None:
        self._chats = chats

    async def send(self, account: TelegramAccount, message: OutgoingMessage) -> int:
        """Return the id of the message on the platform."""
        message = replace(message, chat=self._chats.current(message.chat))
        for _ in range(_ATTEMPTS):
            try:
                return await self._once(account, message)
            except TelegramRefused as error:
                if error.migrate_to:
                    await self._chats.move(message.chat, error.migrate_to)
                    message = replace(message, chat=error.migrate_to, thread=0, reply_to=0)
                    continue
                easier = _easier(message, error)
                if easier is None:
                    raise
                log.info("message_sent_in_an_easier_form", reason=error.description)
                message = easier
        raise TelegramRefused(400, "the message was refused in every form")

    async def edit(self, account: TelegramAccount, number: int, message: OutgoingMessage) -> None:
        """Put a text in the place of that of a message, and take its buttons away."""
        chat = self._chats.current(message.chat)
        for html in (True, False):
            try:
                await account.client.edit_message_text(
                    replace(message, html=html).words,
                    chat_id=chat,
                    message_id=number,
                    parse_mode=ParseMode.HTML if html else None,
                    link_preview_options=LinkPreviewOptions(is_disabled=True),
                )
            except TelegramRefused as error:
                if UNCHANGED in error.description:
                    return
                if not html or "parse" not in error.description.lower():
                    raise
            else:
                return

    async def put_below(
        self, account: TelegramAccount, chat: int, number: int, keyboard: InlineKeyboardMarkup | None
    ) -> None:
        """Put buttons in the place of those of a message."""
        current = self._chats.current(chat)
        try:
            await account.client.edit_message_reply_markup(current, number, reply_markup=keyboard)
        except TelegramRefused as error:
            if UNCHANGED not in error.description:
                raise

    async def _once(self, account: TelegramAccount, message: OutgoingMessage) -> int:
        if message.file is not None:
            return await self._send_file(account, message, message.file)
        pieces = [message.words] if message.html else _pieces(message.plain, TEXT_UNITS)
        for piece in pieces[:-1]:
            await self._send_text(account, replace(message, plain=piece, keyboard=None))
        return await self._send_text(account, replace(message, text=pieces[-1], plain=pieces[-1]))

    async def _send_text(self, account: TelegramAccount, message: OutgoingMessage) -> int:
        sent = await account.client.send_message(
            message.chat,
            message.words,
            parse_mode=ParseMode.HTML if message.html else None,
            message_thread_id=message.thread or None,
            reply_parameters=_reply(message),
            reply_markup=message.keyboard,
            link_preview_options=LinkPreviewOptions(is_disabled=True),
        )
        return sent.message_id

    async def _send_file(self, account: TelegramAccount, message: OutgoingMessage, file: OutgoingFile) -> int:
        if units(message.plain) > CAPTION_UNITS:
            await self._send_text(account, replace(message, keyboard=None))
            message = replace(message, text="", plain="")
        content = file.content if file.path is None else await asyncio.to_thread(file.path.read_bytes)
        upload = InputFile(content, filename=file.name)
        photo = message.as_photo and file.media_type in _PHOTOS and len(content) <= PHOTO_BYTES
        options = {
            "caption": message.words or None,
            "parse_mode": ParseMode.HTML if message.html else None,
            "message_thread_id": message.thread or None,
            "reply_parameters": _reply(message),
            "reply_markup": message.keyboard,
        }
        sent: Message
        if photo:
            sent = await account.client.send_photo(message.chat, upload, **options)  # type: ignore[arg-type]
        else:
            sent = await account.client.send_document(message.chat, upload, **options)  # type: ignore[arg-type]
        return sent.message_id


def units(text: str) -> int:
    """Return the length as Telegram counts it, in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def failure_of(error: Exception) -> DeliveryError:
    """Return what a call that raised says about the post."""
    platform = "telegram"
    match error:
        case TelegramRefused(retry_after=seconds) if seconds:
            return DeliveryFailed(
                platform=platform, reason=f"too many messages; in {seconds:g} s again", retry_after_seconds=seconds
            )
        case TelegramRefused(status=status, description=description) if status >= 500:
            return DeliveryUnknown(platform=platform, reason=f"it failed ({status} {description})")
        case TelegramRefused(status=401 | 404):
            return DeliveryFailed(platform=platform, reason="it does not accept the token of the bot")
        case TelegramRefused(status=status, description=description):
            return DeliveryFailed(platform=platform, reason=description or f"status {status}", permanent=status != 429)
        case Unreached(sent=False):
            return DeliveryFailed(platform=platform, reason=f"it cannot be reached ({error})")
        case OSError():
            return DeliveryFailed(platform=platform, reason=f"a file of the post cannot be read ({error})")
        case _:
            return DeliveryUnknown(platform=platform, reason=f"{type(error).__name__}: {error}")


# What a call may raise that was answered by something which is not the Bot API (a proxy, a captive portal).
CALL_ERRORS = (TelegramError, OSError, KeyError, TypeError, ValueError, AttributeError)


def _reply(message: OutgoingMessage) -> ReplyParameters | None:
    if not message.reply_to:
        return None
    return ReplyParameters(message_id=message.reply_to, allow_sending_without_reply=True)


def _easier(message: OutgoingMessage, error: TelegramRefused) -> OutgoingMessage | None:
    """Return the same without what the platform objects to; None when nothing is left to leave out."""
    if error.status not in {400, 413}:
        return None
    reason = error.description.lower()
    without: dict[str, OutgoingMessage] = {}
    if message.html:
        without["parse"] = without["entit"] = replace(message, html=False)
    if message.reply_to:
        without["repl"] = replace(message, reply_to=0)
    if message.thread:
        without["thread"] = without["topic"] = replace(message, thread=0)
    if message.keyboard is not None:
        without["button"] = without["markup"] = without["keyboard"] = replace(message, keyboard=None)
    if message.file is not None and message.as_photo:
        without["photo"] = without["image"] = without["file"] = replace(message, as_photo=False)
    named = [word for word in without if word in reason and not (word == "repl" and "reply markup" in reason)]
    if named:
        return without[named[0]]
    return replace(message, html=False) if message.html and "chat not found" not in reason else None


def _pieces(text: str, limit: int) -> list[str]:
    """Return a text in pieces that fit; only where the platform refused the parts as they were made."""
    pieces, piece, size = list[str](), list[str](), 0
    for character in text:
        width = 2 if character > "\uffff" else 1
        if size + width > limit:
            pieces.append("".join(piece))
            piece, size = [], 0
        piece.append(character)
        size += width
    return [*pieces, "".join(piece)]
