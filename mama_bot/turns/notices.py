"""The lines that the service itself writes, in the person's language: what happened, and what the person can do."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from mama_bot.budgets.budgets import BudgetSpent
from mama_bot.errors import AgentError
from mama_bot.model import (
    PAGE,
    AgentPersona,
    Attempt,
    ConversationKey,
    Delegation,
    InboundMessage,
    Judgement,
    Notice,
    NoticeKind,
    PostId,
    Turn,
    Withheld,
)
from mama_bot.turns.sentences import (
    AGENT_FAILED,
    ASK_FOR_LESS,
    BEGUN_ANEW,
    BUDGET_SPENT,
    BY,
    BY_YOU,
    CHAIN_STOPPED,
    GIVEN_UP,
    HOPS_SPENT,
    IDLE_STOPPED,
    NEVER_BEGAN,
    NO_FURTHER_RETRY,
    NOT_DELEGATED_AGAIN,
    PAIR_STOPPED,
    PERSONA_GONE,
    SESSION_GONE,
    SESSION_MOVED,
    STOPPED,
    TIMED_OUT,
    TIMED_OUT_IN_TROUBLE,
    WITHHELD,
)
from mama_bot.wording import Language, Said, plain_name


def of_turn(turn: Turn, kind: NoticeKind, text: str, *, approval: str = "") -> Notice:
    """Return a line about a turn; there is one of each kind at most."""
    return Notice(
        id=PostId(f"{turn.id}.{kind.value}"),
        key=turn.key,
        notice=kind,
        text=text,
        turn_id=turn.id,
        answers=turn.message_id,
        approval=approval,
    )


def of_message(message: InboundMessage, name: str, kind: NoticeKind, text: str) -> Notice:
    """Return a line about a message that no turn answers; `name` tells it from the others about the same message."""
    return Notice(id=PostId(f"{message.id}.{name}"), key=message.key, notice=kind, text=text, answers=message.id)


def withheld(turn: Turn, persona: AgentPersona, attempt: Attempt, outcome: Withheld) -> Notice:
    """Return a reply was given up by the chain."""
    tries = attempt.draft.attempt + 1
    text = WITHHELD.to(turn.language, name=persona.display_name, tries=tries, reason=outcome.reason)
    return of_turn(turn, NoticeKind.WITHHELD, text)


def breaker(turn: Turn, persona: AgentPersona, judgement: Judgement) -> Notice:
    """Return a persona's drafts were rejected so often in a row on one task that it gets no further retry.

    Its id is that of the exchange and the persona: the line is posted once.
    """
    rejected = NO_FURTHER_RETRY.to(
        turn.language, name=persona.display_name, count=judgement.rejections, stage=judgement.rejected_by
    )
    also = [NOT_DELEGATED_AGAIN.to(turn.language)] if turn.delegation is not None else []
    return Notice(
        id=PostId(f"{turn.message_id}.{NoticeKind.BREAKER.value}.{persona.name}"),
        key=turn.key,
        notice=NoticeKind.BREAKER,
        text=" ".join((rejected, *also, ASK_FOR_LESS.to(turn.language))),
        turn_id=turn.id,
        answers=turn.message_id,
    )


def agent_failed(turn: Turn, error: AgentError) -> Notice:
    """Return the notice that no draft came."""
    text = AGENT_FAILED.to(turn.language, persona=turn.persona, error=error.sentence, advice=error.advice)
    return of_turn(turn, NoticeKind.FAILED, text)


def begun_anew(turn: Turn) -> Notice:
    """Return the notice that an agent's session had grown too large, and that the turn goes on in a new one."""
    return of_turn(turn, NoticeKind.BEGUN_ANEW, BEGUN_ANEW.to(turn.language, persona=turn.persona))


def session_gone(turn: Turn) -> Notice:
    """Return the notice that what an agent remembered of a conversation is not there any more."""
    notice = of_turn(turn, NoticeKind.BEGUN_ANEW, SESSION_GONE.to(turn.language, persona=turn.persona))
    return replace(notice, id=PostId(f"{notice.id}.gone"))


def session_moved(turn: Turn) -> Notice:
    """Return the notice that an agent goes on on another machine, where its unmerged work is not."""
    notice = of_turn(turn, NoticeKind.BEGUN_ANEW, SESSION_MOVED.to(turn.language, persona=turn.persona))
    return replace(notice, id=PostId(f"{notice.id}.moved"))


def backend_changed(turn: Turn, backend: str, sentence: Said) -> Notice:
    """Return the notice that another CLI than before works for the persona of a turn."""
    notice = of_turn(turn, NoticeKind.BACKEND, sentence.to(turn.language))
    return replace(notice, id=PostId(f"{notice.id}.{backend}"))


def budget_spent(turn: Turn, error: BudgetSpent) -> Notice:
    """Return the notice that a cap is reached, so the turn was not begun, or ended where it was."""
    text = BUDGET_SPENT.to(turn.language, persona=turn.persona, reason=error.sentence)
    return of_turn(turn, NoticeKind.FAILED, text)


def timed_out(turn: Turn, seconds: float, trouble: AgentError | None = None) -> Notice:
    """Return the notice that a turn ran into its deadline, and what kept its agent from answering until then."""
    if trouble is not None:
        given = {"persona": turn.persona, "seconds": seconds, "error": trouble.sentence, "advice": trouble.advice}
        return of_turn(turn, NoticeKind.FAILED, TIMED_OUT_IN_TROUBLE.to(turn.language, **given))
    return of_turn(turn, NoticeKind.FAILED, TIMED_OUT.to(turn.language, persona=turn.persona, seconds=seconds))


def persona_gone(turn: Turn) -> Notice:
    """Return the notice that the persona was removed from the configuration while its turn waited."""
    return of_turn(turn, NoticeKind.FAILED, PERSONA_GONE.to(turn.language, persona=turn.persona))


def stopped(turn: Turn, by: str) -> Notice:
    """Return the notice that a person stopped the turn."""
    text = STOPPED.to(turn.language, by=_by(by, turn.key, turn.language), persona=turn.persona)
    return of_turn(turn, NoticeKind.STOPPED, text)


def never_began(message: InboundMessage, by: str, language: Language) -> Notice:
    """Return the notice that a person stopped a message that still waited."""
    text = NEVER_BEGAN.to(language, by=_by(by, message.key, language))
    return of_message(message, "stopped", NoticeKind.STOPPED, text)


def hops_spent(turn: Turn, dropped: Sequence[Delegation], budget: int) -> Notice:
    """Delegations were not carried out: there were too many for one message."""
    names = ", ".join(delegation.recipient for delegation in dropped)
    text = HOPS_SPENT.to(turn.language, budget=budget, persona=turn.persona, names=names)
    return of_turn(turn, NoticeKind.HOPS_SPENT, text)


def pair_stopped(turn: Turn, delegation: Delegation, rounds: int) -> Notice:
    """Return the notice that two agents got nowhere with each other, so no more is handed on between them."""
    text = PAIR_STOPPED.to(turn.language, sender=delegation.sender, recipient=delegation.recipient, rounds=rounds)
    notice = of_turn(turn, NoticeKind.LOOP, text)
    return replace(notice, id=PostId(f"{notice.id}.{delegation.recipient}"))


def chain_stopped(message: InboundMessage, count: int, now: datetime) -> Notice:
    """Return the notice that nobody answers bots and hooks that write with no person there; one an hour."""
    text = CHAIN_STOPPED.to(message.language, name=plain_name(message.author.name), count=count)
    return _loop(message, text, now)


def idle_stopped(message: InboundMessage, rounds: int, now: datetime) -> Notice:
    """Return the notice that nobody answers a bot with which nothing new came; one an hour."""
    text = IDLE_STOPPED.to(message.language, name=plain_name(message.author.name), rounds=rounds)
    return _loop(message, text, now)


def _loop(message: InboundMessage, text: str, now: datetime) -> Notice:
    notice = of_message(message, "loop", NoticeKind.LOOP, text)
    return replace(notice, id=PostId(f"loop.{message.key}.{now:%Y%m%d%H}"))


def not_routed(message: InboundMessage, note: str) -> Notice:
    """Somebody was addressed who does not exist."""
    return of_message(message, "routing", NoticeKind.NOT_ROUTED, note)


def given_up(message: InboundMessage, error: BaseException) -> Notice:
    """Return the whole exchange failed in the service itself."""
    text = GIVEN_UP.to(message.language, kind=type(error).__name__)
    return of_message(message, "given_up", NoticeKind.FAILED, text)


def _by(name: str, key: ConversationKey, language: Language) -> str:
    plain = plain_name(name)
    if plain and key.platform == PAGE:  # of one person, who has no name there
        return BY_YOU.to(language)
    return BY.to(language, name=plain) if plain else ""
