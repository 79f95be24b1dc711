"""Deliveries over real HTTP: proven, wanted, new and not too often, else nothing is stored."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from mama_bot.config import WebhookSettings
from mama_bot.errors import QueueFull, StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import AuthorKind, Notice
from mama_bot.store import Store
from mama_bot.triggers.delivery_desk import DeliveryDesk
from mama_bot.triggers.pauses import Pauses
from tests.gateways.web.harness import serve
from tests.triggers.deliveries import PUSH, SECRET, bearer, body_of, github, gitlab, hook, signature
from tests.triggers.making import C1, STATE, SetClock, StoredInlet, at, opened

BODY = body_of(PUSH)


@dataclass
class Served:
    """A page's server with hooks, over a real store."""

    store: Store
    inlet: StoredInlet
    clock: SetClock
    pauses: Pauses
    metrics: Metrics
    client: httpx.AsyncClient

    async def send(self, body: bytes, headers: Mapping[str, str], name: str = "ci") -> httpx.Response:
        return await self.client.post(f"/hooks/{name}", content=body, headers=dict(headers))

    def counted(self, outcome: str, name: str = "ci") -> int:
        return self.metrics.snapshot().get(("hook_deliveries", (("hook", name), ("outcome", outcome))), 0)

    async def lines(self) -> list[str]:
        posts = [entry.post for entry in await self.store.outbox.pending(C1)]
        return [post.text for post in posts if isinstance(post, Notice)]


@asynccontextmanager
async def served(directory: Path, **hooks: WebhookSettings) -> AsyncIterator[Served]:
    clock, metrics = SetClock(at("2026-01-01 12:00")), Metrics()
    async with opened(directory, clock) as store:
        pauses = Pauses(state=store.gateway_state(STATE), clock=clock)
        desk = DeliveryDesk(
            webhooks=hooks,
            default_persona="lead",
            max_characters=100_000,
            outbox=store.outbox,
            pauses=pauses,
            clock=clock,
            metrics=metrics,
        )
        inlet = StoredInlet(store)
        async with serve(inlet=inlet, hooks=desk) as page, page.stranger() as client:
            yield Served(store, inlet, clock, pauses, metrics, client)


async def test_a_delivery_of_github_is_stored_and_then_answered(tmp_path: Path) -> None:
    async with served(tmp_path, ci=hook(persona="developer")) as page:
        answer = await page.send(BODY, github(BODY))
        (asked,) = page.inlet.delivered
        assert (answer.status_code, answer.json()) == (202, {"stored": True, "id": asked.id})
        assert (asked.author.kind, asked.author.id, asked.key) == (AuthorKind.HOOK, "hook:ci", C1)
        assert (asked.addressed_to, asked.origin) == ("developer", None)
        assert asked.text.startswith("Look at <foreign-")
        assert 'field="commits.0.message">Fix the sum</foreign-' in asked.text
        assert await page.lines() == ["🔔 Hook **ci** asks: `push`, `main`"]


async def test_a_delivery_counts_once_whatever_its_sender_calls_it(tmp_path: Path) -> None:
    async with served(tmp_path, ci=hook()) as page:
        assert (await page.send(BODY, github(BODY))).status_code == 202
        for delivery in ("d-1", "d-2"):
            again = await page.send(BODY, github(BODY, delivery=delivery))
            assert (again.status_code, again.json()) == (200, {"stored": False, "reason": "repeated"})
        assert (len(page.inlet.delivered), page.counted("repeated")) == (1, 2)
        assert len(await page.lines()) == 1
    async with served(tmp_path, ci=hook()) as later:
        assert (await later.send(BODY, github(BODY))).json()["reason"] == "repeated", "in a later life too"


@pytest.mark.parametrize(
    ("settings", "headers"),
    [
        (hook(), github(BODY, secret="another secret of theirs")),
        (hook(), {**github(BODY), "x-hub-signature-256": signature(BODY + b" ")}),
        (hook(), {**github(BODY), "x-hub-signature-256": "sha256="}),
        (hook(), {**github(BODY), "x-hub-signature-256": f"sha1={SECRET}"}),
        (hook(), {**github(BODY), "x-hub-signature-256": "\u00e9"}),
        (hook(), bearer()),
        (hook("gitlab"), gitlab(SECRET[:-1])),
        (hook("gitlab"), gitlab("")),
        (hook("gitlab"), bearer()),
        (hook("json"), bearer("wrong")),
        (hook("json"), {"content-type": "application/json", "authorization": SECRET}),
        (hook("json", proof="hmac"), bearer()),
        (hook("json", proof="hmac"), {**bearer(), "x-signature-256": signature(BODY, "wrong")}),
    ],
)
async def test_who_does_not_show_that_they_know_the_secret_is_refused(
    tmp_path: Path, settings: WebhookSettings, headers: Mapping[str, str]
) -> None:
    async with served(tmp_path, ci=settings) as page:
        encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
        refused = await page.client.post("/hooks/ci", content=BODY, headers=encoded)
        unknown = await page.client.post("/hooks/nobody", content=BODY, headers=encoded)
        assert (refused.status_code, unknown.status_code) == (401, 401)
        assert refused.json() == unknown.json(), "nobody learns which hooks there are"
        assert page.inlet.delivered == []
        assert (page.counted("unproven"), page.counted("unknown", name="")) == (1, 1)


@pytest.mark.parametrize(
    ("settings", "headers"),
    [
        (hook("gitlab"), gitlab()),
        (hook("json"), bearer()),
        (hook("json", proof="hmac", signature_header="X-Sig"), {**bearer(), "x-sig": signature(BODY)[7:].upper()}),
    ],
)
async def test_other_services_prove_themselves_in_their_own_way(
    tmp_path: Path, settings: WebhookSettings, headers: Mapping[str, str]
) -> None:
    async with served(tmp_path, ci=settings) as page:
        assert (await page.send(BODY, headers)).status_code == 202
        assert (await page.send(BODY, headers)).json()["reason"] == "repeated"
        assert page.inlet.delivered[0].addressed_to == "lead"


@pytest.mark.parametrize(
    ("settings", "first", "second"),
    [
        (hook("gitlab"), gitlab(delivery="1"), gitlab(delivery="2")),
        (hook("json", delivery_header="X-Id"), bearer(**{"x-id": "1"}), bearer(**{"x-id": "2"})),
    ],
)
async def test_where_a_header_names_the_delivery_it_tells_one_from_another(
    tmp_path: Path, settings: WebhookSettings, first: Mapping[str, str], second: Mapping[str, str]
) -> None:
    async with served(tmp_path, ci=settings) as page:
        for headers, status in ((first, 202), (first, 200), (second, 202)):
            assert (await page.send(BODY, headers)).status_code == status


@pytest.mark.parametrize(
    ("body", "change", "status", "code"),
    [
        (b"[1]", {}, 400, "no_json"),
        (b"\xff\xfe", {}, 400, "no_json"),
        (b"[" * 5_000, {}, 400, "no_json"),
        (b"{}", {"content-type": "application/x-www-form-urlencoded"}, 415, "not_json"),
        (b"{}", {"origin": "https://elsewhere.example"}, 403, "foreign_origin"),
        (b"{" + b" " * 1024 + b"}", {}, 413, "too_long"),
    ],
)
async def test_what_cannot_be_read_is_refused_with_a_sentence(
    tmp_path: Path, body: bytes, change: Mapping[str, str], status: int, code: str
) -> None:
    async with served(tmp_path, ci=hook(max_kilobytes=1) if status == 413 else hook()) as page:
        answer = await page.send(body, {**github(body), **change})
        assert (answer.status_code, answer.json()["error"]) == (status, code)
        assert page.inlet.delivered == []


async def test_what_nobody_wants_leads_to_nothing(tmp_path: Path) -> None:
    async with served(tmp_path, ci=hook(events=("push",), branches=("main",), senders=("kim",))) as page:
        assert (await page.send(BODY, github(BODY, "issues"))).json() == {"stored": False, "reason": "event"}
        other = body_of({**PUSH, "ref": "refs/heads/dev"})
        assert (await page.send(other, github(other))).json() == {"stored": False, "reason": "branch"}
        theirs = body_of({**PUSH, "sender": {"login": "eve"}})
        assert (await page.send(theirs, github(theirs))).json() == {"stored": False, "reason": "sender"}
        await page.pauses.begin("ci", by="Kim")
        assert (await page.send(BODY, github(BODY))).json() == {"stored": False, "reason": "paused"}
        await page.pauses.end("ci")
        assert (await page.send(BODY, github(BODY))).status_code == 202
        assert [page.counted(outcome) for outcome in ("event", "branch", "paused", "stored")] == [1, 1, 1, 1]


async def test_a_hook_asks_so_often_in_an_hour_and_no_other_suffers(tmp_path: Path) -> None:
    async with served(tmp_path, ci=hook(per_hour=2), other=hook()) as page:
        bodies = [body_of({**PUSH, "after": number}) for number in range(4)]
        for body in bodies[:2]:
            assert (await page.send(body, github(body))).status_code == 202
        assert (await page.send(bodies[0], github(bodies[0]))).status_code == 429
        refused = await page.send(bodies[2], github(bodies[2]))
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "3601")
        assert (await page.send(bodies[2], github(bodies[2]), name="other")).status_code == 202
        page.clock.time = at("2026-01-01 13:00")
        assert (await page.send(bodies[2], github(bodies[2]))).status_code == 202


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (StoreUnavailable(url="sqlite:///x", reason="locked", remedy="Wait."), 503),
        (QueueFull(scope="this conversation", limit=3), 429),
    ],
)
async def test_nothing_is_answered_as_taken_before_it_is_stored(
    tmp_path: Path, error: StoreUnavailable | QueueFull, status: int
) -> None:
    async with served(tmp_path, ci=hook(per_hour=1)) as page:
        page.inlet.refusal = error
        assert (await page.send(BODY, github(BODY))).status_code == status
        assert await page.lines() == []
        page.inlet.refusal = None
        assert (await page.send(BODY, github(BODY))).status_code == 202, "it is as if it had not come"


async def test_the_secret_of_a_hook_opens_nothing_else_and_a_page_has_no_hooks_of_its_own(tmp_path: Path) -> None:
    async with served(tmp_path, ci=hook("json")) as page:
        assert (await page.client.get("/api/state", headers=dict(bearer()))).status_code == 401
        assert (await page.client.get("/hooks/ci", headers=dict(bearer()))).status_code == 405
        assert (await page.client.post("/hooks/ci/x", content=BODY, headers=dict(bearer()))).status_code == 404
    async with serve() as alone, alone.stranger() as client:
        assert (await client.post("/hooks/ci", content=BODY, headers=dict(github(BODY)))).status_code == 401
