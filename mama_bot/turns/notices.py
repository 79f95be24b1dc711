"""The lines that the service itself writes, in the person's language: what happened, and what the person can do."""

from collections.abc import Sequence

from mama_bot.errors import AgentError
from mama_bot.model import (
    AgentPersona,
    Attempt,
    Delegation,
    InboundMessage,
    Judgement,
    Notice,
    NoticeKind,
    PostId,
    Turn,
    Withheld,
)
from mama_bot.model.reviews import approval_of
from mama_bot.wording import plain_name


def _of_turn(turn: Turn, kind: NoticeKind, text: str, *, approval: str = "") -> Notice:
    return Notice(
        id=PostId(f"{turn.id}.{kind.value}"),
        key=turn.key,
        notice=kind,
        text=text,
        turn_id=turn.id,
        answers=turn.message_id,
        approval=approval,
    )


def withheld(turn: Turn, persona: AgentPersona, attempt: Attempt, outcome: Withheld, *, korean: bool = False) -> Notice:
    """A reply was given up by the chain."""
    tries = attempt.draft.attempt + 1
    name, reason = persona.display_name, outcome.reason
    english = f"{name}'s reply was withheld after {tries} attempt{'s' if tries > 1 else ''}: {reason}"
    return _of_turn(
        turn, NoticeKind.WITHHELD, f"{name}: {tries}번 시도한 답변을 보류했습니다. {reason}" if korean else english
    )


def breaker(turn: Turn, persona: AgentPersona, judgement: Judgement, *, korean: bool = False) -> Notice:
    """A persona's drafts were rejected so often in a row on one task that it gets no further retry.

    Its id is that of the exchange and the persona: the line is posted once.
    """
    name, stage, count = persona.display_name, judgement.rejected_by, judgement.rejections
    times = "1 reply was" if count == 1 else f"{count} replies in a row were"
    english = f"{name}: {times} rejected on one task, the last by {stage}; there is no further retry. "
    hangul = f"{name}: 한 작업의 답변이 연속 {count}번 거부되어(마지막 검사: {stage}) 더 다시 시도하지 않습니다. "
    if turn.delegation is not None:
        english += "Delegations of the same task to it are not carried out any more for this message. "
        hangul += "이 메시지에서는 같은 작업을 다시 위임해도 실행하지 않습니다. "
    english += "Ask again for less at once or more clearly, or ask somebody else: a new message counts from zero."
    hangul += "더 작게 나누거나 더 분명하게 다시 요청하거나, 다른 에이전트에게 요청하세요. 새 메시지는 처음부터 셉니다."
    return Notice(
        id=PostId(f"{turn.message_id}.{NoticeKind.BREAKER.value}.{persona.name}"),
        key=turn.key,
        notice=NoticeKind.BREAKER,
        text=hangul if korean else english,
        turn_id=turn.id,
        answers=turn.message_id,
    )


def agent_failed(turn: Turn, error: AgentError, *, korean: bool = False) -> Notice:
    """No draft came."""
    text = (
        f"{turn.persona}: 답변하지 못했습니다. {error} 메시지는 보관되어 있습니다. 다시 보내면 다시 시도합니다."
        if korean
        else f"{turn.persona} could not answer. {error} Your message is kept; send it again to retry."
    )
    return _of_turn(turn, NoticeKind.FAILED, text)


def timed_out(turn: Turn, seconds: float, *, korean: bool = False) -> Notice:
    """The turn ran into its deadline."""
    text = (
        f"{turn.persona}: {seconds:g}초 안에 끝나지 않아 중단했습니다. "
        "메시지를 다시 보내거나, 한 번에 더 적게 요청하거나, turns.deadline_seconds를 늘리세요."
        if korean
        else f"{turn.persona} did not finish within {seconds:g} seconds and was stopped. "
        "Send the message again, ask for less at once, or raise turns.deadline_seconds."
    )
    return _of_turn(turn, NoticeKind.FAILED, text)


def persona_gone(turn: Turn, *, korean: bool = False) -> Notice:
    """The persona was removed from the configuration while its turn waited."""
    text = (
        f"{turn.persona}: 이제 없는 페르소나입니다. 아무도 답변하지 않았습니다."
        if korean
        else f"The persona {turn.persona} does not exist any more; nobody answered."
    )
    return _of_turn(turn, NoticeKind.FAILED, text)


def stopped(turn: Turn, by: str, *, korean: bool = False) -> Notice:
    """A person stopped the turn."""
    by = plain_name(by)
    text = (
        f"중단됨{f' ({by})' if by else ''}: {turn.persona}의 작업을 멈췄습니다. 지금까지의 변경은 그대로 있습니다."
        if korean
        else f"Stopped{f' by {by}' if by else ''}: {turn.persona} was at work. What it changed so far stays."
    )
    return _of_turn(turn, NoticeKind.STOPPED, text)


def never_began(message: InboundMessage, by: str, *, korean: bool = False) -> Notice:
    """A person stopped a message that still waited."""
    by = plain_name(by)
    text = (
        f"중단됨{f' ({by})' if by else ''}: 시작하기 전에 멈췄습니다. 이 메시지에는 아무도 답변하지 않습니다."
        if korean
        else f"Stopped{f' by {by}' if by else ''} before anyone began: nobody answers this message."
    )
    return Notice(
        id=PostId(f"{message.id}.stopped"), key=message.key, notice=NoticeKind.STOPPED, text=text, answers=message.id
    )


def hops_spent(turn: Turn, dropped: Sequence[Delegation], budget: int, *, korean: bool = False) -> Notice:
    """Delegations that were not carried out."""
    names = ", ".join(delegation.recipient for delegation in dropped)
    text = (
        f"이 메시지의 위임 한도 {budget}번을 다 썼습니다. {turn.persona}의 위임({names})은 실행하지 않았습니다. "
        "계속하려면 다시 쓰세요."
        if korean
        else f"The hop budget of {budget} delegations for this message is spent: "
        f"{turn.persona}'s delegation to {names} was not carried out. Write again to go on."
    )
    return _of_turn(turn, NoticeKind.HOPS_SPENT, text)


def not_routed(message: InboundMessage, note: str) -> Notice:
    """Somebody was addressed who does not exist."""
    return Notice(
        id=PostId(f"{message.id}.routing"), key=message.key, notice=NoticeKind.NOT_ROUTED, text=note, answers=message.id
    )


def given_up(message: InboundMessage, error: BaseException, *, korean: bool = False) -> Notice:
    """The whole exchange failed in the service itself."""
    kind = type(error).__name__
    text = (
        f"이 메시지를 처리하지 못했습니다({kind}). 자세한 내용은 서비스 로그에 있습니다. 다시 보내면 다시 시도합니다."
        if korean
        else f"This message could not be worked on ({kind}). The service's log tells more; send it again to retry."
    )
    return Notice(
        id=PostId(f"{message.id}.given_up"), key=message.key, notice=NoticeKind.FAILED, text=text, answers=message.id
    )


def review_rejected(turn: Turn, work: Turn, issues: Sequence[str], reviews: int, *, korean: bool = False) -> Notice:
    """The reviews are used up, or the rework brought nothing, and the work is not approved: a person decides."""
    listed = "\n".join(f"- {issue}" for issue in issues)
    times = f" after {reviews} review{'' if reviews == 1 else 's'}" if reviews else ""
    counted = f"{reviews}번의 리뷰 뒤에도 " if reviews else ""
    text = (
        f"사람이 결정해야 합니다: {work.persona}의 작업은 {counted}승인되지 않았습니다. 남은 문제:\n{listed}\n"
        "변경은 그대로 있습니다. 어떻게 할지 쓰세요: 고칠 점, 받아들일지, 되돌릴지."
        if korean
        else f"A person is needed: the work of {work.persona} is not approved{times}. What is open:\n{listed}\n"
        "The changes stay as they are. Say what to do: what to mend, accept it, or undo it."
    )
    return _of_turn(turn, NoticeKind.NEEDS_PERSON, text, approval=approval_of(work.id))


def review_without_verdict(turn: Turn, work: Turn, *, korean: bool = False) -> Notice:
    """The reviewer came to no verdict that holds."""
    text = (
        f"사람이 결정해야 합니다: {turn.persona}의 리뷰가 유효한 판정 없이 끝나 {work.persona}의 작업은 승인되지 "
        "않았습니다. 변경은 그대로 있습니다. 직접 확인하거나 다시 리뷰를 요청하세요."
        if korean
        else f"A person is needed: the review by {turn.persona} ended without a verdict that holds, so the work of "
        f"{work.persona} is not approved. The changes stay as they are. Look at them, or ask for another review."
    )
    return _of_turn(turn, NoticeKind.NEEDS_PERSON, text, approval=approval_of(work.id))


def never_reviewed(turn: Turn, work: Turn, *, korean: bool = False) -> Notice:
    """Work that waits for its delegations to be reviewed, and whose persona then came to no reply."""
    text = (
        f"사람이 결정해야 합니다: {work.persona}의 변경은 리뷰가 필요하지만 위임 결과를 받은 뒤 답변 없이 끝나 "
        "리뷰되지 않았습니다. 승인되지 않았으며 변경은 그대로 있습니다. 직접 확인하거나 리뷰를 요청하세요."
        if korean
        else f"A person is needed: what {work.persona} changed needs a review, and was not reviewed because its turn "
        "after its delegations ended without a reply. It is not approved. The changes stay as they are. "
        "Look at them, or ask for a review."
    )
    return _of_turn(turn, NoticeKind.NEEDS_PERSON, text, approval=approval_of(work.id))


def review_delegates(turn: Turn, dropped: Sequence[Delegation], *, korean: bool = False) -> Notice:
    """A reviewer wanted to hand something on."""
    names = ", ".join(delegation.recipient for delegation in dropped)
    text = (
        f"리뷰에서는 위임하지 않습니다: {turn.persona}의 위임({names})은 실행하지 않았습니다."
        if korean
        else f"A review delegates nothing: {turn.persona}'s delegation to {names} was not carried out."
    )
    return _of_turn(turn, NoticeKind.DELEGATION, text)


def no_reviewer(turn: Turn, work: Turn, *, korean: bool = False) -> Notice:
    """Work needs a review, and nobody but its author could do it."""
    text = (
        f"사람이 결정해야 합니다: {work.persona}의 변경은 리뷰가 필요하지만 할 수 있는 다른 에이전트가 없습니다"
        "(reviews.reviewer). 승인되지 않았습니다."
        if korean
        else f"A person is needed: what {work.persona} changed needs a review, and there is no other agent to do it "
        "(reviews.reviewer). It is not approved."
    )
    return _of_turn(turn, NoticeKind.NEEDS_PERSON, text, approval=approval_of(work.id))
