"""What people are told of turns."""

from mama_bot.wording import Said

WITHHELD = Said(
    en="{name}'s reply was withheld after {tries:attempt|attempts}: {reason}",
    ko="{name}: {tries}번 시도한 답변을 보류했습니다. {reason}",
)
NO_FURTHER_RETRY = Said(
    en="{name}: {count:reply was|replies in a row were} rejected on one task, the last by {stage}; "
    "there is no further retry.",
    ko="{name}: 한 작업의 답변이 연속 {count}번 거부되어(마지막 검사: {stage}) 더 다시 시도하지 않습니다.",
)
NOT_DELEGATED_AGAIN = Said(
    en="Delegations of the same task to it are not carried out any more for this message.",
    ko="이 메시지에서는 같은 작업을 다시 위임해도 실행하지 않습니다.",
)
ASK_FOR_LESS = Said(
    en="Ask again for less at once or more clearly, or ask somebody else: a new message counts from zero.",
    ko="더 작게 나누거나 더 분명하게 다시 요청하거나, 다른 에이전트에게 요청하세요. 새 메시지는 처음부터 셉니다.",
)
AGENT_FAILED = Said(
    en="{persona} could not answer. {error} {advice}",
    ko="{persona}: 답변하지 못했습니다. {error} {advice}",
)
BEGUN_ANEW = Said(
    en="The session of {persona} had grown longer than the model can take. It is begun anew: {persona} goes on with "
    "what was said here, and what it read itself it reads again.",
    ko="{persona}: 세션이 모델이 받아들일 수 있는 길이를 넘어 새로 시작했습니다. "
    "이 대화의 내용을 가지고 이어서 하며, 직접 읽은 것은 다시 읽습니다.",
)
SESSION_GONE = Said(
    en="The session of {persona} is not here any more: it was on a machine that is away, or was cleared away there. "
    "{persona} goes on with what was said here, and reads again what it read itself. Work that was not pushed or "
    "merged may be on that machine: look at `/diff`.",
    ko="{persona}: 세션이 더 이상 여기에 없습니다. 지금 없는 서버에 있었거나 그곳에서 지워졌습니다. 이 대화의 내용을 "
    "가지고 이어서 하며, 직접 읽은 것은 다시 읽습니다. push하거나 병합하지 않은 작업은 그 서버에 있을 수 있으니 "
    "`/diff`로 확인하세요.",
)
SESSION_MOVED = Said(
    en="{persona} goes on on another machine, and remembers what it did. Work that was not pushed or merged may be on "
    "the machine that is away: look at `/diff`.",
    ko="{persona}: 다른 서버에서 지금까지 한 일을 기억한 채 이어서 합니다. push하거나 병합하지 않은 작업은 지금 없는 "
    "서버에 있을 수 있으니 `/diff`로 확인하세요.",
)
BUDGET_SPENT = Said(
    en="{persona} does not go on: {reason} What was changed so far stays.",
    ko="{persona}: 더 진행하지 않습니다. {reason} 지금까지의 변경은 그대로 있습니다.",
)
TIMED_OUT = Said(
    en="{persona} did not finish within {seconds:g} seconds and was stopped. "
    "Send the message again, ask for less at once, or raise turns.deadline_seconds.",
    ko="{persona}: {seconds:g}초 안에 끝나지 않아 중단했습니다. "
    "메시지를 다시 보내거나, 한 번에 더 적게 요청하거나, turns.deadline_seconds를 늘리세요.",
)
TIMED_OUT_IN_TROUBLE = Said(
    en="{persona} did not finish within {seconds:g} seconds and was stopped. {error} {advice}",
    ko="{persona}: {seconds:g}초 안에 끝나지 않아 중단했습니다. {error} {advice}",
)
PERSONA_GONE = Said(
    en="The persona {persona} does not exist any more; nobody answered.",
    ko="{persona}: 이제 없는 페르소나입니다. 아무도 답변하지 않았습니다.",
)
BY = Said(en=" by {name}", ko=" ({name})")
BY_YOU = Said(en=" by you", ko=" (직접 멈춤)")
STOPPED = Said(
    en="Stopped{by}: {persona} was at work. What it changed so far stays.",
    ko="중단됨{by}: {persona}의 작업을 멈췄습니다. 지금까지의 변경은 그대로 있습니다.",
)
NEVER_BEGAN = Said(
    en="Stopped{by} before anyone began: nobody answers this message.",
    ko="중단됨{by}: 시작하기 전에 멈췄습니다. 이 메시지에는 아무도 답변하지 않습니다.",
)
HOPS_SPENT = Said(
    en="The hop budget of {budget} delegations for this message is spent: {persona}'s delegation to {names} was not "
    "carried out. Write again to go on.",
    ko="이 메시지의 위임 한도 {budget}번을 다 썼습니다. {persona}의 위임({names})은 실행하지 않았습니다. "
    "계속하려면 다시 쓰세요.",
)
PAIR_STOPPED = Said(
    en="{sender} and {recipient} asked and answered each other {rounds:time|times} with no new tool call, file or "
    "figure: the delegation was not carried out. Write again to go on.",
    ko="{sender}, {recipient}: 새 도구 호출이나 파일, 수치 없이 {rounds}번 주고받았습니다. 이 위임은 실행하지 "
    "않았습니다. 계속하려면 다시 쓰세요.",
)
CHAIN_STOPPED = Said(
    en="{name} is no person, and the last {count:message|messages} here were all from bots or hooks: nobody "
    "answers until a person writes here, or until there are fewer again (`loops`).",
    ko="{name}: 사람이 아니고, 여기의 최근 메시지 {count}개가 모두 봇이나 훅이 쓴 것입니다. "
    "사람이 쓰거나 수가 줄 때까지 답하지 않습니다(`loops`).",
)
IDLE_STOPPED = Said(
    en="{name} is a bot, and the last {rounds:round|rounds} with it brought no new tool call, file or figure: nobody "
    "answers it until a person writes here (`loops`).",
    ko="{name}: 봇이고, 최근 {rounds}번 주고받는 동안 새 도구 호출이나 파일, 수치가 없었습니다. "
    "사람이 쓸 때까지 답하지 않습니다(`loops`).",
)
GIVEN_UP = Said(
    en="This message could not be worked on ({kind}). The service's log tells more; send it again to retry.",
    ko="이 메시지를 처리하지 못했습니다({kind}). 자세한 내용은 서비스 로그에 있습니다. 다시 보내면 다시 시도합니다.",
)

# --- what owners are told of agents

PERSONA_RESTS = Said(
    "The agent of {persona} failed to start {count:time|times} in a row; it is tried again after a rest. {error}",
    "{persona}: 에이전트 시작이 연속 {count}번 실패했습니다. 잠시 뒤 다시 시도합니다. {error}",
)
PERSONA_STARTS = Said("The agent of {persona} starts again.", "{persona}: 에이전트가 다시 시작됩니다.")
LOGIN_IS_REFUSED = Said(
    "No {backend} agent can answer: the model's service refuses the login. {advice}",
    "{backend} 에이전트가 모두 답변할 수 없습니다. 모델 서비스가 로그인을 거부합니다. {advice}",
)
NO_CREDIT_LEFT = Said(
    "No {backend} agent can answer: there is no credit left with the model's service. {advice}",
    "{backend} 에이전트가 모두 답변할 수 없습니다. 모델 서비스의 크레딧이 없습니다. {advice}",
)
TROUBLE_ENDED = Said(
    "The model's service of the {backend} agents answers again.",
    "{backend} 에이전트의 모델 서비스가 다시 응답합니다.",
)

# --- which CLI works for a persona that names several

WORKS_WITH_ANOTHER = Said(
    "**{persona}** works with {backend} until {first} is well again. {error}",
    "**{persona}**: {first:이/가} 다시 될 때까지 {backend:으로/로} 일합니다. {error}",
)
WORKS_WITH_ITS_OWN = Said(
    "**{persona}** works with {backend} again.", "**{persona}**: 다시 {backend:으로/로} 일합니다."
)

# --- what a persona has to have before it speaks

NOT_READY = Said("{name} does not begin: {problem}", "{name}: 시작하지 않습니다. {problem}")
NO_FILE_TO_LOAD = Said(
    "the file {file} that it has to have read is not in the workspace (`critical_actions`).",
    "작업 공간에 반드시 읽어야 하는 파일이 없습니다: {file} (`critical_actions`).",
)
TOO_LONG_TO_LOAD = Said(
    "the file {file} that it has to have read is longer than {most:,} bytes (`critical_actions`).",
    "반드시 읽어야 하는 파일이 {most:,}바이트보다 깁니다: {file} (`critical_actions`).",
)
NO_RULE_ON = Said(
    "the rule {rule} that it is to be held by is off or not there (`critical_actions`).",
    "지켜야 하는 규칙이 꺼져 있거나 없습니다: {rule} (`critical_actions`).",
)
NO_CHECKS_PRESENT = Said(
    "the repository has no checks that the service runs (`repositories.NAME.checks`).",
    "서비스가 실행하는 검사가 저장소에 없습니다(`repositories.이름.checks`).",
)
ANOTHER_WORKFLOW = Said(
    "work here does not go by the workflow {workflow} (`/workflow {workflow}`).",
    "이 대화는 {workflow} 워크플로를 따르지 않습니다(`/workflow {workflow}`).",
)

# Work of a delegation of which its sender does not hear.
LEFT_ON_BRANCH = Said(
    "What {persona} had changed ({count} file(s)) is not in the work tree. It is kept there on the branch {branch}.",
    "{persona:이/가} 바꾼 것(파일 {count}개)은 작업 트리에 없습니다. 그곳의 {branch} 브랜치에 보관했습니다.",
)
LEFT_BESIDE = Said(
    "Other branches and the stash of {persona} are kept as branches ({count}): {branches}",
    "{persona}의 다른 브랜치와 스태시를 브랜치로 보관했습니다({count}개): {branches}",
)
GONE_WITH_TREE = Said(
    "Files of {persona} that git ignores went with the work tree ({count}): {files}",
    "git이 무시하는 {persona}의 파일은 작업 트리와 함께 없어졌습니다({count}개): {files}",
)
LEFT_WHERE_IT_IS = Said(
    "What {persona} had changed could not be put on a branch. It stays where it was made: {place}",
    "{persona:이/가} 바꾼 것을 브랜치에 둘 수 없었습니다. 만든 곳에 그대로 있습니다: {place}",
)

LOST_WITH_TREE = Said(
    "The work tree of {persona} is not there any more: {place}. It was removed, or is on a machine that is away. What "
    "{persona} changed there is in no other.",
    "{persona}의 작업 트리가 더 이상 없습니다: {place}. 지워졌거나 지금 없는 서버에 있습니다. {persona:이/가} 거기서 "
    "바꾼 것은 다른 작업 트리에 없습니다.",
)

# With a reply that hands work on.
WAITS_FOR = Said("Waits for {names}", "대기: {names}")

# The tree of an exchange.
WAITS_FOR_OTHERS = Said("**{name}** waits for {names}", "**{name}**: 대기 중 ({names})")
TURN_NEXT = Said("**{name}**: next", "**{name}**: 다음 차례")
TURN_DONE = Said("**{name}**: done", "**{name}**: 끝남")
TURN_WITHHELD = Said("**{name}**: withheld", "**{name}**: 보류됨")
TURN_FAILED = Said("**{name}**: failed", "**{name}**: 실패")
TURN_STOPPED = Said("**{name}**: stopped", "**{name}**: 멈춤")
HEARS_RESULTS = Said("hears what came out", "결과를 들음")
REVIEWS = Said("reviews", "리뷰")
MENDS = Said("mends", "수정")
NO_SUCH_BRANCH = Said(
    "Nothing was stopped: {word} is no open delegation. Open: {names}. `/stop` alone stops all that runs here.",
    "멈춘 것이 없습니다: {word:은/는} 열린 위임이 아닙니다. 열린 위임: {names}. "
    "`/stop`만 쓰면 여기서 실행 중인 것이 모두 멈춥니다.",
)
NO_BRANCH_OPEN = Said(
    "Nothing was stopped: {word} is no open delegation, and none is open. `/stop` alone stops all that runs here.",
    "멈춘 것이 없습니다: {word:은/는} 열린 위임이 아니고 열린 위임도 없습니다. "
    "`/stop`만 쓰면 여기서 실행 중인 것이 모두 멈춥니다.",
)
STOPPING_BRANCH = Said(
    "Stopping #{number} ({name}); the rest goes on.", "#{number}({name}) 멈추는 중. 나머지는 계속합니다."
)
