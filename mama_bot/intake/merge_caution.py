"""What speaks against merging the work of a conversation: its latest word about the work, and what was run on it."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from enum import Enum, auto

from mama_bot.facts import facts_of_turn
from mama_bot.facts.check_words import last_checks
from mama_bot.facts.line import files_of_turn
from mama_bot.facts.places import is_code
from mama_bot.intake import deed_sentences as says
from mama_bot.model import (
    CHECK_KINDS,
    BadgeKind,
    ChangeId,
    ClaimReceipt,
    Cleared,
    ConversationView,
    Freshness,
    Reply,
    RunEnd,
    StoredTurn,
    TurnId,
    TurnState,
    Verdict,
    WorkChange,
    badge_of,
)
from mama_bot.wording import Language, Said

LATEST_MESSAGES = 20
LATEST_CHANGES = 50
AGAINST = frozenset((BadgeKind.CONTRADICTED, BadgeKind.CHECK_FAILED, BadgeKind.FAILURES))
WITHOUT_REPLY = frozenset((TurnState.WITHHELD, TurnState.FAILED, TurnState.STOPPED))
FRESH = frozenset((Freshness.FRESH, Freshness.RESTYLED))


class _Standing(Enum):
    """What a turn says of the work as it stands."""

    CHECKED = auto()
    FAILED = auto()
    UNANSWERED = auto()
    UNCHECKED = auto()


AGAINST_IT = {
    _Standing.FAILED: says.CHECKS_FAILED,
    _Standing.UNANSWERED: says.ENDED_WITHOUT_REPLY,
    _Standing.UNCHECKED: says.UNCHECKED,
}


def caution_of(
    view: ConversationView,
    changes: Sequence[WorkChange],
    language: Language,
    *,
    since: datetime | None = None,
    approved: Collection[TurnId] = frozenset(),
) -> str:
    """Return what to tell whoever merges, "" where the work was checked and its latest word is in order.

    Against it are a latest reply about the work that needs review or has a badge of failures; a later turn that changed
    files and ended without a reply; checks that failed in the end; and code that changed after the last check
    that is known to have passed. `changes` are those of the conversation, the latest first; what ended before `since`
    is merged. Of the turns that are `approved` it counts no more that their reply waited for a review.
    """
    receipts = {receipt.turn_id: receipt for receipt in view.receipts}
    replies = {entry.post.turn_id: entry.post for entry in view.posts if isinstance(entry.post, Reply)}
    last = next((reply for reply in reversed(replies.values()) if reply.change or reply.turn_id in receipts), None)
    if last is not None and _is_against(last, receipts.get(last.turn_id), is_approved=last.turn_id in approved):
        return _told(says.NOT_IN_ORDER, last.display_name, last.record_line or says.MARKED_NEEDS_REVIEW, language)
    standing = {change.id for change in changes if change.undoes is None and change.undone_by is None}
    # Whoever delegates ends after those who did the work, and has heard what they ran.
    for stored in sorted(view.turns, key=_ended, reverse=True):
        if since is not None and _ended(stored) < since:
            break
        stands = _stands(stored, standing, receipts)
        if stands in AGAINST_IT:
            reply = replies.get(stored.turn.id)
            name, line = (reply.display_name, reply.record_line) if reply is not None else (stored.turn.persona, "")
            return _told(AGAINST_IT[stands], name, line, language)
        if stands is _Standing.CHECKED:
            break
    return ""


def _stands(
    stored: StoredTurn, standing: Collection[ChangeId], receipts: Mapping[TurnId, ClaimReceipt]
) -> _Standing | None:
    """Return what a turn says of the work; None where it says nothing of it."""
    changed = ChangeId(stored.turn.id) in standing
    if changed and stored.state in WITHOUT_REPLY:
        return _Standing.UNANSWERED
    facts = facts_of_turn(stored.attempts[-1].draft.record if stored.attempts else stored.turn.undrafted, stored.turn)
    checks = last_checks(facts, CHECK_KINDS)
    if any(check.end is RunEnd.FAILED for check in checks):
        return _Standing.FAILED
    receipt = receipts.get(stored.turn.id)
    has_passed = receipt is not None and bool(receipt.checks)  # with one that failed its badge spoke against it
    if has_passed or any(check.end is RunEnd.PASSED and check.freshness in FRESH for check in checks):
        return _Standing.CHECKED
    files = files_of_turn(facts)
    is_document = bool(files) and not any(is_code(file.path) for file in files)
    return _Standing.UNCHECKED if changed and not is_document else None


def _ended(stored: StoredTurn) -> datetime:
    return stored.ended_at or stored.created_at


def _is_against(reply: Reply, receipt: ClaimReceipt | None, *, is_approved: bool) -> bool:
    badge = None if receipt is None else badge_of(receipt)
    judged = reply.judgement.outcome
    verdict = judged.verdict if is_approved and isinstance(judged, Cleared) else reply.verdict
    return verdict is Verdict.NEEDS_REVIEW or (badge is not None and badge.kind in AGAINST)


def _told(against: Said, name: str, line: str | Said, language: Language) -> str:
    lines = (against.of(name=name), line, says.MERGES_ANYWAY)
    return "\n".join(each if isinstance(each, str) else each.to(language) for each in lines if each)
