"""What people are shown of a call that waits for them, and what an agent is told of their answer."""

from collections.abc import Mapping

from mama_bot.model import QuestionState
from mama_bot.wording import Said

QUESTION = Said(
    "**#{number} · {name} asks before this runs.** {reason}",
    "**#{number} · {name}: 실행하기 전에 승인이 필요합니다.** {reason}",
)
HOW = Said(
    "Answer within {time}, by the buttons or by `{approve} {number}`, `{deny} {number} why`. No answer is a no. "
    "“Always here” lets whatever {rules} asks run in this conversation from now on.",
    "{time} 안에 버튼이나 `{approve} {number}`, `{deny} {number} 이유`로 답해 주세요. 답이 없으면 거절로 처리합니다. "
    "“여기서는 항상”을 누르면 이 대화에서는 규칙 {rules}에 걸리는 호출을 앞으로 묻지 않고 허용합니다.",
)
AT_CHECKPOINT = Said(
    "**#{number} · {name} waits at the checkpoint** `{checkpoint}`**.** {reason}",
    "**#{number} · {name}: 체크포인트** `{checkpoint}`**에서 승인을 기다립니다.** {reason}",
)
HOW_AT_CHECKPOINT = Said(
    "Answer within {time}, by the buttons or by `{approve} {number}`, `{deny} {number} why`. No answer is a no. "
    "Once approved it holds in this conversation, until `{deny} {number}` or `/reset`.",
    "{time} 안에 버튼이나 `{approve} {number}`, `{deny} {number} 이유`로 답해 주세요. 답이 없으면 거절로 처리합니다. "
    "승인하면 `{deny} {number}`나 `/reset` 전까지 이 대화에서 계속 유효합니다.",
)
WHERE = Said("In `{directory}`:", "`{directory}`에서 실행:")
MINUTES = Said("{n:g} min", "{n:g}분")
SECONDS = Said("{n:g} s", "{n:g}초")

OUTCOMES: Mapping[QuestionState, Said] = {
    QuestionState.APPROVED: Said("#{number}: approved by {by}.", "#{number}: {by} 님이 승인했습니다."),
    QuestionState.ALWAYS: Said(
        "#{number}: approved by {by}, and from now on whatever {rules} asks in this conversation. "
        "`{deny} {number}` takes that back.",
        "#{number}: {by} 님이 승인했습니다. 이 대화에서는 규칙 {rules}에 걸리는 호출을 앞으로도 허용합니다. "
        "`{deny} {number}` 명령으로 취소할 수 있습니다.",
    ),
    QuestionState.DENIED: Said("#{number}: denied by {by}.{why}", "#{number}: {by} 님이 거절했습니다.{why}"),
    QuestionState.WITHDRAWN: Said(
        "#{number}: {by} took back that what {rules} asks runs here unasked.",
        "#{number}: {by} 님이 규칙 {rules}에 대한 ‘여기서는 항상’을 취소했습니다.",
    ),
    QuestionState.EXPIRED: Said(
        "#{number}: nobody answered in time, so it was not run.", "#{number}: 제때 답이 없어 실행하지 않았습니다."
    ),
    QuestionState.STOPPED: Said(
        "#{number}: the work ended before anybody answered, so it was not run.",
        "#{number}: 답하기 전에 작업이 끝나 실행하지 않았습니다.",
    ),
}
CHECKPOINT_OUTCOMES: Mapping[QuestionState, Said] = {
    QuestionState.ALWAYS: Said(
        "#{number}: `{checkpoint}` approved by {by}. It holds in this conversation; `{deny} {number}` takes it back.",
        "#{number}: {by} 님이 `{checkpoint}` 승인을 했습니다. 이 대화에서 계속 유효하며 "
        "`{deny} {number}` 명령으로 취소할 수 있습니다.",
    ),
    QuestionState.WITHDRAWN: Said(
        "#{number}: {by} took back the approval of `{checkpoint}`.",
        "#{number}: {by} 님이 `{checkpoint}` 승인을 취소했습니다.",
    ),
}
WHY = Said(" “{why}”", " “{why}”")

ASKED = Said("**#{number} · {name} asks you:**", "**#{number} · {name}의 질문:**")
HOW_TO_CHOOSE = Said(
    "Answer within {time}: by a button, by `{answer} {number} 1`, or here in your own words.",
    "{time} 안에 버튼이나 `{answer} {number} 1`로, 또는 여기에 직접 적어 답해 주세요.",
)
HOW_TO_REPLY = Said(
    "Answer within {time}: here in your own words, or by `{answer} {number} your words`.",
    "{time} 안에 여기에 직접 적거나 `{answer} {number} 답변`으로 답해 주세요.",
)
REPLIES: Mapping[QuestionState, Said] = {
    QuestionState.REPLIED: Said("#{number}: answered by {by}: “{words}”", "#{number}: {by} 님의 답: “{words}”"),
    QuestionState.DENIED: Said("#{number}: {by} does not answer this.", "#{number}: {by} 님이 답하지 않기로 했습니다."),
    QuestionState.EXPIRED: Said(
        "#{number}: nobody answered in time, and the agent goes on without.",
        "#{number}: 제때 답이 없어 에이전트가 답 없이 계속합니다.",
    ),
    QuestionState.STOPPED: Said(
        "#{number}: the work ended before anybody answered.", "#{number}: 답하기 전에 작업이 끝났습니다."
    ),
}

# To agents.
FEEDBACK: Mapping[QuestionState, str] = {
    QuestionState.DENIED: "{reason} A person was asked, and denied it{why}, so it was not run.",
    QuestionState.EXPIRED: "{reason} A person was asked, and nobody answered in time, so it was not run.",
    QuestionState.STOPPED: "{reason} The turn was stopped while a person was asked, so it was not run.",
}
FEEDBACK = {**FEEDBACK, QuestionState.WITHDRAWN: FEEDBACK[QuestionState.DENIED]}
UNASKED: Mapping[QuestionState, str] = {
    QuestionState.EXPIRED: "{reason} A person has to approve it, and the time for that passed while it waited behind "
    "another question, so it was not run.",
    QuestionState.STOPPED: "{reason} A person has to approve it, and the turn was stopped before anybody was asked, so "
    "it was not run.",
}
TOO_LONG = (
    "{reason} A person has to approve it, and it is too long for anybody to read, so it was not run. Make it in parts "
    "that can be read, at most {most:,} characters each."
)
CHECKPOINT_DENIED = (
    "{reason} A person was asked to let the checkpoint {checkpoint} pass, and denied it{why}, so this was not run. "
    "Change nothing until it is approved: say in your reply what you would do instead, and ask for approval."
)
GO_ON = "Do not try the same in another way. Go on without it, and say in your reply what was not done, and why."
BECAUSE = " with these words: “{why}”"
