"""What people are told of branches that are pushed and of pull requests."""

from mama_bot.model import ForgeKind
from mama_bot.wording import Said

REQUESTS = {
    ForgeKind.GITHUB: Said(en="pull request #{number}", ko="풀 리퀘스트 #{number}"),
    ForgeKind.GITLAB: Said(en="merge request !{number}", ko="머지 리퀘스트 !{number}"),
}
LINKED = Said(en="[{request}]({url})", ko="[{request}]({url})")

# --- pushed and opened ----------------------------------------------------------------------------------

PUSHED = Said(
    en="{who} pushed {count:commit|commits} to `{branch}` ({commit}).",
    ko="{who}님이 커밋 {count}개를 `{branch}`에 푸시했습니다({commit}).",
)
THERE_ALREADY = Said(
    en="`{branch}` at the source ends with {commit}, as it does here.",
    ko="소스의 `{branch}` 브랜치도 여기와 같이 {commit}까지 있습니다.",
)
OPENED = Said(
    en="{who} opened {request}: {title} (`{branch}` into `{target}`, {count:commit|commits}).",
    ko="{who}님이 {request:을/를} 열었습니다: {title} (`{branch}` → `{target}`, 커밋 {count}개).",
)
OPENED_AS_DRAFT = Said(
    en="{who} opened {request} as a draft: {title} (`{branch}` into `{target}`, {count:commit|commits}).",
    ko="{who}님이 {request:을/를} 초안으로 열었습니다: {title} (`{branch}` → `{target}`, 커밋 {count}개).",
)
STANDS = Said(en="{request} is open: {title}.", ko="{request:이/가} 열려 있습니다: {title}.")
COMMITTED_FIRST = Said(
    en="{count:file was|files were} in no commit, and committed first.",
    ko="커밋되지 않은 파일 {count}개를 먼저 커밋했습니다.",
)
NOTHING_AHEAD = Said(
    en="There is nothing here that `{target}` lacks.",
    ko="여기에 `{target}` 브랜치에 없는 변경이 없습니다.",
)
SOMEBODY_WORKS = Said(
    en="Somebody works here just now. Wait until it is done, or stop it.",
    ko="지금 여기서 작업 중입니다. 끝날 때까지 기다리거나 멈추세요.",
)
TAKES_TOO_LONG = Said(
    en="The commits could not be taken out in {minutes} minutes, and nothing was pushed. Try again later.",
    ko="커밋을 작업 트리에서 {minutes}분 안에 꺼내지 못해 아무것도 푸시하지 않았습니다. 나중에 다시 시도하세요.",
)
NO_FORGE = Said(
    en="The repository {name} has no forge: set repositories.{name}.forge (docs/repositories.md).",
    ko="저장소 {name}에 설정된 포지가 없습니다. repositories.{name}.forge를 설정하세요(docs/repositories.md).",
)
TAKES_LONGER = Said(
    en="This takes a while. What comes of it is posted here.",
    ko="시간이 걸립니다. 결과는 여기에 올라옵니다.",
)
TOO_MANY = Said(
    en="Too much is being pushed at the same time. Try again in a minute.",
    ko="동시에 푸시 중인 것이 너무 많습니다. 잠시 후 다시 시도하세요.",
)
NOT_TAKEN_OUT = Said(
    en="The commits here cannot be read: {reason}.",
    ko="여기의 커밋을 읽을 수 없습니다: {reason}.",
)
UNKNOWN_TROUBLE = Said(
    en="This did not work; the log of the service tells why.",
    ko="실패했습니다. 이유는 서비스 로그에 있습니다.",
)

# --- what the pull request says -------------------------------------------------------------------------

UNTITLED = Said(en="Work of a conversation", ko="대화에서 한 작업")
ORIGIN = Said(
    en="Opened by mama-bot from a conversation on {platform}, as {who} asked.",
    ko="{platform} 대화에서 {who}님의 요청으로 mama-bot이 열었습니다.",
)
NOT_CHECKED_BY_PEOPLE = Said(
    en="The words above are an agent's, cleared by the service's checks.",
    ko="위의 글은 에이전트가 썼고 서비스의 검사를 통과했습니다.",
)

# --- what becomes of it ---------------------------------------------------------------------------------

CI_RUNS = Said(
    en="CI runs on {commit} ({request}): {count:check|checks}.",
    ko="{commit}의 CI가 진행 중입니다({request}): 검사 {count}개.",
)
CI_FAILED = Said(
    en="CI failed on {commit} ({request}): {names}.",
    ko="{commit}의 CI가 실패했습니다({request}): {names}.",
)
CI_PASSED = Said(
    en="CI passed on {commit} ({request}): {count:check|checks}.",
    ko="{commit}의 CI가 통과했습니다({request}): 검사 {count}개.",
)
FURTHER = Said(en="{count} more", ko="{count}개 더")
STILL_RUNS = Said(en="{count:check still runs|checks still run}.", ko="검사 {count}개는 아직 진행 중입니다.")
HAS_CONFLICTS = Said(
    en="{request} has conflicts with `{target}` and cannot be merged.",
    ko="{request}에 `{target}` 브랜치와 충돌이 있어 병합할 수 없습니다.",
)
MERGED = Said(en="{request} was merged into `{target}`.", ko="{request:이/가} `{target}`에 병합되었습니다.")
CLOSED = Said(en="{request} was closed without a merge.", ko="{request:이/가} 병합 없이 닫혔습니다.")
WROTE = Said(
    en="Under {request}, in the words of other people:",
    ko="{request}에 다른 사람들이 쓴 글:",
)
COMMENTED_AT = Said(en="{author} on `{place}`", ko="{author}, `{place}`")
APPROVED = Said(en="approved", ko="승인함")
WANTS_CHANGES = Said(en="wants changes", ko="수정 요청")
MORE_COMMENTS = Said(en="{count:further comment|further comments}", ko="댓글 {count}개 더")
NOT_LOOKED_AT = Said(
    en="{request} cannot be looked at now. {reason}",
    ko="{request:을/를} 지금 볼 수 없습니다. {reason}",
)
TOO_OLD = Said(
    en="{request} has been open for {days} days: what becomes of it is not told here any more.",
    ko="{request:이/가} {days}일째 열려 있어 앞으로는 여기에 알리지 않습니다.",
)
