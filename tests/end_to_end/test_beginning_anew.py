"""After a reset an agent knows nothing of before, with the real CLI."""

from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import Author, Command, CommandName, Origin
from tests.end_to_end.team import key, running_team

pytestmark = pytest.mark.cli


async def test_what_an_agent_left_in_a_memory_of_its_own_is_not_shown_after_a_reset(tmp_path: Path) -> None:
    asked: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        asked.append(f"{request.system}{request.messages}")
        return ModelReply(text="`a.py:3` has 1 class.")

    async with running_team(tmp_path, script=script) as team:
        await team.settled(await team.say("A zebra"))
        projects = [*(tmp_path / "data").glob("**/agents/*/config/projects/*")]
        assert projects
        for project in projects:
            (project / "memory").mkdir()
            (project / "memory" / "MEMORY.md").write_text("# Memory\n- A zebra was asked for.\n")
        reset = Command(
            name=CommandName.RESET, key=key(), author=Author(id="kim", name="Kim"), origin=Origin(channel="general")
        )
        assert (await team.gateway.command(reset)).done
        await team.settled(await team.say("How many?"))
    assert ["zebra" in words for words in asked] == [True, False]
