"""Files that people send: which of them can be read, where they are, and how they are fetched."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import aiohttp

from mama_bot.config import TelegramSettings
from mama_bot.errors import FileRefused
from mama_bot.gateways.chat.attachments import CHUNK_BYTES, FetchLimits, OfferedFile
from mama_bot.gateways.telegram.accounts import TelegramAccount
from mama_bot.gateways.telegram.sentences import NOT_GIVEN_OUT, UNREADABLE, UNREADABLE_KINDS
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.transport import TelegramRefused, Unreached
from mama_bot.gateways.telegram.updates import FileReference, TelegramMessage
from mama_bot.wording import Said

MOST_MEGABYTES = 20  # a bot may fetch
TROUBLE = (aiohttp.ClientError, TelegramRefused, Unreached, OSError, ValueError)


def telegram_limits(settings: TelegramSettings, timing: Timing) -> FetchLimits:
    """Return how much is fetched: a few files at a time, each tried three times."""
    return FetchLimits(
        files=settings.max_attachments,
        megabytes=min(settings.max_attachment_megabytes, MOST_MEGABYTES),
        seconds=timing.download,
        attempts=3,
        pauses=timing.pauses,
        at_once=8,
    )


def offered_files(message: TelegramMessage) -> Iterator[OfferedFile]:
    """Yield the files of a message that can be read; of a photo, its largest size."""
    if message.photo:
        largest = max(message.photo, key=lambda photo: (photo.width * photo.height, photo.file_size))
        yield _offered(largest, f"photo-{message.message_id}.jpg", "image/jpeg")
    if message.document is not None and message.animation is None:
        document = message.document
        yield _offered(document, document.file_name or f"file-{message.message_id}", document.mime_type)


def unreadable(message: TelegramMessage) -> list[Said]:
    """Return a sentence for each kind of content that no agent can read."""
    return [UNREADABLE.of(kind=name) for kind, name in UNREADABLE_KINDS.items() if getattr(message, kind) is not None]


def chunks_of(account: TelegramAccount) -> Callable[[OfferedFile], AsyncGenerator[bytes, None]]:
    """Return what fetches a file with a bot's token; it raises FileRefused or TROUBLE."""

    async def chunks(file: OfferedFile) -> AsyncGenerator[bytes, None]:
        try:
            address = await account.client.file_address(file.address)
            content = _of_this_machine(Path(address)) if address.startswith("/") else _of_server(address)
            async with aclosing(content):
                async for chunk in content:
                    yield chunk
        except TelegramRefused as error:
            if error.status < 500:
                raise FileRefused(NOT_GIVEN_OUT.of(reason=error.description)) from error
            raise

    return chunks


async def _of_server(url: str) -> AsyncGenerator[bytes, None]:
    async with aiohttp.ClientSession(trust_env=True) as session, session.get(url) as response:
        if response.status != 200:
            raise TelegramRefused(response.status, f"status {response.status}")
        async for chunk in response.content.iter_chunked(CHUNK_BYTES):
            yield chunk


async def _of_this_machine(path: Path) -> AsyncGenerator[bytes, None]:
    with await asyncio.to_thread(path.open, "rb") as file:
        while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield chunk


def _offered(reference: FileReference, name: str, media_type: str) -> OfferedFile:
    return OfferedFile(name=name, media_type=media_type, size=reference.file_size, address=reference.file_id)
