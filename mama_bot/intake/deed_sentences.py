"""What whoever asks for a diff or a deed is told."""

from collections.abc import Mapping

from mama_bot.model import DeedRight, Unshown
from mama_bot.wording import Said

ALL_OF_IT = frozenset({"all", "everything", "전체", "전부", "모두", "다"})
DIFF_HEAD = Said("**{files:file|files}** +{added} −{removed}", "**파일 {files}개** +{added} −{removed}")
AND_FILES = Said("… and {n:more file|more files}", "… 외 파일 {n}개")
UNSHOWN: Mapping[Unshown, Said] = {
    Unshown.BINARY: Said("binary or very large: not shown", "바이너리이거나 매우 큰 파일: 표시하지 않음"),
    Unshown.LONG: Said("too long to be shown here", "너무 길어 여기에 표시하지 않음"),
    Unshown.BEYOND: Said("too many files to be shown here", "파일이 많아 여기에 표시하지 않음"),
}
DIFF_BELOW = Said("Shown in the conversation.", "대화에 표시했습니다.")
NO_CHANGE = Said(
    "Nothing was changed there that is known here. /diff alone shows the latest change.",
    "거기서 바뀐 것으로 알려진 내용이 없습니다. /diff만 보내면 마지막 변경을 보여 줍니다.",
)
NO_CHANGE_YET = Said(
    "No turn has changed anything here yet. `/diff all` also shows what was changed by hand.",
    "아직 바뀐 내용이 없습니다. 손으로 바꾼 내용까지 보려면 `/diff all`을 쓰세요.",
)
NO_CHANGE_LEFT = Said(
    "Nothing is changed here any more: the last change was undone, and the files are as they were when the work began.",
    "이제 바뀐 내용이 없습니다. 마지막 변경을 되돌려서 파일이 작업을 시작할 때와 같습니다.",
)
CHANGED_SINCE_BEGIN = Said(
    "The last change here was an undo or a redo. All that differs now from where the work began:",
    "마지막 변경은 되돌리기나 되살리기였습니다. 작업을 시작할 때와 지금 다른 내용 전체:",
)
NO_DIFF_NOW = Said(
    "The changes cannot be read just now. Try again in a moment.",
    "지금은 변경 내용을 읽을 수 없습니다. 잠시 뒤 다시 시도해 주세요.",
)
NOTHING_TO_UNDO = Said("No turn changed anything here that stands.", "되돌릴 변경이 없습니다.")
NOTHING_TO_REDO = Said("Nothing was undone here.", "되돌린 변경이 없습니다.")
DEED_GOES_ON = Said("It is being done; the conversation is told.", "진행 중입니다. 끝나면 대화에 알립니다.")
DEED_DONE = Said("Done. The conversation is told.", "마쳤습니다. 대화에 알렸습니다.")
NOT_IN_ORDER = Said(
    "Not merged: the last reply about this work, by {name}, is not in order.",
    "병합하지 않았습니다. 이 작업에 대한 마지막 답변({name})에 문제가 있습니다.",
)
CHECKS_FAILED = Said(
    "Not merged: checks failed when {name} ran them last.",
    "병합하지 않았습니다. {name:이/가} 마지막으로 실행한 검사가 실패했습니다.",
)
ENDED_WITHOUT_REPLY = Said(
    "Not merged: {name} changed files here last, and that turn ended without a reply.",
    "병합하지 않았습니다. 마지막으로 파일을 바꾼 {name}의 차례가 답변 없이 끝났습니다.",
)
UNCHECKED = Said(
    "Not merged: no check is known to have passed since {name} changed code here.",
    "병합하지 않았습니다. {name:이/가} 코드를 바꾼 뒤로 통과한 것으로 알려진 검사가 없습니다.",
)
MERGES_ANYWAY = Said("`/merge anyway` merges it as it is.", "그대로 병합하려면 `/merge anyway`를 쓰세요.")
MERGE_ANYWAY = Said("Merge anyway", "그래도 병합")
REDO = Said("Redo", "되살리기")
ANYWAY = Said("anyway", "그래도")
MARKED_NEEDS_REVIEW = Said("It is marked *Needs review*.", "*검토 필요*로 표시되어 있습니다.")
NOT_MERGED = Said(
    "Nothing was merged. The conversation is told which files conflict.",
    "병합하지 않았습니다. 어떤 파일이 충돌하는지 대화에 알렸습니다.",
)
MAY_NOT: Mapping[DeedRight, Said] = {
    DeedRight.UNDO: Said(
        "Only those whom `may_undo` of the repository names can undo this: by default owners, and who asked for it.",
        "저장소 설정 `may_undo`에 있는 사람만 되돌릴 수 있습니다. 기본값은 소유자와 요청한 사람입니다.",
    ),
    DeedRight.MERGE: Said(
        "Only those whom `may_merge` of the repository names can merge: by default owners.",
        "저장소 설정 `may_merge`에 있는 사람만 병합할 수 있습니다. 기본값은 소유자입니다.",
    ),
    DeedRight.DISCARD: Said(
        "Only those whom `may_discard` of the repository names can discard or restore work: by default owners.",
        "저장소 설정 `may_discard`에 있는 사람만 작업을 버리거나 되살릴 수 있습니다. 기본값은 소유자입니다.",
    ),
    DeedRight.PUSH: Said(
        "Only those whom `may_push` of the repository names can push and open pull requests: by default owners.",
        "저장소 설정 `may_push`에 있는 사람만 푸시하고 풀 리퀘스트를 열 수 있습니다. 기본값은 소유자입니다.",
    ),
}
