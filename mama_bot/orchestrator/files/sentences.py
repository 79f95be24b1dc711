"""What people are told of files that are not sent."""

from collections.abc import Mapping

from mama_bot.orchestrator.files.workspace_files import Why
from mama_bot.wording import Said

NOT_SENT = Said(en="Files that {name} named and that were not sent:", ko="{name}의 답변에서 보내지 않은 파일:")
AND_MORE = Said(en="- … and {more} more", ko="- … {more}개 더")
REASONS: Mapping[Why, Said] = {
    Why.MISSING: Said(en="there is no such file in the workspace", ko="작업 공간에 그런 파일이 없습니다"),
    Why.OUTSIDE: Said(en="it lies outside the workspace", ko="작업 공간 밖에 있습니다"),
    Why.LINK: Said(en="a link leads to it", ko="링크를 거쳐야 하는 파일입니다"),
    Why.NO_FILE: Said(en="it is no regular file", ko="일반 파일이 아닙니다"),
    Why.REPOSITORY: Said(en="it belongs to git itself", ko="git 내부 파일입니다"),
    Why.SECRET: Said(en="such files hold secrets", ko="비밀 정보가 담기는 파일입니다"),
    Why.EMPTY: Said(en="it is empty", ko="빈 파일입니다"),
    Why.TOO_LARGE: Said(en="it is larger than {size}", ko="{size}보다 큽니다"),
    Why.TOO_MANY: Said(en="a reply takes {files} files at most", ko="답변 하나에 파일은 {files}개까지입니다"),
    Why.UNREADABLE: Said(en="it could not be copied", ko="복사할 수 없습니다"),
}
