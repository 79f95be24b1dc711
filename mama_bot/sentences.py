"""What people are told by the modules that stand in no room: the errors and the router."""

from mama_bot.wording import Said

QUEUE_FULL = Said(
    "The queue of {scope} is full ({limit} messages wait). Send the message again when some are answered.",
    "대기열이 가득 찼습니다(메시지 {limit}개 대기). 일부 답변이 끝난 뒤 다시 보내 주세요.",
)

NO_SUCH_PERSONA = Said(
    en="There is no persona @{name}. {meant} @{default} answers.",
    ko="@{name}: 없는 페르소나입니다. {meant} @{default}: 대신 답변합니다.",
)
DID_YOU_MEAN = Said(en="Did you mean {name}?", ko="혹시 {name}?")
KNOWN = Said(en="Known: {names}.", ko="있는 이름: {names}.")
