"""Files that come with a message: kept on disk before the message is stored, under names that are safe."""

import asyncio
import contextlib
import hashlib
import mimetypes
import os
import re
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

from mama_bot.errors import FileRefused
from mama_bot.gateways.chat.sentences import EMPTY, NOT_STORED, SAME_NAMES, TOO_LARGE
from mama_bot.model import Attachment
from mama_bot.model.file_names import MAX_NAME_BYTES, cut_bytes, image_type, safe_name

P = ParamSpec("P")
R = TypeVar("R")

MEGABYTE = 2**20
UNKNOWN = "application/octet-stream"
_SAME_NAMES = 100
_READ_ONLY = 0o400
_PART_PREFIX = ".part-"
_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,60}/[a-z0-9][a-z0-9!#$&^_.+-]{0,60}")


def message_directory(uploads: Path, message_id: str) -> Path:
    """Return where the files of a message are kept: always the same for the same message, of no other one."""
    digest = hashlib.sha256(message_id.encode("utf-8", "surrogatepass")).hexdigest()
    return uploads / digest[:32]


async def keep_attachment(
    chunks: AsyncIterator[bytes], *, directory: Path, name: str, media_type: str, max_bytes: int
) -> Attachment:
    """Write a file below `directory`, which is made; never reads more than `max_bytes` and one chunk.

    A file that is there already with the same name and content (a redelivered message) is kept as it is. Raises
    FileRefused, and whatever `chunks` raises; then nothing is left of the file.
    """
    descriptor, part = await _in_thread(_new_part, directory)
    try:
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            size, begin, digest = await _written(chunks, file.fileno(), max_bytes)
        path = await _in_thread(_named, part, safe_name(name), digest)
    finally:
        part.unlink(missing_ok=True)
    return Attachment(name=path.name, media_type=_media_type(media_type, path.name, begin), size=size, path=path)


async def forget_attachments(attachments: Sequence[Attachment]) -> None:
    """Remove the files of a message that was not taken, and the directory with the last of them."""
    for attachment in attachments:
        with contextlib.suppress(OSError):
            await asyncio.to_thread(attachment.path.unlink)
            await asyncio.to_thread(attachment.path.parent.rmdir)


def _new_part(directory: Path) -> tuple[int, Path]:
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, part = tempfile.mkstemp(prefix=_PART_PREFIX, dir=directory.absolute())
    return descriptor, Path(part)


async def _written(chunks: AsyncIterator[bytes], descriptor: int, max_bytes: int) -> tuple[int, bytes, str]:
    """Return the size, the first bytes and the digest of what was written."""
    size, begin, digest, buffer = 0, b"", hashlib.sha256(), bytearray()
    async for chunk in chunks:
        size += len(chunk)
        if size > max_bytes:
            raise FileRefused(TOO_LARGE.of(size=_shown(max_bytes)))
        begin += chunk[: 16 - len(begin)]
        digest.update(chunk)
        buffer += chunk
        if len(buffer) >= MEGABYTE:
            await _in_thread(_write, descriptor, bytes(buffer))
            buffer.clear()
    if not size:
        raise FileRefused(EMPTY)
    await _in_thread(_finish, descriptor, bytes(buffer))
    return size, begin, digest.hexdigest()


def _finish(descriptor: int, rest: bytes) -> None:
    _write(descriptor, rest)
    os.fchmod(descriptor, _READ_ONLY)
    os.fsync(descriptor)  # the message that names the file is stored durably, so the file has to be


def _write(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


def _named(part: Path, name: str, digest: str) -> Path:
    """Give the finished file the first name that is free, or that the same content has already."""
    for candidate in _candidates(name):
        path = part.parent / candidate
        try:
            os.link(part, path)
        except FileExistsError:
            if not _has(path, digest):
                continue
        return path
    raise FileRefused(SAME_NAMES.of(most=_SAME_NAMES))


def _candidates(name: str) -> Iterator[str]:
    yield name
    path = Path(name)
    for number in range(2, _SAME_NAMES + 1):
        ending = f"-{number}{path.suffix}"
        yield f"{cut_bytes(path.stem, MAX_NAME_BYTES - len(ending.encode()))}{ending}"


def _has(path: Path, digest: str) -> bool:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == digest
    except OSError:
        return False


def _media_type(told: str, name: str, begin: bytes) -> str:
    plain = told.partition(";")[0].strip().lower()
    if not _MEDIA_TYPE.fullmatch(plain) or plain == UNKNOWN:
        plain = image_type(begin) or mimetypes.guess_type(name)[0] or UNKNOWN
    return (image_type(begin) or UNKNOWN) if plain.startswith("image/") else plain


def _shown(size: int) -> str:
    return f"{size / MEGABYTE:g} MB" if size >= MEGABYTE else f"{size:,} bytes"


async def _in_thread(call: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
    """Return what a call that touches the disk returns; raises FileRefused when the disk fails."""
    try:
        return await asyncio.to_thread(call, *args, **named)
    except OSError as error:
        raise FileRefused(NOT_STORED.of(reason=error.strerror or str(error))) from error
