"""What people are told of branches that are pushed and of pull requests."""

from mama_bot.model import ForgeKind
from mama_bot.wording import Said

REQUESTS = {
    ForgeKind.GITHUB: Said(en="pull request #{number}", ko="풀 리퀘스트 #{number}"),
    ForgeKind.GITLAB: Said(en="merge request !{number}", ko="머지 리퀘스트 !{number}"),
}
LINKED = Said(en="[{request}]({url})", ko="[{request}]({url})")

NO_FORGE = Said(
    en="The repository {name} has no forge: set repositories.{name}.forge (docs/repositories.md).",
    ko="저장소 {name}에 설정된 포지가 없습니다. repositories.{name}.forge를 설정하세요(docs/repositories.md).",
)

NOTHING_TO_OPEN = Said(
    en="This conversation works in a scratch repository of its own: there is nothing to open a pull request in.",
    ko="이 대화는 자체 임시 저장소에서 작업합니다. 풀 리퀘스트를 열 곳이 없습니다.",
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
