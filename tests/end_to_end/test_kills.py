"""The service killed at random moments, with the real CLI: every message is answered, each once, in order."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import httpx
import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import write_configuration
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli

KILLS = 5
CONVERSATIONS = ("red", "green", "blue")
MESSAGES = 3


def script(request: ModelRequest) -> ModelReply:
    """Praise first, then a tool call, then figures: enough steps for a kill to fall between any two."""
    if request.tool_results:
        return ModelReply(text="`a.py` has 3 functions: `f`, `g`, `h`.", delay_seconds=0.05)
    if "[SENT BACK" not in request.last_user_text:
        return ModelReply(text="Understood! What an excellent, truly brilliant question!", delay_seconds=0.05)
    command = 'python3 -c "import time; time.sleep(0.2)"'
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command, "description": "count"}),))


async def send(service: ServiceProcess, conversation: str, number: int) -> None:
    """Send until it is stored: what was not acknowledged is sent again, under the same id, as the page does."""
    message = f"{conversation}-{number}"
    while True:
        try:
            if (await service.say("count", conversation=conversation, message=message)).status_code == 202:
                return
        except httpx.TransportError:
            pass
        await asyncio.sleep(0.05)


async def unanswered(service: ServiceProcess) -> int:
    count = 0
    for name in CONVERSATIONS:
        posts = (await service.conversation(name))["posts"]
        count += MESSAGES - sum(1 for post in posts if post["kind"] == "reply")
    return count


async def test_nothing_is_lost_doubled_or_out_of_order_when_the_service_is_killed_again_and_again(
    tmp_path: Path,
) -> None:
    chance = random.Random(7)
    turns = {"steer": "on_request"}  # each message has a reply of its own
    file = write_configuration(
        tmp_path, claude={"source": "real"}, router={"default_persona": "developer"}, turns=turns
    )
    async with ModelServer(script=script) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            for number in range(MESSAGES):
                for name in CONVERSATIONS:
                    await send(service, name, number)
            await service.kill()
        for _ in range(KILLS - 1):
            async with service_process(file, environment) as service:
                await asyncio.sleep(chance.uniform(0.1, 1.6))
                await service.kill()
        async with service_process(file, environment) as service:
            async with asyncio.timeout(2 * SECONDS):
                while await unanswered(service):
                    await asyncio.sleep(0.1)
            views = {name: await service.conversation(name) for name in CONVERSATIONS}
            assert await service.terminate() == 0
    for name, view in views.items():
        replies = [post for post in view["posts"] if post["kind"] == "reply"]
        answered = [reply["turn_id"].split(".")[0] for reply in replies]
        assert answered == [f"{name}-{number}" for number in range(MESSAGES)]
        assert Counter(post["kind"] for post in view["posts"]) == {"reply": MESSAGES}
        assert {turn["state"] for turn in view["turns"]} == {"answered"}


async def test_what_is_said_while_the_service_stops_is_answered_by_the_next_life(tmp_path: Path) -> None:
    def slow(request: ModelRequest) -> ModelReply:
        return ModelReply(text=f"`a.py` has {request.last_user_text[-1]} functions.", delay_seconds=1.5)

    turns = {"steer": "on_request", "drain_seconds": 10}
    file = write_configuration(
        tmp_path, claude={"source": "real"}, router={"default_persona": "developer"}, turns=turns
    )
    async with ModelServer(script=slow) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            await send(service, "red", 1)
            await service.logged("agent_asked")
            service.process.terminate()
            await service.logged("draining")
            async with service.client() as client:
                form = {"id": "red-2", "text": "count 2"}
                assert (await client.post("/api/conversations/red/messages", json=form)).status_code == 202
            assert await service.process.wait() == 0
        async with service_process(file, environment) as service:
            replies = await service.replies(2, "red")
    assert [reply["turn_id"] for reply in replies] == ["red-1.0", "red-2.0"]
