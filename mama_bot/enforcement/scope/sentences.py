"""What is said of files that a delegation did not name."""

from mama_bot.wording import Said

UNEXPECTED = Said(
    "Changed {count:file|files} that the delegation did not name: {names}",
    "위임이 지정하지 않은 파일 {count}개를 변경했습니다: {names}",
)
