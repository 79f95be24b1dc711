"""What people are told of reviews."""

from mama_bot.wording import Said

AFTER_REVIEWS = Said(en=" after {reviews:review|reviews}", ko="{reviews}번의 리뷰 뒤에도 ")
NOT_APPROVED = Said(
    en="A person is needed: the work of {worker} is not approved{after}. What is open:\n{issues}\n"
    "The changes stay as they are. Say what to do: what to mend, accept it, or undo it.",
    ko="사람이 결정해야 합니다: {worker}의 작업은 {after}승인되지 않았습니다. 남은 문제:\n{issues}\n"
    "변경은 그대로 있습니다. 어떻게 할지 쓰세요: 고칠 점, 받아들일지, 되돌릴지.",
)
UNDER_REVIEW = Said(
    en="{reviewers} will look at this work. It is not approved before that.",
    ko="{reviewers:이/가} 이 작업을 리뷰합니다. 그전에는 승인된 것이 아닙니다.",
)
NOT_REVIEWED = Said(
    en="This work needs a review, which is still to come. It is not approved before that.",
    ko="이 작업은 리뷰가 필요하며 아직 리뷰되지 않았습니다. 그전에는 승인된 것이 아닙니다.",
)
NO_VERDICT = Said(
    en="A person is needed: the review by {reviewer} ended without a verdict that holds, so the work of {worker} is "
    "not approved. The changes stay as they are. Look at them, or ask for another review.",
    ko="사람이 결정해야 합니다: {reviewer}의 리뷰가 유효한 판정 없이 끝나 {worker}의 작업은 승인되지 "
    "않았습니다. 변경은 그대로 있습니다. 직접 확인하거나 다시 리뷰를 요청하세요.",
)
NEVER_REVIEWED = Said(
    en="A person is needed: what {worker} changed needs a review, and was not reviewed because its turn after its "
    "delegations ended without a reply. It is not approved. The changes stay as they are. Look at them, or ask for a "
    "review.",
    ko="사람이 결정해야 합니다: {worker}의 변경은 리뷰가 필요하지만 위임 결과를 받은 뒤 답변 없이 끝나 "
    "리뷰되지 않았습니다. 승인되지 않았으며 변경은 그대로 있습니다. 직접 확인하거나 리뷰를 요청하세요.",
)
REVIEW_DELEGATES_NOTHING = Said(
    en="A review delegates nothing: {reviewer}'s delegation to {names} was not carried out.",
    ko="리뷰에서는 위임하지 않습니다: {reviewer}의 위임({names})은 실행하지 않았습니다.",
)
NO_REVIEWER = Said(
    en="A person is needed: what {worker} changed needs a review, and there is no other agent to do it "
    "(reviews.reviewer). It is not approved.",
    ko="사람이 결정해야 합니다: {worker}의 변경은 리뷰가 필요하지만 할 수 있는 다른 에이전트가 없습니다"
    "(reviews.reviewer). 승인되지 않았습니다.",
)
NOBODY_TO_REVIEW = Said(
    en="Nobody else can review the work of {worker}: an agent reviews none of its own ({setting}).",
    ko="{worker}의 작업을 리뷰할 다른 에이전트가 없습니다. 에이전트는 자기 작업을 리뷰하지 않습니다({setting}).",
)
ITEM_DESCRIPTION = Said(
    en="{issue}\n\nFound by {by} in the review {review} of the work {work}.",
    ko="{issue}\n\n작업 {work}의 리뷰 {review}에서 {by:이/가} 찾았습니다.",
)
ITEM_CLOSED = Said(en="{by} approved the work.", ko="{by:이/가} 작업을 승인했습니다.")
ISSUES_FILED = Said(
    en="What the review found is on the board: {items}", ko="리뷰에서 찾은 문제를 보드에 올렸습니다: {items}"
)
NO_ISSUE_NAMED = Said(
    en="The reviewer did not approve, and named no issue.", ko="리뷰어가 승인하지 않았고 문제를 적지 않았습니다."
)
NO_QUORUM = Said(
    en="A person is needed: what {worker} changed needs a review by {quorum} agents who agree, and "
    "{count:agent|agents} can be asked (reviews.consensus). It is not approved. Not asked: {absent}.",
    ko="사람이 결정해야 합니다: {worker}의 변경은 의견이 같은 에이전트 {quorum}명의 리뷰가 필요하지만 요청할 수 있는 "
    "에이전트는 {count}명입니다(reviews.consensus). 승인되지 않았습니다. 요청하지 못함: {absent}.",
)
CONSENSUS_APPROVES = Said(
    en="The reviewers approve the work of {worker} ({count} of {asked}; {quorum} decide):\n{votes}",
    ko="리뷰어들이 {worker}의 작업을 승인했습니다({asked}명 중 {count}명, 정족수 {quorum}):\n{votes}",
)
CONSENSUS_REJECTS = Said(
    en="The reviewers reject the work of {worker} ({count} of {asked}; {quorum} decide):\n{votes}",
    ko="리뷰어들이 {worker}의 작업을 거부했습니다({asked}명 중 {count}명, 정족수 {quorum}):\n{votes}",
)
DIVIDED = Said(
    en="A person is needed: the reviewers of {worker}'s work do not agree ({quorum} of {asked} decide):\n{votes}\n"
    "It is not approved, and the changes stay as they are.",
    ko="사람이 결정해야 합니다: {worker}의 작업에 대한 리뷰어들의 의견이 갈립니다({asked}명 중 정족수 {quorum}):\n"
    "{votes}\n승인되지 않았고 변경은 그대로 있습니다.",
)
TOO_FEW = Said(
    en="A person is needed: {count} of {asked} reviewers of {worker}'s work came to a verdict, and {quorum} have to "
    "agree:\n{votes}\nIt is not approved, and the changes stay as they are.",
    ko="사람이 결정해야 합니다: {worker}의 작업에 대한 리뷰어 {asked}명 중 {count}명만 판정했고 "
    "{quorum}명이 같은 의견이어야 합니다:\n{votes}\n승인되지 않았고 변경은 그대로 있습니다.",
)
VOTE_APPROVES = Said(en="{name} approves", ko="{name}: 승인")
VOTE_REJECTS = Said(en="{name} rejects: {issues}", ko="{name}: 거부. {issues}")
MORE_REASONS = Said(en="and {count} more", ko="그 밖에 {count}건")
VOTE_ABSTAINS = Said(en="{name} abstains: {why}", ko="{name}: 기권. {why}")
NOTHING_SAID = Said(en="it gave no answer", ko="답변하지 않았습니다")
REPLY_WITHHELD = Said(en="its reply was withheld", ko="답변이 보류되었습니다")
NO_VERDICT_STATED = Said(en="it stated no verdict", ko="판정을 밝히지 않았습니다")
NOT_PROVEN = Said(en="it approves without evidence that holds", ko="유효한 근거 없이 승인했습니다")
CANNOT_BE_ASKED = Said(
    en="it worked on this itself, waits for it, is another one's double, or is gone",
    ko="직접 작업했거나, 이 작업을 기다리거나, 다른 리뷰어와 같은 에이전트이거나, 없어졌습니다",
)
