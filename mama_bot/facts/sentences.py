"""What the line of facts says, part by part."""

from collections.abc import Mapping
from types import MappingProxyType

from mama_bot.model import BadgeKind, ClaimReason, GitRule, Grade, RunEnd, RunKind
from mama_bot.wording import Said

CI_PASSED = Said("CI: {count:check|checks} passed on {commit}", "CI: {commit}에서 검사 {count}개 통과")
CI_RUNS = Said("CI: {count:check runs|checks run} on {commit}", "CI: {commit}에서 검사 {count}개 진행 중")
CI_FAILED = Said("CI: {names} failed on {commit}", "CI: {commit}에서 {names} 실패")
CI_MORE = Said(" and {count} more", " 외 {count}개")
RECORD = Said("Record: {parts}", "기록: {parts}")
FALLBACK = Said("by {name} instead", "대신 {name} 사용")
ATTEMPTS = Said("{n} attempts, sent back by: {stages}", "{n}회 시도, 반려: {stages}")
STAGES: Mapping[str, Said] = MappingProxyType(
    {
        "response_validator": Said("substance check", "내용 검사"),
        "review_gate": Said("approval check", "승인 검사"),
        "scope_guard": Said("scope check", "범위 검사"),
        "todo_tracker": Said("to-do check", "할 일 검사"),
        "claim_check": Said("claim check", "주장 검사"),
        "workspace_checks": Said("workspace checks", "작업 공간 검사"),
        "delegation_check": Said("delegation check", "위임 검사"),
    }
)

# Files.
FILES = Said("{count:file|files}", "파일 {count}개")
AT_LEAST_FILES = Said("at least {count:file|files}", "파일 {count}개 이상")
NO_FILES = Said("no file was written", "쓴 파일 없음")
FILES_READ = Said("{count:file|files} read", "파일 {count}개 읽음")

# Checks: what came out.
PASSED = Said("passed", "통과")
FAILED = Said("failed", "실패")
RAN_NOTHING = Said("ran nothing", "실행된 것 없음")
NOT_KNOWN = Said("outcome not known", "결과 알 수 없음")
NOT_FINISHED = Said("not finished", "끝나지 않음")
OUTCOME = Said("{tool} {outcome}", "{tool} {outcome}")
IN_PLACE = Said("{tool} in {place}", "{place}의 {tool}")
COUNTS = {
    "failed": Said("{n:,} failed", "{n:,}개 실패"),
    "errors": Said("{n:error|errors}", "오류 {n:,}개"),
    "passed": Said("{n:,} passed", "{n:,}개 통과"),
    "skipped": Said("{n:,} skipped", "{n:,}개 건너뜀"),
    "deselected": Said("{n:,} deselected", "{n:,}개 제외"),
}

# Checks: of what, and when.
PART = Said("a part", "일부만")
PART_NAMED = Said("a part: {name}", "일부만: {name}")
IN_COMMIT_HOOK = Said("in the commit hook", "커밋 훅에서")
IN_PUSH_HOOK = Said("in the push hook", "푸시 훅에서")
IN_HOOK = Said("in a git hook", "git 훅에서")
OWN_RUNNER_NAMED = Said("by its own {name}", "직접 바꾼 {name} 사용")
OWN_RUNNER = Said("by a runner of its own", "직접 바꾼 실행 방식 사용")
CHANGED_ITSELF = Said("which changed {count:file|files}", "실행 중 파일 {count}개 변경")
AFTER_LAST_EDIT = Said("after the last edit", "마지막 편집 뒤")
CODE_UNCHANGED = Said("code unchanged since", "이후 코드 변경 없음")
BEFORE_LAST_EDIT = Said("before the last edit", "마지막 편집 전")
THEN_RESTYLED = Said("then comments or format only", "이후 주석이나 서식만 변경")
TURNS_AGO = Said("{count:turn|turns} ago", "{count}차례 전")
NO_TESTS = Said("no tests were run", "테스트 실행 안 함")
TESTS_NOT_KNOWN = Said("tests: not known", "테스트: 알 수 없음")

# What no commit shows.
RULES_CHANGED = Said("changed beside the commits: {rules}", "커밋 밖에서 변경: {rules}")
RULES = {
    GitRule.EXCLUDES: Said("git's excludes", "git 제외 목록"),
    GitRule.ATTRIBUTES: Said("git's attributes", "git 속성"),
    GitRule.FLAGS: Said("files that git is told to pass over", "git이 건너뛰는 파일"),
    GitRule.HOOKS: Said("git hooks", "git 훅"),
    GitRule.REMOTES: Said("where remotes lead", "원격 주소"),
    GitRule.REPLACED: Said("replaced objects", "대체된 git 객체"),
    GitRule.SETTINGS: Said("git settings", "git 설정"),
}

# Commits and what goes out.
NOT_COMMITTED = Said("not committed", "커밋 안 함")
COMMITTED = Said("committed", "커밋함")
COMMITTED_AS = Said("committed {commit}", "커밋 {commit}")
EDITED_SINCE = Said("edited since", "이후 편집 있음")
NOT_PUSHED = Said("not pushed", "푸시 안 함")
DONE = {
    RunKind.PUSH: Said("pushed", "푸시함"),
    RunKind.MERGE: Said("merged", "병합함"),
    RunKind.PUBLISH: Said("published", "게시함"),
    RunKind.DEPLOY: Said("deployed", "배포함"),
}
DEEDS = {
    RunKind.COMMIT: Said("commit", "커밋"),
    RunKind.PUSH: Said("push", "푸시"),
    RunKind.MERGE: Said("merge", "병합"),
    RunKind.PUBLISH: Said("publication", "게시"),
    RunKind.DEPLOY: Said("deployment", "배포"),
}
# What came of a deed that was not done.
DEED_ENDS = {
    RunEnd.FAILED: Said("{deed} failed", "{deed} 실패"),
    RunEnd.MASKED: Said("{deed}: outcome not known", "{deed}: 결과 알 수 없음"),
    RunEnd.NOTHING: Said("{deed}: nothing to do", "{deed}: 할 것 없음"),
    RunEnd.OPEN: Said("{deed} not finished", "{deed} 끝나지 않음"),
}
REHEARSED = Said("{deed}: only rehearsed", "{deed}: 예행만 함")
COMMAND_FAILED = Said("{programs} failed", "{programs} 실패")
COMMAND_ERRED = Said("{programs} printed an error", "{programs} 오류 출력")
ERROR_PRINTED = Said("a command printed an error", "오류를 출력한 명령 있음")
WARNINGS_PRINTED = Said("compiler warnings were printed", "컴파일 경고 출력됨")
COMMANDS_RAN = Said("ran {programs}", "실행: {programs}")
ONLY_LOOKED = Said("only looked, nothing was changed or tested", "보기만 함, 변경도 테스트도 없음")
LEFT_RUNNING = Said("{count:command|commands} left running", "실행 중인 명령 {count}개")

# Nothing, or nobody knows.
NOTHING_WAS_RUN = Said("nothing was run", "실행한 것 없음")
NOTHING_IN_THIS_TURN = Said("nothing was run in this turn", "이번 차례에 실행한 것 없음")
NOT_REPORTED = Said("this agent does not report what it runs", "이 에이전트는 실행한 것을 알려 주지 않음")

# What a receipt says of a claim.
RUN_AT = Said("the run at {time} ({command})", "{time}의 실행({command})")
SOME_RUN = Said("the run", "해당 실행")
RUN_SAYS = Said("{run}: {figures}", "{run}: {figures}")
TOLD_BY_FIGURES = frozenset((ClaimReason.NONE, ClaimReason.FAILED, ClaimReason.OTHER_FIGURES))
REASONS = {
    ClaimReason.NONE: Said("{run} bears it out", "{run}에서 확인됨"),
    ClaimReason.NO_SUCH_RUN: Said("nothing of the kind is in the record", "기록에 해당하는 것이 없습니다"),
    ClaimReason.BEFORE_LAST_EDIT: Said("{run} was before the last edit", "{run}: 마지막 편집보다 앞섭니다"),
    ClaimReason.FAILED: Said("{run} failed", "{run}: 실패"),
    ClaimReason.OTHER_FIGURES: Said("{run} has other figures", "{run}: 수치가 다릅니다"),
    ClaimReason.MASKED: Said("{run} hides its exit status", "{run}: 종료 코드가 가려져 있습니다"),
    ClaimReason.BACKGROUND: Said("{run} has not finished", "{run}: 끝나지 않았습니다"),
    ClaimReason.RAN_NOTHING: Said("{run} did nothing", "{run}: 아무것도 실행하지 않았습니다"),
    ClaimReason.ELSEWHERE: Said("{run} was of something else", "{run}: 다른 대상입니다"),
    ClaimReason.ANOTHER_AGENT: Said("{run} is another agent's", "{run}: 다른 에이전트의 실행입니다"),
}

# Who ran what a claim rests on.
GRADES = {
    Grade.SERVICE: Said("run by the service", "서비스가 실행"),
    Grade.AGENT: Said("run by the agent", "에이전트가 실행"),
    Grade.UNPROVEN: Said("the agent's own run", "에이전트 자신의 실행"),
    Grade.OWN_RUNNER: Said("run by the agent, by a runner of its own", "에이전트가 직접 바꾼 방식으로 실행"),
}

# The badge of a reply.
SHOWN = Said("shown by the record", "기록에서 확인됨")
SHOWN_BY_TESTS = Said("shown by the record: {count:test|tests}, {time}", "기록에서 확인됨: 테스트 {count:,}개, {time}")
SHOWN_AT = Said("shown by the record, {time}", "기록에서 확인됨, {time}")
BADGES = {
    BadgeKind.OWN_WORD: Said("shown by a runner of its own", "직접 바꾼 실행 방식으로만 확인됨"),
    BadgeKind.OWN_RUN: Said("by the agent's own run", "에이전트 자신의 실행에 따름"),
    BadgeKind.FAILURES: Said("shown by the record, with failures", "기록에서 확인됨, 실패 있음"),
    BadgeKind.CHECK_FAILED: Said("a check of the service fails", "서비스 점검 실패"),
    BadgeKind.NOT_SHOWN: Said("not shown by the record", "기록에서 확인되지 않음"),
    BadgeKind.CONTRADICTED: Said("contradicted by the record", "기록과 다름"),
    BadgeKind.NOTHING_RUN: Said("nothing was run", "실행한 것 없음"),
}
