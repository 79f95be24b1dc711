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
FAILED = Said(
    "The machine that has the files of this conversation could not do it: {reason} "
    "Look at `/status` before you ask again.",
    "이 대화의 파일이 있는 서버에서 처리하지 못했습니다: {reason} 다시 요청하기 전에 `/status`를 확인해 주세요.",
)
FAULT = Said("something went wrong there; its log says what.", "서버에서 문제가 생겼습니다. 로그에 이유가 있습니다.")
