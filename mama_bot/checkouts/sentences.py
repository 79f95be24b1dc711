"""What people are told about repositories and work trees."""

from mama_bot.wording import Said

NOT_CONFIGURED = Said(
    en="This conversation works in the repository {name}, which is not configured any more. "
    "Put it back under `repositories`, or choose another with /repo.",
    ko="이 대화가 작업하는 저장소 {name:이/가} 더 이상 설정에 없습니다. "
    "`repositories`에 다시 넣거나 /repo로 다른 저장소를 고르세요.",
)
UNREACHABLE = Said(
    en="The repository {name} cannot be fetched from {source}: {reason}. Try `mama-bot doctor`.",
    ko="저장소 {name:을/를} {source}에서 가져올 수 없습니다: {reason}. `mama-bot doctor`를 실행해 보세요.",
)
NO_ANSWER = Said(en="no answer within {seconds:g} seconds", ko="{seconds:g}초 안에 응답이 없습니다")
NO_BRANCH = Said(
    en="The repository {name} has no branch {branch}. Set repositories.{name}.branch to one that it has.",
    ko="저장소 {name}에 {branch} 브랜치가 없습니다. repositories.{name}.branch를 있는 브랜치로 바꾸세요.",
)
NO_COMMIT = Said(
    en="The repository {name} has no commit yet. Push a first one to {source}.",
    ko="저장소 {name}에 아직 커밋이 없습니다. {source}에 첫 커밋을 올리세요.",
)
SCRATCH_NAME = Said(en="the scratch repository", ko="임시 저장소")
NO_DIRECTORY = Said(
    en="The directory {source} of the repository {name} is gone. Restore it, or change repositories.{name}.source.",
    ko="저장소 {name}의 디렉터리 {source:이/가} 없습니다. 되살리거나 repositories.{name}.source를 바꾸세요.",
)
NOT_MADE = Said(
    en="A work tree of {name} cannot be made: {reason}. Make data_directory writable, or free some space.",
    ko="{name}의 작업 트리를 만들 수 없습니다: {reason}. data_directory의 쓰기 권한과 남은 공간을 확인하세요.",
)
