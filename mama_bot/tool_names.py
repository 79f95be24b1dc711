"""The names that agents' CLIs give to their tools, and what each of them does: the only place that knows them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from mama_bot.model import ToolCall, ToolKind, ToolRun

# What a persona may be given with `tools:` in its front matter.
GRANTABLE: Mapping[str, ToolKind] = MappingProxyType(
    {
        "Bash": ToolKind.SHELL,
        "Read": ToolKind.READ,
        "Edit": ToolKind.EDIT,
        "MultiEdit": ToolKind.EDIT,
        "Write": ToolKind.WRITE,
        "Grep": ToolKind.SEARCH,
        "Glob": ToolKind.LIST,
        "NotebookEdit": ToolKind.EDIT,
        "WebFetch": ToolKind.FETCH,
        "WebSearch": ToolKind.FETCH,
        "TodoWrite": ToolKind.PLAN,
        "Task": ToolKind.TASK,
    }
)
CLAUDE: Mapping[str, ToolKind] = MappingProxyType(
    {
        **GRANTABLE,
        "Agent": ToolKind.TASK,
        "BashOutput": ToolKind.OUTPUT,
        "KillShell": ToolKind.STOP,
        "LS": ToolKind.LIST,
        "NotebookRead": ToolKind.READ,
        "TaskOutput": ToolKind.OUTPUT,
        "TodoRead": ToolKind.PLAN,
    }
)
# As the logs of other CLIs name them.
OTHERS: Mapping[ToolKind, str] = MappingProxyType(
    {
        ToolKind.SHELL: "shell run_shell_command local_shell exec execute exec_command",
        ToolKind.WRITE: "write_file create_file",
        ToolKind.EDIT: "edit_file replace apply_patch",
        ToolKind.READ: "read_file view",
        ToolKind.SEARCH: "search",
        ToolKind.OUTPUT: "agentoutputtool",
    }
)
KINDS: Mapping[str, ToolKind] = MappingProxyType(
    {
        **{name.lower(): kind for name, kind in CLAUDE.items()},
        **{name: kind for kind, names in OTHERS.items() for name in names.split()},
    }
)
PATH_ARGUMENTS = ("file_path", "notebook_path", "path")


def kind_of(tool: str) -> ToolKind:
    """Return what a tool of any known CLI does, whatever the case: `shell` and `Bash` are SHELL."""
    return KINDS.get(tool.lower(), ToolKind.OTHER)


def call_of(tool: str, arguments: Mapping[str, Any]) -> ToolCall:
    """Return a call of any known CLI."""
    return _call(tool, kind_of(tool), arguments)


def claude_call(tool: str, arguments: Mapping[str, Any]) -> ToolCall:
    """Return a call of Claude's CLI; a name that is not exactly one of its own is OTHER."""
    return _call(tool, CLAUDE.get(tool, ToolKind.OTHER), arguments)


def with_kind(run: ToolRun) -> ToolRun:
    """Return a run that has no kind with that of its tool, and the command and paths that its kept arguments tell."""
    if run.kind is not ToolKind.OTHER or kind_of(run.tool) is ToolKind.OTHER:
        return run
    call = call_of(run.tool, _arguments(run.arguments))
    return replace(run, kind=call.kind, command=call.command, paths=call.paths)


def _call(tool: str, kind: ToolKind, arguments: Mapping[str, Any]) -> ToolCall:
    command = _command(arguments) if kind is ToolKind.SHELL else ""
    named = (arguments.get(key) for key in PATH_ARGUMENTS)
    return ToolCall(
        tool=tool, kind=kind, command=command, paths=tuple(name for name in named if isinstance(name, str) and name)
    )


def _command(arguments: Mapping[str, Any]) -> str:
    command = arguments.get("command", "")
    if isinstance(command, list | tuple):
        return " ".join(map(str, command))
    return "" if command is None else str(command)  # what is no text is judged by its words, not as nothing


def _arguments(text: str) -> Mapping[str, Any]:
    """Return arguments that were kept as JSON by name; none where they were kept in another form."""
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}
