"""A text of one's own before the chain: what `mama-bot judge` says, over HTTP, bounded, and kept nowhere."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator

import httpx
import pytest

from mama_bot.config import EnforcementSettings
from mama_bot.errors import TextRefused
from mama_bot.model import OwnText
from mama_bot.trial.own_texts import OwnTexts
from tests.gateways.web.harness import Served, SteppingClock, serve

RUN = {
    "tool": "Bash",
    "arguments": {"command": "python3 -m unittest"},
    "exit_status": 1,
    "output": "Ran 8 tests in 0.001s\n\nFAILED (failures=2)",
}
RECORD = json.dumps([RUN])


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async with serve() as served:
        yield served


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with served.client() as client:
        client.timeout = httpx.Timeout(60)
        yield client


@pytest.mark.parametrize(
    ("text", "language", "line"),
    [("628/628 tests pass.", "en", "2 failed, 6 passed"), ("테스트 628/628 통과했습니다.", "ko", "2개 실패, 6개 통과")],
)
async def test_a_claim_is_held_against_the_record(
    client: httpx.AsyncClient, text: str, language: str, line: str
) -> None:
    answer = await client.post("/api/judge", json={"text": text, "record": RECORD, "language": language})
    judged = answer.json()
    assert answer.status_code == 200
    assert (judged["outcome"]["kind"], judged["outcome"]["stage"]) == ("sent_back", "claim_check")
    assert [claim["state"] for claim in judged["claims"]] == ["contradicted"]
    assert line in judged["line"]
    assert judged["facts"]["checks"][0]["end"] == "failed"


async def test_without_a_record_the_words_are_judged(served: Served, client: httpx.AsyncClient) -> None:
    text = "What a brilliant idea! You are absolutely right, this is excellent."
    judged = (await client.post("/api/judge", json={"text": text})).json()
    assert (judged["outcome"]["stage"], judged["facts"], judged["line"]) == ("response_validator", None, "")
    assert [stage["stage"] for stage in judged["stages"]][-1] == "claim_check"
    assert served.inlet.delivered == []


async def test_a_line_for_the_command_is_taken_as_it_is(client: httpx.AsyncClient) -> None:
    record = json.dumps({"id": 1, "text": "another", "record": [RUN]})
    judged = (await client.post("/api/judge", json={"text": "2 of 8 tests fail.", "record": record})).json()
    assert judged["outcome"]["kind"] == "cleared"
    assert judged["facts"]["calls"] == 1


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"text": " "}, 422, "empty"),
        ({"text": "x" * 20_001}, 422, "too_long"),
        ({"text": "x", "record": "{"}, 422, "bad_record"),
        ({"text": "x", "record": "[" * 100_000}, 422, "bad_record"),
        ({"text": "x", "record": '[{"arguments": 1}]'}, 422, "bad_record"),
        ({"text": "x", "record": "3"}, 422, "bad_record"),
        ({"text": "x", "record": json.dumps([RUN] * 501)}, 422, "bad_record"),
        ({"text": "x", "record": "x" * 300_001}, 422, "record_too_long"),
        ({"text": "x", "more": 1}, 422, "bad_request"),
        ({"record": "[]"}, 422, "bad_request"),
    ],
)
async def test_what_cannot_be_judged_is_refused_with_a_sentence(
    client: httpx.AsyncClient, body: dict[str, object], status: int, code: str
) -> None:
    answer = await client.post("/api/judge", json=body)
    assert (answer.status_code, answer.json()["error"]) == (status, code)
    assert answer.json()["message"].endswith(".")


async def test_a_refusal_is_said_in_the_language_of_the_page(client: httpx.AsyncClient) -> None:
    answer = await client.post("/api/judge", json={"text": "x", "record": "{", "language": "ko"})
    assert answer.json()["message"].startswith("기록을 읽을 수 없습니다")


async def test_it_stands_behind_the_guard_of_the_page(served: Served, client: httpx.AsyncClient) -> None:
    async with served.stranger() as stranger:
        assert (await stranger.post("/api/judge", json={"text": "x"})).status_code == 401
    foreign = {"origin": "https://example.org"}
    assert (await client.post("/api/judge", json={"text": "x"}, headers=foreign)).status_code == 403
    assert (await client.get("/api/judge")).status_code == 405


class HeldClock(SteppingClock):
    """Stands still while it is held: so does the judgement that looks at it."""

    def __init__(self) -> None:
        super().__init__()
        self.looked = threading.Event()
        self.released = threading.Event()

    def monotonic(self) -> float:
        self.looked.set()
        assert self.released.wait(60)
        return super().monotonic()


async def test_one_text_is_judged_at_a_time_and_never_for_long() -> None:
    clock = HeldClock()
    texts = OwnTexts(settings=EnforcementSettings(), clock=clock, seconds=0.01)
    given = OwnText(text="2 of 8 tests fail.")
    with pytest.raises(TextRefused, match="longer than"):
        await texts.judge(given)
    assert await asyncio.to_thread(clock.looked.wait, 60)
    with pytest.raises(TextRefused, match="Another text"):
        await texts.judge(given)
    clock.released.set()
