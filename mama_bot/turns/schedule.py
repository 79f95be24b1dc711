"""What comes next in an exchange: pure functions of its turns.

The turns of an exchange form a tree. A person's message gives one root for each persona that answers; a delegation is
a child of the turn that made it; when every child of a turn is settled, one RESULTS turn, also its child, tells the
persona what came out. Work that needs a review has a REVIEW turn as a child (its last turn has: the RESULTS turn after
its delegations), a rejected review a REWORK turn, and that one the next REVIEW; whoever asked for the work hears of it
when this is settled. Turns run one at a time, the deepest first.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from mama_bot.model import Attempt, StoredTurn, Turn, TurnId, TurnKind, TurnState

OPEN = frozenset({TurnState.PENDING, TurnState.RUNNING})
REVIEWING = frozenset({TurnKind.REVIEW, TurnKind.REWORK})
GOES_ON = REVIEWING | {TurnKind.RESULTS}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTurn:
    """This turn runs next (again, where it was cut off)."""

    stored: StoredTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportResults:
    """Every delegation that this turn waits for, or that it made in the background, is settled: its persona is told
    what came of them, in order.
    """

    asking: Turn
    settled: tuple[StoredTurn, ...]
    background: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Nothing is left to do."""


Step = RunTurn | ReportResults | Done


def next_step(turns: Sequence[StoredTurn], *, busy: Collection[TurnId] = ()) -> Step:
    """Decide what an exchange does next, beside the turns that are at work already."""
    open_turns = [stored for stored in turns if stored.state in OPEN and stored.turn.id not in busy]
    due = _results_due(turns)
    deepest = max((stored.turn.depth for stored in open_turns), default=-1)
    if due is not None and due.asking.depth >= deepest:
        return due
    for stored in open_turns:
        if stored.turn.depth == deepest:
            return RunTurn(stored=stored)
    return Done()


def delegations_of(turns: Sequence[StoredTurn]) -> int:
    """Return how many delegations an exchange has made so far."""
    return sum(1 for stored in turns if stored.turn.kind is TurnKind.DELEGATION)


def work_under_review(turns: Sequence[StoredTurn], turn: Turn) -> Turn:
    """Return the turn that work began with: the first above a turn that is no REVIEW, REWORK or RESULTS turn.

    What a persona does when it hears of its delegations is the same work, and so is what it does after a rejection.
    """
    by_id = {stored.turn.id: stored.turn for stored in turns}
    while turn.kind in GOES_ON and turn.parent is not None and turn.parent in by_id:
        turn = by_id[turn.parent]
    return turn


def rework_of(turns: Sequence[StoredTurn], turn: Turn) -> Turn | None:
    """Return the REWORK turn that a turn is, or whose results it reports; None: it is about no rejection."""
    by_id = {stored.turn.id: stored.turn for stored in turns}
    while turn.kind is TurnKind.RESULTS and turn.parent is not None and turn.parent in by_id:
        turn = by_id[turn.parent]
    return turn if turn.kind is TurnKind.REWORK else None


def works_behind(turns: Sequence[StoredTurn], last: Turn, asking: Turn) -> tuple[TurnId, ...]:
    """Return the turns between an asking turn and the last word on what it asked for, without reviews and reworks."""
    by_id = {stored.turn.id: stored.turn for stored in turns}
    works: list[TurnId] = []
    turn: Turn | None = last
    while turn is not None and turn.id != asking.id:
        if turn.kind not in REVIEWING:
            works.append(turn.id)
        turn = by_id.get(turn.parent) if turn.parent is not None else None
    return tuple(reversed(works))


def reviews_of(turns: Sequence[StoredTurn], work: Turn) -> int:
    """Return how often a piece of work was reviewed so far: a review by several at once counts once."""
    reviews = (stored.turn for stored in turns if stored.turn.kind is TurnKind.REVIEW)
    return len({review.parent for review in reviews if work_under_review(turns, review).id == work.id})


def last_attempt_of(turns: Sequence[StoredTurn], turn: Turn) -> Attempt | None:
    """Return the latest judged draft of a turn's persona on its task, in the order of an exchange's turns.

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
    """Return what a turn works on: the key of its delegation's task, or "" for what the person asked."""
    return turn.delegation.task_key if turn.delegation is not None else ""


def results_turn_id(asking: Turn, *, background: bool = False) -> TurnId:
    """Return the id of the one RESULTS turn of a turn, or of the one for its background: the same after a restart."""
    return TurnId(f"{asking.id}.{'b' if background else 'r'}")


def settlement_of(turns: Sequence[StoredTurn], turn_id: TurnId) -> StoredTurn | None:
    """Return the last word on a turn of an exchange; None while it is open."""
    return next((_settlement(stored, turns) for stored in turns if stored.turn.id == turn_id), None)


def unreported(turns: Sequence[StoredTurn], asking: Turn) -> bool:
    """Return whether a turn has delegations of whose outcome its persona is still to be told."""
    return bool(_owed(turns, asking))


def _results_due(turns: Sequence[StoredTurn]) -> ReportResults | None:
    deepest: ReportResults | None = None
    for stored in turns:
        if stored.state is not TurnState.ANSWERED:
            continue
        for background in _owed(turns, stored.turn):
            children = [child for child in turns if child.turn.parent == stored.turn.id]
            asked = [child for child in children if _is_asked(child.turn, background=background)]
            settled = [_settlement(child, turns) for child in asked]
            reviewed = [_settlement(child, turns) for child in children if child.turn.kind in REVIEWING]
            if any(word is None for word in (*settled, *reviewed)):
                continue
            due = ReportResults(
                asking=stored.turn,
                settled=tuple(word for word in settled if word is not None),
                background=background,
            )
            if deepest is None or due.asking.depth > deepest.asking.depth:
                deepest = due
    return deepest


def _is_asked(turn: Turn, *, background: bool) -> bool:
    """Whether a turn is a delegation, made so, of whose outcome its sender did not hear at once."""
    in_background = turn.delegation is not None and turn.delegation.background
    return turn.kind is TurnKind.DELEGATION and not turn.heard and in_background is background


def _owed(turns: Sequence[StoredTurn], asking: Turn) -> list[bool]:
    """Of which delegations a persona is still to be told: those that it waits for (False), those in the background."""
    children = [child.turn for child in turns if child.turn.parent == asking.id]
    reported = {child.id for child in children if child.kind is TurnKind.RESULTS}
    return [
        background
        for background in (False, True)
        if any(_is_asked(child, background=background) for child in children)
        and results_turn_id(asking, background=background) not in reported
    ]


def _settlement(stored: StoredTurn, turns: Sequence[StoredTurn]) -> StoredTurn | None:
    """The last word on a turn: its own, that of the rework after its reviews, or that of the RESULTS turn after its
    delegations; None while it is open.
    """
    if stored.state in OPEN:
        return None
    children = [child for child in turns if child.turn.parent == stored.turn.id]
    words = [_settlement(child, turns) for child in children if child.turn.kind in REVIEWING]
    if any(word is None for word in words):
        return None
    if stored.state is TurnState.ANSWERED:  # nobody is told of what others left
        if _owed(turns, stored.turn):
            return None
        results = [_settlement(child, turns) for child in children if child.turn.kind is TurnKind.RESULTS]
        if results:
            return None if any(word is None for word in results) else results[-1]
    reworked = [word for word in words if word is not None and word.turn.kind is not TurnKind.REVIEW]
    answered = [word for word in reworked if word.state is TurnState.ANSWERED]
    return answered[-1] if answered else stored
