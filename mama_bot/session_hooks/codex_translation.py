"""Hooks of Codex as values, both ways; their form is Claude's, and what they can say is less."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mama_bot.agents.claude_watch import MOST_OUTPUT, printed
from mama_bot.model import Amend, Ask, Block, Decision, Moment, ToolAsked, ToolCall, ToolEnded, ToolKind
from mama_bot.session_hooks import claude_translation
from mama_bot.session_hooks.hook_input import arguments_of
from mama_bot.tool_names import codex_call, is_served
from mama_bot.wording import Language

PATCHED = "Exit code: "
CANNOT_ASK = "{} A person has to allow this, and Codex cannot ask: leave it to the person at the terminal."
CANNOT_CHANGE = "It may only run changed by {}, and Codex lets nobody change this call."


def codex_moment(given: Mapping[str, Any]) -> Moment | None:
    """Return the moment that a hook tells of; None for one that no rule is asked about."""
    match given.get("hook_event_name"):
        case "PreToolUse":
            return ToolAsked(call=_call(given))
        case "PostToolUse":
            return _ended(given)
        case _:
            return claude_translation.session_moment(given)


def codex_answer(event: str, decision: Decision, call: ToolCall | None) -> dict[str, Any]:
    """Return the answer to a hook, about this call if about any; what Codex would let run unasked is denied."""
    if event == "PreCompact":
        return {}
    if event != "PreToolUse":
        return claude_translation.claude_answer(event, decision, call)
    if isinstance(decision, Ask):
        decision = _denied(decision.rule, CANNOT_ASK.format(decision.asked(Language.ENGLISH)))
    elif isinstance(decision, Amend) and decision.arguments and not _changeable(call):
        decision = _denied(decision.rule, CANNOT_CHANGE.format(decision.rule))
    answer = claude_translation.claude_answer(event, decision, call)
    told = answer.get("hookSpecificOutput", {})
    if "updatedInput" in told:
        told["permissionDecision"] = "allow"  # the only way to change a call
    return answer


def _changeable(call: ToolCall | None) -> bool:
    return call is not None and (call.kind is ToolKind.SHELL or is_served(call.tool))


def _denied(rule: str, feedback: str) -> Block:
    return Block(rule=rule, reason=feedback, feedback=feedback)


def _call(given: Mapping[str, Any]) -> ToolCall:
    tool = str(given.get("tool_name") or "")
    call = codex_call(tool, arguments_of(given))
    return replace(call, directory=str(given.get("cwd") or ""))


def _ended(given: Mapping[str, Any]) -> ToolEnded:
    """Of a shell it tells the output alone, so how a command ended is not known; of a patch a line says it."""
    call, output = _call(given), printed(given.get("tool_response"))
    told = output.startswith(PATCHED) and call.kind is ToolKind.EDIT
    ok = output.removeprefix(PATCHED).partition("\n")[0] == "0" if told else None
    return ToolEnded(call=call, ok=ok, output=output[:MOST_OUTPUT])
