"""Hooks of the Gemini CLI as values, both ways: its input as a moment, a decision as its answer."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, assert_never

from mama_bot.agents.claude_watch import MOST_OUTPUT, printed
from mama_bot.model import (
    AgentStops,
    Allow,
    Amend,
    Ask,
    Block,
    Decision,
    Moment,
    SessionStarts,
    ToolAsked,
    ToolCall,
    ToolEnded,
    ToolKind,
)
from mama_bot.session_hooks.hook_input import arguments_of
from mama_bot.tool_names import SERVED, call_of
from mama_bot.wording import Language

AROUND = ("<untrusted_context>\n", "\n</untrusted_context>")
PRINTED, NOTHING = "Output: ", "(empty)"
STATUS, SIGNAL = "Exit Code", "Signal"
NOTES = ("Process Group PGID", "Background PIDs", SIGNAL, STATUS)  # below what a command printed, the last first


def gemini_moment(given: Mapping[str, Any]) -> Moment | None:
    """Return the moment that a hook tells of; None for one that no rule is asked about."""
    match given.get("hook_event_name"):
        case "BeforeTool":
            return ToolAsked(call=_call(given))
        case "AfterTool":
            return _ended(given)
        case "SessionStart":
            return SessionStarts(source=str(given.get("source") or "startup"))
        case "AfterAgent" if not given.get("stop_hook_active"):  # once: who was sent back may stop then
            return AgentStops()
        case _:
            return None


def gemini_answer(event: str, decision: Decision, call: ToolCall | None) -> dict[str, Any]:
    """Return the answer to a hook, about this call if about any; before a call it hears no reminder."""
    match decision:
        case Allow():
            return {}
        case Amend():
            if event == "BeforeTool":
                return _changed(event, decision, call)
            return _told(event, decision.reminder)
        case Ask():
            words = decision.asked(Language.ENGLISH)
            asked = {"decision": "ask", "systemMessage": words, "reason": words}
            changed = _changed(event, decision.amend, call) if decision.amend is not None else {}
            return {**asked, **changed} if event == "BeforeTool" else _told(event, words)
        case Block():
            refused = {"decision": "deny", "reason": decision.feedback}
            return refused if event in ("BeforeTool", "AfterAgent") else _told(event, decision.feedback)
        case unexpected:
            assert_never(unexpected)


def _changed(event: str, amend: Amend, call: ToolCall | None) -> dict[str, Any]:
    arguments = {} if call is None else call.arguments
    return _specific(event, {"tool_input": {**arguments, **dict(amend.arguments)}}) if amend.arguments else {}


def _told(event: str, words: str) -> dict[str, Any]:
    return _specific(event, {"additionalContext": words}) if words and event in ("AfterTool", "SessionStart") else {}


def _specific(event: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event, **answer}}


def _call(given: Mapping[str, Any]) -> ToolCall:
    served, arguments = given.get("mcp_context"), arguments_of(given)
    tool = str(given.get("tool_name") or "")
    if isinstance(served, Mapping):
        tool = SERVED.join(("mcp", str(served.get("server_name")), str(served.get("tool_name"))))
    directory = Path(str(given.get("cwd") or "/"), str(arguments.get("dir_path") or ""))
    return replace(call_of(tool, arguments), directory=os.path.normpath(directory))


def _ended(given: Mapping[str, Any]) -> ToolEnded:
    call, response = _call(given), given.get("tool_response")
    if not isinstance(response, Mapping):
        return ToolEnded(call=call, ok=None, output=printed(response)[:MOST_OUTPUT])
    output = printed(response.get("llmContent"))
    if response.get("error"):
        return ToolEnded(call=call, ok=False, output=output[:MOST_OUTPUT])
    if call.kind is not ToolKind.SHELL:
        return ToolEnded(call=call, ok=True, output=output[:MOST_OUTPUT])
    return _command_ended(call, output.removeprefix(AROUND[0]).removesuffix(AROUND[1]))


def _command_ended(call: ToolCall, told: str) -> ToolEnded:
    """A status is told of a command that failed; of one that was left or ended from outside its own words are."""
    if not told.startswith(PRINTED):
        return ToolEnded(call=call, ok=None, output=told[:MOST_OUTPUT])
    lines, notes = told.removeprefix(PRINTED).split("\n"), {}
    for name in NOTES:
        if lines[-1].startswith(f"{name}: "):
            notes[name] = lines.pop().partition(": ")[2]
            lines = lines or [""]
    status = int(code) if (code := notes.get(STATUS, "0")).isdecimal() else None
    if SIGNAL in notes:
        status = None
    output = "\n".join(lines)
    output = "" if output == NOTHING else output[:MOST_OUTPUT]
    return ToolEnded(call=call, ok=status == 0, output=output, exit_status=status)
