"""What an agent is told that `mama-bot review-gate` holds."""

from mama_bot.wording import Said

MISSING = Said(
    "This work needs a review (reviews.require_review_for), and none was asked for in session {session}. "
    "Ask for it: mama-bot review-gate request --session {session} --agent NAME",
    "이 작업에는 리뷰가 필요한데(reviews.require_review_for) 세션 {session}에는 요청된 리뷰가 없습니다. "
    "요청하세요: mama-bot review-gate request --session {session} --agent NAME",
)
PENDING = Said(
    "The review of session {session} is pending: nobody has begun it. Another agent or a person has to review and "
    "approve the work before you may end.",
    "세션 {session}의 리뷰가 아직 시작되지 않았습니다. 다른 에이전트나 사람이 리뷰하고 승인해야 끝낼 수 있습니다.",
)
IN_REVIEW = Said(
    "{reviewer} is reviewing session {session}: you may not end before the verdict.",
    "{reviewer:이/가} 세션 {session:을/를} 리뷰하는 중입니다. 판정 전에는 끝낼 수 없습니다.",
)
REJECTED = Said(
    "{reviewer} rejected the work of session {session}. Issues: {issues} Mend them, then ask again: mama-bot "
    "review-gate request --session {session} --agent {worker}",
    "{reviewer:이/가} 세션 {session}의 작업을 거부했습니다. 문제: {issues} 고친 뒤 다시 요청하세요: mama-bot "
    "review-gate request --session {session} --agent {worker}",
)
HELD_BEFORE = Said(
    "{reason} You were held here before in this turn, and it is still not approved.",
    "{reason} 이 차례에 이미 한 번 멈췄고, 그 뒤로 승인되지 않았습니다.",
)


# `mama-bot login`.
ASK_LOGIN_TOKEN = Said(
    "The token that the CLI printed, sk-ant-oat... (not shown while you type):",
    "CLI가 출력한 토큰 sk-ant-oat... (입력해도 보이지 않습니다):",
)
ASK_API_KEY = Said(
    "ANTHROPIC_API_KEY, sk-ant-... (not shown while you type):",
    "ANTHROPIC_API_KEY, sk-ant-... (입력해도 보이지 않습니다):",
)
NO_SUCH_KEY = Said(
    "That is not it: it begins with {prefix} and has no spaces; Ctrl-C ends.",
    "{prefix:으로/로} 시작하고 빈칸이 없어야 합니다. 그만두려면 Ctrl-C를 누르세요.",
)
LOGIN_KEPT = Said(
    "Kept as {name} in {file}, readable by you alone.", "{file}에 {name:으로/로} 보관했습니다. 본인만 읽을 수 있습니다."
)
LOGGED_IN = Said(
    "There is a login ({kind} from {source}). Whether the model's service takes it shows with the first message. A "
    "service that runs has to be started again.",
    "로그인이 있습니다 ({kind}, {source}). 모델 서비스가 받아들이는지는 첫 메시지에서 드러납니다. 실행 중인 서비스는 "
    "다시 시작해야 합니다.",
)

# `mama-bot receipt`.
RECEIPT_HEAD = Said("Receipt {number}: {persona}, {at}, turn {turn}", "근거 {number}: {persona}, {at}, 차례 {turn}")
RECEIPT_HASH = Said("reply sha256 {hash}", "답변 sha256 {hash}")
RECEIPT_UNRECORDED = Said(
    "This agent does not report its tool calls: its claims were judged by their words alone.",
    "이 에이전트는 도구 호출을 알려 주지 않습니다. 주장은 글만 보고 판단했습니다.",
)
CLAIM_CONFIRMED = Said("confirmed", "확인됨")
CLAIM_NOT_SHOWN = Said("not shown", "기록에 없음")
CLAIM_CONTRADICTED = Said("CONTRADICTED", "기록과 다름")
CLAIM_DECLARED = Said("declared {words}", "선언 {words}")
BY_CALL = Said("by call {call}", "호출 {call}")
SERVICE_CHECK = Said("{verdict} {name}, run by the service: {command}", "{verdict} {name}, 서비스가 실행: {command}")
CHECK_ENDED = Said(
    "{reason}; exit {status}, {seconds:.1f} s, tree {tree}", "{reason}; 종료 {status}, {seconds:.1f}초, 트리 {tree}"
)
CHECKED_BEFORE = Said("this tree was checked before", "이 트리는 전에 확인함")
CALL_BY = Said("call {call} by {agent}: {command}", "{agent}의 호출 {call}: {command}")
EXIT = Said("exit {status}", "종료 {status}")
EXIT_UNKNOWN = Said("unknown", "알 수 없음")
BEGAN = Said("began {time}", "{time} 시작")
NOT_ENDED = Said("not ended", "끝나지 않음")
TOOK = Said("took {seconds:.1f} s", "{seconds:.1f}초 걸림")
AT_COMMIT = Said("commit {commit}", "커밋 {commit}")
AT_COMMIT_DIRTY = Said("commit {commit} with changes", "커밋 {commit}, 변경 있음")
AT_TREE = Said("tree {tree}", "트리 {tree}")
OUTPUT = Said("output {size:,} characters, sha256 {hash}", "출력 {size:,}자, sha256 {hash}")
COLLECTED = Said("{n:,} collected", "{n:,}개 수집")

# What cannot be read as a command.
NEAREST = Said("Did you mean `{name}`?", "혹시 `{name}`?")
ANY_OF = Said("Known: {names}.", "쓸 수 있는 것: {names}.")
SEE_HELP = Said("`{command} --help` says what it takes.", "`{command} --help`에 설명이 있습니다.")
NO_COMMAND = Said(
    "Say what is to be done; `{command} --help` lists the commands.",
    "무엇을 할지 쓰세요. `{command} --help`에 명령이 모두 있습니다.",
)
UNKNOWN_COMMAND = Said(
    "`{command}` has no command {given!r}. {hint}", "`{command}`에는 {given!r} 명령이 없습니다. {hint}"
)
UNKNOWN_OPTION = Said("`{command}` has no option {given}. {hint}", "`{command}`에는 {given} 옵션이 없습니다. {hint}")
UNKNOWN_VALUE = Said(
    "{given!r} is no {name} of `{command}`. {hint}", "`{command}`의 {name}에 {given!r:은/는} 쓸 수 없습니다. {hint}"
)
NEEDS_VALUE = Said("{name} of `{command}` needs a value.", "`{command}`의 {name}에는 값이 필요합니다.")
MISSING_ARGUMENTS = Said(
    "`{command}` needs {names}; `{command} --help` says what it takes.",
    "`{command}`에는 {names:이/가} 필요합니다. `{command} --help`에 설명이 있습니다.",
)
SURPLUS_ARGUMENT = Said(
    "`{command}` takes no {given!r}; `{command} --help` says what it takes.",
    "`{command}`에는 {given!r:을/를} 쓸 수 없습니다. `{command} --help`에 설명이 있습니다.",
)
OTHER_USE = Said(
    "{argument} cannot be used so; `{command} --help` says how.",
    "{argument:은/는} 그렇게 쓸 수 없습니다. `{command} --help`에 쓰는 법이 있습니다.",
)
NOT_A_REPORT_NUMBER = Said(
    "The number of a report is expected, not {given!r}.", "신고 번호가 있어야 할 자리에 {given!r:이/가} 있습니다."
)
SHOWS_THAT_REPORT = Said(
    "`mama-bot reports show {number}` shows that report.",
    "`mama-bot reports show {number}` 명령이 그 신고를 보여 줍니다.",
)
NOT_A_COUNT = Said(
    "A whole number from 1 to {most} is expected, not {given!r}.",
    "1부터 {most}까지의 정수가 있어야 할 자리에 {given!r:이/가} 있습니다.",
)

# What the command line refuses.
NO_NUMBER = Said(
    "`mama-bot reports {action}` takes no number; `mama-bot reports show N` shows one report.",
    "`mama-bot reports {action}`에는 번호를 쓰지 않습니다. `mama-bot reports show N`이 신고 하나를 보여 줍니다.",
)
NEEDS_NUMBER = Said(
    "`mama-bot reports {action}` takes the number of a report.",
    "`mama-bot reports {action}`에는 신고 번호가 필요합니다.",
)
OF_ACCEPT = Said(
    "--phrase, --stage and --dry-run belong to `mama-bot reports accept N`.",
    "--phrase, --stage, --dry-run은 `mama-bot reports accept N`에 씁니다.",
)
NO_INPUT = Said(
    "There is no input to read. Give a file of JSON lines, or pipe them in.",
    "읽을 입력이 없습니다. JSON 줄로 된 파일을 주거나 파이프로 넘기세요.",
)
UNREADABLE_FILE = Said(
    "It cannot be read: {reason}. Give a file of JSON lines, or - for the input.",
    "읽을 수 없습니다: {reason}. JSON 줄로 된 파일을 주거나, 입력을 읽으려면 -를 쓰세요.",
)
NAMES_NOBODY = Said(
    "{reference!r} names nobody: write PLATFORM/PERSON, as `mama-bot pair` lists them.",
    "{reference!r}: 아무도 가리키지 않습니다. `mama-bot pair`가 보여 주는 대로 PLATFORM/PERSON을 쓰세요.",
)
WHICH_PLATFORM = Said(
    "{flag} {id}: say of which platform: {flag} slack=ID, and --platform slack before it.",
    "{flag} {id}: 어느 플랫폼인지 쓰세요: {flag} slack=ID, 그 앞에 --platform slack.",
)

# What the review gate refuses.
WHICH_SESSION = Said(
    "It is not known which session this is: give --session ID, or run this as a hook, whose input names it.",
    "어느 세션인지 알 수 없습니다. --session ID를 주거나, 입력에 세션이 있는 훅으로 실행하세요.",
)
WHO_DOES_THIS = Said(
    "Say who does this: mama-bot review-gate {action} --agent NAME.",
    "누가 하는지 쓰세요: mama-bot review-gate {action} --agent NAME.",
)
WHAT_IS_WRONG = Said(
    "Say what is wrong: mama-bot review-gate reject --issue TEXT (as often as needed).",
    "무엇이 잘못되었는지 쓰세요: mama-bot review-gate reject --issue TEXT (필요한 만큼).",
)
OF_REJECT = Said(
    "--issue belongs to `mama-bot review-gate reject`.", "--issue는 `mama-bot review-gate reject`에 씁니다."
)
NAMED_LIKE_A_PERSON = Said(
    "{agent!r} is how a person of a platform is named: a person decides there.",
    "{agent!r:은/는} 플랫폼의 사람을 부르는 이름입니다. 그곳에서 사람이 결정합니다.",
)
NO_KEY = Said(
    "Nothing shows that this is {agent}: set {variable}, for the session that reviews alone, to what "
    "`mama-bot review-gate key --agent {agent}` prints at a terminal.",
    "{agent}인지 확인할 수 없습니다. 리뷰하는 세션에만 {variable:을/를} "
    "`mama-bot review-gate key --agent {agent}` 명령이 터미널에 보여 주는 값으로 설정하세요.",
)
TURN_OF_THE_SERVICE = Said(
    "Session {session} is a turn of the service: its reviewer settles the review, or a person by buttons.",
    "세션 {session:은/는} 서비스의 차례입니다. 그 리뷰어나, 버튼을 누르는 사람이 결정합니다.",
)
WHO_REVIEWS = Said(
    "Say who reviews: mama-bot review-gate key --agent NAME.",
    "누가 리뷰하는지 쓰세요: mama-bot review-gate key --agent NAME.",
)
AT_A_TERMINAL = Said(
    "A reviewer's key is shown at a terminal only, where no agent reads along.",
    "리뷰어의 키는 에이전트가 함께 읽지 못하는 터미널에서만 보여 줍니다.",
)

# `mama-bot topic` and `mama-bot item`.
NO_ITEMS = Said("No such items on {board}.", "{board}에 해당하는 항목이 없습니다.")
NO_SUCH_ITEM = Said("There is no item {id} on {board}.", "{board}에 항목 {id:이/가} 없습니다.")
NO_TOPICS = Said("Nothing was posted yet.", "아직 남긴 글이 없습니다.")
NO_POSTS = Said("Nothing new was posted there.", "새로 남긴 글이 없습니다.")
TOPIC_POSTS = Said("{n:post|posts}", "글 {n}개")
IMPORTED = Said("from a file of the repository, not judged here", "저장소 파일에서 가져옴, 여기서 판정하지 않음")
NO_SUCH_REPOSITORY = Said(
    "There is no repository {name} in the configuration: {names}", "설정에 저장소 {name:이/가} 없습니다: {names}"
)
NO_SUCH_BOARD = Said("There is no board {board}: {boards}", "보드 {board:이/가} 없습니다: {boards}")
WHICH_BOARD = Said(
    "Say which board is meant, with --repository NAME or --board BOARD. There are: {boards}",
    "--repository 이름 또는 --board 보드로 어느 보드인지 알려 주세요. 있는 보드: {boards}",
)
NO_STATUS = Said("There is no status {status}: {names}", "상태 {status:이/가} 없습니다: {names}")
NO_DIRECTORY_THERE = Said("There is nothing to read or write at {path}.", "{path}에는 읽거나 쓸 것이 없습니다.")
UNUSABLE_FILES = Said("The files there cannot be used: {reason}", "거기 있는 파일을 쓸 수 없습니다: {reason}")
WRITTEN_TO = Said("Written: {file}", "기록함: {file}")
UP_TO_DATE = Said("Nothing is new: the files are as they were.", "새로운 내용이 없어 파일을 그대로 두었습니다.")
COMMITTED = Said("Committed.", "커밋했습니다.")
NOT_COMMITTED = Said(
    "The files are written, but git did not commit them: {reason}", "파일은 기록했지만 커밋하지 못했습니다: {reason}"
)
TAKEN_IN = Said(
    "{board}: {new} new, {changed} newer than here, {known} known already.",
    "{board}: 새 항목 {new}개, 더 최신 {changed}개, 이미 있는 것 {known}개.",
)

# `mama-bot turns`.
NO_LETTERS = Said("Nothing was given up.", "포기한 것이 없습니다.")
NO_ANSWER = Said("no answer", "답 없음")
NOT_POSTED = Said("not posted", "게시하지 못함")
LETTERS_HELP = Said(
    "`mama-bot turns show N` shows one, `retry N` asks or posts it again, `drop N` lists it no more.",
    "`mama-bot turns show N`은 자세히 보여 주고, `retry N`은 다시 요청하거나 게시하고, `drop N`은 목록에서 뺍니다.",
)
SHOW_LETTER = Said(
    "`mama-bot turns` takes no number; `mama-bot turns show N` shows one.",
    "`mama-bot turns`에는 번호를 쓰지 않습니다. `mama-bot turns show N`이 하나를 보여 줍니다.",
)
NEEDS_LETTER = Said(
    "`mama-bot turns {action}` takes a number from `mama-bot turns`.",
    "`mama-bot turns {action}`에는 `mama-bot turns`의 번호가 필요합니다.",
)
NO_SUCH_LETTER = Said(
    "Nothing that was given up has the number {number}: `mama-bot turns` lists it.",
    "포기한 것 중에 번호 {number:이/가} 없습니다. `mama-bot turns`로 목록을 보세요.",
)
MESSAGE_GONE = Said(
    "The message is not there any more, so it cannot be asked again.", "메시지가 더 이상 없어 다시 요청할 수 없습니다."
)
ASKED_AGAIN = Said(
    "Asked again: a running service answers within some seconds, else the next start does.",
    "다시 요청했습니다. 실행 중인 서비스가 몇 초 안에 답하고, 아니면 다음에 시작할 때 답합니다.",
)
POSTED_AGAIN = Said(
    "It is posted again: by a running service within two minutes, else by the next start.",
    "다시 게시합니다. 실행 중인 서비스가 2분 안에, 아니면 다음에 시작할 때 게시합니다.",
)
LETTER_DROPPED = Said("It is listed no more.", "더 이상 목록에 나오지 않습니다.")
ATTEMPTS = Said("{count:attempt|attempts}", "시도 {count}회")

# `mama-bot migrate`.
NO_TARGET = Said(
    "Name the PostgreSQL database to move to: --to postgresql://user@host/name, or MAMA_STORE__URL in secrets.env.",
    "옮겨 갈 PostgreSQL 데이터베이스를 지정하세요: --to postgresql://user@host/name, "
    "또는 secrets.env의 MAMA_STORE__URL.",
)
NO_FILE = Said("There is no database at {file} yet.", "{file}에 아직 데이터베이스가 없습니다.")
TWO_FILES = Said(
    "Both {first} (with a model) and {second} (the demonstration) hold messages. Name the one to move: --from FILE.",
    "{first}(모델 사용)과 {second}(데모) 둘 다 메시지가 들어 있습니다. 옮길 것을 지정하세요: --from FILE.",
)
MIGRATED = Said(
    "{rows:row is|rows are} there, each compared. {file} stays as it is. Start the service with MAMA_STORE__URL naming "
    "that database.",
    "행 {rows}개를 옮기고 하나하나 비교했습니다. {file:은/는} 그대로 둡니다. "
    "MAMA_STORE__URL이 그 데이터베이스를 가리키게 하고 서비스를 시작하세요.",
)
NO_SOURCE = Said(
    "Name the PostgreSQL database to move from: --from postgresql://user@host/name, or MAMA_STORE__URL in secrets.env.",
    "옮겨 올 PostgreSQL 데이터베이스를 지정하세요: --from postgresql://user@host/name, "
    "또는 secrets.env의 MAMA_STORE__URL.",
)
MIGRATED_BACK = Said(
    "{rows:row is|rows are} in {file}, each compared. The database stays as it is. Put the file into the data "
    "directory as mama-bot.sqlite, and start the service without MAMA_STORE__URL. Work trees and sessions of agents "
    "lie in the data directories of the workers: copy what you need of them, what is missing is made anew.",
    "행 {rows}개를 {file}에 옮기고 하나하나 비교했습니다. 데이터베이스는 그대로 둡니다. 그 파일을 데이터 디렉터리에 "
    "mama-bot.sqlite라는 이름으로 넣고 MAMA_STORE__URL 없이 서비스를 시작하세요. 작업 트리와 에이전트 세션은 워커의 "
    "데이터 디렉터리에 있습니다. 필요한 것을 복사하세요. 없는 것은 새로 만듭니다.",
)
STILL_WRITES_THERE = Said(
    "A service still works on the database: what comes from now on is not in the file. Stop it (all of its nodes), "
    "remove {file}, and do this again before you start the service with the file.",
    "서비스가 아직 그 데이터베이스에서 실행 중입니다. 지금부터 오는 것은 파일에 없습니다. 서비스(모든 노드)를 멈추고 "
    "{file:을/를} 지운 뒤 다시 실행하고 나서 그 파일로 서비스를 시작하세요.",
)
STILL_WRITES = Said(
    "The service still runs and writes to the file: what comes from now on is not there. Stop it, empty the database, "
    "and do this again before you start it with the new one.",
    "서비스가 아직 실행 중이고 파일에 쓰고 있습니다. 지금부터 오는 것은 옮겨지지 않습니다. "
    "서비스를 멈추고 데이터베이스를 비운 뒤 다시 실행하고 나서 새 데이터베이스로 시작하세요.",
)

# `mama-bot backup` and `mama-bot restore`.
BACKED_UP = Said(
    "{file}: {size} MB, {databases:database|databases}, {files:file|files}. It holds what was said, and secrets: keep "
    "it safe.",
    "{file}: {size}MB, 데이터베이스 {databases}개, 파일 {files}개. 대화와 비밀이 들어 있으니 안전하게 보관하세요.",
)
NOT_READ = Said("Not in it, for it cannot be read: {path}", "읽을 수 없어 들어가지 않음: {path}")
NEITHER_READ = Said("And {count:more|more}.", "그 밖에 {count}개.")
RESTORED = Said(
    "{file} is put back. Start the service: it finishes what waited then.",
    "{file:을/를} 복원했습니다. 서비스를 시작하면 그때 기다리던 일을 마칩니다.",
)
PUT_ASIDE = Said("What was there lies in {directory} now.", "있던 것은 이제 {directory}에 있습니다.")

# Where the page is for other machines, at the start.
PAGE_FROM_ELSEWHERE = Said(
    "web.host lets other machines reach it: there it is {address} in place of {own}, over HTTP that others can read. "
    "Put TLS in front of it, or set web.host to 127.0.0.1.",
    "web.host 설정 때문에 다른 컴퓨터에서도 열 수 있습니다. 그때는 {own} 자리에 {address:을/를} 쓰세요. HTTP라서 남이 "
    "읽을 수 있으니 앞에 TLS를 두거나 web.host를 127.0.0.1로 바꾸세요.",
)

# `mama-bot reload`.
ASKED_TO_RELOAD = Said(
    "The settings are in order, and the service (process {pid}) reads them now; its log says what waits for a restart.",
    "설정이 올바르며 서비스(프로세스 {pid})가 지금 다시 읽습니다. 다시 시작해야 하는 항목은 로그에 나옵니다.",
)
NOTHING_RUNS = Said(
    "No service runs here: `mama-bot run` starts one.",
    "여기에서 실행 중인 서비스가 없습니다. `mama-bot run`이 시작합니다.",
)

# `mama-bot prune`.
SAY_HOW_OLD = Said(
    "Say what is to be forgotten: --days N or --megabytes N, or set retention.days in the configuration.",
    "무엇을 지울지 알려 주세요. --days N이나 --megabytes N을 쓰거나 설정에 retention.days를 넣으세요.",
)
NOT_WHILE_RUNNING = Said(
    "The service runs (process {pid}): stop it before --compact.",
    "서비스가 실행 중입니다(프로세스 {pid}). --compact 전에 멈추세요.",
)
FORGOTTEN = Said(
    "{messages:message|messages} forgotten, with what came of them, and {lines:line|lines} of the service.",
    "메시지 {messages}개와 그 결과, 서비스 안내 {lines}개를 지웠습니다.",
)
COMPACTED = Said("The database has {size} MB now.", "데이터베이스는 이제 {size}MB입니다.")


# `mama-bot rules`.
COMES_WITH_IT = Said("shipped", "mama-bot에 포함된 규칙")
IN_ITS_PLACE = Said("{place}, in the place of the shipped one", "{place}, 포함된 같은 이름의 규칙을 대신함")
IS_OFF = Said("(off)", "(꺼짐)")
NEEDS_CALL = Said(
    "`mama-bot rules explain` needs a call: --input 'rm -rf build'.",
    "`mama-bot rules explain`에는 호출이 필요합니다: --input 'rm -rf build'.",
)
INPUT_NO_JSON = Said("--input is no JSON: {reason}.", "--input이 JSON이 아닙니다: {reason}.")
EXPECTED_TOOL_INPUT = Said(
    "--input: tool_input: expected names with values.", "--input: tool_input에는 이름과 값을 쓰세요."
)
MATCHED = Said("{rule} ({band}, matcher {matcher}): {decision}", "{rule} ({band}, 매처 {matcher}): {decision}")
IS_SILENT = Said(
    "{rule} (matcher {matcher}): silent, a more specific layer of {policy!r} speaks",
    "{rule} (매처 {matcher}): {policy!r}의 더 구체적인 규칙이 판단하므로 빠집니다",
)
NO_RULE_SPOKE = Said(
    "No rule spoke; {count:rule is|rules are} about {subject}.",
    "걸린 규칙이 없습니다. {subject}에 해당하는 규칙은 {count}개입니다.",
)
WITHOUT_EXAMPLES = Said("Without an example of each kind: {names}.", "두 종류의 예제가 다 있지는 않은 규칙: {names}.")
STAND_IN_PLACE = Said(
    "In the place of shipped rules of these names: {names}.", "포함된 같은 이름의 규칙을 대신하는 것: {names}."
)
EXAMPLES_RUN = Said(
    "{examples} examples of {rules} rules, {broken} came out otherwise.",
    "규칙 {rules}개의 예제 {examples}개 가운데 {broken}개가 다르게 나왔습니다.",
)
REPORTED_WRONG = Said("reported as wrong: {note}", "잘못이라고 신고됨: {note}")
OPENED_AT = Said(
    "opened at {since}, asked again after the cooldown: {failure}",
    "{since}부터 제외됨, 대기 시간이 지나면 다시 확인합니다: {failure}",
)
DID_NOTHING_YET = Said(
    "{count} of {rules} rules did nothing yet.", "규칙 {rules}개 가운데 {count}개는 아직 아무 일도 하지 않았습니다."
)
