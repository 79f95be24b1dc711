"""What whoever reports a verdict, or a call that was stopped, is told."""

from mama_bot.wording import Said

MISSED = frozenset({"missed", "놓침"})
REPORTED_DRAFT = Said(
    "Reported as no. {number}: attempt {n}, which was sent back. The draft and the verdict are kept{note} for "
    "whoever runs this service.",
    "{number}번으로 신고했습니다: 반려된 {n}차 시도. 초안과 판정은{note} 이 서비스를 운영하는 사람을 위해 보관됩니다.",
)
WITH_NOTE = Said(", with your note,", " 메모와 함께")
REPORTED = Said(
    "Reported as no. {number}. The text and the verdict are kept{note} for whoever runs this service.",
    "{number}번으로 신고했습니다. 글과 판정은{note} 이 서비스를 운영하는 사람을 위해 보관됩니다.",
)
REPORTED_MISS = Said(
    "Reported as no. {number}: the reply passed, and should not have. It is counted as missed, and the text is kept"
    "{note} with its record for whoever runs this service; by itself a report changes no verdict.",
    "{number}번으로 신고했습니다: 통과하지 말았어야 할 답변. 놓친 것으로 집계되고, 글은{note} 작업 기록과 함께 이 "
    "서비스를 운영하는 사람을 위해 보관됩니다. 신고만으로 판정이 바뀌지는 않습니다.",
)
PASSED_AFTER = Said(
    "If it is the reply that is wrong, as it was posted: `{command} missed NOTE`.",
    "게시된 답변이 틀렸다면 이렇게 알려 주세요: `{command} 놓침 메모`.",
)
NOTE_ADDED = Said(
    "Your note was added to report {number}, which is open.", "메모를 처리 전인 신고 {number}번에 추가했습니다."
)
NOTHING_TO_REPORT = Said(
    "Nothing was answered here of late, and no rule stopped a call: there is nothing to report.",
    "최근에 답변한 것도 규칙이 막은 것도 없어 신고할 것이 없습니다.",
)
BLOCK_REPORTED = Said(
    "Reported: the rule {rule} stopped a call that it should have let run. `mama-bot rules report` tells whoever "
    "runs this service.",
    "신고했습니다: 규칙 {rule:이/가} 막지 말아야 할 호출을 막았습니다. 이 서비스를 운영하는 사람은 `mama-bot rules "
    "report`에서 볼 수 있습니다.",
)
BLOCK_REPORTED_WITH_NOTE = Said(
    "Reported: the rule {rule} stopped a call that it should have let run. `mama-bot rules report` tells whoever "
    "runs this service, with your note.",
    "신고했습니다: 규칙 {rule:이/가} 막지 말아야 할 호출을 막았습니다. 이 서비스를 운영하는 사람은 `mama-bot rules "
    "report`에서 메모와 함께 볼 수 있습니다.",
)
BLOCK_REPORTED_BEFORE = Said(
    "What the rule {rule} stopped last was reported already.",
    "규칙 {rule:이/가} 마지막으로 막은 호출은 이미 신고되었습니다.",
)
