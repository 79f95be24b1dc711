"""How caps stand: pure functions of the settings, the sums of a day, and what running turns hold."""

from collections.abc import Mapping, Sequence

from mama_bot.config import BudgetSettings, Cap, TaskCap
from mama_bot.model import (
    Account,
    Balance,
    BudgetScope,
    BudgetUnit,
    ConversationKey,
    DayOfSpending,
    InboundMessage,
    MessageId,
    Platform,
    RaisedCap,
    Spent,
    Turn,
    TurnId,
)

NOBODY = Account(
    turn_id=TurnId(""), message_id=MessageId(""), key=ConversationKey(Platform(""), ""), agent="", person=""
)
"""Whoever asks only how the whole service stands."""


def account_of(turn: Turn, message: InboundMessage) -> Account:
    """Return who pays for a turn that answers a message."""
    return Account(
        turn_id=turn.id,
        message_id=message.id,
        key=turn.key,
        agent=turn.persona,
        person=f"{message.key.platform}:{message.author.id}",
    )


def subject_of(account: Account, scope: BudgetScope) -> str:
    """Return whose budget a scope is for an account; what is raised for tasks and turns holds in a conversation."""
    if scope is BudgetScope.AGENT:
        return account.agent
    if scope is BudgetScope.PERSON:
        return account.person
    return "" if scope is BudgetScope.DAY else str(account.key)


def shared(mine: Account, other: Account, scope: BudgetScope) -> bool:
    """Return whether two accounts spend from the same budget."""
    match scope:
        case BudgetScope.TASK:
            return mine.message_id == other.message_id
        case BudgetScope.TURN:
            return mine.turn_id == other.turn_id
        case BudgetScope.CONVERSATION:
            return mine.key == other.key
        case BudgetScope.AGENT:
            return mine.agent == other.agent
        case BudgetScope.PERSON:
            return mine.person == other.person
        case BudgetScope.DAY:
            return True


def balances(
    settings: BudgetSettings, day: DayOfSpending, account: Account, held: Mapping[BudgetScope, Spent]
) -> tuple[Balance, ...]:
    """Return how each cap stands that an account is held to, in the order of the scopes."""
    standing = []
    known, caps = {scope for scope, _spent in day.by_scope}, _caps(settings)
    for scope in (scope for scope in BudgetScope if scope in known):  # no other scope has a cap
        subject = subject_of(account, scope)
        for unit in BudgetUnit:
            raised = _raised(day.raised, scope, subject, unit)
            most = _most(caps[scope], unit) if raised is None else raised
            if most is not None:
                standing.append(
                    Balance(
                        scope=scope,
                        unit=unit,
                        most=most,
                        spent=day.spent(scope).of(unit),
                        held=held.get(scope, Spent()).of(unit),
                        subject=subject,
                        raised=raised is not None,
                    )
                )
    return tuple(standing)


def capped(settings: BudgetSettings) -> frozenset[BudgetScope]:
    """Return the scopes for which a cap is configured."""
    caps = ((scope, _most(cap, unit)) for scope, cap in _caps(settings).items() for unit in BudgetUnit)
    return frozenset(scope for scope, most in caps if most is not None)


def _caps(settings: BudgetSettings) -> Mapping[BudgetScope, Cap]:
    return {
        BudgetScope.TASK: settings.task,
        BudgetScope.TURN: settings.turn,
        BudgetScope.CONVERSATION: settings.conversation,
        BudgetScope.AGENT: settings.agent,
        BudgetScope.PERSON: settings.person,
        BudgetScope.DAY: settings.day,
    }


def _most(cap: Cap, unit: BudgetUnit) -> float | None:
    match unit:
        case BudgetUnit.TOKENS:
            return cap.tokens
        case BudgetUnit.USD:
            return cap.usd
        case BudgetUnit.SECONDS:
            return cap.seconds if isinstance(cap, TaskCap) else None


def _raised(raised: Sequence[RaisedCap], scope: BudgetScope, subject: str, unit: BudgetUnit) -> float | None:
    own = (cap.most for cap in reversed(raised) if (cap.scope, cap.subject, cap.unit) == (scope, subject, unit))
    return next(own, None)
