"""The turns of an exchange, as values: the first ones, those of delegations, and those that report their results."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mama_bot.model import (
    AgentPersona,
    Audience,
    Author,
    AuthorKind,
    Delegation,
    InboundMessage,
    Review,
    ToolRecord,
    Turn,
    TurnId,
    TurnKind,
)
from mama_bot.orchestrator.prompts import delegation_prompt, results_prompt
from mama_bot.orchestrator.schedule import ReportResults, results_turn_id


def first_turn(message: InboundMessage, persona: AgentPersona, index: int) -> Turn:
    """A persona answers a person."""
    return Turn(
        id=TurnId(f"{message.id}.{index}"),
        message_id=message.id,
        key=message.key,
        persona=persona.name,
        kind=TurnKind.REQUEST,
        audience=Audience.PERSON,
        asker=message.author,
        prompt=message.text,
    )


def delegated_turn(turn: Turn, delegation: Delegation, personas: Mapping[str, AgentPersona], index: int) -> Turn:
    """A persona works on what the persona of `turn` delegated to it."""
    recipient = personas[delegation.recipient]
    sender = personas[delegation.sender]
    return Turn(
        id=TurnId(f"{turn.id}.{index}"),
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
    )


def review_turn(after: Turn, reviewer: AgentPersona, worker: str, prompt: str) -> Turn:
    """A reviewer looks at the work that a turn left; the prompt is all it is told of it."""
    return Turn(
        id=TurnId(f"{after.id}.v"),
        message_id=after.message_id,
        key=after.key,
        persona=reviewer.name,
        kind=TurnKind.REVIEW,
        audience=Audience.AGENT,
        asker=Author(id=worker, name=worker, kind=AuthorKind.AGENT),
        prompt=prompt,
        parent=after.id,
        depth=after.depth + (after.kind not in (TurnKind.REVIEW, TurnKind.REWORK)),
    )


def rework_turn(review: Turn, work: Turn, prompt: str) -> Turn:
    """A worker mends what a review found: the same task, judged from where the work began."""
    return replace(
        work,
        id=TurnId(f"{review.id}.w"),
        kind=TurnKind.REWORK,
        prompt=prompt,
        parent=review.id,
        depth=review.depth,
        told=(),
        undrafted=ToolRecord(),
    )


def results_turn(step: ReportResults, reviews: Mapping[TurnId, Sequence[Review]] | None = None) -> Turn:
    """A persona is told what came of its delegations, and goes on with what it was asked."""
    asking = step.asking
    return Turn(
        id=results_turn_id(asking),
        message_id=asking.message_id,
        key=asking.key,
        persona=asking.persona,
        kind=TurnKind.RESULTS,
        audience=asking.audience,
        asker=asking.asker,
        prompt=results_prompt(step.settled, reviews),
        delegation=asking.delegation,
        parent=asking.id,
        depth=asking.depth,
    )
