"""Progress as one node tells it to those that show it, and back."""

from dataclasses import replace
from typing import assert_never

from mama_bot.errors import AgentError
from mama_bot.model import (
    AttemptJudged,
    CheckSeen,
    CheckTold,
    ModelRetried,
    ModelWaited,
    Progress,
    SeenProgress,
    ToolRecord,
    ToolSeen,
    Turn,
    TurnFinished,
    TurnStarted,
    TurnWorking,
)


def progress_event(progress: Progress) -> SeenProgress:
    """Return a step of a turn without what nobody shows of it: the prompt, and what was done before."""
    turn = _shown(progress.turn)
    match progress:
        case TurnStarted() | AttemptJudged() | TurnFinished():
            return replace(progress, turn=turn)
        case TurnWorking(event=event):
            if isinstance(event, ModelRetried):
                return ModelWaited(
                    turn=turn,
                    attempt=progress.attempt,
                    tried=event.attempt,
                    status=event.status,
                    reason=str(event.trouble),
                    wait_seconds=event.wait_seconds,
                    error=event.error,
                    at=progress.at,
                )
            if isinstance(event, CheckSeen):
                return CheckTold(turn=turn, attempt=progress.attempt, event=event, at=progress.at)
            return ToolSeen(turn=turn, attempt=progress.attempt, event=event, at=progress.at)
        case unexpected:
            assert_never(unexpected)


def progress_of(event: SeenProgress) -> Progress:
    """Return the step of a turn that a node told of."""
    match event:
        case TurnStarted() | AttemptJudged() | TurnFinished():
            return event
        case ToolSeen() | CheckTold():
            return TurnWorking(turn=event.turn, attempt=event.attempt, event=event.event, at=event.at)
        case ModelWaited():
            retried = ModelRetried(
                attempt=event.tried,
                status=event.status,
                trouble=AgentError(event.reason),
                wait_seconds=event.wait_seconds,
                error=event.error,
            )
            return TurnWorking(turn=event.turn, attempt=event.attempt, event=retried, at=event.at)
        case unexpected:
            assert_never(unexpected)


def _shown(turn: Turn) -> Turn:
    return replace(turn, prompt="", told=(), undrafted=ToolRecord(), earlier=None, checklist=None)
