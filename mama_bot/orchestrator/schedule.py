"""What comes next in an exchange: pure functions of its turns.

The turns of an exchange form a tree. A person's message gives one root for each persona that answers; a delegation is
a child of the turn that made it; when every child of a turn is settled, one RESULTS turn, also its child, tells the
persona what came out. Turns run one at a time, the deepest first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.model import Attempt, StoredTurn, Turn, TurnId, TurnKind, TurnState

OPEN = frozenset({TurnState.PENDING, TurnState.RUNNING})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTurn:
    """This turn runs next (again, where it was cut off)."""

    stored: StoredTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportResults:
    """Every delegation of this turn is settled: its persona is told what came of them, in order."""

    asking: Turn
    settled: tuple[StoredTurn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Nothing is left to do."""


Step = RunTurn | ReportResults | Done


def next_step(turns: Sequence[StoredTurn]) -> Step:
    """Decide what an exchange does next."""
    open_turns = [stored for stored in turns if stored.state in OPEN]
    due = _results_due(turns)
    deepest = max((stored.turn.depth for stored in open_turns), default=-1)
    if due is not None and due.asking.depth >= deepest:
        return due
    for stored in open_turns:
        if stored.turn.depth == deepest:
            return RunTurn(stored=stored)
    return Done()


def delegations_of(turns: Sequence[StoredTurn]) -> int:
    """How many delegations an exchange has made so far."""
    return sum(1 for stored in turns if stored.turn.kind is TurnKind.DELEGATION)


def last_attempt_of(turns: Sequence[StoredTurn], turn: Turn) -> Attempt | None:
    """The latest judged draft of a turn's persona on its task, in the order of an exchange's turns.

    The task is that of the delegation, whoever delegated it; without one it is the request itself.
    """
    attempts = [
        attempt
        for stored in turns
        if stored.turn.persona == turn.persona and task_of(stored.turn) == task_of(turn)
        for attempt in stored.attempts
    ]
    return attempts[-1] if attempts else None


def task_of(turn: Turn) -> str:
    """What a turn works on: the key of its delegation's task, or "" for what the person asked."""
    return turn.delegation.task_key if turn.delegation is not None else ""


def results_turn_id(asking: Turn) -> TurnId:
    """The id of the one RESULTS turn of a turn: the same after a restart."""
    return TurnId(f"{asking.id}.r")


def _results_due(turns: Sequence[StoredTurn]) -> ReportResults | None:
    deepest: ReportResults | None = None
    for stored in turns:
        if stored.state is not TurnState.ANSWERED:
            continue
        children = [child for child in turns if child.turn.parent == stored.turn.id]
        asked = [child for child in children if child.turn.kind is TurnKind.DELEGATION]
        if not asked or len(asked) != len(children):  # nothing was delegated, or the results were reported already
            continue
        settled = [_settlement(child, turns) for child in asked]
        if any(one is None for one in settled):
            continue
        due = ReportResults(asking=stored.turn, settled=tuple(one for one in settled if one is not None))
        if deepest is None or due.asking.depth > deepest.asking.depth:
            deepest = due
    return deepest


def _settlement(stored: StoredTurn, turns: Sequence[StoredTurn]) -> StoredTurn | None:
    """The last word on a turn: its own, or that of the RESULTS turn after its delegations; None while it is open."""
    if stored.state in OPEN:
        return None
    children = [child for child in turns if child.turn.parent == stored.turn.id]
    if not children:
        return stored
    for child in children:
        if child.turn.kind is TurnKind.RESULTS:
            return _settlement(child, turns)
    return None
