"""What people are told by the modules that stand in no room: the errors and the router."""

from mama_bot.wording import Said

QUEUE_FULL = Said(
    "The queue of {scope} is full ({limit} messages wait). Send the message again when some are answered.",
    "대기열이 가득 찼습니다(메시지 {limit}개 대기). 일부 답변이 끝난 뒤 다시 보내 주세요.",
)

TOO_MANY_PROCESSES = Said(
    "The agent's processes were ended: there were {measured} of them, and sandbox.limits.processes allows {allowed}.",
    "에이전트의 프로세스를 종료했습니다. {measured}개였고, sandbox.limits.processes는 {allowed}개까지 허용합니다.",
)
TOO_MUCH_MEMORY = Said(
    "The agent's processes were ended: they used {measured} MB of memory, and sandbox.limits.memory_megabytes allows "
    "{allowed}.",
    "에이전트의 프로세스를 종료했습니다. 메모리 {measured}MB를 썼고, "
    "sandbox.limits.memory_megabytes는 {allowed}MB까지 허용합니다.",
)
DISK_NEARLY_FULL = Said(
    "The agent's processes were ended: they went on writing with {measured} MB left on the disk "
    "(sandbox.limits.free_disk_megabytes).",
    "에이전트의 프로세스를 종료했습니다. 디스크에 {measured}MB만 남았는데 계속 썼습니다"
    "(sandbox.limits.free_disk_megabytes).",
)

NO_SUCH_PERSONA = Said(
    en="There is no persona @{name}. {meant} @{default} answers.",
    ko="@{name}: 없는 페르소나입니다. {meant} @{default}: 대신 답변합니다.",
)
DID_YOU_MEAN = Said(en="Did you mean {name}?", ko="혹시 {name}?")
KNOWN = Said(en="Known: {names}.", ko="있는 이름: {names}.")
