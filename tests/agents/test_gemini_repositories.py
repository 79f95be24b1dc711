"""What a repository brings for the Gemini CLI: the real one runs nothing of it, since it does not trust the folder."""

import json
from pathlib import Path

import pytest

from tests.agents.acp_making import real_agents
from tests.agents.conftest import KEY, PERSONA, answer, new_session_id
from tests.agents.model_apis import ModelStep
from tests.agents.played_model import played_model
from tests.session_hooks.cli_sessions import program_of

pytestmark = pytest.mark.cli


async def test_servers_hooks_tools_and_variables_of_a_repository_are_left_alone(
    tmp_path: Path, workspace: Path
) -> None:
    program_of("gemini")
    ran = tmp_path / "ran"
    ran.mkdir()
    hook = {"type": "command", "command": f"touch {ran}/hook"}
    settings = {
        "mcpServers": {"theirs": {"command": "touch", "args": [f"{ran}/server"]}},
        "hooks": {event: [{"hooks": [hook]}] for event in ("SessionStart", "BeforeAgent", "AfterAgent")},
        "tools": {"discoveryCommand": f"touch {ran}/discovery"},
    }
    (workspace / ".gemini").mkdir()
    (workspace / ".gemini" / "settings.json").write_text(json.dumps(settings))
    (workspace / ".env").write_text("GOOGLE_CLOUD_PROJECT=theirs\n")
    async with played_model(tmp_path) as model, real_agents(tmp_path, "gemini", model.url) as backend:
        model.push(
            ModelStep(tool="run_shell_command", arguments={"command": 'echo "<$GOOGLE_CLOUD_PROJECT>" > seen.txt'})
        )
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        (run,) = (await answer(session, "go")).record.runs
    assert run.ok
    assert (workspace / "seen.txt").read_text() == "<>\n"
    assert list(ran.iterdir()) == []
