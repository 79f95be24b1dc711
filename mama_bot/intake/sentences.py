"""What a person is told at the door and in answer to commands."""

from mama_bot.wording import Said

EMPTY = Said("The message is empty. Write what the team should do.", "빈 메시지입니다. 팀이 할 일을 써 주세요.")
TOO_LONG = Said(
    "The message has {size:,} characters; at most {most:,} fit. Put the text into a file of the workspace and name the "
    "file, or send it in parts.",
    "메시지가 {size:,}자입니다. {most:,}자까지 보낼 수 있습니다. 글을 작업 공간의 파일에 넣고 그 이름을 쓰거나, 나누어 "
    "보내 주세요.",
)

OWNERS_DECIDE = Said("Only an owner can approve or deny this.", "승인과 거절은 소유자만 할 수 있습니다.")
# What a rule asks before a call runs.
WHICH_QUESTION = Said(
    "Which question? Write its number: `/approve 3`, or `/deny 3` and why.",
    "어느 질문인가요? 번호를 써 주세요: `/approve 3` 또는 `/deny 3`과 이유.",
)
NO_QUESTION_WAITS = Said(
    "No question waits for an answer in this conversation.", "이 대화에서 답을 기다리는 질문이 없습니다."
)
NO_QUESTION = Said("There is no question #{number} here.", "여기에 질문 #{number:이/가} 없습니다.")
ASKS_FOR_APPROVAL = Said(
    "#{number} asks whether a call may run: `/approve {number}` or `/deny {number}`.",
    "#{number:은/는} 호출 실행 승인을 묻는 질문입니다: `/approve {number}` 또는 `/deny {number}`.",
)
ASKS_FOR_WORDS = Said(
    "#{number} asks for an answer: `/answer {number} your words`.",
    "#{number}에는 답이 필요합니다: `/answer {number} 답변`.",
)
MAY_NOT_ANSWER = Said(
    "You may not answer #{number}: owners may, or whom the rule names.",
    "#{number}에 답할 수 없습니다. 소유자나 규칙이 정한 사람만 답할 수 있습니다.",
)
SETTLED_BEFORE = Said("That is settled already. {told}", "이미 처리되었습니다. {told}")
WAITS_FOR_ANSWER = Said(
    "#{number} waits for an answer of {whom}, for {time} now.", "#{number}: {whom}의 답을 {time}째 기다리는 중입니다."
)
THE_OWNERS = Said("an owner", "소유자")
THE_ASKER = Said("whoever asked", "요청한 사람")
ANYBODY = Said("anybody here", "여기 있는 누구나")
ALWAYS_WORDS = frozenset({"always", "항상", "계속"})
YOUR_CODE = Said(
    "I do not know you yet. Your code is {code}: an owner confirms it with `mama-bot pair {code}` on the machine, "
    "or with the button that they were sent. Then write again.",
    "아직 모르는 분입니다. 코드는 {code} 입니다. 소유자가 서버에서 `mama-bot pair {code}` 명령을 실행하거나 "
    "받은 버튼을 누르면 연결됩니다. 그 뒤에 다시 써 주세요.",
)
PAIRED_NOW = Said("You are paired now. Write it again.", "이제 연결되었습니다. 다시 써 주세요.")
WELCOME = Said(
    "An owner confirmed your request: the team answers you now. Write here, or mention it in a channel.",
    "소유자가 요청을 승인했습니다. 이제 팀이 답합니다. 여기에 쓰거나 채널에서 팀을 멘션하세요.",
)
ASKS_TO_TALK = Said(
    "{who} wants to talk to the team on {platform}. Code {code}.",
    "{who} 님이 {platform}에서 팀과 대화하려고 합니다. 코드 {code}.",
)


# --- who works on what

TEAM = Said("**The team**", "**팀**")
MODEL = Said("model {model}", "모델 {model}")
DEFAULT_MODEL = Said("default model", "기본 모델")
MAY_ASK = Said("may ask {names}", "{names}에게 요청 가능")
SERVERS = Said("MCP servers {names}", "MCP 서버 {names}")
SKILLS = Said("skills {names}", "스킬 {names}")
REFUSED_SERVERS = Said(
    "The repository **{name}** brings MCP servers that are refused:",
    "저장소 **{name}**에 들어 있는 다음 MCP 서버는 허용되지 않습니다.",
)
REFUSED_SKILLS = Said(
    "The repository **{name}** brings further skills, which are refused: {names}. Whoever runs the service allows them "
    "by `repositories.{name}.skills`.",
    "저장소 **{name}**에 들어 있는 다음 스킬은 허용되지 않습니다: {names}. 서비스 운영자가 "
    "`repositories.{name}.skills`에서 허용할 수 있습니다.",
)
BUSY = Said("at work here", "이 대화에서 작업 중")
IDLE = Said("idle here", "이 대화에서 쉬는 중")
NOTHING_RUNS = Said("Nothing runs in this conversation.", "이 대화에서 진행 중인 작업이 없습니다.")
WORKS = Said("**{name}** has been at work for {time}", "**{name}**: {time}째 작업 중")
STARTING = Said("A message was just taken up.", "방금 메시지를 받아 시작하고 있습니다.")
TOOLS = Said("{n} tool calls", "도구 {n}회")
SENT_BACK = Said("sent back {n}×", "돌려보냄 {n}회")
WAITS = Said("Messages that wait here: {n}.", "여기서 기다리는 메시지: {n}개.")
HEARS = Said("Connected: {names}.", "연결됨: {names}.")
DEAF = Said("**{name}** does not hear", "**{name}**: 메시지를 받지 못하고 있습니다")
DEAF_REASON = Said("**{name}** does not hear: {reason}", "**{name}**: 메시지를 받지 못하고 있습니다. {reason}")
QUEUE_HERE = Said("Here: {running} running, {waiting} waiting.", "이 대화: 진행 {running}, 대기 {waiting}.")
QUEUE_ALL = Said(
    "In the whole service: {running} running, {waiting} waiting; there is room for {limit}.",
    "서비스 전체: 진행 {running}, 대기 {waiting}, 최대 {limit}.",
)

# --- stopping and beginning anew

STOPPING = Said("Stopping {words}.", "{words} 작업을 멈춥니다.")
STILL_WAITS = Said(
    "Messages that still wait behind it: {n}. /cancel cancels them.",
    "뒤에서 기다리는 메시지 {n}개는 남습니다. /cancel로 취소할 수 있습니다.",
)
STOPPING_ALREADY = Said("It is being stopped already.", "이미 멈추는 중입니다.")
CANCELLED = Said("Cancelled before it began ({n}): {words}.", "시작하기 전에 취소했습니다 ({n}개): {words}.")
NOTHING_WAITS = Said("Nothing waits here.", "기다리는 메시지가 없습니다.")
NOTHING_TO_STOP = Said("Nothing runs or waits here.", "진행 중이거나 기다리는 것이 없습니다.")

# --- telling an agent at work

TOLD = Said(
    "The agent at work is told ({n}); its reply covers it.",
    "작업 중인 에이전트에게 전했습니다 ({n}개). 답변에 함께 담깁니다.",
)
NOBODY_TO_TELL = Said(
    "It stays in line: no agent is at work here for you just now, or what it does was handed on to another agent.",
    "계속 기다립니다. 지금 여기서 요청을 직접 처리하는 에이전트가 없거나, 다른 에이전트에게 맡긴 작업 중입니다.",
)

# --- asking again

NOTHING_TO_RETRY = Said(
    "Nothing here was left without an answer. Give the command under what failed, or write the message again.",
    "답을 받지 못한 요청이 없습니다. 실패 메시지에 답장으로 명령을 보내거나 다시 써 주세요.",
)
NOTHING_TO_CONTINUE = Said(
    "No agent was cut off there: there is nothing to go on with. /retry asks again from the beginning.",
    "끊긴 작업이 없어 이어서 할 것이 없습니다. /retry로 처음부터 다시 요청할 수 있습니다.",
)
RETRIED = Said("Asked again, from the beginning.", "처음부터 다시 요청했습니다.")
CONTINUED = Said("{name} goes on where it was cut off.", "{name}: 끊긴 곳에서 이어서 합니다.")
GO_ON = Said("(Continue where you were cut off.)", "(끊긴 곳에서 이어서 해 주세요.)")
REVIEW_ASKED = Said("(Review the work of {name}.)", "({name}의 작업을 리뷰해 주세요.)")
REVIEW_QUEUED = Said("The work of {name} is reviewed.", "{name}의 작업을 리뷰합니다.")
NOTHING_TO_REVIEW = Said(
    "There is no reply of an agent here whose work could be reviewed.", "리뷰할 작업이 있는 에이전트의 답변이 없습니다."
)
ASKED_AGAIN_ALREADY = Said("It was asked again already.", "이미 다시 요청했습니다.")
ASKER_DECIDES = Said(
    "Only {name}, who asked, or an owner can do this.", "요청한 {name} 님이나 소유자만 할 수 있습니다."
)

RESET = Said(
    "The agents begin anew here: they see nothing of what was said before. The messages stay in the history.",
    "에이전트가 이 대화를 새로 시작합니다. 앞의 대화는 보지 않으며, 메시지는 기록에 남습니다.",
)
RESET_REFUSED = Said(
    "Somebody is at work here. Stop it first (/stop), then send /reset again.",
    "지금 작업 중입니다. 먼저 /stop으로 멈춘 뒤 /reset을 다시 보내세요.",
)

# --- figures

USAGE_TITLE = Said("**The last {days} days**, in the whole service", "**최근 {days}일**, 서비스 전체")
USAGE_HEAD = (
    Said("Who", "누구"),
    Said("Replies", "답변"),
    Said("Sent back", "돌려보냄"),
    Said("Tokens", "토큰"),
    Said("Cost", "비용"),
)
USAGE_COUNTS = Said(
    "The table counts every token of finished drafts; budgets count what was taken today, also by what still runs or "
    "was cut off, and no tokens that came from the model's cache or went into it.",
    "위 표는 끝난 초안의 모든 토큰을 셉니다. 예산은 진행 중이거나 끊긴 작업까지 오늘 쓴 것을 세고, "
    "모델의 캐시를 거친 토큰은 세지 않습니다.",
)
EVERYONE = Said("All", "전체")
USAGE_NONE = Said("Nothing was written in the last {days} days.", "최근 {days}일 동안 쓴 글이 없습니다.")
BAD_DAYS = Said(
    "/usage takes a number of days from 1 to {most}, for example /usage 7.",
    "/usage에는 1부터 {most}까지의 일수를 적으세요. 예: /usage 7",
)
UNKNOWN_COST = Said("none told", "알려진 것 없음")

# --- what stands behind a reply

UNKNOWN_POST = Said(
    "That message is no reply of the team that is known here. Answer a reply, or send the command alone.",
    "여기서 아는 팀의 답변이 아닙니다. 답변에 답장하거나 명령만 보내세요.",
)
RECEIPT_NONE = Said(
    "There is no receipt for this reply: it claims nothing, and nothing was run for it.",
    "이 답변에는 근거 기록이 없습니다. 주장한 것도, 실행한 것도 없습니다.",
)
DECLARED = Said("declared {words}", "선언 {words}")
RECEIPT_NONE_YET = Said("There is no receipt in this conversation yet.", "이 대화에는 아직 근거 기록이 없습니다.")
RECEIPT_TITLE = Said("**Receipt {number}** · {name} · `{hash}`", "**근거 {number}** · {name} · `{hash}`")
UNRECORDED = Said(
    "This agent does not report its tool calls: its claims were judged by their words alone.",
    "이 에이전트는 도구 호출을 알리지 않아 글만 보고 판정했습니다.",
)
CONFIRMED = Said("confirmed", "확인됨")
UNSUPPORTED = Said("not shown by the record", "기록에 없음")
CONTRADICTED = Said("contradicted by the record", "기록과 다름")
NO_CLAIMS = Said("It claims nothing that a record could show.", "기록으로 확인할 주장은 없습니다.")
SERVICE_CHECK = Said("check by the service", "서비스의 검사")
PASSED = Said("passed", "통과")
FAILED = Said("failed", "실패")
EXIT_STATUS = Said("exit {n}", "종료 코드 {n}")
UNFINISHED = Said("not finished", "끝나지 않음")
FIGURES = {
    "passed": Said("{n} passed", "통과 {n}"),
    "failed": Said("{n} failed", "실패 {n}"),
    "errors": Said("{n} errors", "오류 {n}"),
    "skipped": Said("{n} skipped", "건너뜀 {n}"),
    "deselected": Said("{n} deselected", "제외 {n}"),
}
COMMIT = Said("commit `{commit}`", "커밋 `{commit}`")
TREE = Said("tree {tree}", "트리 {tree}")
DIRTY = Said("with changes", "변경 있음")
MORE = Said(
    "… and more: the page, or `mama-bot receipt {number}`, shows all.",
    "… 전체는 웹 페이지나 `mama-bot receipt {number}`에서 볼 수 있습니다.",
)
NO_SUCH_RECEIPT = Said(
    "There is no receipt {given} in this conversation. Give a number, as in /receipt 12, or nothing for the latest.",
    "이 대화에 {given} 근거가 없습니다. /receipt 12처럼 번호를 적거나, 마지막 것을 보려면 번호 없이 보내세요.",
)
ATTEMPTS = Said("{n:attempt|attempts}", "{n}회 시도")
CALLS = Said("{n:tool call|tool calls}", "도구 {n}회")
WENT_BACK = Said("Attempt {n} went back ({stage}): {reason}", "{n}차 시도 반려({stage}): {reason}")
WAS_POSTED = Said("Attempt {n} was posted; checks that looked at it: {stages}", "{n}차 시도 게시. 거친 검사: {stages}")

# --- decisions

PAIRED = Said("`{name}` is served from now on.", "이제 `{name}` 님도 이용할 수 있습니다.")
DENIED = Said("`{name}` is not served.", "`{name}` 님의 요청을 거절했습니다.")
WORK_APPROVED = Said("Recorded: the work of {name} is approved, by you.", "기록했습니다: {name}의 작업을 승인했습니다.")
WORK_REJECTED = Said(
    "Recorded: the work of {name} is rejected, by you. The changes stay as they are: say what to mend.",
    "기록했습니다: {name}의 작업을 거절했습니다. 변경은 그대로 있으니 고칠 점을 쓰세요.",
)
# In English the reason of the refusal itself is told.

# --- a conversation of one's own, on the page

ON_THE_PAGE = Said("That can be done on the page alone.", "웹 페이지에서만 할 수 있습니다.")
NO_NAME = Said("Write the name that it shall have.", "새 이름을 적어 주세요.")
NO_CONVERSATION = Said("Nothing was written in this conversation yet.", "아직 아무것도 쓰지 않은 대화입니다.")
RENAMED = Said("It is called “{title}” now.", "이제 이름은 “{title}”입니다.")
STILL_AT_WORK = Said(
    "Something runs or waits here. Stop it first (/stop all), then delete the conversation.",
    "진행 중이거나 기다리는 것이 있습니다. 먼저 /stop all로 멈춘 뒤 삭제하세요.",
)
DELETED = Said("The conversation is deleted.", "대화를 삭제했습니다.")

# --- the rest

HELP = Said(
    "**How to talk to the team**\n"
    "- Mention the bot, answer one of its messages, or write to it directly.\n"
    "- `@name` asks one of the team: {mentions}. Without a name, {default} decides who works.\n"
    "- Messages of one conversation are answered one after the other.\n\n"
    "**Commands**\n{commands}",
    "**팀과 대화하는 방법**\n"
    "- 봇을 멘션하거나, 봇의 메시지에 답장하거나, 직접 메시지를 보내세요.\n"
    "- `@이름`으로 한 사람에게 묻습니다: {mentions}. 이름이 없으면 {default:이/가} 나눕니다.\n"
    "- 한 대화의 메시지는 차례대로 답합니다.\n\n"
    "**명령**\n{commands}",
)
HELP_IN_SLACK_THREADS = Said(
    "Slack takes no slash commands in a thread: mention the bot there, with the command behind it (`@bot /stop`).",
    "슬랙은 스레드에서 슬래시 명령을 받지 않습니다. 스레드에서는 봇을 멘션하고 뒤에 명령을 쓰세요 (`@봇 /stop`).",
)
NO_SUCH_COMMAND = Said("There is no command /{given}. {hint}", "/{given}: 없는 명령입니다. {hint}")
DID_YOU_MEAN = Said("Did you mean `{command}`?", "{command:`을/를} 찾으셨나요?")
MAY_FOLLOW = Said("May be followed by: *{argument}*.", "뒤에 쓸 수 있는 것: *{argument}*.")
SEE_HELP = Said("`{help}` names all of them.", "`{help}`에서 모두 볼 수 있습니다.")
FAILED_COMMAND = Said(
    "The command could not be carried out: something went wrong inside the service. Try it again.",
    "서비스 내부에 문제가 생겨 명령을 수행하지 못했습니다. 다시 시도해 주세요.",
)

MINUTES = Said("{minutes} min {seconds} s", "{minutes}분 {seconds}초")
SECONDS = Said("{seconds} s", "{seconds}초")


def elapsed(seconds: float) -> Said:
    """Return a span of time, to the second: `elapsed(65)` is said "1 min 5 s"."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    return MINUTES.of(minutes=minutes, seconds=rest) if minutes else SECONDS.of(seconds=rest)


# --- which repository

WORKS_IN_TREE = Said(
    "This conversation works in **{name}** (`{source}`), in a work tree of its own.",
    "이 대화는 **{name}**(`{source}`) 저장소의 전용 작업 트리에서 작업합니다.",
)
WORKS_IN_PLACE = Said(
    "This conversation works in **{name}**, in the directory `{source}` itself, which it shares with everybody.",
    "이 대화는 **{name}**의 디렉터리 `{source}`에서 직접 작업하며, 이 디렉터리는 모두가 함께 씁니다.",
)
WORKS_IN_SCRATCH = Said(
    "This conversation works in a scratch repository of its own.", "이 대화는 전용 임시 저장소에서 작업합니다."
)
ON_BRANCH = Said("Branch `{branch}`", "브랜치 `{branch}`")
ON_NO_BRANCH = Said("No branch is checked out", "체크아웃된 브랜치 없음")
COMMITS_AND_FILES = Said(
    "{ahead:commit|commits} ahead · {uncommitted:uncommitted file|uncommitted files}",
    "앞선 커밋 {ahead}개 · 커밋되지 않은 파일 {uncommitted}개",
)
NOT_BEGUN = Said("Nothing has been done here yet.", "아직 아무 작업도 하지 않았습니다.")
LOCKED = Said("A git that runs there holds {locks}.", "그곳에서 실행 중인 git이 {locks:을/를} 잡고 있습니다.")
SET_UP_FAILED = Said("Its set-up failed: {reason}", "준비 명령이 실패했습니다: {reason}")
OTHER_REPOSITORIES = Said(
    "An owner chooses another for this channel with `/repo NAME`: {names}.",
    "소유자는 `/repo 이름`으로 이 채널의 저장소를 바꿀 수 있습니다: {names}.",
)
REPOSITORY_CHOSEN = Said(
    "This channel works in **{name}** from now on; conversations that have begun stay where they are, but this one.",
    "이제 이 채널은 **{name}**에서 작업합니다. 이미 시작된 다른 대화는 그대로이고, 이 대화는 옮겨졌습니다.",
)
OWNERS_CHOOSE = Said("Only an owner can choose the repository.", "저장소는 소유자만 고를 수 있습니다.")
NO_REPOSITORY = Said("There is no repository {name}. {meant}", "{name}: 없는 저장소입니다. {meant}")
REPOSITORY_BUSY = Said(
    "Somebody works here just now. Wait for the reply, or /stop first.",
    "지금 작업 중입니다. 답변을 기다리거나 먼저 /stop 하세요.",
)

WRITTEN_ALONE = Said(
    "Nothing was done: `{command}` stands alone, and something is written behind it. Send it by itself; what is for "
    "the team goes into a message of its own.",
    "아무것도 하지 않았습니다. `{command}` 뒤에는 아무것도 쓰지 않습니다. 명령만 따로 보내고, 팀에게 할 말은 다른 "
    "메시지로 보내 주세요.",
)

# --- what asks without a person

NO_SCHEDULES = Said(
    "Nothing asks here without a person: `schedules` and `webhooks` in config.local.yaml are empty.",
    "사람 없이 요청하는 것이 없습니다. config.local.yaml의 `schedules`와 `webhooks`가 비어 있습니다.",
)
SCHEDULES_USAGE = Said(
    "Write /schedules alone, /schedules pause NAME, or /schedules resume NAME.",
    "/schedules 만 쓰거나, /schedules pause 이름, /schedules resume 이름으로 쓰세요.",
)
OWNERS_PAUSE = Said("Only an owner can pause and resume.", "중지와 재개는 소유자만 할 수 있습니다.")
NO_TRIGGER = Said("There is no schedule or hook {name}. {meant}", "{name}: 없는 일정 또는 훅입니다. {meant}")
PAUSED = Said(
    "**{name}** asks nothing until an owner resumes it. What it asked already goes on: /stop ends it.",
    "**{name}**: 소유자가 재개할 때까지 요청하지 않습니다. 이미 요청한 작업은 계속되며 /stop으로 멈출 수 있습니다.",
)
RESUMED = Said("**{name}** asks again.", "**{name}**: 다시 요청합니다.")
NEXT_RUN = Said("next {time}", "다음 {time}")
RUN_AT_WORK = Said("at work now", "지금 작업 중")
RESTS = Said("paused by {by} ({time} UTC)", "{by} 님이 중지함 ({time} UTC)")
HOOK = Said("hook", "훅")
