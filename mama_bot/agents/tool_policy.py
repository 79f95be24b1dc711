"""Which tools an agent that may only look can use, enforced before each call; what is not known is refused."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions

log = structlog.get_logger(__name__)

POLICY_SECONDS = 10.0
# A subagent's calls come here one by one.
LOOKING = frozenset(
    {
        *("Read", "Grep", "Glob", "LS", "NotebookRead", "TodoWrite", "TodoRead", "BashOutput", "TaskOutput"),
        *("KillShell", "Task", "Agent", "WebFetch", "WebSearch"),
    }
)

CommandRefusal = Callable[[str, Path], str]
"""Why a shell command may change something, in a sentence; "" when it is known not to."""


def no_commands(command: str, workspace: Path) -> str:  # noqa: ARG001 - the shape of a refusal
    """Refuse every command: nobody could tell which one only looks."""
    return "You may only look here, and no command is known to."


class ToolPolicy:
    """Refuses whatever could change something, in every turn of a `reader`, and while `reading` says so.

    A hook of the CLI that fails closed: without an answer from here the call is not made.
    """

    def __init__(self, *, reader: bool, workspace: Path, refusal: CommandRefusal) -> None:
        self._reader = reader
        self._workspace = workspace
        self._refusal = refusal
        self._reading: Callable[[], bool] = lambda: True

    def guard(self, options: "ClaudeAgentOptions", *, reading: Callable[[], bool]) -> None:
        """Register before every tool call, besides what is registered already."""
        from claude_agent_sdk import HookMatcher

        self._reading = reading
        callback: Any = self._before
        mine = HookMatcher(hooks=[callback], timeout=POLICY_SECONDS, on_failure="block")
        hooks = dict(options.hooks or {})
        options.hooks = {**hooks, "PreToolUse": [mine, *hooks.get("PreToolUse", [])]}

    async def _before(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        if not (self._reader or self._reading()):
            return {}
        reason = self.refusal(str(given.get("tool_name") or ""), given.get("tool_input") or {})
        if not reason:
            return {}
        log.info("tool_refused", tool=str(given.get("tool_name") or ""), reason=reason)
        decision = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
        return {"hookSpecificOutput": decision}

    def refusal(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Why a call is refused; "" when it is known to change nothing."""
        if tool == "Bash":
            return self._refusal(str(arguments.get("command") or ""), self._workspace)
        if tool in LOOKING:
            return ""
        return (
            f"You may only look here: {tool[:80]} is refused. Do not change files; say in your reply what should be "
            "changed, with file and line."
        )
