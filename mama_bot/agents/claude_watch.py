"""What the CLI tells of a session for the rules: calls that ended, its start, compaction, stops."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, assert_never

import structlog

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
    ToolCall,
    ToolEnded,
    ToolTurn,
    WorkflowStanding,
)
from mama_bot.protocols import SessionWatch

if TYPE_CHECKING:
    from claude_agent_sdk import HookMatcher
    from claude_agent_sdk.types import HookEvent

log = structlog.get_logger(__name__)

WATCH_SECONDS = 10.0
MOST_OUTPUT = 200_000


class ClaudeWatch:
    """The callbacks of one session that tell a `SessionWatch`; whatever fails in one lets the session go on.

    `call` reads a call as the CLI tells it, `turn` says in which turn it is.
    """

    def __init__(
        self,
        *,
        watch: SessionWatch,
        call: Callable[[Mapping[str, Any]], ToolCall],
        turn: Callable[[Mapping[str, Any]], ToolTurn],
    ) -> None:
        self._watch = watch
        self._call = call
        self._turn = turn
        self._started = False

    def matchers(self) -> "dict[HookEvent, list[HookMatcher]]":
        """Return what the SDK registers beside the hooks of the record."""
        from claude_agent_sdk import HookMatcher

        ended: Any = self._tool_ended
        compacts: Any = self._compacts
        starts: Any = self._starts
        asked: Any = self._asked
        hooks: dict[Any, list[HookMatcher]] = {  # of its start a session tells after a compaction only
            "PostToolUse": [HookMatcher(hooks=[ended], timeout=WATCH_SECONDS)],
            "PostToolUseFailure": [HookMatcher(hooks=[ended], timeout=WATCH_SECONDS)],
            "PreCompact": [HookMatcher(hooks=[compacts], timeout=WATCH_SECONDS)],
            "SessionStart": [HookMatcher(hooks=[starts], timeout=WATCH_SECONDS)],
            "UserPromptSubmit": [HookMatcher(hooks=[asked], timeout=WATCH_SECONDS)],
        }
        return hooks

    async def stops(self, given: Mapping[str, Any]) -> str:
        """Return what keeps the agent from stopping; "" where nothing does."""
        decision = await self._decision(AgentStops(), given)
        return decision.feedback if isinstance(decision, Block) else ""

    async def standing(self, given: Mapping[str, Any]) -> WorkflowStanding | None:
        """Return how far the session is by its workflow; None where it has none, and when that cannot be told."""
        try:
            return await self._watch.standing(self._turn(given))
        except Exception as error:  # noqa: BLE001 - the reply is worth more than the line about its workflow
            log.warning("no_standing", failure=f"{type(error).__name__}: {error}")
            return None

    async def _tool_ended(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        call, error = self._call(given), given.get("error")
        ok = given.get("hook_event_name") != "PostToolUseFailure"
        output = printed(given.get("tool_response")) if ok else str(error or "")
        status = exit_status(call.kind, output, ok=ok, tool=call.tool)
        ended = ToolEnded(call=call, ok=ok, output=output[:MOST_OUTPUT], exit_status=status)
        return _told(given, await self._decision(ended, given))

    async def _compacts(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        decision = await self._decision(Compacts(), given)
        return {"decision": "block", "reason": decision.feedback} if isinstance(decision, Block) else {}

    async def _starts(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        return _told(given, await self._decision(SessionStarts(source=str(given.get("source") or "startup")), given))

    async def _asked(self, given: Mapping[str, Any], *_: object) -> dict[str, Any]:
        """A process tells nothing of its own start: the first prompt stands for it."""
        if self._started:
            return {}
        self._started = True
        return _told(given, await self._decision(SessionStarts(), given))

    async def _decision(self, moment: Moment, given: Mapping[str, Any]) -> Decision:
        try:
            return await self._watch.at(moment, self._turn(given))
        except Exception as error:  # noqa: BLE001 - it already happened, or happens all the same: the session goes on
            log.warning("not_watched", phase=moment.phase.value, failure=f"{type(error).__name__}: {error}")
            return Allow()


def printed(response: object) -> str:
    """Return what a tool printed, as the CLI's own account of it tells."""
    if isinstance(response, str):
        return response
    if isinstance(response, Mapping) and ("stdout" in response or "stderr" in response):
        return "\n".join(text for name in ("stdout", "stderr") if (text := str(response.get(name) or "")))
    try:
        return json.dumps(response, ensure_ascii=False, default=str)[:MOST_OUTPUT]
    except (TypeError, ValueError, RecursionError):
        return str(response)[:MOST_OUTPUT]


def _told(given: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
    """Return how the agent is told of what already happened."""
    match decision:
        case Allow():
            return {}
        case Amend():
            words = decision.reminder
        case Ask():
            words = decision.reason
        case Block():
            words = decision.feedback
        case unexpected:
            assert_never(unexpected)
    event = str(given.get("hook_event_name") or "")
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": words}} if words else {}
