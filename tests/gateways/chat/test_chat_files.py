"""Files that come with a message are kept under safe names, whole or not at all."""

import asyncio
import unicodedata
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.errors import FileRefused
from mama_bot.gateways.chat.message_files import keep_attachment, message_directory
from mama_bot.model import Attachment
from mama_bot.model.file_names import MAX_NAME_BYTES, safe_name
from mama_bot.wording import Language

PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)
JPEG = b"\xff\xd8\xff\xe0" + bytes(100)
GIF = b"GIF89a" + bytes(20)
WEBP = b"RIFF\x10\x00\x00\x00WEBPVP8 "


async def chunks_of(content: bytes, size: int = 7) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def keep(
    directory: Path, content: bytes, *, name: str = "a.txt", media_type: str = "text/plain", max_bytes: int = 10_000
) -> Attachment:
    return await keep_attachment(
        chunks_of(content), directory=directory, name=name, media_type=media_type, max_bytes=max_bytes
    )


async def test_a_file_is_kept_whole_in_a_directory_only_the_service_reads(tmp_path: Path) -> None:
    directory = message_directory(tmp_path / "uploads", "discord/1")
    kept = await keep(directory, b"hello" * 50, name="notes.txt")
    assert kept == Attachment(name="notes.txt", media_type="text/plain", size=250, path=directory / "notes.txt")
    assert kept.path.read_bytes() == b"hello" * 50
    assert directory.stat().st_mode & 0o777 == 0o700
    assert kept.path.stat().st_mode & 0o777 == 0o400
    assert [one.name for one in directory.iterdir()] == ["notes.txt"]


async def test_a_file_of_many_megabytes_is_the_same_on_disk(tmp_path: Path) -> None:
    content = bytes(range(256)) * 4096 * 3
    kept = await keep_attachment(
        chunks_of(content, 300_001), directory=tmp_path, name="b.bin", media_type="", max_bytes=len(content)
    )
    assert kept.path.read_bytes() == content
    assert kept.size == len(content)


async def test_a_redelivered_message_keeps_the_same_files(tmp_path: Path) -> None:
    first = [await keep(tmp_path, b"one", name="image.txt"), await keep(tmp_path, b"two", name="image.txt")]
    again = [await keep(tmp_path, b"one", name="image.txt"), await keep(tmp_path, b"two", name="image.txt")]
    assert first == again
    assert sorted(one.name for one in tmp_path.iterdir()) == ["image-2.txt", "image.txt"]


async def test_files_kept_at_once_under_one_name_do_not_overwrite_each_other(tmp_path: Path) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(keep(tmp_path, f"{number}".encode() * 50)) for number in range(8)]
    kept = [task.result() for task in tasks]
    assert len({one.path for one in kept}) == 8
    assert [one.path.read_bytes() for one in kept] == [f"{number}".encode() * 50 for number in range(8)]


async def test_a_file_that_is_too_large_is_refused_and_nothing_of_it_stays(tmp_path: Path) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while True:
            read += 1000
            yield bytes(1000)

    with pytest.raises(FileRefused, match="larger than 3 MB") as refused:
        await keep_attachment(endless(), directory=tmp_path, name="a", media_type="", max_bytes=3 * 2**20)
    assert read <= 3 * 2**20 + 1000
    assert "3 MB" in refused.value.to(Language.KOREAN)
    assert list(tmp_path.iterdir()) == []


async def test_a_file_of_exactly_the_limit_is_kept(tmp_path: Path) -> None:
    assert (await keep(tmp_path, b"x" * 100, max_bytes=100)).size == 100


async def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="empty"):
        await keep(tmp_path, b"")
    assert list(tmp_path.iterdir()) == []


async def test_a_download_that_breaks_off_leaves_nothing_and_tells_its_own_error(tmp_path: Path) -> None:
    async def broken() -> AsyncIterator[bytes]:
        yield b"begin"
        raise ConnectionResetError("the platform hung up")

    with pytest.raises(ConnectionResetError):
        await keep_attachment(broken(), directory=tmp_path, name="a", media_type="", max_bytes=100)
    assert list(tmp_path.iterdir()) == []


async def test_a_disk_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FileRefused, match="could not be stored"):
        await keep(tmp_path / "file" / "message", b"x")


@pytest.mark.parametrize(
    ("content", "said", "name", "is_"),
    [
        (PNG, "image/png", "a.png", "image/png"),
        (PNG, "IMAGE/JPEG; q=1", "a.jpg", "image/png"),
        (JPEG, "image/jpg", "a.jpg", "image/jpeg"),
        (GIF, "image/gif", "a.gif", "image/gif"),
        (WEBP, "image/webp", "a.webp", "image/webp"),
        (PNG, "", "screenshot", "image/png"),
        (PNG, "application/octet-stream", "a.bin", "image/png"),
        (b"<html>", "image/png", "a.png", "application/octet-stream"),
        (b"<svg/>", "image/svg+xml", "a.svg", "application/octet-stream"),
        (b"hello", "", "a.png", "application/octet-stream"),
        (b"a,b", "Text/CSV; charset=utf-8", "a.csv", "text/csv"),
        (b"a,b", "", "a.csv", "text/csv"),
        (b"a", "nonsense", "a", "application/octet-stream"),
        (b"a", "text/plain\r\nX: y", "a", "application/octet-stream"),
    ],
)
async def test_a_media_type_is_plain_and_an_image_is_one(
    tmp_path: Path, content: bytes, said: str, name: str, is_: str
) -> None:
    assert (await keep(tmp_path, content, name=name, media_type=said)).media_type == is_


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\temp\\report.csv", "report.csv"),
        (".env", "env"),
        ("...", "file"),
        ("", "file"),
        ("a\x00b\n\u202egnp.exe", "abgnp.exe"),
        ("보고서 최종.pdf", "보고서 최종.pdf"),
        (unicodedata.normalize("NFD", "보고서.txt"), "보고서.txt"),
        ("x" * 300 + ".png", "x" * 96 + ".png"),
        ("\ud800.txt", "txt"),
        ("\u00a0.a.png", "a.png"),
        ("a\t\u3000b .txt", "a b.txt"),
    ],
)
def test_a_name_becomes_safe(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@given(st.text(st.characters(), max_size=300))
def test_no_name_leads_out_of_its_directory(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert len(safe.encode()) <= MAX_NAME_BYTES
    assert not safe.startswith(".")
    assert not {"/", "\\", "\0", "\n"} & set(safe)
    assert unicodedata.normalize("NFC", safe) == safe
    assert Path("/d", safe).parent == Path("/d")


@given(st.text(max_size=60), st.text(max_size=60))
def test_two_messages_never_share_a_directory(one: str, other: str) -> None:
    uploads = Path("/uploads")
    assert (message_directory(uploads, one) == message_directory(uploads, other)) == (one == other)
    assert message_directory(uploads, one).parent == uploads
