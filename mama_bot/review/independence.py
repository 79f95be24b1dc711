"""Who may review a piece of work: nobody who had a part in it, by whatever name, and nobody who waits for it."""

from collections.abc import Mapping, Sequence

from mama_bot.config import ReviewSettings
from mama_bot.model import AgentPersona, Exchange, ToolRecord, Turn, TurnKind, TurnState
from mama_bot.model.reviews import ReviewPanel
from mama_bot.runs.written import files_written
from mama_bot.turns.ledger import record_of
from mama_bot.turns.new_turns import came_of


def reviewers_of(
    settings: ReviewSettings, personas: Mapping[str, AgentPersona], turn: Turn | None, work: Turn, exchange: Exchange
) -> tuple[Sequence[AgentPersona], ReviewPanel | None]:
    """Return who can review a piece of work, and as which panel (None: there is one reviewer by the settings).

    `turn` is the one after which it is reviewed; None: a person asks, later. One agent has one say, under one name.
    """
    free: list[AgentPersona] = []
    for reviewer in (personas[name] for name in settings.reviewers if name in personas):
        waits = turn is not None and _waits_for(reviewer, turn, exchange)
        double = any(_is_same_agent(reviewer, other) for other in free)
        if not waits and not double and not _did_it_too(reviewer, work, exchange, personas):
            free.append(reviewer)
    if not settings.consensus.reviewers:
        return free, None
    asked = tuple(reviewer.name for reviewer in free)
    absent = tuple(name for name in settings.reviewers if name not in asked)
    quorum = settings.consensus.quorum
    return free, ReviewPanel(worker=work.persona, reviewers=asked, quorum=quorum, absent=absent)


def _did_it_too(reviewer: AgentPersona, work: Turn, exchange: Exchange, personas: Mapping[str, AgentPersona]) -> bool:
    """Return whether a reviewer would approve work of its own: under its name or a second one, or a part of it."""
    worker = personas.get(work.persona)
    if reviewer.name == work.persona or (worker is not None and _is_same_agent(reviewer, worker)):
        return True
    parts = (stored for stored in exchange.turns if stored.turn.persona == reviewer.name)
    return any(
        part.turn.kind is not TurnKind.REVIEW and came_of(part.turn, work, exchange.turns) and written(record_of(part))
        for part in parts
    )


def _waits_for(reviewer: AgentPersona, turn: Turn, exchange: Exchange) -> bool:
    """Return whether a reviewer waits in a turn of its own for this work: its one session could not do the review."""
    own = [each for each in exchange.turns if each.turn.persona == reviewer.name and each.state is TurnState.RUNNING]
    return any(each.turn.id != turn.id and came_of(turn, each.turn, exchange.turns) for each in own)


def written(record: ToolRecord) -> frozenset[str]:
    """Return the files that a record shows as written or removed."""
    return files_written(record) | {touch.path for run in record.runs for touch in run.touched}


def _is_same_agent(reviewer: AgentPersona, worker: AgentPersona) -> bool:
    """Whether two personas are one agent by two names."""
    parts = [(" ".join(agent.prompt.split()), agent.backend, agent.model) for agent in (reviewer, worker)]
    return bool(parts[0][0]) and parts[0] == parts[1]
