"""What the CLI's messages mean: which result answers us, and whether it is an answer."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mama_bot.agents.claude_faults import retried
from mama_bot.agents.record import ToolRecorder
from mama_bot.agents.sentences import INSTALL_CLAUDE, WALLS
from mama_bot.confinement.launcher import NO_WALLS
from mama_bot.errors import (
    AgentCrashed,
    AgentError,
    AgentUnavailable,
    SessionLost,
)
from mama_bot.model import AgentEvent, ToolFinished, ToolStarted

if TYPE_CHECKING:
    from claude_agent_sdk import ResultMessage, TaskNotificationMessage

BACKEND = "claude"
NOT_EXECUTABLE = (126, 127)
# What the CLI answers in place of a call that it kept from running. A command that ran and failed begins with its exit
# code, and whatever ran has come back through a hook before its result is seen.
NEVER_RAN = (
    "Permission to use ",
    "<tool_use_error>InputValidationError: ",
    "<tool_use_error>Error: No such tool available: ",
    "<tool_use_error>Blocked: ",
)


def answers(result: "ResultMessage", uuid: str) -> bool:
    """Return whether a result is the answer to the message `uuid`, and not that of a background task."""
    taken = {result.user_message_uuid, *(result.user_message_uuids or ())} - {None}
    return uuid in taken if taken else result.origin is None


def broken(error: Exception, *, stderr: str, session_id: str) -> AgentError:
    """Return what an exception of the SDK means."""
    from claude_agent_sdk import CLINotFoundError, ProcessError

    text = f"{error}\n{stderr}"
    if "No conversation found" in text or "is already in use" in text:
        return SessionLost(session_id=session_id)
    if isinstance(error, CLINotFoundError):
        return AgentUnavailable(backend=BACKEND, reason=str(error), remedy=INSTALL_CLAUDE)
    if "Failed to start" in text or "Working directory does not exist" in text:
        return AgentUnavailable(backend=BACKEND, reason=str(error), remedy="Check that the workspace exists.")
    if isinstance(error, ProcessError):
        if error.exit_code in NOT_EXECUTABLE:
            remedy = WALLS if NO_WALLS in stderr else INSTALL_CLAUDE
            return AgentUnavailable(backend=BACKEND, reason=stderr.strip() or str(error), remedy=remedy)
        return AgentCrashed(returncode=error.exit_code, stderr_tail=stderr)
    return AgentCrashed(returncode=None, stderr_tail=stderr or str(error))


def trouble(message: object) -> str:
    """Return what the CLI calls the error that it tells of in place of the model's words; "" for none."""
    from claude_agent_sdk import AssistantMessage

    return str(message.error or "") if isinstance(message, AssistantMessage) and not message.parent_tool_use_id else ""


def is_spoken(message: object) -> bool:
    """Return whether a message is the model's, or what came of its words."""
    from claude_agent_sdk import AssistantMessage, StreamEvent, UserMessage

    return isinstance(message, StreamEvent | UserMessage) or (
        isinstance(message, AssistantMessage) and not message.error
    )


def last_words(message: object) -> str:
    """Return the last text of a message of the agent itself; "" of another message, and where it has none."""
    from claude_agent_sdk import AssistantMessage, TextBlock

    if not isinstance(message, AssistantMessage) or message.parent_tool_use_id:
        return ""
    return next((block.text for block in reversed(message.content) if isinstance(block, TextBlock)), "")


def read_events(message: object, recorder: ToolRecorder) -> list[AgentEvent]:
    """Return what a message other than a result tells; tool calls go into the record."""
    from claude_agent_sdk import (
        AssistantMessage,
        SystemMessage,
        TaskNotificationMessage,
        TaskStartedMessage,
        UserMessage,
    )

    match message:
        case AssistantMessage():
            return _started(message.content, recorder, message.parent_tool_use_id)
        case TaskStartedMessage():
            recorder.subagent_began(message.tool_use_id or "", message.task_id)
            return []
        case TaskNotificationMessage():
            return _left_background(message, recorder)
        case UserMessage() if isinstance(message.content, list):
            return _finished(message.content, message.tool_use_result, recorder)
        case SystemMessage(subtype="api_retry"):
            return [retried(message.data, backend=BACKEND)]
        case _:
            return []


def result_text(content: object) -> str:
    """Return the text of a tool result, whose parts may be text or something else."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [str(part.get("text") or f"[{part.get('type')}]") for part in content if isinstance(part, dict)]
    return "\n".join(parts)


def _started(content: Sequence[object], recorder: ToolRecorder, parent: str | None) -> list[AgentEvent]:
    """Record the calls of a message and return their events; `parent` is the call that its subagent serves."""
    from claude_agent_sdk import ToolUseBlock

    subagent = recorder.subagent_of(parent) if parent else ""
    return [
        ToolStarted(run=recorder.started(run_id=block.id, tool=block.name, arguments=block.input, subagent=subagent))
        for block in content
        if isinstance(block, ToolUseBlock)
    ]


def _finished(content: Sequence[object], account: object, recorder: ToolRecorder) -> list[AgentEvent]:
    from claude_agent_sdk import ToolResultBlock

    results = [block for block in content if isinstance(block, ToolResultBlock)]
    # The CLI's own account stands beside the message, so it is only clear whose it is when there is one result.
    structured = account if len(results) == 1 else None
    for block in results:
        if block.is_error and result_text(block.content).startswith(NEVER_RAN):
            recorder.kept_from_running(block.tool_use_id)
    runs = [
        recorder.finished(
            run_id=block.tool_use_id,
            text=result_text(block.content),
            is_error=bool(block.is_error),
            structured=structured,
        )
        for block in results
    ]
    return [ToolFinished(run=run) for run in runs if run is not None]


def _left_background(message: "TaskNotificationMessage", recorder: ToolRecorder) -> list[AgentEvent]:
    run = recorder.left_background(
        run_id=message.tool_use_id or "",
        ok=message.status == "completed",
        summary=message.summary,
        output_file=message.output_file,
    )
    return [] if run is None else [ToolFinished(run=run)]
