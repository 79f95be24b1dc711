"""The turns of an exchange, as values: the first ones, those of delegations, and those that report their results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mama_bot.model import (
    AgentPersona,
    Audience,
    Author,
    AuthorKind,
    Delegation,
    InboundMessage,
    StoredTurn,
    ToolRecord,
    ToolRun,
    Turn,
    TurnId,
    TurnKind,
    called_command,
)
from mama_bot.model.reviews import ReviewPanel
from mama_bot.turns.heard import HeardOutcomes
from mama_bot.turns.ledger import calls_in_order, record_of
from mama_bot.turns.prompts import continuing_prompt, delegation_prompt, results_prompt
from mama_bot.turns.schedule import ReportResults, results_turn_id

TOLD_CHARACTERS = 400


def first_turn(message: InboundMessage, persona: AgentPersona, index: int) -> Turn:
    """Return a persona answers a person."""
    return Turn(
        id=TurnId(f"{message.id}.{index}"),
        message_id=message.id,
        key=message.key,
        persona=persona.name,
        kind=TurnKind.REQUEST,
        audience=Audience.PERSON,
        asker=message.author,
        prompt=message.request or message.text,
        language=message.language,
    )


def continued_turn(message: InboundMessage, cut_off: Turn, persona: AgentPersona) -> Turn:
    """Return the turn in which a persona goes on with one that ended before its reply; it answers whoever asks now."""
    return replace(first_turn(message, persona, 0), prompt=continuing_prompt(cut_off.prompt))


def delegated_turn(
    turn: Turn,
    delegation: Delegation,
    personas: Mapping[str, AgentPersona],
    index: int | str,
    *,
    apart: bool = False,
) -> Turn:
    """Return a persona works on what the persona of `turn` delegated to it, in a work tree of its own where `apart`."""
    recipient = personas[delegation.recipient]
    sender = personas[delegation.sender]
    name = TurnId(f"{turn.id}.{index}")
    return Turn(
        id=name,
        message_id=turn.message_id,
        key=turn.key,
        persona=recipient.name,
        kind=TurnKind.DELEGATION,
        audience=Audience.AGENT,
        asker=Author(id=sender.name, name=sender.display_name, kind=AuthorKind.AGENT),
        prompt=delegation_prompt(delegation),
        delegation=delegation,
        parent=turn.id,
        depth=turn.depth + 1,
        language=turn.language,
        asked_for=(*turn.asked_for, turn.persona),
        work_tree=name if apart else turn.work_tree,
        sender_tree=turn.work_tree,
    )


def review_turn(after: Turn, reviewer: AgentPersona, worker: str, prompt: str, *, files: Sequence[str] = ()) -> Turn:
    """Return the turn in which a reviewer looks at changed files; the prompt is all it is told of the work."""
    return Turn(
        id=TurnId(f"{after.id}.v"),
        message_id=after.message_id,
        key=after.key,
        persona=reviewer.name,
        kind=TurnKind.REVIEW,
        audience=Audience.AGENT,
        asker=Author(id=worker, name=worker, kind=AuthorKind.AGENT),
        prompt=prompt,
        under_review=tuple(files),
        parent=after.id,
        language=after.language,
        work_tree=after.work_tree,
        depth=after.depth + (after.kind not in (TurnKind.REVIEW, TurnKind.REWORK)),
    )


def panel_turns(review: Turn, reviewers: Sequence[AgentPersona], panel: ReviewPanel) -> tuple[Turn, ...]:
    """Return the same review by each of several reviewers."""
    return tuple(
        replace(review, id=TurnId(f"{review.id}{index}"), persona=reviewer.name, panel=panel)
        for index, reviewer in enumerate(reviewers)
    )


def rework_turn(review: Turn, work: Turn, prompt: str, *, done: Sequence[StoredTurn] = ()) -> Turn:
    """Return the turn in which a worker mends what a review found, judged from where the work began."""
    return replace(
        work,
        id=TurnId(f"{review.id}.w"),
        kind=TurnKind.REWORK,
        prompt=prompt,
        parent=review.id,
        depth=review.depth,
        told=calls_in_order((*work.told, *(call for stored in done for call in stored.turn.told), *told_calls(done))),
        undrafted=ToolRecord(),
    )


def results_turn(
    step: ReportResults,
    heard: HeardOutcomes | None = None,
    *,
    turns: Sequence[StoredTurn] = (),
) -> Turn:
    """Return a persona is told what came of its delegations, and goes on with what it was asked.

    `heard` is what it is told beside their replies. What it passes on is judged by what was done in the `turns` of the
    exchange below the one that asked, and by what that one had been told.
    """
    asking, heard = step.asking, heard or HeardOutcomes()
    below = [stored for stored in turns if came_of(stored.turn, asking, turns)]
    return Turn(
        id=results_turn_id(asking, background=step.background),
        message_id=asking.message_id,
        key=asking.key,
        persona=asking.persona,
        kind=TurnKind.RESULTS,
        audience=asking.audience,
        asker=asking.asker,
        prompt=results_prompt(step.settled, heard.lines),
        delegation=asking.delegation,
        parent=asking.id,
        depth=asking.depth,
        language=asking.language,
        told=calls_in_order((*asking.told, *heard.calls(told_calls(below)))),
        asked_for=asking.asked_for,
        work_tree=asking.work_tree,
    )


def came_of(turn: Turn, asking: Turn, turns: Sequence[StoredTurn]) -> bool:
    """Return whether a turn is the asking one, or came of it."""
    by_id = {stored.turn.id: stored.turn for stored in turns}
    above: Turn | None = turn
    while above is not None and above.id != asking.id:
        above = by_id.get(above.parent) if above.parent is not None else None
    return above is not None


def told_calls(turns: Sequence[StoredTurn]) -> tuple[ToolRun, ...]:
    """Return the calls of turns that ran, wrote or showed something, in order: the last 300, with little output."""
    calls = [
        replace(
            call,
            agent=call.agent or stored.turn.persona,
            arguments=_short(call),
            command=call.command[:TOLD_CHARACTERS],
            output_head="",
            output_tail=(call.output_tail or call.output_head)[-TOLD_CHARACTERS:],
        )
        for stored in turns
        for call in record_of(stored).runs
        if call.ran or call.touched or call.looked
    ]
    return calls_in_order(calls)


def _short(call: ToolRun) -> str:
    """The arguments of a call, or only the beginning of what it called where they are long."""
    if len(call.arguments) <= TOLD_CHARACTERS:
        return call.arguments
    return json.dumps({"command": called_command(call)[:TOLD_CHARACTERS]}, ensure_ascii=False)
