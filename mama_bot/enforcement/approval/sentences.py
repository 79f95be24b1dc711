"""What is said of approvals without evidence, to their author and to people."""

from mama_bot.wording import Said

MISSING = Said("The reply approves without evidence.", "근거 없이 승인한 답변입니다.")
SHOW_EVIDENCE = Said(
    "Your approval was rejected: it names no evidence. What did you verify? Run the checks, then say which "
    'command you ran and what came out, for example "pytest: 45 passed in 3.2s".',
    "승인이 반려되었습니다. 근거가 없습니다. 무엇을 검증했습니까? 검사를 실행하고 어떤 명령을 실행했고 "
    '어떤 결과가 나왔는지 쓰세요. 예: "pytest: 45 passed in 3.2s".',
)
CONTRADICTED = Said('The reply approves although it says "{quote}".', '"{quote}"라고 하면서 승인한 답변입니다.')
EXPLAIN = Said(
    'Your approval was rejected: the same reply says "{quote}". What did you verify? '
    "Run the checks again and report the figures, or do not approve.",
    '승인이 반려되었습니다. 같은 답변에 "{quote}"라고 되어 있습니다. 무엇을 검증했습니까? '
    "검사를 다시 실행해 수치를 보고하거나 승인하지 마세요.",
)
BANNER = Said("this approval has no evidence that holds.", "이 승인에는 유효한 근거가 없습니다.")
