"""The lines that the service itself writes: what happened, and what the person can do."""

from collections.abc import Sequence

from mama_bot.errors import AgentError
from mama_bot.model import (
    AgentPersona,
    Attempt,
    Delegation,
    InboundMessage,
    Notice,
    NoticeKind,
    PostId,
    Turn,
    Withheld,
)


def _of_turn(turn: Turn, kind: NoticeKind, text: str) -> Notice:
    return Notice(id=PostId(f"{turn.id}.{kind.value}"), key=turn.key, notice=kind, text=text, turn_id=turn.id)


def withheld(turn: Turn, persona: AgentPersona, attempt: Attempt, outcome: Withheld) -> Notice:
    """A reply was given up by the chain."""
    tries = attempt.draft.attempt + 1
    text = (
        f"{persona.display_name}'s reply was withheld after {tries} attempt{'s' if tries > 1 else ''}: {outcome.reason}"
    )
    return _of_turn(turn, NoticeKind.WITHHELD, text)


def agent_failed(turn: Turn, error: AgentError) -> Notice:
    """No draft came."""
    return _of_turn(
        turn,
        NoticeKind.FAILED,
        f"{turn.persona} could not answer. {error} Your message is kept; send it again to retry.",
    )


def timed_out(turn: Turn, seconds: float) -> Notice:
    """The turn ran into its deadline."""
    return _of_turn(
        turn,
        NoticeKind.FAILED,
        f"{turn.persona} did not finish within {seconds:g} seconds and was stopped. "
        "Send the message again, ask for less at once, or raise turns.deadline_seconds.",
    )


def persona_gone(turn: Turn) -> Notice:
    """The persona was removed from the configuration while its turn waited."""
    return _of_turn(turn, NoticeKind.FAILED, f"The persona {turn.persona} does not exist any more; nobody answered.")


def stopped(turn: Turn, by: str) -> Notice:
    """A person stopped the turn."""
    who = f" by {by}" if by else ""
    return _of_turn(
        turn, NoticeKind.STOPPED, f"Stopped{who}: {turn.persona} was at work. What it changed so far stays."
    )


def hops_spent(turn: Turn, dropped: Sequence[Delegation], budget: int) -> Notice:
    """Delegations that were not carried out."""
    names = ", ".join(delegation.recipient for delegation in dropped)
    return _of_turn(
        turn,
        NoticeKind.HOPS_SPENT,
        f"The hop budget of {budget} delegations for this message is spent: {turn.persona}'s delegation to {names} "
        "was not carried out. Write again to go on.",
    )


def not_routed(message: InboundMessage, note: str) -> Notice:
    """Somebody was addressed who does not exist."""
    return Notice(id=PostId(f"{message.id}.routing"), key=message.key, notice=NoticeKind.NOT_ROUTED, text=note)


def given_up(message: InboundMessage, error: BaseException) -> Notice:
    """The whole exchange failed in the service itself."""
    return Notice(
        id=PostId(f"{message.id}.given_up"),
        key=message.key,
        notice=NoticeKind.FAILED,
        text=f"This message could not be worked on ({type(error).__name__}). The service's log tells more; "
        "send it again to retry.",
    )
