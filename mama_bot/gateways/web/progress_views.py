"""What happens while a persona works, as the page reads it."""

from typing import assert_never

from mama_bot.gateways.web.json_views import Json, tool_view, turn_view
from mama_bot.gateways.web.judgement_views import judgement_view
from mama_bot.model import (
    AttemptJudged,
    ModelRetried,
    Progress,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    TurnWorking,
)


def progress_view(progress: Progress) -> Json:
    """Something that happened while a persona works."""
    base: Json = {
        "kind": progress.kind,
        "conversation": progress.turn.key.channel,
        "turn": turn_view(progress.turn),
        "at": progress.at.isoformat(),
    }
    match progress:
        case TurnStarted():
            return base
        case TurnWorking():
            return {**base, "attempt": progress.attempt, **event_view(progress.event)}
        case AttemptJudged():
            return {**base, "judgement": judgement_view(progress.judgement)}
        case TurnFinished():
            return {**base, "state": progress.state.value}
        case unexpected:
            assert_never(unexpected)


def event_view(event: ToolStarted | ToolFinished | ModelRetried) -> Json:
    """Return what an agent did just now."""
    match event:
        case ToolStarted() | ToolFinished():
            return {"event": event.kind, "tool": tool_view(event.run)}
        case ModelRetried():
            return {"event": event.kind, "status": event.status}
        case unexpected:
            assert_never(unexpected)
