"""What each CLI tells of its calls over the Agent Client Protocol, in the very form in which the real one told it."""

from typing import Any

import pytest

from mama_bot.agents.acp_beginnings import not_answered
from mama_bot.agents.acp_calls import ToldCall
from mama_bot.agents.acp_codex import CODEX
from mama_bot.agents.acp_connection import AgentRefusal
from mama_bot.errors import AgentError, AgentUnavailable, LoginRefused, ModelFailed
from mama_bot.model import ToolKind
from mama_bot.model_faults import ModelFault

CWD = "/work/place"
UPDATES: dict[str, list[dict[str, Any]]] = {
    "gemini command": [
        {
            "status": "pending",
            "title": "echo hi; exit 3",
            "content": [
                {"type": "content", "content": {"type": "text", "text": f"[current working directory {CWD}] (words)"}}
            ],
            "locations": [],
            "kind": "execute",
        },
        {"status": "completed", "title": "echo hi; exit 3", "content": [], "locations": [], "kind": "execute"},
    ],
    "opencode command": [
        {"title": "bash", "kind": "execute", "status": "pending", "rawInput": {"cwd": CWD}},
        {"title": "echo hi; exit 3", "status": "in_progress", "rawInput": {"command": "echo hi; exit 3", "cwd": CWD}},
        {"title": "echo hi; exit 3", "kind": "other", "status": "pending", "rawInput": {"command": "echo hi; exit 3"}},
        {
            "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "hi\n"}}],
            "rawOutput": {"output": "hi\n", "metadata": {"output": "hi\n", "exit": 3, "truncated": False}},
        },
    ],
    "codex command": [
        {
            "name": "exec_command",
            "kind": "execute",
            "title": "echo hi; exit 3",
            "status": "in_progress",
            "content": [{"type": "terminal", "terminalId": "call_1"}],
            "rawInput": {"command": "echo hi; exit 3", "cwd": CWD},
        },
        {
            "status": "failed",
            "_meta": {
                "terminal_output_delta": {"data": "hi\n", "terminal_id": "call_1"},
                "terminal_exit": {"exit_code": 3, "signal": None, "terminal_id": "call_1"},
            },
        },
    ],
}
CHANGED = {"type": "diff", "path": f"{CWD}/a.txt", "oldText": "alpha\n", "newText": "beta\n"}
MADE = {"type": "diff", "path": f"{CWD}/new.txt", "oldText": None, "newText": "x\n"}


def told(*updates: dict[str, Any]) -> ToldCall:
    """The call, as far as these tell of it."""
    call = ToldCall(id="1")
    for update in updates:
        call.hear(update)
    return call


@pytest.mark.parametrize(
    ("name", "output", "status"),
    [("gemini command", "", None), ("opencode command", "hi\n", 3), ("codex command", "hi\n", 3)],
)
def test_a_command_is_told_with_what_its_cli_tells_of_its_end(name: str, output: str, status: int | None) -> None:
    heard = told(*UPDATES[name])
    call = heard.call(CWD)
    assert (call.kind, call.command, call.directory) == (ToolKind.SHELL, "echo hi; exit 3", CWD)
    assert (heard.output, heard.exit_status) == (output, status)


@pytest.mark.parametrize(
    "updates",
    [
        [
            {"title": "bash", "kind": "execute", "status": "pending", "rawInput": {"cwd": CWD}},
            {"status": "in_progress", "rawInput": {"command": "ls", "workdir": "sub", "description": "[in /opt]"}},
        ],
        [
            {
                "status": "pending",
                "title": "ls",
                "content": [{"type": "content", "content": {"type": "text", "text": "[in sub] (words [in /opt])"}}],
                "kind": "execute",
            },
            {"status": "completed", "title": "ls", "content": [], "kind": "execute"},
        ],
        [{"title": "ls", "kind": "execute", "rawInput": {"command": "ls", "cwd": f"{CWD}/sub"}}],
    ],
    ids=["opencode", "gemini", "codex"],
)
def test_a_command_runs_where_its_cli_says_and_not_where_the_session_began(updates: list[dict[str, Any]]) -> None:
    assert told(*updates).call(CWD).directory == f"{CWD}/sub"


def test_an_edit_names_its_file_and_what_it_puts_in_place_of_what() -> None:
    edit = told({"title": "a.txt", "kind": "edit", "status": "completed", "content": [CHANGED]}).call(CWD)
    assert (edit.kind, edit.paths) == (ToolKind.EDIT, (f"{CWD}/a.txt",))
    assert (edit.arguments["old_string"], edit.arguments["new_string"]) == ("alpha\n", "beta\n")
    made = told({"title": "Writing to new.txt", "kind": "edit", "content": [{**MADE, "oldText": ""}]}).call(CWD)
    assert (made.kind, made.paths, made.arguments["content"]) == (ToolKind.WRITE, (f"{CWD}/new.txt",), "x\n")
    several = told({"title": "Editing files", "kind": "edit", "status": "in_progress", "content": [CHANGED, MADE]})
    assert several.call(CWD).kind is ToolKind.EDIT
    assert several.call(CWD).paths == (f"{CWD}/a.txt", f"{CWD}/new.txt")
    before = told({"title": "edit", "kind": "edit", "rawInput": {"filePath": f"{CWD}/a.txt", "oldString": "alpha"}})
    assert before.call(CWD).paths == (f"{CWD}/a.txt",)


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("mama_post", ToolKind.TEAM),
        ("mama_delegate", ToolKind.TEAM),
        ("mama_submit_review", ToolKind.REPORT),
        ("mama_shell", ToolKind.OTHER),
        ("post", ToolKind.OTHER),
    ],
)
def test_a_tool_of_the_service_is_known_by_the_name_that_opencode_gives_it(title: str, kind: ToolKind) -> None:
    pending = {"title": title, "kind": "other", "status": "pending", "locations": [], "rawInput": {}}
    assert told(pending).call(CWD).kind is kind


def served_by_codex(server: str, tool: str, **arguments: object) -> ToldCall:
    """A call of a server's tool as the adapter of Codex told it."""
    given = {"server": server, "tool": tool, "arguments": arguments}
    result = {"content": [{"type": "text", "text": "Posted to lines."}], "structuredContent": None, "_meta": None}
    return told(
        {
            "kind": "execute",
            "title": f"mcp.{server}.{tool}",
            "status": "in_progress",
            "rawInput": given,
            "_meta": {"is_mcp_tool_call": True},
        },
        {"status": "completed", "rawInput": given, "rawOutput": {"result": result, "error": None}},
    )


def test_a_tool_of_a_server_that_codex_tells_as_a_command_is_that_tool() -> None:
    ours = served_by_codex("mama", "post", topic="lines", text="3 lines")
    call = ours.call(CWD)
    assert (call.tool, call.kind, call.command) == ("mcp__mama__post", ToolKind.TEAM, "")
    assert dict(call.arguments) == {"topic": "lines", "text": "3 lines"}
    assert ours.output == "Posted to lines."
    assert served_by_codex("tickets", "look").call(CWD).kind is ToolKind.OTHER
    shell = served_by_codex("terminal", "run_command", command="rm -rf /opt/other").call(CWD)
    assert (shell.kind, shell.command) == (ToolKind.SHELL, "rm -rf /opt/other"), "held to the rules of commands"


def test_what_is_read_is_named_and_what_is_not_known_is_other() -> None:
    read = told({"title": "a.txt", "kind": "read", "status": "in_progress", "locations": [{"path": f"{CWD}/a.txt"}]})
    assert (read.call(CWD).kind, read.call(CWD).paths) == (ToolKind.READ, (f"{CWD}/a.txt",))
    deleted = told({"title": "old", "kind": "delete", "locations": [{"path": f"{CWD}/old"}]}).call(CWD)
    assert (deleted.kind, deleted.paths) == (ToolKind.EDIT, (f"{CWD}/old",))
    assert told({"title": "something_new", "kind": "unheard of"}).call(CWD).kind is ToolKind.OTHER


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (AgentRefusal(code=401, message="no", details=""), LoginRefused),
        (AgentRefusal(code=-32603, message="got status: 401", details=""), LoginRefused),
        (AgentRefusal(code=-32000, message="Authentication required", details=""), AgentUnavailable),
        (AgentRefusal(code=-32603, message="x", details='{"errorName": "APIError"}'), ModelFault.BROKEN),
        (AgentRefusal(code=429, message="x", details=""), ModelFault.RATE_LIMITED),
        (AgentRefusal(code=-32603, message="x", details=""), ModelFault.OTHER),
    ],
)
def test_a_refused_prompt_tells_a_login_from_a_service_that_fails(
    error: AgentRefusal, expected: ModelFault | type[AgentError]
) -> None:
    told = not_answered(CODEX, error)
    assert (told.fault if isinstance(told, ModelFailed) else type(told)) == expected
