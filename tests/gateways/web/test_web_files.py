"""Files that come with a message on the page, and files that go out with a reply, over real HTTP."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from mama_bot.errors import QueueFull
from mama_bot.model import OutboxEntry, OutgoingFile, Reply
from tests.gateways.web.harness import Served, serve

PNG = b"\x89PNG\r\n\x1a\n" + bytes(200)
PAGE = b"<script>alert(1)</script>"
MESSAGES = "/api/conversations/c1/messages"
RAW = {"content-type": "application/octet-stream"}


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async with serve() as served:
        yield served


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with served.client() as client:
        yield client


async def upload(client: httpx.AsyncClient, name: str, content: bytes, *, message: str = "m1") -> httpx.Response:
    params = {"name": name}
    return await client.post(f"{MESSAGES}/{message}/files", params=params, content=content, headers=RAW)


async def attached(client: httpx.AsyncClient, name: str, content: bytes) -> httpx.Response:
    """The answer to a message with one file, which is then downloaded."""
    kept = (await upload(client, name, content)).json()["name"]
    sent = await client.post(MESSAGES, json={"id": "m1", "text": "", "files": [kept]})
    assert sent.status_code == 202
    return await client.get("/api/conversations/c1/files", params={"message": "m1", "number": 0})


async def test_an_image_comes_with_its_message_and_is_shown_in_place(served: Served, client: httpx.AsyncClient) -> None:
    answer = await attached(client, "고양이.png", PNG)
    [message] = served.inlet.delivered
    [attachment] = message.attachments
    assert (attachment.name, attachment.media_type, attachment.path.read_bytes()) == ("고양이.png", "image/png", PNG)
    assert (answer.content, answer.headers["content-type"]) == (PNG, "image/png")
    assert answer.headers["content-disposition"].startswith("inline")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["page.html", "picture.svg", "picture.png"])
async def test_everything_but_harmless_images_is_downloaded_and_never_shown(
    client: httpx.AsyncClient, name: str
) -> None:
    answer = await attached(client, name, PAGE)
    assert (answer.content, answer.headers["content-type"]) == (PAGE, "application/octet-stream")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_file_is_served_in_its_conversation_alone(client: httpx.AsyncClient) -> None:
    await attached(client, "notes.txt", b"secret")
    queries: list[dict[str, str]] = [
        {"message": "m1", "number": "1"},
        {"message": "m1"},
        {"message": "m2", "number": "0"},
    ]
    for query in (*queries, {}):
        assert (await client.get("/api/conversations/c1/files", params=query)).status_code == 404
    elsewhere = await client.get("/api/conversations/c2/files", params={"message": "m1", "number": 0})
    assert elsewhere.status_code == 404
    for number in ("-1", "x", "٣", "9999", "0.0"):
        query = {"message": "m1", "number": number}
        assert (await client.get("/api/conversations/c1/files", params=query)).status_code == 404


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "", "a/b\\c.txt", "\x00\n.txt", "x" * 500])
async def test_a_name_is_nothing_but_a_name(served: Served, client: httpx.AsyncClient, name: str) -> None:
    answer = await attached(client, name, b"content")
    assert answer.content == b"content"
    path = served.inlet.delivered[0].attachments[0].path
    assert path.is_file()
    assert "etc" not in path.parts


async def test_too_large_empty_and_too_many_files_are_refused_with_a_sentence(client: httpx.AsyncClient) -> None:
    large = await upload(client, "large.bin", bytes(10 * 2**20 + 1))
    assert (large.status_code, large.json()["error"]) == (422, "file_refused")
    assert "10 MB" in large.json()["message"]
    empty = await client.post(
        f"{MESSAGES}/m1/files", params={"name": "empty", "language": "ko"}, content=b"", headers=RAW
    )
    assert "빈 파일" in empty.json()["message"]
    for number in range(10):
        assert (await upload(client, f"{number}.txt", b"x")).status_code == 201
    many = await upload(client, "eleventh.txt", b"x")
    assert (many.status_code, many.json()["error"]) == (422, "too_many_files")


async def test_a_refused_message_can_be_sent_again_with_its_files(served: Served, client: httpx.AsyncClient) -> None:
    await upload(client, "a.txt", b"a")
    served.inlet.refusal = QueueFull(scope="this conversation", limit=3)
    body = {"id": "m1", "text": "see", "files": ["a.txt"]}
    assert (await client.post(MESSAGES, json=body)).status_code == 429
    served.inlet.refusal = None
    assert (await upload(client, "a.txt", b"a")).json()["name"] == "a.txt"
    assert (await client.post(MESSAGES, json=body)).status_code == 202
    assert [file.name for file in served.inlet.delivered[0].attachments] == ["a.txt"]


async def test_a_message_cannot_name_a_file_that_was_not_sent_for_it(served: Served, client: httpx.AsyncClient) -> None:
    await upload(client, "a.txt", b"a", message="other")
    answer = await client.post(MESSAGES, json={"id": "m1", "text": "see", "files": ["a.txt"]})
    assert (answer.status_code, answer.json()["error"]) == (422, "file_gone")
    assert served.inlet.delivered == []


async def test_other_sites_cannot_send_files(client: httpx.AsyncClient) -> None:
    path = f"{MESSAGES}/m1/files?name=a.txt"
    for kind in ("text/plain", "multipart/form-data", "application/x-www-form-urlencoded", "application/json"):
        assert (await client.post(path, content=b"x", headers={"content-type": kind})).status_code == 415
    foreign = {**RAW, "origin": "http://evil.example"}
    assert (await client.post(path, content=b"x", headers=foreign)).status_code == 403
    raw_message = await client.post(MESSAGES, content=b"{}", headers=RAW)
    assert raw_message.status_code == 415


async def test_without_the_key_nothing_is_taken_and_nothing_served() -> None:
    async with serve() as served, served.stranger() as client:
        assert (await upload(client, "a.txt", b"a")).status_code == 401
        query = {"message": "m1", "number": "0"}
        assert (await client.get("/api/conversations/c1/files", params=query)).status_code == 401


async def test_the_files_of_a_reply_are_downloaded(served: Served, client: httpx.AsyncClient, tmp_path: Path) -> None:
    kept = tmp_path / "report.html"
    kept.write_bytes(PAGE)
    turn = await served.team.start(await served.write("c1", "go"), "developer")
    post = await served.team.reply(turn, "Done: see the files.")
    files = (
        OutgoingFile(name="보고서 \r\n.html", media_type="text/html", size=len(PAGE), path=kept),
        OutgoingFile(name="long.md", media_type="text/markdown", size=3, content=b"abc"),
        OutgoingFile(name="gone.txt", media_type="text/plain", size=3, path=tmp_path / "gone.txt"),
    )
    _give(served, replace(post, files=files))
    answers = [
        await client.get("/api/conversations/c1/files", params={"post": post.id, "number": number})
        for number in range(3)
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 404]
    assert [answer.content for answer in answers[:2]] == [PAGE, b"abc"]
    assert all(answer.headers["content-disposition"].startswith("attachment") for answer in answers[:2])
    view = (await client.get("/api/conversations/c1")).json()
    assert [file["size"] for file in view["posts"][0]["files"]] == [len(PAGE), 3, 3]
    assert "path" not in view["posts"][0]["files"][0]


def _give(served: Served, post: Reply) -> None:
    """Put the post in the place of the one with its id."""
    entries = served.history.posts
    held = next(index for index, entry in enumerate(entries) if entry.post.id == post.id)
    entries[held] = OutboxEntry(post=post, created_at=entries[held].created_at)
