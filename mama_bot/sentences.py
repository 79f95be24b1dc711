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
CALL_CHANGED = Said(
    "The agent was ended: it told another call of {tool} than the one that was permitted, and that one may not run. "
    "Look at what it did.",
    "에이전트를 종료했습니다. {tool} 호출이 허용된 것과 다르게 바뀌었고, 바뀐 호출은 허용되지 않습니다. "
    "무엇을 했는지 확인하세요.",
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

# --- what keeps an agent from answering, and what helps

SEND_AGAIN = Said(
    "Your message is kept; send it again to retry.", "메시지는 보관되어 있습니다. 다시 보내면 다시 시도합니다."
)
ASK_FOR_LESS = Said(
    "Ask for less at once, or with fewer or smaller files.", "한 번에 더 적게, 또는 파일을 줄여서 다시 요청하세요."
)
ASK_OTHERWISE = Said("Put it in other words, or ask for something else.", "다르게 표현하거나 다른 것을 요청하세요.")
OWNER_MENDS_LOGIN = Said(
    "An owner has to log in anew: set ANTHROPIC_API_KEY, or log in with `claude` on this machine; `mama-bot doctor` "
    "checks it. Your message is kept; send it again then.",
    "소유자가 다시 로그인해야 합니다. ANTHROPIC_API_KEY를 설정하거나 이 기기에서 `claude`로 로그인하세요. "
    "`mama-bot doctor`가 확인합니다. 메시지는 보관되어 있으니 그 뒤에 다시 보내세요.",
)
OWNER_ADDS_CREDIT = Said(
    "An owner has to add credit, or set another key. Your message is kept; send it again then.",
    "소유자가 크레딧을 충전하거나 다른 키를 설정해야 합니다. 메시지는 보관되어 있으니 그 뒤에 다시 보내세요.",
)
OWNER_NAMES_MODEL = Said(
    "An owner can name another one: claude.model, or `model` of the persona.",
    "소유자가 claude.model이나 페르소나의 `model`에 다른 모델을 지정할 수 있습니다.",
)
SEND_LATER = Said(
    "It was tried again meanwhile. Your message is kept; send it again in a few minutes.",
    "그동안 다시 시도했습니다. 메시지는 보관되어 있으니 몇 분 뒤에 다시 보내세요.",
)
SEND_AFTER = Said(
    "It asks to wait for {wait}, which is longer than claude.patience_seconds. "
    "Your message is kept; send it again then.",
    "{wait} 동안 기다려 달라고 하며, 이는 claude.patience_seconds보다 깁니다. "
    "메시지는 보관되어 있으니 그 뒤에 다시 보내세요.",
)
SEND_THEN = Said("Your message is kept; send it again then.", "메시지는 보관되어 있으니 그 뒤에 다시 보내세요.")
NOT_STARTED_NOW = Said(
    "Its agent failed to start {count:time|times} in a row, so it is not started before {wait} are over; "
    "the owners are told.",
    "에이전트 시작이 연속 {count}번 실패하여 {wait} 동안은 시작하지 않습니다. 소유자에게 알렸습니다.",
)
WAIT_SECONDS = Said("{number:second|seconds}", "{number}초")
WAIT_MINUTES = Said("{number:minute|minutes}", "{number}분")
WAIT_HOURS = Said("{number:hour|hours}", "{number}시간")

STATUS = Said(" (status {status})", " (상태 {status})")
RATE_LIMITED = Said(
    "The model's service takes no more requests of this account just now{code}.",
    "모델 서비스가 지금은 이 계정의 요청을 더 받지 않습니다{code}.",
)
OVERLOADED = Said("The model's service is overloaded{code}.", "모델 서비스에 요청이 몰려 있습니다{code}.")
SERVICE_BROKEN = Said("The model's service is in trouble{code}.", "모델 서비스에 문제가 있습니다{code}.")
NO_ANSWER = Said(
    "The model's service does not answer, or cannot be reached.", "모델 서비스가 응답하지 않거나 연결할 수 없습니다."
)
NO_CREDIT = Said("There is no credit left with the model's service{code}.", "모델 서비스의 크레딧이 없습니다{code}.")
UNKNOWN_MODEL = Said(
    "The model's service does not know the model, or this account may not use it{code}.",
    "모델 서비스가 이 모델을 모르거나, 이 계정은 사용할 수 없는 모델입니다{code}.",
)
REFUSED = Said("The model's safeguards stopped the answer.", "모델의 안전 장치가 답변을 막았습니다.")
EMPTY_REPLY = Said("The model gave an empty reply.", "모델이 빈 답변을 보냈습니다.")
CUT_OFF = Said(
    "The answer was longer than the model may write at once, and so was what followed.",
    "답변이 모델이 한 번에 쓸 수 있는 길이를 넘었고, 이어 쓴 것도 넘었습니다.",
)
TOO_LARGE = Said(
    "What the model was to read is longer than it can take{code}.",
    "모델이 읽을 내용이 받아들일 수 있는 길이보다 깁니다{code}.",
)
STEPS_SPENT = Said(
    "The agent used up its steps (claude.max_turns) without an answer.",
    "에이전트가 단계(claude.max_turns)를 다 쓰고도 답하지 못했습니다.",
)
BUDGET_SPENT = Said(
    "The agent's process spent its budget (claude.max_budget_usd).",
    "에이전트 프로세스가 예산(claude.max_budget_usd)을 다 썼습니다.",
)
MODEL_FAILED = Said("The model's service failed{code}: {reason}.", "모델 서비스 오류{code}: {reason}.")
CANNOT_WORK = Said(
    "The {backend} agent cannot work: {reason}. {remedy}", "{backend} 에이전트가 일할 수 없습니다: {reason}. {remedy}"
)
LOGIN_REFUSED = Said(
    "The {backend} agent is not logged in, or its login has expired.",
    "{backend} 에이전트가 로그인되어 있지 않거나 로그인이 만료되었습니다.",
)
CRASHED = Said(
    "The agent's process ended unexpectedly (exit status {status}).",
    "에이전트 프로세스가 예기치 않게 끝났습니다(종료 코드 {status}).",
)
NOT_KNOWN = Said("not known", "알 수 없음")
TIMED_OUT = Said(
    "The agent gave no {sign} within {seconds:g} seconds and was stopped.",
    "에이전트가 {seconds:g}초 안에 응답하지 않아 중단했습니다({sign}).",
)
SIGN_READY = Said("sign of being ready", "시작 대기")
SIGN_FIRST = Said("first sign of life", "첫 응답 대기")
SIGN_LIFE = Said("sign of life", "응답 대기")
INTERRUPTED = Said("The agent's turn was stopped.", "에이전트의 작업을 멈췄습니다.")
SESSION_LOST = Said(
    "The agent's session {session} cannot be resumed.", "에이전트의 세션 {session:을/를} 이어서 쓸 수 없습니다."
)
POOL_EXHAUSTED = Said(
    "All {size} agent processes were busy for {seconds:g} seconds. Raise pool.size, or try again later.",
    "에이전트 프로세스 {size}개가 {seconds:g}초 동안 모두 사용 중이었습니다. "
    "pool.size를 늘리거나 나중에 다시 시도하세요.",
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

# --- what does not get through to a platform

POST_DOES_NOT_PASS = Said(
    "⚠️ A message does not get through to this chat. If it does not follow this line, it was put aside: "
    "`mama-bot turns` lists it, and sends it again.",
    "⚠️ 메시지 하나가 이 채팅에 게시되지 않습니다. 이 줄 다음에 나오지 않으면 따로 보관된 것입니다. "
    "`mama-bot turns`에서 확인하고 다시 보낼 수 있습니다.",
)
FILE_DOES_NOT_PASS = Said(
    "📎 {name} could not be uploaded here.",
    "📎 {name:을/를} 여기에 올리지 못했습니다.",
)
