"""The names that agents' CLIs give to their tools, and what each of them does: the only place that knows them."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from mama_bot.model import FILE_WRITERS, ToolCall, ToolKind, ToolRun

# With these an agent declares what came out of its work; where a server of tools offers them it bears this name.
SERVER = "mama"
REPORT = "report"
SUBMIT_REVIEW = "submit_review"
DELEGATE = "delegate"
ASK_PERSON = "ask_person"
POST, READ, REPLY = "post", "read", "reply"
ITEM_CREATE, ITEM_UPDATE, ITEM_QUERY, ITEM_CLOSE = "item_create", "item_update", "item_query", "item_close"
OWN_PREFIX = f"mcp__{SERVER}__"  # no other server may bear that name

FOREIGN = "foreign:"  # before the name of a tool of another server that is called as ours are

OWN_TOOLS = frozenset(
    {REPORT, SUBMIT_REVIEW, DELEGATE, ASK_PERSON, POST, READ, REPLY, ITEM_CREATE, ITEM_UPDATE, ITEM_QUERY, ITEM_CLOSE}
)

SHELL_TOOL = "Bash"  # what Claude calls its shell

# What a persona may be given with `tools:` in its front matter.
GRANTABLE: Mapping[str, ToolKind] = MappingProxyType(
    {
        SHELL_TOOL: ToolKind.SHELL,
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
        **dict.fromkeys(("TaskCreate", "TaskUpdate", "TaskList", "TaskGet"), ToolKind.PLAN),
        **dict.fromkeys(("EnterPlanMode", "ExitPlanMode", "AskUserQuestion"), ToolKind.PLAN),
        "ToolSearch": ToolKind.SEARCH,
        f"{OWN_PREFIX}{REPORT}": ToolKind.REPORT,
        f"{OWN_PREFIX}{SUBMIT_REVIEW}": ToolKind.REPORT,
    }
)
# As the logs of other CLIs (Codex, OpenCode, Copilot, Gemini) and servers of tools name them.
OTHERS: Mapping[ToolKind, str] = MappingProxyType(
    {
        ToolKind.SHELL: "shell run_shell_command local_shell exec execute exec_command execute_command run_command "
        "run_in_terminal run_terminal_cmd shell_command shell_exec terminal powershell",
        ToolKind.WRITE: "write_file create_file create_new_file save_file create",
        ToolKind.EDIT: "edit_file replace apply_patch patch str_replace str_replace_editor str_replace_based_edit_tool "
        "insert edit_block replace_string_in_file multi_replace_string_in_file insert_edit_into_file search_replace "
        "apply_diff replace_in_file",
        ToolKind.READ: "read_file view read_many_files open_file",
        ToolKind.SEARCH: "search grep_search search_files ripgrep codebase_search",
        ToolKind.LIST: "list_dir list_directory list_files",
        ToolKind.FETCH: "web_fetch google_web_search",
        ToolKind.PLAN: "write_todos update_plan",
        ToolKind.TASK: "invoke_agent",
        ToolKind.OUTPUT: "agentoutputtool write_stdin",
    }
)
KINDS: Mapping[str, ToolKind] = MappingProxyType(
    {
        **{name.lower(): kind for name, kind in CLAUDE.items()},
        **{name: kind for kind, names in OTHERS.items() for name in names.split()},
    }
)
PATH_ARGUMENTS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "filename")
COMMAND_ARGUMENTS = ("command", "cmd", "script", "commandLine")
PATCH_ARGUMENTS = ("patchText", "patch", "input", "diff", *COMMAND_ARGUMENTS)
CONTENTS = ("content", "contents", "text", "file_text", "edits", "new_str", "new_string", "newString", "diff", "patch")
BEFORE = ("old_string", "oldString", "old_str")
AFTER = ("new_string", "newString", "new_str", "content", "contents", "text", "file_text")
SERVED = "__"  # stands between a server of tools and the name of its tool: `mcp__terminal__run_command`


def is_served(tool: str) -> bool:
    """Return whether a tool is one of a server, so that what its success means is not known."""
    return SERVED in tool


def served_tool(server: str, tool: str) -> str:
    """Return the name of a tool of a server as all rooms know it: `mcp__tickets__look`."""
    return f"mcp{SERVED}{server}{SERVED}{tool}"


def foreign_tool(tool: str) -> str:
    """Return the name of a tool that is not ours, whatever a CLI calls it, by which no room takes it for ours."""
    return f"{FOREIGN}{tool}" if own_name(own_tool(tool)) else tool


def own_name(tool: str) -> str:
    """Return which tool of ours a name means: `mcp__mama__post` is `post`; "" for another's."""
    low = tool.lower()
    return low.removeprefix(OWN_PREFIX) if low.startswith(OWN_PREFIX) else ""


def own_tool(tool: str) -> str:
    """Return the name of a tool of ours where a CLI has its own for it (OpenCode: `mama_post`); else as it is."""
    name = tool.removeprefix(f"{SERVER}_")
    return f"{OWN_PREFIX}{name}" if name != tool and name in OWN_TOOLS else tool


def declaring_tool(tool: str) -> str:
    """Return which of the declaring tools a call of kind REPORT is of, without the name of the server."""
    return tool.lower().rpartition(SERVED)[2]


def patched_files(arguments: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the files that a patch names, each with "Add", "Update" or "Delete"; a file that moves is two."""
    texts = (text for key in PATCH_ARGUMENTS if isinstance(text := arguments.get(key), str | list | tuple))
    patch = next((text for given in texts if "*** Begin Patch" in (text := _joined(given))), "")
    named: list[tuple[str, str]] = []
    for line in patch.split("\n"):
        mark, _, path = line.removeprefix("*** ").partition(": ")
        if not line.startswith("*** ") or not path.strip():
            continue
        if mark in {"Add File", "Update File", "Delete File"}:
            named.append((path.strip(), mark.partition(" ")[0]))
        elif mark == "Move to" and named:
            named[-1] = (named[-1][0], "Delete")
            named.append((path.strip(), "Add"))
    return tuple(named)


def kind_of(tool: str) -> ToolKind:
    """Return what a tool of any known CLI does, whatever the case: `shell` and `Bash` are SHELL."""
    low = tool.lower()
    return KINDS.get(low, ToolKind.TEAM if low.startswith(OWN_PREFIX) else ToolKind.OTHER)


def call_of(tool: str, arguments: Mapping[str, Any]) -> ToolCall:
    """Return a call of any known CLI, or of a tool of a server that is a shell or an editor by name and arguments."""
    kind = kind_of(tool)
    if kind is ToolKind.OTHER and is_served(tool):
        named = kind_of(tool.rpartition(SERVED)[2])
        path = any(isinstance(arguments.get(key), str) for key in PATH_ARGUMENTS)
        shell = named is ToolKind.SHELL and any(arguments.get(key) for key in COMMAND_ARGUMENTS)
        editor = named in FILE_WRITERS and path and any(key in arguments for key in CONTENTS)
        kind = named if shell or editor or (named is ToolKind.READ and path) else kind
    return _call(tool, kind, arguments)


def by_deed(call: ToolCall) -> ToolCall:
    """Return a call that no CLI gives a kind as what its server's tool does, by its name and arguments."""
    if call.kind is not ToolKind.OTHER or not is_served(call.tool):
        return call
    return replace(call_of(call.tool, call.arguments), directory=call.directory)


def claude_kind(tool: str) -> ToolKind:
    """Return what a tool of Claude's CLI, or one of ours, does; a name that is not exactly one of these is OTHER."""
    return CLAUDE.get(tool, ToolKind.TEAM if tool.startswith(OWN_PREFIX) else ToolKind.OTHER)


def claude_call(tool: str, arguments: Mapping[str, Any]) -> ToolCall:
    """Return a call of Claude's CLI; a name that is not exactly one of its own is OTHER."""
    return _call(tool, claude_kind(tool), arguments)


def codex_call(tool: str, arguments: Mapping[str, Any]) -> ToolCall:
    """Return a call of Codex's CLI: its hooks name its shell as Claude's is named, and tell no exit status of it."""
    return call_of("exec_command" if tool == "Bash" else tool, arguments)


def recalled(call: ToolCall, changed: Mapping[str, Any]) -> ToolCall:
    """Return a call with other arguments: its command and paths are theirs."""
    return replace(_call(call.tool, call.kind, {**call.arguments, **changed}), directory=call.directory)


def replacements(call: ToolCall) -> tuple[tuple[str, str], ...]:
    """Return what a call would put in place of what ("": of a whole file), pair by pair; none where nobody can tell."""
    edits = call.arguments.get("edits")
    listed = edits if isinstance(edits, list | tuple) else [call.arguments]
    pairs = []
    for edit in listed:
        if not isinstance(edit, Mapping):
            return ()
        before = next((text for key in BEFORE if isinstance(text := edit.get(key), str)), "")
        after = next((text for key in AFTER if isinstance(text := edit.get(key), str)), None)
        if after is None:
            return ()
        pairs.append((before, after))
    return tuple(pairs)


def with_kind(run: ToolRun) -> ToolRun:
    """Return a run that has no kind with that of its tool, and the command and paths that its kept arguments tell."""
    if run.kind is not ToolKind.OTHER or (kind_of(run.tool) is ToolKind.OTHER and not is_served(run.tool)):
        return run
    call = call_of(run.tool, _arguments(run.arguments))
    return replace(run, kind=call.kind, command=call.command, paths=call.paths)


def _call(tool: str, kind: ToolKind, arguments: Mapping[str, Any]) -> ToolCall:
    command = command_of(arguments) if kind is ToolKind.SHELL else ""
    named = [name for key in PATH_ARGUMENTS if isinstance(name := arguments.get(key), str) and name]
    if kind is ToolKind.EDIT and not named:
        named = [path for path, _ in patched_files(arguments)]
    return ToolCall(tool=tool, kind=kind, command=command, paths=tuple(named), arguments=arguments)


def command_of(arguments: Mapping[str, Any]) -> str:
    """Return the command line of a call; a list of words is the line that it stands for."""
    command = next((given for key in COMMAND_ARGUMENTS if (given := arguments.get(key))), "")
    return _joined(command)  # what is no text is judged by its words, not as nothing


def _joined(given: object) -> str:
    return shlex.join(map(str, given)) if isinstance(given, list | tuple) else str(given)


def _arguments(text: str) -> Mapping[str, Any]:
    """Return arguments that were kept as JSON by name; none where they were kept in another form."""
    try:
        arguments = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return arguments if isinstance(arguments, dict) else {}
