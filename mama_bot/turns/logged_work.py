"""What the log holds of an agent at work."""

from typing import assert_never

import structlog

from mama_bot.model import ModelRetried, ToolFinished, ToolStarted

log = structlog.get_logger(__name__)


def log_work(event: ToolStarted | ToolFinished | ModelRetried) -> None:
    """Log a call of a tool, or a request that the model was sent again."""
    match event:
        case ToolStarted():
            log.debug("tool_started", tool=event.run.tool)
        case ToolFinished():
            log.debug("tool_finished", tool=event.run.tool, ok=event.run.ok, exit_status=event.run.exit_status)
        case ModelRetried():
            log.warning(
                "model_retried",
                attempt=event.attempt,
                status=event.status,
                error=event.error,
                wait_seconds=event.wait_seconds,
            )
        case unexpected:
            assert_never(unexpected)
