"""What the page's server accepts and what it refuses, over real HTTP."""

import asyncio
import json
import unicodedata
from collections.abc import AsyncIterator

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.config import WebSettings
from mama_bot.errors import MamaBotError, MessageRefused, QueueFull, StoreUnavailable
from mama_bot.gateways.web.cut_texts import cut, tail
from mama_bot.gateways.web.events import encode_event
from mama_bot.gateways.web.request_bodies import RequestRefused, checked_text
from tests.gateways.web.harness import Served, serve, web_key

MESSAGES = "/api/conversations/c1/messages"


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async with serve() as served:
        yield served


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with served.client() as client:
        yield client


@pytest.fixture
async def locked(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with served.stranger() as client:
        yield client


@pytest.mark.parametrize(
    "text", ["👍", "👩‍👩‍👧‍👦", "끝", "x" * 100_000, "<script>alert(1)</script>", "a\r\nb", "\u202eabc"]
)
async def test_any_text_with_something_to_read_is_stored(served: Served, client: httpx.AsyncClient, text: str) -> None:
    answer = await client.post(MESSAGES, json={"id": "m1", "text": text})
    assert (answer.status_code, answer.json()) == (202, {"id": "m1", "stored": True})
    assert served.inlet.delivered[0].text == text


@pytest.mark.parametrize("text", ["", " ", "\n\t\r\n", "\u200b\u200b", "\u3000", "\u00ad\ufeff"])
async def test_an_empty_message_is_refused_with_a_sentence(
    served: Served, client: httpx.AsyncClient, text: str
) -> None:
    answer = await client.post(MESSAGES, json={"id": "m1", "text": text})
    assert (answer.status_code, answer.json()["error"]) == (422, "empty")
    assert answer.json()["message"].endswith(".")
    assert served.inlet.delivered == []


@pytest.mark.parametrize("letter", ["a", "가", "👍"])
async def test_a_message_over_the_limit_is_refused_with_both_figures(
    served: Served, client: httpx.AsyncClient, letter: str
) -> None:
    answer = await client.post(MESSAGES, json={"id": "m1", "text": letter * 200_000})
    assert (answer.status_code, answer.json()["error"]) == (422, "too_long")
    assert "200,000" in answer.json()["message"]
    assert "100,000" in answer.json()["message"]
    assert served.inlet.delivered == []


async def test_a_200_kb_message_is_stored_where_the_limit_allows_it() -> None:
    settings = WebSettings(port=0, max_message_characters=300_000)
    async with serve(settings) as served, served.client() as client:
        assert (await client.post(MESSAGES, json={"id": "m1", "text": "b" * 204_800})).status_code == 202
        assert len(served.inlet.delivered[0].text) == 204_800


async def test_a_body_far_over_the_limit_is_not_read_to_its_end(client: httpx.AsyncClient) -> None:
    body = b'{"id":"m1","text":"' + b"x" * 3_000_000 + b'"}'
    answer = await client.post(MESSAGES, content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (413, "too_long")


async def test_what_no_database_can_hold_is_replaced(served: Served, client: httpx.AsyncClient) -> None:
    body = rb'{"id":"m1","text":"half \ud83d and nul \u0000."}'
    answer = await client.post(MESSAGES, content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 202
    assert served.inlet.delivered[0].text == "half \ufffd and nul \ufffd."


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe{}",
        b"[" * 50_000,
        b'{"id":"m1"}',
        b'{"text":"x"}',
        b'{"id":1,"text":"x"}',
        b'{"id":"m1","text":["x"]}',
        b'{"id":"m1","text":null}',
        b'{"id":"m1","text":"x","author":"root"}',
        b'{"id":"","text":"x"}',
        b'{"id":"../../etc","text":"x"}',
        b'{"id":"m 1","text":"x"}',
        b'{"id":"' + b"i" * 65 + b'","text":"x"}',
        '{"id":"메시지","text":"x"}'.encode(),
    ],
)
async def test_a_malformed_request_is_refused_with_a_sentence(
    served: Served, client: httpx.AsyncClient, body: bytes
) -> None:
    answer = await client.post(MESSAGES, content=body, headers={"content-type": "application/json"})
    assert answer.status_code in {400, 422}
    assert answer.json()["message"].endswith(".")
    assert served.inlet.delivered == []


@pytest.mark.parametrize("conversation", ["a b", "%2e%2e", "ü", "x" * 65, "a.b", "a%00b"])
async def test_a_conversation_is_named_by_letters_digits_hyphens_and_underscores(
    client: httpx.AsyncClient, conversation: str
) -> None:
    answer = await client.post(f"/api/conversations/{conversation}/messages", json={"id": "m1", "text": "x"})
    assert answer.status_code in {404, 422}


@pytest.mark.parametrize("limit", ["0", "-1", "x", "2001", "1e3", "9" * 30])
async def test_a_limit_out_of_range_is_refused(client: httpx.AsyncClient, limit: str) -> None:
    assert (await client.get("/api/conversations/c1", params={"limit": limit})).status_code == 422


@pytest.mark.parametrize(
    ("refusal", "status", "code"),
    [
        (QueueFull(scope="this conversation", limit=50), 429, "queue_full"),
        (MessageRefused("The attachment is too large."), 422, "refused"),
        (
            StoreUnavailable(url="sqlite:///x", reason="it is locked", remedy="Stop the other program."),
            503,
            "store_unavailable",
        ),
    ],
)
async def test_what_the_core_refuses_is_told_in_its_words(
    served: Served, client: httpx.AsyncClient, refusal: MamaBotError, status: int, code: str
) -> None:
    served.inlet.refusal = refusal
    answer = await client.post(MESSAGES, json={"id": "m1", "text": "x"})
    assert (answer.status_code, answer.json()) == (status, {"error": code, "message": str(refusal)})


async def test_a_history_that_cannot_be_read_is_a_sentence_too(served: Served, client: httpx.AsyncClient) -> None:
    served.history.unavailable = StoreUnavailable(url="sqlite:///x", reason="disk full", remedy="Free some space.")
    for path in ("/api/state", "/api/conversations/c1"):
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["error"]) == (503, "store_unavailable")
        assert "Free some space." in answer.json()["message"]


async def test_a_retried_message_is_stored_once(served: Served, client: httpx.AsyncClient) -> None:
    answers = [(await client.post(MESSAGES, json={"id": "m1", "text": "x"})).json()["stored"] for _ in range(2)]
    assert answers == [True, False]
    assert len(served.inlet.delivered) == 1


async def test_a_new_conversation_gets_an_id_and_stop_reaches_the_core(
    served: Served, client: httpx.AsyncClient
) -> None:
    made = await client.post("/api/conversations", json={})
    conversation = made.json()["id"]
    stopped = await client.post(f"/api/conversations/{conversation}/stop", json={})
    assert (made.status_code, stopped.json()) == (201, {"stopped": False})
    assert served.inlet.stopped == [(web_key(conversation), "Person")]


@pytest.mark.parametrize("path", ["/", "/api/state", "/assets/app.js", "/nowhere", "/healthz"])
async def test_every_answer_carries_the_security_headers(client: httpx.AsyncClient, path: str) -> None:
    headers = (await client.get(path)).headers
    assert headers["content-security-policy"].startswith("default-src 'self';")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    ["/assets/../web.py", "/assets/%2e%2e%2fweb.py", "/assets/sign-in.html", "/assets/", "/assets/nothing.js", "/x"],
)
async def test_only_the_page_s_own_files_are_served(client: httpx.AsyncClient, path: str) -> None:
    assert (await client.get(path)).status_code == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[", "localhost@evil.example:1"]
)
async def test_by_no_host_name_does_a_stranger_get_in(locked: httpx.AsyncClient, host: str) -> None:
    answer = await locked.get("/api/state", headers={"host": host})
    assert answer.status_code in {400, 401}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "["},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_posts_from_other_sites_are_refused(
    served: Served, client: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    answer = await client.post(MESSAGES, json={"id": "m1", "text": "x"}, headers=headers)
    assert (answer.status_code, answer.json()["error"]) == (403, "foreign_origin")
    assert served.inlet.delivered == []


async def test_posts_of_the_page_itself_are_accepted(served: Served, client: httpx.AsyncClient) -> None:
    headers = {"origin": served.url, "sec-fetch-site": "same-origin"}
    assert (await client.post(MESSAGES, json={"id": "m1", "text": "x"}, headers=headers)).status_code == 202


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
async def test_only_json_is_accepted(client: httpx.AsyncClient, kind: str) -> None:
    content = json.dumps({"id": "m1", "text": "x"}).encode()
    answer = await client.post(MESSAGES, content=content, headers={"content-type": kind})
    assert answer.status_code == 415


async def test_a_fault_inside_the_service_is_a_sentence_without_a_traceback(
    served: Served, client: httpx.AsyncClient
) -> None:
    served.history.unavailable = MamaBotError("secret detail")
    answer = await client.get("/api/state")
    assert (answer.status_code, answer.json()["error"]) == (500, "failed")
    assert "secret detail" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_request_that_breaks_off_stores_nothing(served: Served) -> None:
    host, port = served.url.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    head = f"POST {MESSAGES} HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n"
    writer.write(head.encode() + b'{"id":"m1"')
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    async with served.client() as client:
        assert (await client.get("/healthz")).status_code == 200
    assert served.inlet.delivered == []


@given(st.text(max_size=60), st.integers(min_value=2, max_value=20))
def test_a_cut_text_fits_and_keeps_its_beginning_or_its_end(text: str, limit: int) -> None:
    assert len(cut(text, limit)) <= limit
    assert len(tail(text, limit)) <= limit
    assert text.startswith(cut(text, limit).removesuffix("…")) or text == cut(text, limit)
    assert text.endswith(tail(text, limit).removeprefix("…")) or text == tail(text, limit)


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_an_event_is_one_ascii_line_of_json_whatever_it_holds(text: str) -> None:
    event = encode_event("post", {"text": text}).decode("ascii")
    kind, line, *rest = event.split("\n")
    assert (kind, rest) == ("event: post", ["", ""])
    assert json.loads(line.removeprefix("data: ")) == {"text": text}


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_a_text_is_refused_only_when_nothing_in_it_can_be_seen(text: str) -> None:
    if any(not unicodedata.category(letter).startswith(("C", "Z")) for letter in text):
        assert checked_text(text, max_characters=40) == text
    if not text.strip():
        with pytest.raises(RequestRefused, match="empty"):
            checked_text(text, max_characters=40)
