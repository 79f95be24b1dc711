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
ALREADY_BROUGHT = Said(
    en="The work of {persona} in this delegation was brought to its end before. Ask for it anew.",
    ko="이 위임에서 {persona:이/가} 한 작업은 이미 마무리되었습니다. 새로 요청하세요.",
)
NEVER_DIRECTLY = Said(
    en="Work goes to {branch} by a merge, and is never pushed there.",
    ko="{branch}에는 병합으로만 들어가며, 직접 푸시하지 않습니다.",
)
UNFINISHED = Said(
    en="A merge or a rebase is unfinished in the work tree. Ask for it to be ended or aborted first.",
    ko="작업 트리에 끝나지 않은 병합이나 리베이스가 있습니다. 먼저 끝내거나 취소해 달라고 하세요.",
)
NOT_ON_TOP = Said(
    en="{branch} at the source holds commits that are not here, and nothing is overwritten: somebody else pushed "
    "there, or the history here was rewritten.",
    ko="소스의 {branch}에 여기에 없는 커밋이 있고, 덮어쓰지 않습니다. "
    "다른 사람이 푸시했거나 여기의 기록이 바뀌었습니다.",
)
PROTECTED = Said(
    en="The source protects {branch}: its rules do not let the service push there.",
    ko="소스가 {branch:을/를} 보호합니다. 규칙 때문에 서비스가 푸시할 수 없습니다.",
)
NO_CREDENTIALS = Said(
    en="The source of {name} wants to know who pushes, and the service has no credentials that it takes. "
    "Set repositories.{name}.git; `mama-bot doctor` says what is missing.",
    ko="저장소 {name}의 소스에 푸시할 인증 정보가 없거나 받아들여지지 않습니다. repositories.{name}.git을 설정하세요. "
    "무엇이 없는지는 `mama-bot doctor`가 알려 줍니다.",
)
NO_SOURCE = Said(
    en="This conversation works in a scratch repository, which was cloned from nowhere. Choose one with /repo.",
    ko="이 대화는 어디에서도 가져오지 않은 임시 저장소에서 작업합니다. /repo로 저장소를 고르세요.",
)
PUSHED_BY_OWNER = Said(
    en="All conversations work in the directory {source} itself: push from there.",
    ko="모든 대화가 {source} 디렉터리에서 직접 작업합니다. 그곳에서 푸시하세요.",
)
NOT_BEGUN = Said(en="Nothing has been done here yet.", ko="아직 여기서 한 일이 없습니다.")
MAY_NOT_PUSH = Said(
    en="The credentials of the repository {name} may read its source, and not push there.",
    ko="저장소 {name}의 인증 정보로는 소스를 읽을 수만 있고 푸시할 수 없습니다.",
)
NOT_PUSHED = Said(
    en="{branch} was not pushed: {reason}.",
    ko="{branch:을/를} 푸시하지 못했습니다: {reason}.",
)
TREE_TAKES_LONG = Said(
    en="The files of {name} are still being laid out for this conversation: many began at once, or the repository is "
    "large. Work begins when that is done.",
    ko="이 대화에서 쓸 {name} 저장소의 파일을 아직 준비하고 있습니다. 여러 대화가 한꺼번에 시작했거나 저장소가 큽니다. "
    "준비가 끝나면 작업을 시작합니다.",
)
TREE_IS_MADE = Said(
    en="The files of {name} are being laid out for this conversation: many began at once, or the repository is large. "
    "Work begins in some {seconds} s.",
    ko="이 대화에서 쓸 {name} 저장소의 파일을 준비하고 있습니다. 여러 대화가 한꺼번에 시작했거나 저장소가 큽니다. "
    "약 {seconds}초 뒤에 작업을 시작합니다.",
)
SUBMODULES_MISSING = Said(
    en="Submodules of {name} are empty directories here: {paths}. What needs their contents cannot run, and where an "
    "agent fills one, undo, merge and push are refused.",
    ko="저장소 {name}의 서브모듈은 여기에서 빈 디렉터리입니다: {paths}. 그 내용이 필요한 것은 실행할 수 없고, "
    "에이전트가 채우면 되돌리기, 병합, 푸시를 할 수 없습니다.",
)
LARGE_FILES_MISSING = Said(
    en="Large files of {name} (git LFS) are here as pointers, without their contents: what needs those cannot run.",
    ko="저장소 {name}의 대용량 파일(git LFS)은 여기에 내용 없이 포인터로만 있습니다. "
    "그 내용이 필요한 것은 실행할 수 없습니다.",
)
