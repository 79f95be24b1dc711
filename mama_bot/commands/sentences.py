"""What an agent is told that `mama-bot review-gate` holds."""

from mama_bot.wording import Said

MISSING = Said(
    "This work needs a review (reviews.require_review_for), and none was asked for in session {session}. "
    "Ask for it: mama-bot review-gate request --session {session} --agent NAME",
    "이 작업에는 리뷰가 필요한데(reviews.require_review_for) 세션 {session}에는 요청된 리뷰가 없습니다. "
    "요청하세요: mama-bot review-gate request --session {session} --agent NAME",
)
PENDING = Said(
    "The review of session {session} is pending: nobody has begun it. Another agent or a person has to review and "
    "approve the work before you may end.",
    "세션 {session}의 리뷰가 아직 시작되지 않았습니다. 다른 에이전트나 사람이 리뷰하고 승인해야 끝낼 수 있습니다.",
)
IN_REVIEW = Said(
    "{reviewer} is reviewing session {session}: you may not end before the verdict.",
    "{reviewer:이/가} 세션 {session:을/를} 리뷰하는 중입니다. 판정 전에는 끝낼 수 없습니다.",
)
REJECTED = Said(
    "{reviewer} rejected the work of session {session}. Issues: {issues} Mend them, then ask again: mama-bot "
    "review-gate request --session {session} --agent {worker}",
    "{reviewer:이/가} 세션 {session}의 작업을 거부했습니다. 문제: {issues} 고친 뒤 다시 요청하세요: mama-bot "
    "review-gate request --session {session} --agent {worker}",
)
HELD_BEFORE = Said(
    "{reason} You were held here before in this turn, and it is still not approved.",
    "{reason} 이 차례에 이미 한 번 멈췄고, 그 뒤로 승인되지 않았습니다.",
)
