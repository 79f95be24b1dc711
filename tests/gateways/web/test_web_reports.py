"""Reports and metrics over real HTTP: what the page sends is checked, what it gets is no more than it shows."""

from collections.abc import AsyncIterator

import httpx
import pytest

from mama_bot.errors import StoreUnavailable
from mama_bot.model import AgentMeasures, Goal, GoalMeasure, Share
from tests.gateways.web.harness import Served, serve
from tests.gateways.web.stories import praise


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async with serve() as served:
        yield served


@pytest.fixture
async def client(served: Served) -> AsyncIterator[httpx.AsyncClient]:
    async with served.client() as client:
        yield client


async def sent_back(served: Served) -> str:
    turn = await served.team.start(await served.write("c1", "go"), "developer")
    await praise(served.team, turn)
    return turn.id


async def test_a_report_is_answered_with_its_number_and_shown_in_its_conversation(
    served: Served, client: httpx.AsyncClient
) -> None:
    turn = await sent_back(served)
    body = {"turn_id": turn, "attempt": 0, "note": "인용문"}
    answer = await client.post("/api/conversations/c1/reports", json=body)
    assert (answer.status_code, answer.json()) == (201, {"number": 1, "state": "open"})
    view = (await client.get("/api/conversations/c1")).json()
    assert view["reports"] == [{"number": 1, "turn_id": turn, "attempt": 0, "state": "open"}]
    assert (await client.get("/api/conversations/other")).json()["reports"] == []


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"attempt": -1}, 422),
        ({"attempt": "0"}, 422),
        ({"attempt": 10**9}, 422),
        ({"attempt": 7}, 409),
        ({"turn_id": "nobody's"}, 409),
        ({"turn_id": 3}, 422),
        ({"note": "n" * 200_000}, 413),
        ({"more": 1}, 422),
    ],
)
async def test_a_report_of_nothing_is_refused_with_a_sentence(
    served: Served, client: httpx.AsyncClient, change: dict[str, object], status: int
) -> None:
    turn = await sent_back(served)
    answer = await client.post("/api/conversations/c1/reports", json={"turn_id": turn, "attempt": 0, **change})
    assert answer.status_code == status
    assert answer.json()["message"].endswith(".")
    assert served.history.reports == []


async def test_a_store_that_cannot_take_a_report_says_so(served: Served, client: httpx.AsyncClient) -> None:
    turn = await sent_back(served)
    served.reports.refusal = StoreUnavailable(url="x", reason="the disk is full", remedy="Free some space.")
    answer = await client.post("/api/conversations/c1/reports", json={"turn_id": turn, "attempt": 0})
    assert (answer.status_code, "Free some space." in answer.text) == (503, True)


async def test_the_metrics_are_null_where_there_is_no_data(served: Served, client: httpx.AsyncClient) -> None:
    goals = (GoalMeasure(goal=Goal.FLATTERY, drafts=Share(part=0, whole=10), posted=Share()),)
    served.measurements.total = AgentMeasures(drafts=2, goals=goals, tokens=1200, cost_usd=0.5)
    answer = (await client.get("/api/metrics?days=90")).json()
    assert (answer["days"], served.measurements.asked_days) == (90, 90)
    (goal,) = answer["total"]["goals"]
    assert (goal["target"], goal["drafts"]["value"], goal["posted"]["value"]) == (0.05, 0.0, None)
    assert answer["total"]["retry_spending"]["tokens"] is None
    assert (answer["total"]["tokens"], answer["total"]["cost_usd"]) == (1200, 0.5)
    assert answer["total"]["seconds"] == {"count": 0, "p50": None, "p95": None}


async def test_what_was_counted_since_the_start_stands_beside_the_figures(
    served: Served, client: httpx.AsyncClient
) -> None:
    assert (await client.get("/api/metrics")).json()["since_start"] == []
    served.metrics.count("breaker_trips", 2, persona="lead", stage="review_gate")
    (counter,) = (await client.get("/api/metrics")).json()["since_start"]
    assert counter == {"name": "breaker_trips", "labels": {"persona": "lead", "stage": "review_gate"}, "count": 2}


@pytest.mark.parametrize("days", ["0", "-3", "many", "3651", "1e3"])
async def test_a_period_that_is_none_is_refused(client: httpx.AsyncClient, days: str) -> None:
    answer = await client.get("/api/metrics", params={"days": days})
    assert (answer.status_code, "days is a number from 1 to 3650" in answer.text) == (422, True)
