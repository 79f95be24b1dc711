"""The few words that gateways themselves say."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """In one language."""

    stop: str
    receipt: str
    report: str
    approve: str
    deny: str
    duplicate: str
    file_refused: str


ENGLISH = Labels(
    stop="Stop",
    receipt="Receipt",
    report="Report as wrong",
    approve="Approve",
    deny="Deny",
    duplicate="(possibly a duplicate: the service was interrupted while it posted this)",
    file_refused="The file {name} was left out: {reason}",
)
KOREAN = Labels(
    stop="중지",
    receipt="근거 보기",
    report="잘못된 판정 신고",
    approve="승인",
    deny="거절",
    duplicate="(중복일 수 있음: 게시하는 동안 서비스가 중단되었습니다)",
    file_refused="{name} 파일은 제외했습니다: {reason}",
)


def labels(*, korean: bool) -> Labels:
    """The words in the language of a text."""
    return KOREAN if korean else ENGLISH
