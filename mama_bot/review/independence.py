"""Who may review a piece of work: nobody who had a part in it, by whatever name, and nobody who waits for it."""

from collections.abc import Mapping

from mama_bot.model import AgentPersona, Exchange, ToolRecord, Turn, TurnKind, TurnState
from mama_bot.runs.written import files_written
from mama_bot.turns.ledger import record_of
from mama_bot.turns.new_turns import came_of


def did_it_too(reviewer: AgentPersona, work: Turn, exchange: Exchange, personas: Mapping[str, AgentPersona]) -> bool:
    """Return whether a reviewer would approve work of its own: under its name or a second one, or a part of it."""
    worker = personas.get(work.persona)
    if reviewer.name == work.persona or (worker is not None and _is_same_agent(reviewer, worker)):
        return True
    parts = (stored for stored in exchange.turns if stored.turn.persona == reviewer.name)
    return any(
        part.turn.kind is not TurnKind.REVIEW and came_of(part.turn, work, exchange.turns) and written(record_of(part))
        for part in parts
    )


def waits_for(reviewer: AgentPersona, turn: Turn, exchange: Exchange) -> bool:
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
