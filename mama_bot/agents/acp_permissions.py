"""What becomes of an agent's request to make a call: the guards decide, and a person where a rule asks for one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

import structlog

from mama_bot.agents.acp_turns import AcpTurn
from mama_bot.model import (
    FILE_WRITERS,
    AgentPersona,
    Allow,
    Amend,
    Ask,
    Block,
    Misdeclared,
    ToolCall,
    ToolKind,
    ToolTurn,
)
from mama_bot.protocols import Approver, Declarations, ToolGuard
from mama_bot.tool_names import declaring_tool, kind_of
from mama_bot.tool_policy.guards import decided_in_time

log = structlog.get_logger(__name__)

# These CLIs have other tools than a persona names: who may read may list, who may write may edit.
LOOKING = frozenset({ToolKind.READ, ToolKind.LIST, ToolKind.SEARCH})
FREE = frozenset({ToolKind.PLAN, ToolKind.OUTPUT, ToolKind.STOP, ToolKind.REPORT, ToolKind.TEAM})
CANNOT_CHANGE = "{reason} It may only run changed by the rule {rule}, and nobody can change a call of this agent."
NOT_GRANTED = "{tool} is none of your tools: you have {tools}. Go on without it, or say in your reply what is missing."
CANCELLED: Mapping[str, Any] = {"outcome": {"outcome": "cancelled"}}


@dataclass(slots=True, kw_only=True, eq=False)
class AcpPermissions:
    """Decides about the calls of one session; a guard that fails or is late refuses."""

    persona: AgentPersona
    guard: ToolGuard
    approver: Approver
    declarations: Declarations
    granted: frozenset[ToolKind] = field(init=False)

    def __post_init__(self) -> None:
        named = frozenset(kind_of(tool) for tool in self.persona.tools)
        alike = (kinds for kinds in (FILE_WRITERS, LOOKING) if named & kinds)
        self.granted = named.union(FREE, *alike)

    async def refusal(self, call: ToolCall, turn: ToolTurn, asked: AcpTurn) -> str:
        """Return why a call may not run; "" where it may."""
        if ungranted := self._ungranted(call):
            return ungranted
        match decision := await decided_in_time(self.guard, call, turn):
            case Allow():
                return self._misdeclared(call)
            case Amend():
                if decision.reminder:
                    asked.reminders.append(decision.reminder)
                return _unchangeable(decision) or self._misdeclared(call)
            case Ask():
                refused = _unchangeable(decision.amend) if decision.amend is not None else ""
                return refused or await self._answered(decision, call, turn, asked)
            case Block():
                log.info("tool_refused", tool=call.tool, rule=decision.rule, reason=decision.reason)
                return decision.feedback
            case unexpected:
                assert_never(unexpected)

    async def standing(self, call: ToolCall, turn: ToolTurn) -> str:
        """Return why what a permitted call became may not run; "" where it may as well, with nobody asked."""
        if ungranted := self._ungranted(call):
            return ungranted
        match decision := await decided_in_time(self.guard, call, turn):
            case Allow():
                return self._misdeclared(call)
            case Amend():
                return _unchangeable(decision) or self._misdeclared(call)
            case Ask():
                return decision.reason
            case Block():
                return decision.feedback
            case unexpected:
                assert_never(unexpected)

    def _ungranted(self, call: ToolCall) -> str:
        if call.kind in self.granted:
            return ""
        return NOT_GRANTED.format(tool=call.tool[:80], tools=", ".join(self.persona.tools) or "none")

    async def _answered(self, question: Ask, call: ToolCall, turn: ToolTurn, asked: AcpTurn) -> str:
        """Wait for a person as long as the turn lasts."""
        if asked.interrupted:
            return question.reason
        try:
            async with asked.patience.waiting():
                approval = await self.approver.answer(question, call, turn, stopped=asked.stopped)
        except TimeoutError:  # the turn has ended meanwhile
            return question.reason
        return "" if approval.granted else approval.feedback or question.reason

    def _misdeclared(self, call: ToolCall) -> str:
        if call.kind is not ToolKind.REPORT:
            return ""
        read = self.declarations.read(declaring_tool(call.tool), call.arguments)
        return read.problem if isinstance(read, Misdeclared) else ""


def chosen(options: object, *, allowed: bool) -> Mapping[str, Any]:
    """Return the answer that lets a call run this once, or refuses it; what offers no such choice is cancelled."""
    wanted = ("allow_once", "allow_always") if allowed else ("reject_once", "reject_always")
    offered = [each for each in options if isinstance(each, Mapping)] if isinstance(options, Sequence) else []
    for kind in wanted:
        for option in offered:
            if option.get("kind") == kind and option.get("optionId"):
                return {"outcome": {"outcome": "selected", "optionId": str(option["optionId"])}}
    return CANCELLED


def _unchangeable(decision: Amend) -> str:
    """Return why a call may not run where a rule has it run with other arguments."""
    return CANNOT_CHANGE.format(reason=decision.reason, rule=decision.rule) if decision.arguments else ""
