"""The tools of an agent obey the settings of its repository, never those that lie above the data directory."""

import sys
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ToolUse
from tests.end_to_end.reviewing import READER
from tests.end_to_end.team import running_team
from tests.end_to_end.test_repositories import make_source
from tests.scripted_queue import ScriptedQueue

pytestmark = pytest.mark.cli

FOREIGN = '[tool.pytest.ini_options]\naddopts = "--no-such-option"\n[tool.ruff]\nno-such-key = 1\n'
TEST = "printf 'def test_it():\\n    assert True\\n' > test_it.py"
RUN = f"{sys.executable} -m pytest -q -p no:randomly && {sys.executable} -m ruff check test_it.py"


async def test_whoever_only_looks_runs_the_tests_of_a_repository_without_settings_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(FOREIGN, encoding="utf-8")
    source = make_source(tmp_path, **{"conftest.py": "", "test_it.py": "def test_it():\n    assert True\n"})
    run = ToolUse(name="Bash", arguments={"command": f"{sys.executable} -m pytest -q -p no:randomly"})
    script = ScriptedQueue(ModelReply(tool_calls=(run,)), ModelReply(text="I ran the tests: 1 passed."))
    settings: dict[str, Any] = {"repositories": {"app": {"source": str(source)}}, "default_repository": "app"}
    async with running_team(tmp_path, script=script, personas=READER, **settings) as team:
        exchange = await team.settled(await team.say("@reviewer run the tests"))
    [stored] = exchange.turns
    [call] = stored.attempts[-1].draft.record.runs
    assert call.exit_status == 0, f"{call.output_head}{call.output_tail}"
    assert "1 passed in " in f"{call.output_head}{call.output_tail}"


@pytest.mark.parametrize("above", ["", FOREIGN], ids=["nothing above", "settings above"])
async def test_settings_above_the_data_directory_are_nobody_s(tmp_path: Path, above: str) -> None:
    if above:
        (tmp_path / "pyproject.toml").write_text(above, encoding="utf-8")
    run = ToolUse(name="Bash", arguments={"command": f"{TEST} && {RUN}"})
    script = ScriptedQueue(ModelReply(tool_calls=(run,)), ModelReply(text="`test_it.py` passes: 1 passed."))
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say("@developer run the tests"))
    [stored] = exchange.turns
    [call] = stored.attempts[-1].draft.record.runs
    output = f"{call.output_head}{call.output_tail}"
    assert call.exit_status == 0, output
    assert " passed in " in output
    assert "CacheWarning" not in output
    assert "All checks passed!" in output
