"""Sessions of the real Gemini CLI and the real Codex are held by the rules, and without the service by their modes."""

import json
import sys
from pathlib import Path

import pytest

from mama_bot.rules.rule_set import shipped_rules
from mama_bot.session_hooks.failure_modes import write_failure_modes
from mama_bot.session_hooks.installation import SETTINGS, install_hook, settings_file
from tests.rules.making import rules_of
from tests.session_hooks.cli_models import Step, cli_model
from tests.session_hooks.cli_sessions import session_of
from tests.session_hooks.recorded import recorded_inputs
from tests.session_hooks.serving import served

pytestmark = pytest.mark.cli

SOFT = """
name: soft
match: Bash
when: command.text.contains("soft")
decision: tell
tier: soft
message: Softly spoken.
examples: {blocks: [echo soft], passes: [echo hard]}
"""
# It speaks where calls that ended were understood: a file was looked at, one was changed.
STOP = """
name: unfinished
event: stop
when: session.looks > 0 && session.edits == 1
decision: block
message: Go on to the end.
"""
ASKS = """
name: asks
match: Bash
when: command.text.contains("deploy")
decision: ask
message: A deployment needs a person.
person: {en: This deploys., ko: 배포합니다.}
"""
PATCH = "*** Begin Patch\n*** Add File: made\n+x\n*** End Patch"
STEPS = {
    "gemini": (
        Step(tool="run_shell_command", arguments={"command": "rm -rf /opt/other"}),
        Step(tool="run_shell_command", arguments={"command": "ls"}),
        Step(tool="run_shell_command", arguments={"command": "echo soft"}),
        Step(tool="write_file", arguments={"file_path": "made", "content": "x"}),
        Step(text="first words"),
    ),
    "codex": (
        Step(tool="exec_command", arguments={"cmd": "rm -rf other", "workdir": "/opt"}),
        Step(tool="exec_command", arguments={"cmd": "echo deploy > asked"}),
        Step(tool="exec_command", arguments={"cmd": "ls"}),
        Step(tool="exec_command", arguments={"cmd": "echo soft"}),
        Step(tool="apply_patch", arguments={"input": PATCH}),
        Step(text="first words"),
    ),
}
LATE = {
    "gemini": Step(tool="run_shell_command", arguments={"command": "touch late"}),
    "codex": Step(tool="exec_command", arguments={"cmd": "touch late"}),
}


@pytest.mark.parametrize("cli", sorted(STEPS))
async def test_a_session_of_another_cli_is_held_with_and_without_the_service(tmp_path: Path, cli: str) -> None:
    home, project, directory, told = tmp_path / "home", tmp_path / "project", tmp_path / "data", tmp_path / "told"
    for place in (home, project, directory):
        place.mkdir()
    (project / "there").touch()
    file = settings_file(cli, home, None, {})
    rules = (*shipped_rules(), *rules_of(tmp_path, SOFT, STOP, ASKS))
    async with cli_model(*STEPS[cli]) as model:
        session = session_of(cli, home, model)
        _record(cli, file, told)
        install_hook(cli, file, directory)
        async with served(directory, rules):
            await session.run(project, home)
        asked = "".join(model.journal)
        assert "outside of your workspace" in asked
        assert "Softly spoken." in asked
        assert "Go on to the end." in asked
        assert (project / "made").exists()
        assert not (project / "asked").exists()
        assert ("This deploys." in asked) == (cli == "codex")  # Gemini asks the person at the terminal
        write_failure_modes(directory, rules)
        model.script.append(LATE[cli])
        await session.run(project, home)
    assert f"hook remove {cli}" in model.journal[-1]
    assert not (project / "late").exists()
    known = {_form(given) for given in recorded_inputs(cli)}
    assert {_form(json.loads(line)) for line in told.read_text(encoding="utf-8").splitlines()} <= known


def _record(cli: str, file: Path, told: Path) -> None:
    """Put hooks of somebody else beside ours, which keep what the CLI tells: a form that we do not know fails."""
    script = f"import sys; open({str(told)!r}, 'a').write(sys.stdin.read().strip().replace(chr(10), ' ') + chr(10))"
    program = file.parent / "keep.py"
    program.write_text(script, encoding="utf-8")
    hook = {"hooks": [{"type": "command", "command": f"{sys.executable} {program}"}]}
    settings = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    settings["hooks"] = {event: [hook] for event in SETTINGS[cli].events}
    file.write_text(json.dumps(settings), encoding="utf-8")


def _form(given: dict[str, object]) -> tuple[object, ...]:
    optional = {"description", "dir_path"}
    arguments = given.get("tool_input") or {}
    assert isinstance(arguments, dict)
    return (
        given["hook_event_name"],
        given.get("tool_name"),
        frozenset(given),
        frozenset(arguments) - optional,
        type(given.get("tool_response")),
    )
