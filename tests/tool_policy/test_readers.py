"""Who only looks: what may be called, what is refused, and who that is."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import RunCommands
from mama_bot.model import Allow, Block, Decision, Tier, ToolTurn
from mama_bot.runs import RunReader
from mama_bot.tool_names import claude_call
from mama_bot.tool_policy.outbound import OutboundCommands
from mama_bot.tool_policy.readers import CommandPolicy, NoCommands, ReadersLook, only_looks
from tests.agents.conftest import PERSONA

WORK = Path("/work")
OUTBOUND = OutboundCommands(RunReader(commands=RunCommands(deploy=("ship-it",)), workspace=WORK))


async def decide(
    tool: str, arguments: Mapping[str, object], *, read_only: bool = True, commands: CommandPolicy = OUTBOUND
) -> Decision:
    turn = ToolTurn(persona=PERSONA, workspace=WORK, read_only=read_only)
    return await ReadersLook(commands).decide(claude_call(tool, arguments), turn)


@pytest.mark.parametrize(
    "tool", ["Edit", "MultiEdit", "NotebookEdit", "Write", "mcp__mail__send", "Skill", "", "read", "search", "view"]
)
async def test_a_tool_that_is_not_known_to_look_is_refused(tool: str) -> None:
    decision = await decide(tool, {})
    assert isinstance(decision, Block)
    assert "You may only look here" in decision.feedback


@pytest.mark.parametrize(
    "tool", ["Read", "Grep", "Glob", "LS", "Task", "WebFetch", "TodoWrite", "BashOutput", "KillShell"]
)
async def test_a_tool_that_only_looks_is_left_alone(tool: str) -> None:
    assert isinstance(await decide(tool, {"file_path": "a.py"}), Allow)


@pytest.mark.parametrize("command", ["ls", "pytest -q", "rm -r .", {"rm": 1}, 5, True, ["rm", "a.py"]])
async def test_without_a_sandbox_no_command_runs(command: object) -> None:
    decision = await decide("Bash", {"command": command}, commands=NoCommands())
    assert isinstance(decision, Block)
    assert "no shell" in decision.feedback


@pytest.mark.parametrize(
    "command",
    [
        *("pytest -q", "make", "./gradlew build && java -jar build/x.jar", "rm -rf build", "sed -i s/a/b/ a.py"),
        *("git commit -m x", "git merge other", "git fetch", "git push --dry-run", "npm publish --dry-run"),
        *("echo git push", "grep -r 'npm publish' .", "kubectl get pods", "if", "'"),
    ],
)
async def test_in_the_sandbox_any_command_runs(command: str) -> None:
    assert isinstance(await decide("Bash", {"command": command}), Allow)


@pytest.mark.parametrize("piece", ["a;", "echo $(", "x && ", "'", "line\n", "f 'a b' | "])
async def test_of_a_command_of_a_megabyte_nothing_is_read(piece: str) -> None:
    assert RunReader(commands=RunCommands(), workspace=WORK).tools(f"git push; {piece * (2**20 // len(piece))}") == ()


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("git push", "git push"),
        ("cd lib && git -C x push -f origin main", "git push"),
        ("bash -c 'git push'", "git push"),
        ("gh pr merge 7", "gh pr merge"),
        ("npm publish", "npm publish"),
        ("cargo publish", "cargo publish"),
        ("pytest -q; twine upload dist/*", "twine upload"),
        ("docker push image", "docker push"),
        ("timeout 5 kubectl apply -f x.yaml", "kubectl apply"),
        ("terraform apply -auto-approve", "terraform apply"),
        ("npm run deploy", "npm run deploy"),
        ("ship-it now", "ship-it"),
    ],
)
async def test_what_leaves_the_machine_is_refused_by_name(command: str, named: str) -> None:
    decision = await decide("Bash", {"command": command})
    assert isinstance(decision, Block)
    assert f"{named} would send something off this machine" in decision.feedback


async def test_where_things_may_be_changed_everything_is_left_alone() -> None:
    for tool, arguments in (("Write", {"file_path": "a.py"}), ("Bash", {"command": "git push"}), ("Skill", {})):
        assert isinstance(await decide(tool, arguments, read_only=False, commands=NoCommands()), Allow)


@pytest.mark.parametrize(
    ("tier", "tools", "looks"),
    [
        (Tier.READER, ("Bash", "Write"), True),
        (Tier.WORKER, ("Read", "Grep", "Glob", "WebFetch", "TodoWrite", "Task"), True),
        (Tier.LEAD, (), True),
        (Tier.WORKER, ("Read", "Bash"), False),
        (Tier.LEAD, ("Read", "Edit"), False),
        (Tier.LEAD, ("Read", "mcp__mail__send"), False),
    ],
)
def test_a_persona_only_looks_as_a_reader_or_with_reading_tools_alone(
    tier: Tier, tools: tuple[str, ...], *, looks: bool
) -> None:
    assert only_looks(replace(PERSONA, tier=tier, tools=tools)) is looks
