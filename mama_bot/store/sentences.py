"""What people are told of what the store does not take."""

from collections.abc import Mapping

from mama_bot.model import PairingState, ReviewStatus
from mama_bot.wording import Said

ID_TAKEN = Said(
    "The message id {id!r} is taken by a message of another conversation. "
    "Send it again with a new id: ids are unique over all conversations and platforms.",
    "메시지 ID {id!r:은/는} 다른 대화의 메시지가 쓰고 있습니다. 새 ID로 다시 보내 주세요. "
    "ID는 모든 대화와 플랫폼에서 하나뿐이어야 합니다.",
)

# --- requests to be served

PAIRING_STATES: Mapping[PairingState, Said] = {
    PairingState.ASKED: Said("asked", "요청됨"),
    PairingState.PAIRED: Said("paired", "연결됨"),
    PairingState.DENIED: Said("denied", "거절됨"),
}
NOT_PAIRED = Said(
    "Nobody is paired as {platform}/{person}. `mama-bot pair` lists who is, with their ids.",
    "{platform}/{person:으로/로} 연결된 사람이 없습니다. 연결된 사람과 ID는 `mama-bot pair`로 볼 수 있습니다.",
)
TOO_MANY_REQUESTS = Said(
    "{most} requests of {platform} are open already. Settle them with `mama-bot pair`, or set access.pairing to false.",
    "{platform}에 열린 요청이 이미 {most}건입니다. `mama-bot pair`로 정리하거나 access.pairing을 false로 바꾸세요.",
)
CODE_TAKEN = Said(
    "The code is taken. The person will get another one with their next message.",
    "이미 쓰이는 코드입니다. 다음 메시지에서 새 코드를 받습니다.",
)
NO_SUCH_CODE = Said(
    "There is no request with the code {code!r}. `mama-bot pair` lists the open ones.",
    "코드가 {code!r}인 요청이 없습니다. 열려 있는 요청은 `mama-bot pair`로 볼 수 있습니다.",
)
PAIRING_SETTLED = Said(
    "The request of {name} ({platform}/{person}) was settled before: it is {state}, by {by}. "
    "`mama-bot pair --remove {platform}/{person}` ends that.",
    "{name}({platform}/{person})의 요청은 이미 처리되었습니다: {state}, 처리한 사람 {by}. "
    "`mama-bot pair --remove {platform}/{person}` 명령으로 끝낼 수 있습니다.",
)
CODE_EXPIRED = Said(
    "The code {code} of {name} expired: it was given more than {hours:g} hours ago. "
    "They get a new one when they write again.",
    "{name}의 코드 {code:은/는} 기한이 지났습니다. 받은 지 {hours:g}시간이 넘었습니다. 다시 쓰면 새 코드를 받습니다.",
)

# --- reviews

REVIEW_STATES: Mapping[ReviewStatus, Said] = {
    ReviewStatus.PENDING: Said("pending", "대기 중"),
    ReviewStatus.IN_REVIEW: Said("in_review", "리뷰 중"),
    ReviewStatus.APPROVED: Said("approved", "승인됨"),
    ReviewStatus.REJECTED: Said("rejected", "거부됨"),
}
NO_REVIEW_WAITS = Said(
    "There is no review in this conversation that waits for this decision.",
    "이 대화에는 이 결정을 기다리는 리뷰가 없습니다. 이미 처리되었거나 기한이 지났습니다.",
)
WORK_SETTLED = Said(
    "The work of {worker} was settled before: it is {state}, by {reviewer}.",
    "{worker}의 작업은 이미 결정되었습니다: {state}, 결정한 사람 {reviewer}.",
)
NAMES_MISSING = Said(
    "A review needs the id of a session and the name of an agent.", "리뷰에는 세션 ID와 에이전트 이름이 있어야 합니다."
)
NO_REVIEW_TO_MOVE = Said(
    "Session {session} has no review that could become {state}: request one first.",
    "세션 {session}에는 리뷰가 없어 상태를 바꿀 수 없습니다({state}). 먼저 리뷰를 요청하세요.",
)
NOT_THE_WORKER = Said(
    "The work of session {session} is {worker}'s: {agent} cannot ask for its review.",
    "세션 {session}의 작업은 {worker}의 것이어서 {agent:은/는} 리뷰를 요청할 수 없습니다.",
)
OWN_WORK_REVIEWED = Said(
    "{agent} did the work of session {session} and cannot review it: another agent has to.",
    "{agent:이/가} 세션 {session}의 작업을 했으므로 리뷰할 수 없습니다. 다른 에이전트가 해야 합니다.",
)
NOT_ASKED_AGAIN = Said(
    "The review of session {session} is {state}: it cannot begin before {worker} asks for it again.",
    "세션 {session}의 리뷰 상태는 {state}입니다. {worker:이/가} 다시 요청해야 시작할 수 있습니다.",
)
OWN_WORK_SETTLED = Said(
    "{agent} did the work of session {session} and cannot settle its review: another agent has to.",
    "{agent:이/가} 세션 {session}의 작업을 했으므로 그 리뷰를 결정할 수 없습니다. 다른 에이전트가 해야 합니다.",
)
NOT_BEGUN = Said(
    "The review of session {session} is {state}: it becomes {to} only after a reviewer has begun it (in_review).",
    "세션 {session}의 리뷰 상태는 {state}입니다. 리뷰어가 시작한(in_review) 뒤에만 바꿀 수 있습니다({to}).",
)
NOT_THE_REVIEWER = Said(
    "The review of session {session} is {reviewer}'s: {agent} has to begin it before it can settle it.",
    "세션 {session}의 리뷰는 {reviewer}의 것입니다. {agent:은/는} 먼저 리뷰를 시작해야 결정할 수 있습니다.",
)

# --- reports of wrong verdicts

NOTE_TOO_LONG = Said(
    "The note has {size:,} characters; {most:,} are allowed. Shorten it.",
    "메모가 {size:,}자입니다. {most:,}자까지 되니 줄여 주세요.",
)
NOTHING_OBJECTED = Said(
    "No check objected to this draft, and it was not posted: there is no verdict to report.",
    "이 초안은 지적한 검사도 없고 게시되지도 않아 신고할 판정이 없습니다.",
)
REPORTED_BEFORE = Said(
    "This verdict was reported before: report {number} ({state}).", "이미 신고된 판정입니다({number}번)."
)
REPORT_SETTLED = Said(
    "This verdict was reported before, and report {number} is settled: your note was not kept.",
    "이미 신고되어 처리가 끝난 판정입니다({number}번). 메모는 보관되지 않았습니다.",
)
TOO_MANY_NOTES = Said(
    "Report {number} has {most} further notes already: yours was not kept.",
    "신고 {number}번에는 추가 메모가 이미 {most}개 있어, 이 메모는 보관되지 않았습니다.",
)
TOO_MANY_REPORTS = Said(
    "{most} reports are open, and no more are taken until some are settled (mama-bot reports, where the service runs).",
    "처리되지 않은 신고가 {most}건이라 지금은 더 받을 수 없습니다.",
)
NO_SUCH_VERDICT = Said("There is no such verdict in this conversation.", "이 대화에 그런 판정이 없습니다.")
