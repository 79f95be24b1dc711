"""What is said of claims that the record does not bear out, to their author and to people."""

from mama_bot.model import ClaimReason
from mama_bot.wording import Said

YOU_WROTE = Said('you wrote "{text}"; {says}', '"{text}"라고 썼지만 {says}')
YOU_DECLARED = Said('you declared "{text}"; {says}', '"{text}"라고 선언했지만 {says}')
QUOTED = Said('"{text}": {says}', '"{text}": {says}')
MORE = Said("({count} more)", "(외 {count}건)")
CONTRADICTED = Said(
    "The record contradicts {count} of the reply's claims: {first}",
    "답변의 주장 {count}건이 기록과 다릅니다: {first}",
)
UNSUPPORTED = Said(
    "The record does not show {count} of the reply's claims: {first}",
    "답변의 주장 {count}건이 기록에 없습니다: {first}",
)
REJECTED_AGAINST = Said(
    "Your reply was rejected: the record of your tool calls says otherwise.",
    "답변이 반려되었습니다. 도구 호출 기록과 다릅니다.",
)
REJECTED_OPEN = Said(
    "Your reply was rejected: the record of your tool calls does not show what you claim.",
    "답변이 반려되었습니다. 주장한 내용이 도구 호출 기록에 없습니다.",
)
NOT_SHOWN = Said("not shown by the record:", "기록에서 확인되지 않음:")
HOW_TO_DECLARE = Said(
    'Call report(outcomes=[{{"kind": "tests", "tool": "pytest", "passed": 45}}]), or end the reply with the same in a '
    "block ```report.",
    'report(outcomes=[{{"kind": "tests", "tool": "pytest", "passed": 45}}])를 호출하거나, 같은 내용을 ```report '
    "블록으로 답변 끝에 쓰세요.",
)
NOTHING_RUN = Said("nothing was run.", "실행된 것이 없습니다.")
SHOW_WORK = Said(
    "Your reply says that the work is done, and the record of your tool calls is empty. Do the work and declare what "
    "came out, or say that nothing was done. {how}",
    "작업이 끝났다고 썼지만 도구 호출 기록이 비어 있습니다. 작업을 실제로 하고 결과를 선언하거나, "
    "하지 않았다고 쓰세요. {how}",
).of(how=HOW_TO_DECLARE)
NOTHING_CHECKED = Said("nothing was checked.", "확인된 것이 없습니다.")
SHOW_CHECKS = Said(
    "Your reply says that the work is done, and neither shows nor declares what came out. Run the checks that there "
    "are, or say what was not checked. {how}",
    "작업이 끝났다고 썼지만 결과를 보여 주지도 선언하지도 않았습니다. 있는 검사를 실행하거나, "
    "확인하지 않은 것을 쓰세요. {how}",
).of(how=HOW_TO_DECLARE)
DECLARE_AGAIN = Said(
    "What you declare has to equal the record: call `report` again (or write the block ```report again) with what it "
    "shows.",
    "선언은 기록과 정확히 같아야 합니다. `report`를 다시 호출하거나(또는 ```report 블록을 다시 쓰고) 기록대로 "
    "선언하세요.",
)
NOT_READ = Said("What this reply declares could not be read: {problem}", "이 답변의 선언을 읽지 못했습니다: {problem}")
WRITE_AGAIN = Said(
    "Your reply was rejected: its block ```report could not be read. {problem} Write it again, or call the tool.",
    "답변이 반려되었습니다. ```report 블록을 읽지 못했습니다. {problem} 다시 쓰거나 도구를 호출하세요.",
)
BANNER_AGAINST = Said("the record contradicts this reply.", "이 답변은 기록과 다릅니다.")
BANNER_OPEN = Said("the record does not show what this reply claims.", "이 답변의 주장이 기록에 없습니다.")
# What to do about it; said once for each reason.
REMEDIES = {
    ClaimReason.NO_SUCH_RUN: Said(
        "Do it now and report what comes out, or say that it was not done.",
        "지금 실행하고 결과를 쓰거나, 하지 않았다고 쓰세요.",
    ),
    ClaimReason.BEFORE_LAST_EDIT: Said(
        "Run it again, now that the code has changed.",
        "코드가 바뀌었으니 다시 실행하세요.",
    ),
    ClaimReason.FAILED: Said(
        "Mend it and run it again, or report the failure.",
        "고친 뒤 다시 실행하거나, 실패했다고 쓰세요.",
    ),
    ClaimReason.OTHER_FIGURES: Said(
        "Report the figures as the record has them.",
        "기록에 있는 그대로 수치를 쓰세요.",
    ),
    ClaimReason.MASKED: Said(
        "Run it without `|| true` and without a pipe that hides its exit status.",
        "종료 코드를 가리는 `|| true`나 파이프 없이 실행하세요.",
    ),
    ClaimReason.BACKGROUND: Said(
        "Wait until it has finished, and read its result.",
        "끝날 때까지 기다린 뒤 결과를 확인하세요.",
    ),
    ClaimReason.RAN_NOTHING: Said(
        "Run it so that it really does something.",
        "실제로 동작하도록 실행하세요.",
    ),
    ClaimReason.ELSEWHERE: Said(
        "Run it where the change is.",
        "변경한 곳에서 실행하세요.",
    ),
    ClaimReason.ANOTHER_AGENT: Said(
        "Run it yourself.",
        "직접 실행하세요.",
    ),
}
NOTHING_TO_DO = Said(
    "Say that there was nothing to commit or push, or commit and push what is meant.",
    "커밋하거나 푸시할 것이 없었다고 쓰거나, 말한 변경을 실제로 커밋하고 푸시하세요.",
)
