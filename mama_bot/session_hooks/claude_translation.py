"""Hooks of Claude's CLI as values, both ways: its input as a moment, a decision as its answer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, assert_never

from mama_bot.agents.claude_watch import MOST_OUTPUT, printed
from mama_bot.agents.record import exit_status
from mama_bot.model import (
    AgentStops,
    Allow,
    Amend,
    Ask,
    Block,
    Compacts,
    Decision,
    Moment,
    SessionStarts,
    ToolAsked,
    ToolCall,
    ToolEnded,
)
from mama_bot.session_hooks.hook_input import arguments_of
from mama_bot.tool_names import claude_call
from mama_bot.wording import Language

STOPS = ("Stop", "SubagentStop")


def claude_moment(given: Mapping[str, Any]) -> Moment | None:
    """Return the moment that a hook tells of; None for one that no rule is asked about."""
    match given.get("hook_event_name"):
        case "PreToolUse":
            return ToolAsked(call=_call(given))
        case "PostToolUse":
            return _ended(given, ok=True, output=printed(given.get("tool_response")))
        case "PostToolUseFailure":
            return _ended(given, ok=False, output=str(given.get("error") or ""))
        case _:
            return session_moment(given)


def session_moment(given: Mapping[str, Any]) -> Moment | None:
    """Return the moment of a session, and of no call, that a hook of Claude's form tells of."""
    match given.get("hook_event_name"):
        case "SessionStart":
            return SessionStarts(source=str(given.get("source") or "startup"))
        case "PreCompact":
            return Compacts()
        case "SubagentStop" if not given.get("agent_type"):  # the CLI itself, which makes a summary
            return None
        case "Stop" | "SubagentStop" if not given.get("stop_hook_active"):  # once: who was sent back may stop then
            return AgentStops()
        case _:
            return None


def claude_answer(event: str, decision: Decision, call: ToolCall | None) -> dict[str, Any]:
    """Return the answer to a hook, about this call if about any; `ask` leaves it to the person at the terminal."""
    match decision:
        case Allow():
            return {}
        case Amend():
            both = _amended(event, decision, call)
            return specific(event, both) if both and event not in ("PreCompact", *STOPS) else {}
        case Ask():
            asked = _refused(event, "ask", decision.asked(Language.ENGLISH))
            if event == "PreToolUse" and decision.amend is not None:  # the person at the terminal sees the changed call
                asked["hookSpecificOutput"] |= _amended(event, decision.amend, call)
            return asked
        case Block():
            return _refused(event, "deny", decision.feedback)
        case unexpected:
            assert_never(unexpected)


def specific(event: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer in the form of an event of its own."""
    return {"hookSpecificOutput": {"hookEventName": event, **answer}}


def _amended(event: str, amend: Amend, call: ToolCall | None) -> dict[str, Any]:
    told: dict[str, Any] = {"additionalContext": amend.reminder} if amend.reminder else {}
    if event == "PreToolUse" and amend.arguments:
        told["updatedInput"] = {**({} if call is None else call.arguments), **dict(amend.arguments)}
    return told


def _refused(event: str, permission: str, reason: str) -> dict[str, Any]:
    if event == "PreToolUse":
        return specific(event, {"permissionDecision": permission, "permissionDecisionReason": reason})
    if event in ("PreCompact", *STOPS):
        return {"decision": "block", "reason": reason} if permission == "deny" else {}
    return specific(event, {"additionalContext": reason})


def _call(given: Mapping[str, Any]) -> ToolCall:
    call = claude_call(str(given.get("tool_name") or ""), arguments_of(given))
    return replace(call, directory=str(given.get("cwd") or ""))


def _ended(given: Mapping[str, Any], *, ok: bool, output: str) -> ToolEnded:
    call = _call(given)
    status = exit_status(call.kind, output, ok=ok, tool=call.tool)
    return ToolEnded(call=call, ok=ok, output=output[:MOST_OUTPUT], exit_status=status)
