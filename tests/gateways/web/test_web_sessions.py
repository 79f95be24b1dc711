"""Who is let in to the page: by its key, by a link that works once, by a session, and nobody else."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from mama_bot.errors import MamaBotError
from mama_bot.gateways.web.sessions import Links, Sessions, page_url, url_elsewhere
from tests.gateways.web.harness import KEY, Served
from tests.gateways.web.test_web_requests import client, locked, served

__all__ = ["client", "locked", "served"]


@pytest.mark.parametrize("path", ["/api/state", "/api/events", "/api/conversations/c1"])
async def test_with_a_key_nothing_is_told_to_strangers(locked: httpx.AsyncClient, path: str) -> None:
    answer = await locked.get(path)
    assert (answer.status_code, answer.json()["error"]) == (401, "key_needed")


async def test_with_a_key_the_page_leads_to_the_sign_in(locked: httpx.AsyncClient) -> None:
    answer = await locked.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert (await locked.get("/sign-in")).status_code == 200
    assert (await locked.get("/healthz")).status_code == 200


async def test_the_key_opens_a_session_in_a_strict_cookie(locked: httpx.AsyncClient) -> None:
    answer = await locked.post("/api/session", json={"key": KEY})
    cookie = answer.headers["set-cookie"].lower()
    assert answer.status_code == 200
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert KEY not in cookie
    assert (await locked.get("/api/state")).status_code == 200


async def test_the_key_as_a_bearer_opens_the_api(locked: httpx.AsyncClient) -> None:
    right = await locked.get("/api/state", headers={"authorization": f"Bearer {KEY}"})
    wrong = await locked.get("/api/state", headers={"authorization": "Bearer no"})
    assert (right.status_code, wrong.status_code) == (200, 401)


@pytest.mark.parametrize(
    "session", ["", "x", "9999999999.", "9999999999.00", "9" * 40 + ".ab", "-1.ab", "9999999999.é"]
)
async def test_a_made_up_session_opens_nothing(served: Served, locked: httpx.AsyncClient, session: str) -> None:
    cookie = f"{Sessions(key=KEY, clock=served.clock).cookie}={session}".encode()
    assert (await locked.get("/api/state", headers={b"cookie": cookie})).status_code == 401


@pytest.mark.parametrize("key", ["", "x", KEY.upper(), "가" * 20, "\ud800"])
async def test_a_wrong_key_is_refused(locked: httpx.AsyncClient, key: str) -> None:
    content = json.dumps({"key": key}).encode()
    answer = await locked.post("/api/session", content=content, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (401, "wrong_key")
    assert "set-cookie" not in answer.headers


async def test_a_link_opens_the_page_once(served: Served, locked: httpx.AsyncClient) -> None:
    link = served.gateway.new_link()
    assert KEY not in link
    answer = await locked.get(link)
    cookie = answer.headers["set-cookie"].lower()
    assert (answer.status_code, 'content="0; url=/"' in answer.text) == (200, True)
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert (await locked.get("/api/state")).status_code == 200
    assert (await locked.get(link)).headers["location"] == "/"  # who is in stays in
    async with served.stranger() as other:
        again = await other.get(link)
        assert (again.status_code, again.headers["location"]) == (303, "/sign-in")
        assert "set-cookie" not in again.headers
        assert (await other.get("/api/state")).status_code == 401


async def test_whoever_has_the_key_makes_links_beside_the_service(served: Served, locked: httpx.AsyncClient) -> None:
    links = Links(key=KEY, clock=served.clock, new_id=lambda: "n")
    assert (await locked.get(links.link(served.url))).status_code == 200


@dataclass
class StandingClock:
    """Shows the moment that it was given."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return 0.0


@pytest.mark.parametrize(
    ("key", "hours"), [("another key of somebody", 0), ("", 0), (KEY, -1), (KEY.upper(), 0)], ids=str
)
async def test_links_with_another_key_or_of_an_earlier_life_open_nothing(
    served: Served, locked: httpx.AsyncClient, key: str, hours: int
) -> None:
    clock = StandingClock(served.clock.now() + timedelta(hours=hours))
    answer = await locked.get(Links(key=key, clock=clock, new_id=lambda: "n").link(served.url))
    assert (answer.status_code, "set-cookie" in answer.headers) == (303, False)


@pytest.mark.parametrize("made", ["", ".", "..", "1.n.", "x.n.00", "9999999999.n.é", "\ud800"])
def test_what_is_no_link_opens_nothing(made: str) -> None:
    assert not Sessions(key=KEY, clock=StandingClock(datetime.now(UTC))).take(made)


def test_a_link_is_good_for_half_a_day() -> None:
    began = datetime(2026, 1, 1, tzinfo=UTC)
    for hours, expected in ((11, True), (13, False)):
        clock = StandingClock(began)
        sessions = Sessions(key=KEY, clock=clock)
        link = Links(key=KEY, clock=clock, new_id=lambda: "n").link("")
        clock.moment = began + timedelta(hours=hours)
        assert sessions.take(link.partition("=")[2]) is expected


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:1"),
        ("0.0.0.0", "http://127.0.0.1:1"),
        ("::", "http://[::1]:1"),
        ("localhost", "http://localhost:1"),
    ],
)
def test_the_page_is_named_as_this_machine_reaches_it(host: str, url: str) -> None:
    assert page_url(host, 1) == url


@pytest.mark.parametrize(
    ("host", "address", "url"),
    [
        ("0.0.0.0", "10.1.2.3", "http://10.1.2.3:1"),
        ("::", "2001:db8::7", "http://[2001:db8::7]:1"),
        ("0.0.0.0", "", ""),
        ("0.0.0.0", "127.0.0.1", ""),
        ("127.0.0.1", "10.1.2.3", ""),
        ("page.example", "10.1.2.3", ""),
    ],
)
def test_a_page_on_every_address_is_named_as_other_machines_reach_it(host: str, address: str, url: str) -> None:
    assert url_elsewhere(host, 1, outward=lambda _: address) == url


@pytest.mark.parametrize(
    "path",
    [
        *("/api/state", "/api/events", "/api/metrics", "/api/conversations/c1", "/api/conversations/c1/files"),
        *("/", "/enter", "/nothing", "/api/session/"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
async def test_without_the_key_a_shell_of_this_machine_gets_nothing(
    served: Served, locked: httpx.AsyncClient, method: str, path: str
) -> None:
    served.inlet.history.unavailable = MamaBotError("it was asked")
    headers = {"content-type": "application/json"}
    answer = await locked.request(method, path, headers=headers, content=b"{}" if method != "HEAD" else None)
    assert answer.status_code in {303, 401, 405, 415}
    assert "set-cookie" not in answer.headers
    assert served.inlet.delivered == []


@pytest.mark.parametrize("view", ["metrics", "judge"])
async def test_the_name_of_a_view_in_the_address_leads_to_it(
    client: httpx.AsyncClient, locked: httpx.AsyncClient, view: str
) -> None:
    for asked, place in ((client, f"/#/{view}"), (locked, f"/sign-in#/{view}")):
        answer = await asked.get(f"/{view}")
        assert (answer.status_code, answer.headers["location"]) == (303, place)


async def test_whoever_has_no_key_gets_the_icon_that_browsers_ask_for(locked: httpx.AsyncClient) -> None:
    answer = await locked.get("/favicon.ico")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/svg+xml")
