"""What speaks against merging the work of a conversation: its latest word about the work, as it was judged."""

from mama_bot.intake import deed_sentences as says
from mama_bot.model import BadgeKind, ConversationView, Reply, Verdict, badge_of
from mama_bot.wording import Language

ANYWAY = frozenset(("anyway", "그래도"))
LATEST_MESSAGES = 20
AGAINST = frozenset((BadgeKind.CONTRADICTED, BadgeKind.CHECK_FAILED, BadgeKind.FAILURES))


def caution_of(view: ConversationView, language: Language) -> str:
    """Return what to tell whoever merges, "" where the latest reply that changed or claimed anything is in order.

    Against it are a reply that was let through as one that needs review, and a badge of failures.
    """
    receipts = {receipt.turn_id: receipt for receipt in view.receipts}
    replies = [entry.post for entry in view.posts if isinstance(entry.post, Reply)]
    last = next((reply for reply in reversed(replies) if reply.change or reply.turn_id in receipts), None)
    if last is None:
        return ""
    receipt = receipts.get(last.turn_id)
    badge = None if receipt is None else badge_of(receipt)
    if last.verdict is not Verdict.NEEDS_REVIEW and (badge is None or badge.kind not in AGAINST):
        return ""
    line = last.record_line or says.MARKED_NEEDS_REVIEW.to(language)
    return says.NOT_IN_ORDER.to(language, name=last.display_name, line=line)
