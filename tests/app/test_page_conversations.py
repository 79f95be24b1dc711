"""A person's own way with messages and conversations of the page, in a running service."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from mama_bot.model import AgentPersona, Author, Command, CommandName, ConversationKey, MessageId, Origin, Platform
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import Team, key, running_team
from tests.waiting import SECONDS


def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
    """Slow when it is asked to be; else it says how often its prompt has the word "zebra" or "heron"."""
    if "Think long" in prompt:
        return ScriptedReply(text="Thought.", delay_seconds=60)
    return ScriptedReply(text=f"`a.py:3` has {prompt.count('zebra')} stripes and {prompt.count('heron')} wings.")


@pytest.fixture
async def team(tmp_path: Path) -> AsyncIterator[Team]:
    backend = ScriptedAgentBackend(script=script)
    async with running_team(tmp_path, backends={"claude": backend}, pool={"size": 1}) as team:
        yield team


async def write(client: httpx.AsyncClient, conversation: str, message: str, text: str) -> None:
    answer = await client.post(f"/api/conversations/{conversation}/messages", json={"id": message, "text": text})
    assert answer.status_code == 202


async def seen(client: httpx.AsyncClient, conversation: str) -> dict[str, Any]:
    view = (await client.get(f"/api/conversations/{conversation}")).json()
    assert isinstance(view, dict)
    return view


async def replies(client: httpx.AsyncClient, conversation: str, count: int) -> list[str]:
    async with asyncio.timeout(SECONDS):
        while True:
            posts = (await seen(client, conversation))["posts"]
            texts = [post["text"] for post in posts if post["kind"] == "reply"]
            if len(texts) >= count:
                return texts
            await asyncio.sleep(0.02)


async def listed(client: httpx.AsyncClient) -> list[str]:
    return [summary["title"] for summary in (await client.get("/api/state")).json()["conversations"]]


async def command(client: httpx.AsyncClient, conversation: str, name: str, argument: str = "") -> dict[str, Any]:
    body = {"name": name, "argument": argument}
    answer = (await client.post(f"/api/conversations/{conversation}/commands", json=body)).json()
    assert isinstance(answer, dict)
    return answer


async def test_what_was_edited_while_it_waited_is_what_the_agent_reads_and_what_was_deleted_nobody_sees(
    team: Team,
) -> None:
    async with team.client() as client:
        await write(client, "busy", "b1", "Think long")
        async with asyncio.timeout(SECONDS):
            while not (await client.get("/api/state")).json()["working"]:
                await asyncio.sleep(0.02)
        await write(client, "c1", "m1", "Count: zebra")
        await write(client, "c1", "m2", "Forget this one")
        place = "/api/conversations/c1/messages"
        assert (await client.put(f"{place}/m1", json={"text": "Count: heron heron"})).status_code == 200
        assert (await client.put(f"{place}/m1", json={"text": " "})).json()["error"] == "empty"
        assert (await client.request("DELETE", f"{place}/m2", json={})).status_code == 200
        assert [message["text"] for message in (await seen(client, "c1"))["messages"]] == ["Count: heron heron"]
        assert "Count: heron heron" in await listed(client)
        await client.post("/api/conversations/busy/stop", json={})
        assert await replies(client, "c1", 1) == ["`a.py:3` has 0 stripes and 2 wings."]
        late = await client.put(f"{place}/m1", json={"text": "Count: zebra"})
        gone = await client.request("DELETE", f"{place}/m1", json={})
        elsewhere = await client.request("DELETE", "/api/conversations/busy/messages/m1", json={})
    for answer in (late, gone, elsewhere):
        assert (answer.status_code, answer.json()["error"]) == (409, "too_late")


async def test_a_conversation_is_named_found_and_deleted_with_all_that_agents_know_of_it(
    team: Team, tmp_path: Path
) -> None:
    async with team.client() as client:
        await write(client, "c1", "m1", "Where is the zebra? 얼룩말")
        await write(client, "c2", "m2", "Something else, 100%")
        await replies(client, "c1", 1)
        await replies(client, "c2", 1)
        assert (await command(client, "c1", "rename", "  Stripes \n of it "))["done"]
        assert "Stripes of it" in await listed(client)
        assert not (await command(client, "c1", "rename", " "))["done"]
        assert not (await command(client, "nowhere", "rename", "x"))["done"]

        async def found(text: str) -> list[str]:
            answer = await client.get("/api/search", params={"text": text})
            return [summary["id"] for summary in answer.json()["conversations"]]

        assert await found("STRIPES of") == ["c1"]
        assert await found("얼룩말") == ["c1"]
        assert await found("1 stripes") == ["c1"]
        assert await found("100%") == ["c2"]
        assert await found("_%") == []
        assert await found("") == []
        await write(client, "c1", "m3", "Think long")
        refused = await command(client, "c1", "delete")
        assert (refused["done"], "Stop it first" in refused["text"]) == (False, True)
        await client.post("/api/conversations/c1/stop", json={})
        async with asyncio.timeout(SECONDS):
            while not (await command(client, "c1", "delete"))["done"]:
                await asyncio.sleep(0.02)
        assert await found("zebra") == []
        assert "Stripes of it" not in await listed(client)
        view = await seen(client, "c1")
        assert (view["messages"], view["posts"], view["turns"], view["receipts"]) == ([], [], [], [])
        here = ConversationKey(Platform("web"), "c1")
        assert not await team.store.context.window(here, before=None, max_entries=9, max_characters=9**9)
        assert await team.store.turns.session(here, "lead") is None
        # It can be begun anew, and the other one is as it was.
        await write(client, "c1", "m4", "Where is the heron?")
        assert await replies(client, "c1", 1) == ["`a.py:3` has 0 stripes and 1 wings."]
        assert len((await seen(client, "c2"))["messages"]) == 1
        with pytest.raises(LookupError):
            await team.store.turns.load(MessageId("m1"))


@pytest.mark.parametrize("name", [CommandName.RENAME, CommandName.DELETE])
async def test_a_chat_s_conversation_is_the_chat_s_own(team: Team, name: CommandName) -> None:
    await team.settled(await team.say("Count: zebra"))
    asker = Author(id="kim", name="Kim")
    asked = Command(name=name, key=key(), author=asker, origin=Origin(channel="general"), argument="x")
    answer = await team.gateway.command(asked)
    assert (answer.done, answer.text) == (False, "That can be done on the page alone.")
    assert len(await team.context()) == 2
