"""The words of a draft that was caught: to whoever may see the page, and only when just that draft is asked for."""

import json
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.gateways.web.harness import Served, serve

LIE = "👍 628/628 tests pass."


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async with serve() as served:
        yield served


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with served.client() as client:
        yield client


async def caught(served: Served) -> str:
    turn = await served.team.start(await served.write("c1", "go"), "developer")
    await served.team.send_back(turn, stage="claim_check", rule="claim", reason="2 failed", quotes=("Done.", LIE))
    await served.team.reply(turn, "2 of 8 tests fail.")
    return f"turns/{turn.id}/attempts"


async def test_a_caught_draft_is_shown_with_what_was_objected_to(served: Served, client: httpx.AsyncClient) -> None:
    place = await caught(served)
    answer = await client.get(f"/api/conversations/c1/{place}/0")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    shown = answer.json()
    assert shown["text"] == f"Done. {LIE}"
    assert [shown["text"][span["start"] : span["end"]] for span in shown["objected"]] == ["Done.", LIE]


async def test_the_view_of_the_conversation_does_not_hold_it(served: Served, client: httpx.AsyncClient) -> None:
    await caught(served)
    view = (await client.get("/api/conversations/c1")).json()
    assert f"Done. {LIE}" not in json.dumps(view, ensure_ascii=False)


@pytest.mark.parametrize("place", ["c2/{0}/0", "c1/{0}/7", "c1/{0}/-1", "c1/{0}/x", "c1/turns/nobody/attempts/0"])
async def test_a_draft_of_another_conversation_or_of_none_is_not_there(
    served: Served, client: httpx.AsyncClient, place: str
) -> None:
    answer = await client.get(f"/api/conversations/{place.format(await caught(served))}")
    assert (answer.status_code, answer.json()["message"]) == (404, "This conversation has no such attempt.")


async def test_a_stranger_is_not_shown_it(served: Served) -> None:
    place = await caught(served)
    async with served.stranger() as stranger:
        answer = await stranger.get(f"/api/conversations/c1/{place}/0")
    assert answer.status_code == 401
    assert LIE not in answer.text
