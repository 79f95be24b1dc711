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
UNSEEN = Said(
    "An approval without a single look or run of the reviewer's own.",
    "검토자가 직접 읽거나 실행한 것이 없는 승인입니다.",
)
LOOK_YOURSELF = Said(
    "Your approval was rejected: the record shows no file that you read and no command that you ran. What the "
    "author ran does not count. Read the changes and run the checks yourself, then decide.",
    "승인이 반려되었습니다. 직접 읽은 파일도, 직접 실행한 명령도 기록에 없습니다. 작성자가 실행한 것은 "
    "근거가 되지 않습니다. 변경 내용을 읽고 검사를 직접 실행한 뒤 판단하세요.",
)
UNREAD = Said(
    "An approval of changed files that the reviewer did not read: {files}",
    "검토자가 읽지 않은 변경 파일을 승인했습니다: {files}",
)
READ_THEM = Said(
    "Your approval was rejected: the record does not show that you read {files}. Read every changed file (Read, "
    "`git diff` or `git show`), then decide.",
    "승인이 반려되었습니다. 읽은 기록이 없는 변경 파일: {files}. 변경된 파일을 모두 읽은 뒤(Read, `git diff` 또는 "
    "`git show`) 판단하세요.",
)
AND_MORE = Said("{names} and {count} more", "{names} 외 {count}개")
