"""Files that people send, fetched from the platform before the message is stored."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import structlog

from mama_bot.config import TelegramSettings
from mama_bot.errors import FileRefused
from mama_bot.gateways.chat.files import TOO_LARGE, TOO_MANY, keep_attachment, message_directory
from mama_bot.gateways.telegram.accounts import Account
from mama_bot.gateways.telegram.timing import Timing
from mama_bot.gateways.telegram.transport import Refused, Unreached
from mama_bot.gateways.telegram.updates import FileReference, Message
from mama_bot.metrics import Metrics
from mama_bot.model import Attachment
from mama_bot.wording import Said

log = structlog.get_logger(__name__)

BOTS_MAY_FETCH = 20 * 2**20
AT_ONCE = 8
_CHUNK = 2**16
_ATTEMPTS = 3
_LEFT_OUT = Said("The file {name} was left out: {reason}", "{name} 파일은 제외했습니다: {reason}")
_NOT_FETCHED = Said(
    "Telegram did not give it out ({reason}). Send it again.",
    "텔레그램에서 받지 못했습니다 ({reason}). 다시 보내 주세요.",
)
_UNREADABLE = Said(
    "{kind} cannot be read here. Write what it says, or send it as a file of text or an image.",
    "{kind}: 여기서는 읽을 수 없습니다. 글로 쓰거나 텍스트 파일, 이미지로 보내 주세요.",
)
_REFUSED = {
    "voice": Said("A voice message", "음성 메시지"),
    "audio": Said("An audio file", "오디오 파일"),
    "video": Said("A video", "동영상"),
    "video_note": Said("A video message", "영상 메시지"),
    "animation": Said("An animation", "애니메이션"),
    "sticker": Said("A sticker", "스티커"),
    "location": Said("A location", "위치"),
    "contact": Said("A contact", "연락처"),
    "poll": Said("A poll", "투표"),
    "story": Said("A story", "스토리"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """The files of a message, and a sentence (English, Korean) for each that is not among them."""

    kept: tuple[Attachment, ...] = ()
    left_out: tuple[Said, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    reference: FileReference
    name: str
    media_type: str


class Attachments:
    """Fetches files, a few at a time."""

    def __init__(self, *, settings: TelegramSettings, uploads: Path, metrics: Metrics, timing: Timing) -> None:
        self._max_bytes = min(settings.max_attachment_megabytes * 2**20, BOTS_MAY_FETCH)
        self._most = settings.max_attachments
        self._uploads = uploads
        self._metrics = metrics
        self._timing = timing
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def fetch(self, account: Account, messages: Sequence[Message], message_id: str) -> Fetched:
        """The files of a message, or of the messages of an album; what cannot be had is said, and never raises."""
        kept, left_out = list[Attachment](), list[Said]()
        directory = message_directory(self._uploads, message_id)
        wanted = [one for message in messages for one in _wanted(message)]
        for one in wanted[: self._most]:
            try:
                async with self._slots:
                    kept.append(await self._fetch(account, one, directory))
            except FileRefused as error:
                left_out.append(_LEFT_OUT.of(name=one.name, reason=error.sentence))
        left_out += [_LEFT_OUT.of(name=one.name, reason=TOO_MANY.of(most=self._most)) for one in wanted[self._most :]]
        left_out += [sentence for message in messages for sentence in unreadable(message)]
        for _ in left_out:
            self._metrics.count("attachments_refused", platform="telegram")
        return Fetched(kept=tuple(kept), left_out=tuple(left_out))

    async def _fetch(self, account: Account, wanted: _Wanted, directory: Path) -> Attachment:
        if wanted.reference.file_size > self._max_bytes:
            raise FileRefused(TOO_LARGE.of(size=f"{self._max_bytes / 2**20:g} MB"))
        reason = ""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with asyncio.timeout(self._timing.download):
                    return await self._once(account, wanted, directory)
            except Refused as error:
                reason = error.description
                if error.status < 500:
                    break
            except (aiohttp.ClientError, Unreached, OSError, ValueError) as error:
                reason = type(error).__name__
            if attempt < _ATTEMPTS:
                await asyncio.sleep(self._timing.pause(attempt))
        log.warning("attachment_not_fetched", name=wanted.name, reason=reason)
        raise FileRefused(_NOT_FETCHED.of(reason=reason))

    async def _once(self, account: Account, wanted: _Wanted, directory: Path) -> Attachment:
        address = await account.client.file_address(wanted.reference.file_id)
        async with aiohttp.ClientSession(trust_env=True) as session:
            return await keep_attachment(
                _chunks_here(Path(address)) if address.startswith("/") else _chunks(session, address),
                directory=directory,
                name=wanted.name,
                media_type=wanted.media_type,
                max_bytes=self._max_bytes,
            )


async def _chunks(session: aiohttp.ClientSession, url: str) -> AsyncIterator[bytes]:
    async with session.get(url) as response:
        if response.status != 200:
            raise Refused(response.status, f"status {response.status}")
        async for chunk in response.content.iter_chunked(_CHUNK):
            yield chunk


async def _chunks_here(path: Path) -> AsyncIterator[bytes]:
    with await asyncio.to_thread(path.open, "rb") as file:
        while chunk := await asyncio.to_thread(file.read, _CHUNK):
            yield chunk


def unreadable(message: Message) -> Iterator[Said]:
    """Yield a sentence for each kind of content that no agent can read."""
    return (_UNREADABLE.of(kind=name) for kind, name in _REFUSED.items() if getattr(message, kind) is not None)


def _wanted(message: Message) -> Iterator[_Wanted]:
    if message.photo:
        largest = max(message.photo, key=lambda one: (one.width * one.height, one.file_size))
        yield _Wanted(largest, f"photo-{message.message_id}.jpg", "image/jpeg")
    if message.document is not None and message.animation is None:
        document = message.document
        yield _Wanted(document, document.file_name or f"file-{message.message_id}", document.mime_type)
