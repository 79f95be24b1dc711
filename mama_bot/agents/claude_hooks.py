"""What the CLI asks us while a turn runs: where each tool call begins and ends, and whether the agent may stop."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, assert_never

import structlog

from mama_bot.agents.asked_turns import Asked
from mama_bot.agents.attachment_desk import AttachmentDesk, LaidOut, text_of
from mama_bot.agents.claude_watch import ClaudeWatch
from mama_bot.agents.record import clean
from mama_bot.agents.turn_trees import TurnTrees
from mama_bot.model import (
    AgentPersona,
    Allow,
    Amend,
    Approval,
    Ask,
    Block,
    ConversationKey,
    Misdeclared,
    SessionId,
    Stopping,
    ToolCall,
    ToolKind,
    ToolTurn,
)
from mama_bot.protocols import Approver, Declarations, SessionWatch, ToolGuard, WorkTrees
from mama_bot.tool_names import claude_call, claude_kind, declaring_tool, recalled
from mama_bot.tool_policy.guards import GUARD_SECONDS, decided_in_time

if TYPE_CHECKING:
    from claude_agent_sdk import HookMatcher
    from claude_agent_sdk.types import HookEvent

log = structlog.get_logger(__name__)

# Ours ends first, so that a judgement which nobody waits for any more is not begun or stored.
SPARE_SECONDS = 5.0
TOOL_SECONDS = 10.0
QUIET_SECONDS = 2.0
MEANWHILE_SECONDS = 5.0
TELL_SECONDS = 80.0  # files that came with a message are copied for the agent in a minute at most


class ClaudeHooks:
    """The callbacks of one session; `current` is the `ask` that runs.

    What `guard` does not decide in time is refused, and a declaration that cannot be read, with the reason. The others
    fail open: the record has less in it, the agent stops. The CLI waits for them, so the work tree is as the call found
    it and left it. `judge_seconds` bounds what a stop may wait for; in a session that is
    `read_only` nothing may be changed.
    """

    def __init__(
        self,
        *,
        current: Callable[[], Asked | None],
        persona: AgentPersona,
        workspace: Path,
        trees: WorkTrees | None,
        guard: ToolGuard,
        watch: SessionWatch | None,
        approver: Approver,
        declarations: Declarations,
        judge_seconds: float,
        read_only: bool,
        desk: AttachmentDesk,
        session_id: SessionId,
        key: ConversationKey,
    ) -> None:
        self._desk = desk
        self._current = current
        self._persona = persona
        self._workspace = workspace
        self._trees = TurnTrees(trees)
        self._guard = guard
        self._watch = ClaudeWatch(watch=watch, call=_call, turn=self._tool_turn) if watch is not None else None
        self._approver = approver
        self._session_id = session_id
        self._key = key
        self._declarations = declarations
        self._judge_seconds = judge_seconds
        self._read_only = read_only

    def matchers(self) -> "dict[HookEvent, list[HookMatcher]]":
        """Return what the SDK registers."""
        from claude_agent_sdk import HookMatcher

        guards: Any = self._tool_asked_for
        asking = GUARD_SECONDS + self._approver.seconds + SPARE_SECONDS
        begins: Any = self._tool_begins
        ends: Any = self._tool_ended
        stops: Any = self._stops
        tells: Any = self._told_meanwhile
        after = [HookMatcher(hooks=[ends], timeout=TOOL_SECONDS), HookMatcher(hooks=[tells], timeout=TELL_SECONDS)]
        hooks: dict[HookEvent, list[HookMatcher]] = {
            "PreToolUse": [
                HookMatcher(hooks=[guards], timeout=asking, on_failure="block"),
                HookMatcher(hooks=[begins], timeout=TOOL_SECONDS),
            ],
            "PostToolUse": after,
            "PostToolUseFailure": after,
            "Stop": [HookMatcher(hooks=[stops], timeout=self._judge_seconds + SPARE_SECONDS)],
            "SubagentStop": [HookMatcher(hooks=[stops], timeout=self._judge_seconds + SPARE_SECONDS)],
        }
        for event, matchers in (self._watch.matchers() if self._watch is not None else {}).items():
            hooks[event] = [*hooks.get(event, ()), *matchers]
        return hooks

    def _tool_turn(self, given: Mapping[str, Any]) -> ToolTurn:
        asked = self._current()
        return ToolTurn(
            persona=self._persona,
            workspace=self._workspace,
            read_only=self._read_only,
            session=self._session_id,
            subagent=clean(str(given.get("agent_id") or "")),
            key=self._key,
            request=asked.request if asked is not None else "",
        )

    async def _tool_asked_for(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        call, turn = _call(given), self._tool_turn(given)
        match decision := await decided_in_time(self._guard, call, turn):
            case Allow():
                return self._misdeclared(call, given)
            case Amend():
                return self._misdeclared(call, given) or self._amended(decision, call, given)
            case Ask():
                amend = decision.amend or Amend(rule=decision.rule, reason=decision.reason)
                # The call that a person sees is the one that runs.
                approval = await self._answered(decision, recalled(call, dict(amend.arguments)), turn)
                if approval.granted:
                    return self._misdeclared(call, given) or self._amended(amend, call, given)
                reason = approval.feedback or decision.reason
            case Block():
                reason = decision.feedback
            case unexpected:  # what a guard forgot to decide raises, and the CLI blocks
                assert_never(unexpected)
        log.info("tool_refused", tool=call.tool, rule=decision.rule, reason=decision.reason)
        if (asked := self._current()) is not None:
            asked.recorder.refused(str(given.get("tool_use_id") or ""))
        return _denied(reason)

    async def _answered(self, question: Ask, call: ToolCall, turn: ToolTurn) -> Approval:
        """Wait for a person as long as the turn lasts."""
        asked = self._current()
        if asked is None or asked.interrupted:
            return Approval(granted=False, feedback=question.reason)
        async with asked.patience.waiting():
            return await self._approver.answer(question, call, turn, stopped=asked.stopped)

    def _amended(self, decision: Amend, call: ToolCall, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what tells the agent something with a result, or has a call run with other arguments."""
        answer: dict[str, Any] = {"hookEventName": "PreToolUse"}
        if decision.reminder:
            answer["additionalContext"] = decision.reminder
        if decision.arguments:
            # No permission goes with it: what the persona may not do it may not do with other arguments either.
            answer["updatedInput"] = {**call.arguments, **dict(decision.arguments)}
            asked = self._current()
            if asked is not None:
                asked.recorder.amended(run_id=str(given.get("tool_use_id") or ""), arguments=answer["updatedInput"])
        return {"hookSpecificOutput": answer} if len(answer) > 1 else {}

    def _misdeclared(self, call: ToolCall, given: Mapping[str, Any]) -> dict[str, Any]:
        if call.kind is not ToolKind.REPORT:
            return {}
        read = self._declarations.read(declaring_tool(call.tool), given.get("tool_input") or {})
        return _denied(read.problem) if isinstance(read, Misdeclared) else {}

    async def _tool_begins(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        asked = self._current()
        if asked is None:
            return {}
        tool, directory = str(given.get("tool_name") or ""), str(given.get("cwd") or "")
        asked.recorder.started(
            run_id=str(given.get("tool_use_id") or ""),
            tool=tool,
            arguments=given.get("tool_input") or {},
            directory=directory,
            subagent=str(given.get("agent_id") or ""),
            before=await self._trees.before(asked, claude_kind(tool), directory),
        )
        return {}

    async def _tool_ended(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        asked = self._current()
        if asked is None:
            return {}
        run_id, kind = str(given.get("tool_use_id") or ""), claude_kind(str(given.get("tool_name") or ""))
        directory = asked.recorder.directory_of(run_id) or str(given.get("cwd") or "")
        after, changed = await self._trees.after(asked, kind, run_id, directory)
        asked.recorder.returned(run_id=run_id, account=given.get("tool_response"), after=after, changed=changed)
        return {}

    async def _told_meanwhile(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        asked = self._current()
        if asked is None or given.get("agent_id"):  # what a person says is for the agent itself
            return {}
        words = await self._said_meanwhile(asked)
        event = str(given.get("hook_event_name") or "PostToolUse")
        return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": words}} if words else {}

    async def _said_meanwhile(self, asked: Asked) -> str:
        """Return what the agent is told before it goes on; "" for nothing, and when it cannot be known."""
        if asked.meanwhile is None or asked.interrupted:
            return ""
        try:
            async with asyncio.timeout(MEANWHILE_SECONDS):
                prompt = await asked.meanwhile()
        except Exception as error:  # noqa: BLE001 - the agent goes on, and is told when it is asked again
            log.warning("not_told_meanwhile", failure=f"{type(error).__name__}: {error}")
            return ""
        if prompt is None:
            return ""
        try:
            return text_of(prompt, await self._desk.lay_out(prompt.attachments))
        except Exception as error:  # noqa: BLE001 - the words are taken, and have to reach the agent
            log.warning("files_not_laid_out", failure=f"{type(error).__name__}: {error}")
            return text_of(prompt, LaidOut())

    async def leave(self, asked: Asked) -> None:
        """Record how the work trees that were worked in, and the workflow, stand when the agent stops."""
        if self._watch is not None:
            asked.recorder.work_stands(await self._watch.standing({}))
        await self._trees.leave(asked)

    async def _ruled(self, asked: Asked, subagent: str, given: Mapping[str, Any]) -> str:
        """Return what a rule keeps the agent from stopping with, once: what it then says is judged in any case."""
        if self._watch is None or subagent in asked.ruled:
            return ""
        words = await self._watch.stops(given)
        if words:
            asked.ruled.add(subagent)
        return words

    async def _stops(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        asked = self._current()
        subagent = str(given.get("agent_id") or "")
        text = clean(str(given.get("last_assistant_message") or ""))
        if asked is None or asked.interrupted:
            return {}
        words = "" if subagent else await self._said_meanwhile(asked)
        if words := words or await self._ruled(asked, subagent, given):
            return {"decision": "block", "reason": words}
        if asked.at_stop is None or not text.strip():
            return {}
        if subagent and subagent in asked.sent_back:
            return {}
        try:
            async with asked.patience.waiting(), asyncio.timeout(self._judge_seconds):
                await asked.recorder.quiet(QUIET_SECONDS)
                if not subagent:
                    await self.leave(asked)
                if not subagent and asked.last_words.strip() == text.strip():
                    text = clean(asked.last_words)  # the CLI trims what it tells here, and the turn ends with the whole
                agent = f"{self._persona.name}/{clean(subagent)}" if subagent else ""
                feedback = await asked.at_stop(
                    Stopping(text=text, record=asked.recorder.record, agent=agent, usage=asked.usage)
                )
        except Exception as error:  # noqa: BLE001 - the agent stops, and its text is judged as every text is
            log.warning("not_judged_in_turn", failure=f"{type(error).__name__}: {error}", subagent=subagent)
            return {}
        if not feedback:
            return {}
        if subagent:
            asked.sent_back.add(subagent)
        return {"decision": "block", "reason": feedback}


def _call(given: Mapping[str, Any]) -> ToolCall:
    call = claude_call(str(given.get("tool_name") or ""), given.get("tool_input") or {})
    return replace(call, directory=str(given.get("cwd") or ""))


def _denied(reason: str) -> dict[str, Any]:
    answer = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": answer}
