"""What an agent's CLI calls its tools is known in one place, and there for every CLI whose logs are read."""

import ast
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import mama_bot
from mama_bot.model import ToolKind, ToolRun
from mama_bot.tool_names import CLAUDE, OTHERS, claude_call, kind_of, with_kind

ROOT = Path(mama_bot.__file__).parent
# The demonstration plays the model, which calls Claude's tools by their names.
MAY_NAME = ("tool_names.py", "agents/", "demo/", "trial/given_messages.py")
# Words of everyday use: each tells a tool only among others.
EVERYDAY = frozenset(("agent", "edit", "exec", "execute", "glob", "ls", "read", "replace", "search", "shell", "task"))
EVERYDAY |= frozenset(("bash", "create", "grep", "patch", "terminal", "view", "write"))
# Programs of that name, which a shell runs.
EVERYDAY |= frozenset(("apply_patch",))
# A type of the conditions of rules: what was done for a task.
EVERYDAY |= frozenset(("Task",))
NAMES = (
    frozenset(CLAUDE) | {name.lower() for name in CLAUDE} | {one for names in OTHERS.values() for one in names.split()}
)


def named_tools(source: str) -> Iterator[str]:
    """The names of tools among the texts of a module, and of the words that a text lists."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split()
            named = [word for word in words if word in NAMES - EVERYDAY]
            if named and len(named) == len(words):
                yield from named


def test_no_other_module_knows_the_names_of_tools() -> None:
    named = {
        file.relative_to(ROOT).as_posix(): sorted(set(named_tools(file.read_text(encoding="utf-8"))))
        for file in sorted(ROOT.rglob("*.py"))
        if not file.relative_to(ROOT).as_posix().startswith(MAY_NAME)
    }
    assert {file: names for file, names in named.items() if names} == {}


@pytest.mark.parametrize(
    "source", ['W = {"Write"}', 'run.tool == "Bash"', 'W = "write_file Edit".split()', '"multiedit"']
)
def test_a_name_elsewhere_would_be_found(source: str) -> None:
    assert list(named_tools(source))


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("Bash", ToolKind.SHELL),
        ("mcp__mama__report", ToolKind.REPORT),
        ("mcp__mama__delegate", ToolKind.TEAM),
        ("mcp__other__delegate", ToolKind.OTHER),
        ("exec_command", ToolKind.SHELL),
        ("WRITE_FILE", ToolKind.WRITE),
        ("apply_patch", ToolKind.EDIT),
        ("notebookread", ToolKind.READ),
        ("glob", ToolKind.LIST),
        ("search", ToolKind.SEARCH),
        ("AgentOutputTool", ToolKind.OUTPUT),
        ("mcp__mail__send", ToolKind.OTHER),
        ("", ToolKind.OTHER),
    ],
)
def test_every_cli_is_understood(tool: str, kind: ToolKind) -> None:
    assert kind_of(tool) is kind


def test_claude_is_taken_at_its_exact_names() -> None:
    assert claude_call("Bash", {"command": "ls"}).command == "ls"
    assert claude_call("read", {"file_path": "a.py"}).kind is ToolKind.OTHER
    assert claude_call("search", {}).kind is ToolKind.OTHER


@pytest.mark.parametrize(
    ("tool", "arguments", "command", "paths"),
    [
        ("Bash", '{"command":"pytest -q"}', "pytest -q", ()),
        ("shell", '{"command":["pytest","-q"]}', "pytest -q", ()),
        ("Edit", '{"file_path":"a.py","old_string":"x"}', "", ("a.py",)),
        ("NotebookEdit", '{"notebook_path":"n.ipynb"}', "", ("n.ipynb",)),
        ("Grep", '{"pattern":"x","path":"src"}', "", ("src",)),
        ("Read", '{"file_path":3}', "", ()),
        ("Bash", "[]", "", ()),
        ("Bash", "{", "", ()),
        ("Bash", "[" * 100_000, "", ()),
    ],
)
def test_what_a_kept_call_asked_for(tool: str, arguments: str, command: str, paths: tuple[str, ...]) -> None:
    run = with_kind(ToolRun(id="1", tool=tool, arguments=arguments, started_at=datetime(2026, 1, 1, tzinfo=UTC)))
    assert (run.kind, run.command, run.paths) == (kind_of(tool), command, paths)


def test_a_kind_that_a_backend_set_stays() -> None:
    arguments = json.dumps({"command": "ls"})
    run = ToolRun(
        id="1", tool="Bash", kind=ToolKind.READ, arguments=arguments, started_at=datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert with_kind(run) == run
