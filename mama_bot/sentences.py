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

PLACED = Said("{place}{problem}", "{place}{problem}")
ANOTHER_PROCESS = Said("another process", "다른 프로세스")
ITS_PROCESS = Said("process {pid}", "프로세스 {pid}")
ALREADY_RUNNING = Said(
    "The data directory {directory} is in use by {owner}. "
    "Stop that process, or set MAMA_DATA_DIRECTORY to another directory.",
    "데이터 디렉터리 {directory:을/를} {owner:이/가} 사용하고 있습니다. "
    "그 프로세스를 멈추거나 MAMA_DATA_DIRECTORY를 다른 디렉터리로 설정하세요.",
)
PORT_TAKEN = Said(
    "Cannot listen on {host}:{port}: the address is in use or not allowed. "
    "Stop the program that holds it, or set web.port (MAMA_WEB__PORT) to a free port.",
    "{host}:{port}에서 기다릴 수 없습니다. 주소가 사용 중이거나 허용되지 않습니다. "
    "그 프로그램을 멈추거나 web.port(MAMA_WEB__PORT)를 빈 포트로 설정하세요.",
)
ENDED_BY_ITSELF = Said(
    "{part} ended by itself; the log tells why. Nothing is lost: start the service again, and it goes on.",
    "{part:이/가} 저절로 끝났습니다. 이유는 로그에 있습니다. 잃은 것은 없으니 서비스를 다시 시작하면 이어집니다.",
)
NO_SUCH_RECEIPT = Said(
    "There is no receipt {reference!r}. The page shows the number of each under its reply; replies that claim "
    "nothing have none.",
    "근거 {reference!r:은/는} 없습니다. 번호는 페이지에서 각 답변 아래에 보입니다. "
    "주장이 없는 답변에는 근거가 없습니다.",
)

NO_SUCH_PERSONA = Said(
    en="There is no persona @{name}. {meant} @{default} answers.",
    ko="@{name}: 없는 페르소나입니다. {meant} @{default}: 대신 답변합니다.",
)
DID_YOU_MEAN = Said(en="Did you mean {name}?", ko="혹시 {name}?")
KNOWN = Said(en="Known: {names}.", ko="있는 이름: {names}.")
