"""Pairs that keep each other busy: pure functions of what was done and said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile

from mama_bot.headway.work_marks import WorkMarks, figures_in, marks_of_calls, marks_of_turn
from mama_bot.model import (
    AuthorKind,
    ConversationView,
    InboundMessage,
    StoredTurn,
    ToolRun,
    TurnId,
    TurnKind,
    TurnState,
)

FOREIGN = frozenset({AuthorKind.BOT, AuthorKind.HOOK})


@dataclass(frozen=True, slots=True, kw_only=True)
class AtHand:
    """The turn that would ask again: what its agent did so far, and what it says."""

    turn: TurnId
    runs: tuple[ToolRun, ...] = ()
    text: str = ""


def is_idle_pair(turns: Sequence[StoredTurn], sender: str, recipient: str, at_hand: AtHand, *, rounds: int) -> bool:
    """Return whether two agents, in their last rounds of asking and answering in an exchange, brought nothing new.

    A round is a delegation between them, whoever asks, with all that either did and said until the next. It counts once
    nothing of it is open any more, or where the turn at hand came of it: what is still at work may yet bring something.
    """
    pair = {sender, recipient}
    open_above, above = _lines(turns, at_hand.turn)
    asked = [
        number
        for number, stored in enumerate(turns)
        if _is_between(stored, pair) and (stored.turn.id in above or stored.turn.id not in open_above)
    ]
    if rounds < 1 or len(asked) < rounds or sender == recipient:
        return False
    begun = asked[-rounds]
    since_then = turns[begun].created_at
    before = marks_of_calls([run for run in at_hand.runs if run.started_at < since_then])
    since = marks_of_calls([run for run in at_hand.runs if run.started_at >= since_then])
    since |= WorkMarks(figures=figures_in(at_hand.text))
    for number, stored in enumerate(turns):
        if stored.turn.persona not in pair or stored.turn.id == at_hand.turn:
            continue
        marks = marks_of_turn(stored) | _asked_for(stored)
        if number < begun:
            before |= marks
        else:
            since |= marks
    return not since.beyond(before).any


def _lines(turns: Sequence[StoredTurn], at_hand: TurnId) -> tuple[set[TurnId], set[TurnId]]:
    """Return the turns with something open in them, and those that the turn at hand came of, itself too."""
    parents = {stored.turn.id: stored.turn.parent for stored in turns}

    def line(begin: TurnId | None) -> Iterator[TurnId]:
        while begin is not None:
            yield begin
            begin = parents.get(begin)

    at_work = (stored.turn.id for stored in turns if stored.state in (TurnState.PENDING, TurnState.RUNNING))
    return {above for each in at_work for above in line(each)}, set(line(at_hand))


def _is_between(stored: StoredTurn, pair: set[str]) -> bool:
    delegation = stored.turn.delegation
    asked = stored.turn.kind is TurnKind.DELEGATION and delegation is not None
    return asked and delegation is not None and {delegation.sender, delegation.recipient} == pair


def _asked_for(stored: StoredTurn) -> WorkMarks:
    delegation = stored.turn.delegation
    if stored.turn.kind is not TurnKind.DELEGATION or delegation is None:
        return WorkMarks()
    return WorkMarks(figures=figures_in(delegation.task))


def chain_before(
    view: ConversationView, message: InboundMessage, now: datetime, seconds: float
) -> Sequence[InboundMessage]:
    """Return the messages of bots and hooks between a person's last one and a message, of the last so many seconds.

    What stands behind the message waits, and says nothing of whether this one is answered.
    """
    chain: list[InboundMessage] = []
    for known in reversed(tuple(takewhile(lambda known: known.id != message.id, view.messages))):
        if known.author.kind is AuthorKind.PERSON:
            break
        if known.author.kind in FOREIGN and now - known.received_at <= timedelta(seconds=seconds):
            chain.append(known)
    return tuple(reversed(chain))


def is_idle_with(view: ConversationView, message: InboundMessage, *, rounds: int) -> bool:
    """Return whether a bot and those who answer it brought nothing new in their last rounds, this message included.

    A person's message begins the count anew.
    """
    talk: list[tuple[InboundMessage, WorkMarks]] = []
    for known in view.messages:
        if known.author.kind is AuthorKind.PERSON:
            talk.clear()
        elif known.author.id == message.author.id:
            marks = WorkMarks(figures=figures_in(known.text))
            for stored in view.turns:
                if stored.turn.message_id == known.id:
                    marks |= marks_of_turn(stored)
            talk.append((known, marks))
        if known.id == message.id:
            break
    answered = [marks for known, marks in talk if known.id != message.id]
    if rounds < 1 or len(answered) < rounds:
        return False
    before, since = WorkMarks(), WorkMarks(figures=figures_in(message.text))
    for number, marks in enumerate(answered):
        if number < len(answered) - rounds:
            before |= marks
        else:
            since |= marks
    return not since.beyond(before).any
