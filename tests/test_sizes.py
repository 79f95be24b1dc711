"""A file is read in one go, a function fits a screen; what does not is named here, and only shrinks."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE_LINES = 400
FUNCTION_LINES = 60
DIRECTORIES = ("mama_bot", "tests", "benchmarks")

# Files of more lines than that, with their lines.
LONG_FILES: Mapping[str, int] = {}

# Functions of more lines than a screen has, with their lines: most are constructors with a line for each part.
LONG_FUNCTIONS: Mapping[str, int] = {
    "mama_bot/agents/acp_backend.py::AcpBackend._session": 62,
    "mama_bot/agents/claude.py::ClaudeBackend.open": 85,
    "mama_bot/agents/claude_session.py::ClaudeSession.__init__": 71,
    "mama_bot/checkouts/checkouts.py::Checkouts.__init__": 62,
    "mama_bot/commands/command_arguments.py::command_parser": 61,
    "mama_bot/consent/ask_person.py::ask_person_tool": 63,
    "mama_bot/gateways/discord/gateway.py::DiscordGateway._assemble": 72,
    "mama_bot/gateways/slack/gateway.py::SlackGateway.__init__": 102,
    "mama_bot/gateways/web/gateway.py::WebGateway.__init__": 68,
    "mama_bot/intake/chat_commands.py::ChatCommands.__init__": 93,
    "mama_bot/turns/turn_runner.py::TurnRunner.run": 67,
    "tests/commands/test_review_gate.py::test_claude_code_is_held_by_the_hook_until_the_review_is_approved": 61,
    "tests/end_to_end/test_boards.py"
    "::test_what_an_agent_posts_and_creates_another_one_reads_in_its_turn_and_people_see_it": 62,
    "tests/end_to_end/test_cluster.py::test_what_comes_in_on_one_node_is_worked_on_another_and_shown_on_a_third": 71,
    "tests/end_to_end/test_publication_kills.py"
    "::test_a_pull_request_is_opened_once_however_the_service_is_killed_meanwhile": 65,
    "tests/end_to_end/test_reload.py::test_settings_change_while_a_turn_runs_and_bad_ones_are_refused_whole": 61,
    "tests/gateways/web/harness.py::serve": 64,
}


def files(root: Path) -> Iterator[tuple[str, str]]:
    """Each file of Python below some directories of a place: its path from there, and its text."""
    for directory in DIRECTORIES:
        for path in sorted((root / directory).rglob("*.py")):
            yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def long_files(root: Path) -> dict[str, int]:
    """Files that are too long, with their lines."""
    lines = {path: text.count("\n") for path, text in files(root)}
    return {path: count for path, count in lines.items() if count > FILE_LINES}


def long_functions(root: Path) -> dict[str, int]:
    """Functions that fit no screen, with their lines."""
    return {
        f"{path}::{name}": lines
        for path, text in files(root)
        for name, lines in function_lines(text)
        if lines > FUNCTION_LINES
    }


def function_lines(text: str) -> Iterator[tuple[str, int]]:
    """Each function of a file by its name (`Class.method`) with its lines, decorators left out."""
    yield from _below(ast.parse(text), "")


def _below(node: ast.AST, outer: str) -> Iterator[tuple[str, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{outer}{child.name}"
            if child.end_lineno is not None and not isinstance(child, ast.ClassDef):
                yield name, child.end_lineno - child.lineno + 1
            yield from _below(child, f"{name}.")
        else:
            yield from _below(child, outer)


def test_no_file_is_longer_than_it_may_be() -> None:
    assert long_files(ROOT) == LONG_FILES, "Split it by what its parts are about, or lower what has shrunk."


def test_no_function_is_longer_than_it_may_be() -> None:
    assert long_functions(ROOT) == LONG_FUNCTIONS, "Give its parts names of their own, or lower what has shrunk."


def test_what_is_too_long_is_seen(tmp_path: Path) -> None:
    (tmp_path / "mama_bot").mkdir()
    body = "        x = 1\n" * FUNCTION_LINES
    (tmp_path / "mama_bot" / "a.py").write_text(
        f"class A:\n    async def b(self):\n{body.replace('    x', '        x')}"
    )
    assert long_functions(tmp_path) == {"mama_bot/a.py::A.b": FUNCTION_LINES + 1}
    assert long_files(tmp_path) == {}
    (tmp_path / "mama_bot" / "c.py").write_text("x = 1\n" * (FILE_LINES + 1))
    assert long_files(tmp_path) == {"mama_bot/c.py": FILE_LINES + 1}
