"""Health: ok means that every gateway hears; and who is served, as the page decides it."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from mama_bot.model import Hearing, PairingState, Platform
from mama_bot.testing.memory_core import MemoryPairings
from mama_bot.wording import Said
from tests.gateways.web.harness import KEY, serve

SINCE = datetime(2026, 1, 1, tzinfo=UTC)
REVOKED = Said("The token was revoked. Make a new one.", "토큰이 취소되었습니다. 새로 만드세요.")
DEAF = Hearing(ok=False, since=SINCE, reasons=(REVOKED,))


def hearing(slack: Hearing) -> Mapping[Platform, Hearing]:
    return {Platform("discord"): Hearing(ok=True, since=SINCE), Platform("slack"): slack}


async def test_it_is_ok_only_while_every_gateway_hears() -> None:
    heard = [Hearing(ok=True)]
    async with (
        serve(hearing=lambda: hearing(heard[-1]), starting_seconds=0) as served,
        served.client() as client,
    ):
        assert (await client.get("/healthz")).status_code == 200
        heard.append(DEAF)
        answer = await client.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (503, "deaf")
    assert answer.json()["gateways"]["slack"] == {"ok": False, "since": SINCE.isoformat()}
    assert answer.json()["gateways"]["discord"]["ok"]


async def test_what_does_not_hear_right_after_the_start_is_starting() -> None:
    async with (
        serve(hearing=lambda: hearing(DEAF), starting_seconds=600) as served,
        served.client() as client,
    ):
        answer = await client.get("/healthz")
    assert (answer.status_code, answer.json()["status"]) == (503, "starting")


async def test_strangers_read_no_reasons_and_whoever_has_the_key_does() -> None:
    async with (
        serve(hearing=lambda: hearing(DEAF), starting_seconds=0) as served,
        served.stranger() as client,
    ):
        stranger = await client.get("/healthz")
        guessed = await client.get("/healthz", headers={"authorization": f"Bearer {KEY}"})
        await client.post("/api/session", json={"key": KEY})
        signed_in = await client.get("/healthz")
    for answer in (stranger, guessed):
        assert answer.json()["gateways"]["slack"] == {"ok": False, "since": SINCE.isoformat()}
        assert "revoked" not in answer.text
    assert signed_in.json()["gateways"]["slack"]["reason"] == REVOKED.en


async def test_the_state_tells_which_platforms_hear_and_why_not() -> None:
    async with serve(hearing=lambda: hearing(DEAF)) as served, served.client() as client:
        state = (await client.get("/api/state")).json()
    told = [(gateway["platform"], gateway["ok"], gateway["reason"]) for gateway in state["gateways"]]
    assert told == [("discord", True, {"en": "", "ko": ""}), ("slack", False, {"en": REVOKED.en, "ko": REVOKED.ko})]


async def test_a_request_is_confirmed_or_denied_once() -> None:
    pairings = MemoryPairings()
    await pairings.ask(Platform("slack"), "U1", "Kim", code="ABCD-EFGH")
    await pairings.ask(Platform("slack"), "U2", "Lee", code="JKLM-NPQR")
    too_late = replace(pairings.known[0], person="U3", code="VWXY-ACDE", asked_at=datetime.now(UTC) - timedelta(days=2))
    pairings.known.append(too_late)
    async with serve(pairings=pairings) as served, served.client() as client:
        before = (await client.get("/api/state")).json()["access"]
        assert [one["code"] for one in before["open"]] == ["JKLM-NPQR", "ABCD-EFGH"]
        confirmed = await client.post("/api/access", json={"code": "ABCD-EFGH", "approve": True})
        denied = await client.post("/api/access", json={"code": "JKLM-NPQR", "approve": False})
        again = await client.post("/api/access", json={"code": "ABCD-EFGH", "approve": True})
        after = (await client.get("/api/state")).json()["access"]
    assert (confirmed.json()["name"], denied.status_code) == ("Kim", 200)
    assert (again.status_code, again.json()["error"]) == (409, "pairing_refused")
    assert ([one["person"] for one in after["people"]], after["open"]) == (["U1"], [])
    assert {one.state for one in pairings.known} == {PairingState.PAIRED, PairingState.DENIED, PairingState.ASKED}


async def test_without_a_chat_platform_there_is_nobody_to_confirm() -> None:
    async with serve() as served, served.client() as client:
        assert (await client.get("/api/state")).json()["access"] is None
        assert (await client.post("/api/access", json={"code": "A", "approve": True})).status_code == 404
