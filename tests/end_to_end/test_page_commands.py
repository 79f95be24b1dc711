"""The page of a whole service: commands, files and health through the real parts behind it."""

from pathlib import Path

from mama_bot.testing.scripted_agent import ScriptedAgentBackend
from tests.end_to_end.team import running_team
from tests.waiting import until

HERE = "/api/conversations/c1"


async def test_commands_of_the_page_are_answered_by_the_service(tmp_path: Path) -> None:
    async with (
        running_team(tmp_path, backends={"claude": ScriptedAgentBackend()}) as team,
        team.client() as client,
    ):
        english = (await client.post(f"{HERE}/commands", json={"name": "help"})).json()
        korean = (await client.post(f"{HERE}/commands", json={"name": "reset", "language": "ko"})).json()
        state = (await client.get("/api/state")).json()
    assert (english["done"], "`@developer`" in english["text"]) == (True, True)
    assert (korean["done"], "새로 시작" in korean["text"]) == (True, True)
    assert [command["name"] for command in state["commands"]][-1] == "help"
    assert state["access"] is None


async def test_a_file_from_the_page_is_stored_with_its_message_and_served_after_a_restart(tmp_path: Path) -> None:
    query = {"message": "m1", "number": "0"}
    async with (
        running_team(tmp_path, backends={"claude": ScriptedAgentBackend()}) as team,
        team.client() as client,
    ):
        raw = {"content-type": "application/octet-stream"}
        path = f"{HERE}/messages/m1/files"
        kept = await client.post(path, params={"name": "메모.txt"}, content=b"remember", headers=raw)
        body = {"id": "m1", "text": "Read it", "files": [kept.json()["name"]]}
        assert (await client.post(f"{HERE}/messages", json=body)).status_code == 202
        assert (await client.get(f"{HERE}/files", params=query)).content == b"remember"
    async with (
        running_team(tmp_path, backends={"claude": ScriptedAgentBackend()}) as team,
        team.client() as client,
    ):
        assert (await client.get(f"{HERE}/files", params=query)).content == b"remember"


async def test_health_is_of_every_gateway_and_a_deaf_one_is_named(tmp_path: Path) -> None:
    async with (
        running_team(tmp_path, backends={"claude": ScriptedAgentBackend()}) as team,
        team.client() as client,
    ):
        await until(team.gateway.ready.is_set)
        healthy = await client.get("/healthz")
        team.gateway.ready.clear()
        deaf = await client.get("/healthz")
    assert (healthy.status_code, set(healthy.json()["gateways"])) == (200, {"memory", "web"})
    assert (deaf.status_code, deaf.json()["gateways"]["memory"]["ok"]) == (503, False)
