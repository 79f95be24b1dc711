"""The plugin of Claude's CLI is what the package says, and the real CLI installs it and is held by it."""

import asyncio
import json
import os
import shlex
from pathlib import Path

import pytest

import mama_bot
from mama_bot.agents.login import bundled_cli
from mama_bot.commands.command_line import run_command
from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.rules.rule_set import shipped_rules
from mama_bot.session_hooks.installation import CLI_SECONDS, SETTINGS
from mama_bot.session_hooks.plugin import relay
from tests.end_to_end.team import write_configuration
from tests.scripted_queue import ScriptedQueue
from tests.session_hooks.serving import served
from tests.waiting import SECONDS

PLUGIN = Path(relay.__file__).parent


def test_the_plugin_has_the_version_and_the_hooks_of_the_package() -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    assert manifest["version"] == mama_bot.__version__
    assert tuple(hooks) == SETTINGS["claude"].events
    for event, ((group,)) in hooks.items():
        (hook,) = group["hooks"]
        assert hook["timeout"] == CLI_SECONDS
        assert hook["args"][-2:] == [event, "claude"]
        assert hook.get("onFailure") == ("block" if event in relay.GATES else None)  # no python3: nothing runs


async def claude(project: Path, home: Path, *arguments: str, **environment: str) -> str:
    """What the real CLI prints."""
    process = await asyncio.create_subprocess_exec(
        *(str(bundled_cli()), *arguments),
        cwd=project,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **environment,
        },
    )
    async with asyncio.timeout(SECONDS):
        output, _ = await process.communicate()
    assert process.returncode == 0, output.decode(errors="replace")
    return output.decode()


@pytest.mark.cli
async def test_the_plugin_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home, project, place = tmp_path / "home", tmp_path / "project", tmp_path / "a b"  # short: the path of a socket is
    for directory in (home, project, place):
        directory.mkdir()
    assert "Validation passed" in await claude(project, home, "plugin", "validate", str(PLUGIN))
    assert run_command(["hook", "plugin", "--config", str(write_configuration(place))]) == 0
    _, *arguments = shlex.split(capsys.readouterr().out)  # as it is printed for a person
    await claude(project, home, *arguments)
    (modes,) = place.rglob(relay.FAILURES)
    directory = modes.parent
    script = ScriptedQueue(bash("rm -rf /opt/other"), bash("touch ran"), ModelReply(text="done"))
    async with ModelServer(script=script) as model:
        session = ("-p", "go", "--allowedTools", "Bash")
        async with served(directory, shipped_rules()):
            await claude(project, home, *session, ANTHROPIC_BASE_URL=model.url)
        assert "outside of your workspace" in str([exchange.request for exchange in model.journal])
        assert (project / "ran").exists()
        script.push(bash("touch late"), ModelReply(text="done"))
        await claude(project, home, *session, ANTHROPIC_BASE_URL=model.url)
    assert "claude plugin disable mama-bot" in str(model.journal[-1].request)
    assert not (project / "late").exists()


def bash(command: str) -> ModelReply:
    """A call of the shell."""
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command}),))
