"""Files and commands on each platform, through the whole service with the real CLI."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import Platform
from tests.end_to_end.places import PLACES
from tests.end_to_end.team import running_team
from tests.end_to_end.test_files import png
from tests.waiting import SECONDS, until

pytestmark = pytest.mark.cli


@pytest.mark.parametrize("platform", PLACES)
async def test_a_picture_reaches_the_model_and_a_file_of_the_agent_comes_back(tmp_path: Path, platform: str) -> None:
    seen: list[int] = []

    def script(request: ModelRequest) -> ModelReply:
        seen.append(len(request.images))
        if request.tool_results:
            return ModelReply(text="`report.txt` lists the colours of the picture.\n\nATTACH::report.txt")
        arguments = {"file_path": "report.txt", "content": "blue\n"}
        return ModelReply(tool_calls=(ToolUse(name="Write", arguments=arguments),))

    async with PLACES[platform]() as place:
        settings: dict[str, Any] = {
            platform: place.settings,
            "router": {"default_persona": "developer"},
        }
        async with running_team(tmp_path, script=script, environment=place.environment, **settings) as team:
            await until(lambda: team.running.gateways[Platform(platform)].hearing().ok)
            await place.send_picture("colours.png", png())
            await until(  # the file may be there before the text
                lambda: (
                    "report.txt" in place.file_names()
                    and any("lists the colours" in post.text for post in place.posts())
                )
            )
            assert not any("ATTACH::" in post.text for post in place.posts())
    assert set(seen) == {1}


@pytest.mark.parametrize("platform", PLACES)
async def test_stop_works_while_a_turn_runs(tmp_path: Path, platform: str) -> None:
    asked = asyncio.Event()

    def script(request: ModelRequest) -> ModelReply:
        asked.set()
        return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": "sleep 60", "description": "wait"}),))

    async with PLACES[platform]() as place:
        settings: dict[str, Any] = {platform: place.settings, "router": {"default_persona": "developer"}}
        async with running_team(tmp_path, script=script, environment=place.environment, **settings) as team:
            await until(lambda: team.running.gateways[Platform(platform)].hearing().ok)
            await place.say("Wait a minute")
            async with asyncio.timeout(SECONDS):
                await asked.wait()
            await place.say("/stop")
            await until(lambda: any("stopped" in post.text.lower() for post in place.posts()))
            assert (await team.store.history.queue()).waiting == 0
