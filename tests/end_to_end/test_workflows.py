"""The order of work, from a message in a chat to the real CLI: what comes too early is refused or warned of."""

import itertools
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.model import Author, Command, CommandName, Origin, ToolRecord
from tests.end_to_end.team import Team, key, running_team
from tests.end_to_end.test_rules import Watched
from tests.waiting import until, until_stored

pytestmark = pytest.mark.cli

FULL = "prompt is too long: 213000 tokens > 200000 maximum"  # where the CLI makes the session's memory shorter


def shop_in(directory: Path) -> Path:
    shop = directory / "shop"
    shop.mkdir(exist_ok=True)
    (shop / "pay.py").write_text("x = 0\n", encoding="utf-8")
    return shop


def write(path: Path) -> ToolUse:
    return ToolUse(name="Write", arguments={"file_path": str(path), "content": "y = 1\n"})


async def turn_of(team: Team, model: Watched, *replies: ModelReply) -> ToolRecord:
    """What really happened in a turn."""
    model.push(*replies)
    exchange = await team.settled(await team.say("고쳐 주세요"))
    return exchange.turns[0].attempts[-1].draft.record


async def asked(team: Team, name: CommandName) -> str:
    """What a command is answered."""
    command = Command(name=name, key=key(), author=Author(id="kim", name="Kim"), origin=Origin())
    return (await team.gateway.command(command)).text


async def test_an_early_edit_is_refused_and_the_step_outlives_a_compaction_and_a_restart(tmp_path: Path) -> None:
    shop = shop_in(tmp_path)
    settings: dict[str, Any] = {
        "router": {"default_persona": "developer"},
        "repositories": {"shop": {"source": str(shop), "mode": "in_place", "workflow": "full"}},
        "personas": {"developer": "workspace: shop"},
    }
    look = ToolUse(name="Read", arguments={"file_path": f"{shop}/pay.py"})
    model = Watched()
    async with running_team(tmp_path, script=model, **settings) as team:
        record = await turn_of(
            team,
            model,
            ModelReply(tool_calls=(write(shop / "new.py"),)),
            ModelReply(tool_calls=(look,)),
            ModelReply(status=400, error_message=FULL),
            ModelReply(text="<summary>pay.py was read.</summary>"),
            ModelReply(tool_calls=(write(shop / "new.py"),)),
            ModelReply(text="I wrote `new.py` (1 line)."),
            ModelReply(text="I wrote `new.py` (1 line); no test was run, so whether they pass is not known."),
        )
        receipt = await asked(team, CommandName.RECEIPT)
    assert "Workflow full: ✓ investigate, ○ plan, ✓ implement, ○ test" in receipt
    early, _, later = record.runs
    assert "its step investigate comes before implement" in early.output_head
    assert later.ok
    told = [str(request.messages[-1]) for request in model.requests]
    assert "investigate is shown, plan is not shown yet" in told[4]  # the first after the compaction
    assert "step plan before implement" in told[5]
    assert "The workflow full ends with its step test" in told[6]
    assert "1. investigate: Look at what there is" in model.requests[0].system
    model = Watched()
    async with running_team(tmp_path, script=model, **settings) as team:
        team.numbers = itertools.count(1)  # the second message is another one
        model.push(ModelReply(tool_calls=(write(shop / "other.py"),)), ModelReply(hang=True))
        await team.say("하나 더")
        await until(lambda: (shop / "other.py").exists() or None)  # not refused: it was looked at in the other life

        async def status() -> str | None:
            text = await asked(team, CommandName.STATUS)
            return text if "step 4" in text else None

        shown = await until_stored(status)
        assert await team.stop()
    assert "step 4 of 4: test (full)" in shown
