"""The turns of an exchange, as values: the first ones, those of delegations, and those that report their results."""

from collections.abc import Mapping

from mama_bot.model import (
    AgentPersona,
    Audience,
    Author,
    AuthorKind,
    Delegation,
    InboundMessage,
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


def results_turn(step: ReportResults) -> Turn:
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
        prompt=results_prompt(step.settled),
        delegation=asking.delegation,
        parent=asking.id,
        depth=asking.depth,
    )
