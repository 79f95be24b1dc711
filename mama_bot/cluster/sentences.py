"""What is said to people where several nodes are one service."""

from mama_bot.wording import Said

NOT_ANSWERED = Said(
    "The machine that has the files of this conversation did not answer in time. Look at `/status`, and ask again.",
    "이 대화의 파일이 있는 서버가 제때 답하지 않았습니다. `/status`로 확인한 뒤 다시 시도해 주세요.",
)
BUSY = Said(
    "The machine that has the files of this conversation is busy with other commands. Try it again in a minute.",
    "이 대화의 파일이 있는 서버가 다른 명령을 처리하느라 바쁩니다. 잠시 뒤 다시 시도해 주세요.",
)
REFUSED = Said("That is not for you to ask.", "이 명령을 사용할 권한이 없습니다.")
