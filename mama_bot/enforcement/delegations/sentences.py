"""What is said of delegations that cannot be carried out, to their sender and to people."""

from mama_bot.wording import Said

_FORM = "a delegation stands on a line of its own: DELEGATE::name::task"
_KOREAN_FORM = "위임은 한 줄에 하나씩 씁니다: DELEGATE::이름::작업"
TWO_ON_A_LINE = Said(
    f"Two delegations share a line; {_FORM}.",
    f"한 줄에 위임이 둘 있습니다. {_KOREAN_FORM}.",
)
UNREADABLE = Said(
    f"This delegation cannot be read; {_FORM}. Put it into `code` to only show it.",
    f"이 위임은 읽을 수 없습니다. {_KOREAN_FORM}. 보여 주기만 하려면 `코드`로 쓰세요.",
)
NAMES_NOBODY = Said(
    f"A delegation names nobody; {_FORM}.",
    f"받을 사람이 없는 위임입니다. {_KOREAN_FORM}.",
)
NO_SUCH_PERSONA = Said(
    "There is no persona {name!r} to delegate to. {hint}",
    "없는 페르소나에게 한 위임입니다: {name!r}. {hint}",
)
DID_YOU_MEAN = Said("Did you mean {name!r}?", "혹시 {name!r}입니까?")
KNOWN = Said("Known: {names}.", "아는 이름: {names}.")
TO_ITSELF = Said("A persona cannot delegate to itself.", "페르소나는 자신에게 위임할 수 없습니다.")
WAITS_FOR_IT = Said(
    "{recipient} waits for the outcome of this very task, so it cannot be asked to do it: report to {recipient} what "
    "is open.",
    "다시 맡길 수 없는 상대입니다: {recipient}. 바로 이 작업의 결과를 기다리고 있으니 남은 것을 보고하세요.",
)
MAY_NOT = Said(
    "{sender} may not delegate to {recipient}, only to: {allowed}.",
    "위임할 수 없는 상대입니다: {sender} → {recipient}. 위임할 수 있는 상대: {allowed}.",
)
NOBODY = Said("nobody", "없음")
NO_TASK = Said("The delegation to {recipient} has no task.", "{recipient}에게 하는 위임에 작업이 없습니다.")
HANDED_ON = Said(
    "What you hand on to {recipient} is not passed on as it is. {feedback}",
    "{recipient}에게 넘기려는 내용은 이대로 전달하지 않습니다. {feedback}",
)
NO_OUTCOME = Said(
    "The delegation to {recipient} does not say what is to come of it. Add EXPECTED OUTCOME: the files and "
    "results that must exist afterwards, one to a line.",
    "{recipient}에게 하는 위임에 무엇이 나와야 하는지 없습니다. EXPECTED OUTCOME(기대 결과)에 있어야 할 "
    "파일과 결과를 한 줄에 하나씩 쓰세요.",
)
TOO_MANY = Said(
    "Of one reply at most {most} delegations are handed on, so the last {left} are not. Hand those on later.",
    "답 하나에서 위임은 {most}개까지만 전달하므로 마지막 {left}개는 전달하지 않습니다. 그것은 나중에 맡기세요.",
)
CORRECT_IT = Said(
    "{reason} Correct the delegation, or do the work yourself.",
    "{reason} 위임을 고치거나 직접 하세요.",
)
NOT_CARRIED_OUT = Said("Not carried out: {reason}", "실행하지 않았습니다: {reason}")
