"""A message that nobody sent, before the chain: what `mama-bot judge` and the page's box do alike."""

from collections.abc import Sequence
from dataclasses import replace

from mama_bot.config import ClaimCheckSettings, EnforcementSettings
from mama_bot.declarations import with_declaration
from mama_bot.enforcement import build_chain
from mama_bot.enforcement.delegations.requests import read_delegation
from mama_bot.facts import facts_of, for_next_turn
from mama_bot.model import (
    Audience,
    Author,
    ConversationKey,
    Draft,
    Facts,
    MessageId,
    Platform,
    ToolRecord,
    Trial,
    Turn,
    TurnId,
    TurnKind,
)
from mama_bot.protocols import Clock
from mama_bot.trial.given_messages import MessageInput, Role
from mama_bot.trial.given_records import given_record

ASKER = Author(id="asker", name="asker")
KEY = ConversationKey(Platform("judge"), "file")


class NoRepository:
    """Messages in a file have no work tree: the record of tools counts."""

    async def since(self, turn: Turn) -> frozenset[str] | None:  # noqa: ARG002 - the port's own form
        """None, always."""
        return None

    async def generated(self, turn: Turn, paths: Sequence[str]) -> frozenset[str]:  # noqa: ARG002
        """None of them."""
        return frozenset()

    async def places(self, turn: Turn) -> tuple[str, ...]:  # noqa: ARG002
        """None."""
        return ()


class TrialChain:
    """Judges messages that are given with their records, by every stage that needs no workspace."""

    def __init__(self, *, settings: EnforcementSettings, clock: Clock) -> None:
        self._settings = settings.claim_check
        self._chain = build_chain(settings=settings, changed_files=NoRepository(), clock=clock)

    async def judge(self, message: MessageInput) -> Trial:
        """Return what every stage says, and what the record shows."""
        turn, draft = _turn(message), _draft(message, self._settings)
        turn = replace(turn, earlier=_earlier(message, self._settings))
        judgement = await self._chain.survey(draft, turn)
        return Trial(judgement=judgement, facts=facts_of(draft.record, agent=turn.persona, earlier=turn.earlier))


def _turn(message: MessageInput) -> Turn:
    delegation = (
        read_delegation(message.delegation, sender=ASKER.id, recipient=message.agent)
        if message.delegation is not None
        else None
    )
    return Turn(
        id=TurnId(str(message.id)),
        message_id=MessageId(str(message.id)),
        key=KEY,
        persona=message.agent,
        kind=_kind(message),
        audience=Audience.AGENT if message.agent_to_agent else Audience.PERSON,
        asker=ASKER,
        prompt=message.delegation or "",
        delegation=delegation,
    )


def _draft(message: MessageInput, settings: ClaimCheckSettings) -> Draft:
    """Return the draft; one without a record is judged by its words."""
    record = ToolRecord(complete=False) if message.record is None else given_record(message, message.record, settings)
    return with_declaration(Draft(turn_id=TurnId(str(message.id)), attempt=0, text=message.text, record=record))


def _earlier(message: MessageInput, settings: ClaimCheckSettings) -> Facts:
    """Return what the records before that of the message show, each a turn of one conversation."""
    facts = Facts()
    for number, runs in enumerate(message.earlier):
        record = given_record(message, runs, settings, prefix=f"earlier-{number}-")
        facts = for_next_turn(facts_of(record, agent=message.agent, earlier=facts))
    return facts


def _kind(message: MessageInput) -> TurnKind:
    if message.role is Role.REVIEWER:
        return TurnKind.REVIEW
    return TurnKind.REQUEST if message.delegation is None else TurnKind.DELEGATION
