"""What happens while a persona works, as the page reads it."""

from typing import assert_never

from mama_bot.gateways.web.cut_texts import cut
from mama_bot.gateways.web.json_views import (
    MAX_ARGUMENT_CHARACTERS,
    MAX_CHECK_NAME_CHARACTERS,
    Json,
    tool_view,
    turn_view,
)
from mama_bot.gateways.web.judgement_views import judgement_view
from mama_bot.model import (
    AttemptJudged,
    CheckSeen,
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


def event_view(event: ToolStarted | ToolFinished | ModelRetried | CheckSeen) -> Json:
    """Return what an agent, or the service for it, did just now; a check of the service's is shown like a call."""
    match event:
        case ToolStarted() | ToolFinished():
            return {"event": event.kind, "tool": tool_view(event.run)}
        case ModelRetried():
            return {"event": event.kind, "status": event.status}
        case CheckSeen():
            return {"event": event.kind, "tool": _check_view(event)}
        case unexpected:
            assert_never(unexpected)


def _check_view(seen: CheckSeen) -> Json:
    return {
        "id": seen.id,
        "check": seen.name[:MAX_CHECK_NAME_CHARACTERS],
        "arguments": cut(seen.command, MAX_ARGUMENT_CHARACTERS),
        "started_at": seen.started_at.isoformat(),
        "ended_at": None if seen.ended_at is None else seen.ended_at.isoformat(),
        "ok": seen.ok,
        "exit_status": seen.exit_status,
    }
