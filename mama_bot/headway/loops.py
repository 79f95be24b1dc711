"""Pairs that keep each other busy: pure functions of what was done and said."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mama_bot.headway.work_marks import WorkMarks, figures_in, marks_of_calls, marks_of_turn
from mama_bot.model import AuthorKind, ConversationView, InboundMessage, StoredTurn, ToolRun, TurnId, TurnKind

FOREIGN = frozenset({AuthorKind.BOT, AuthorKind.HOOK})


@dataclass(frozen=True, slots=True, kw_only=True)
class AtHand:
    """The turn that would ask again: what its agent did so far, and what it says."""

    turn: TurnId
    runs: tuple[ToolRun, ...] = ()
    text: str = ""


def is_idle_pair(turns: Sequence[StoredTurn], sender: str, recipient: str, at_hand: AtHand, *, rounds: int) -> bool:
    """Return whether two agents, in their last rounds of asking and answering in an exchange, brought nothing new.

    A round is a delegation between them, whoever asks, with all that either did and said until the next.
    """
    pair = {sender, recipient}
    asked = [number for number, stored in enumerate(turns) if _is_between(stored, pair)]
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


def _is_between(stored: StoredTurn, pair: set[str]) -> bool:
    delegation = stored.turn.delegation
    asked = stored.turn.kind is TurnKind.DELEGATION and delegation is not None
    return asked and delegation is not None and {delegation.sender, delegation.recipient} == pair


def _asked_for(stored: StoredTurn) -> WorkMarks:
    delegation = stored.turn.delegation
    if stored.turn.kind is not TurnKind.DELEGATION or delegation is None:
        return WorkMarks()
    return WorkMarks(figures=figures_in(delegation.task))


def chain_of(view: ConversationView, now: datetime, seconds: float) -> Sequence[InboundMessage]:
    """Return the messages of bots and hooks since a person wrote in a conversation, of the last so many seconds."""
    chain: list[InboundMessage] = []
    for message in reversed(view.messages):
        if message.author.kind is AuthorKind.PERSON:
            break
        if message.author.kind in FOREIGN and now - message.received_at <= timedelta(seconds=seconds):
            chain.append(message)
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
