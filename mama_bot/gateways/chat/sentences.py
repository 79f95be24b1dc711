"""What the gateways to chats say themselves."""

from mama_bot.wording import Said

# Buttons.
STOP = Said("Stop", "중지")
CANCEL = Said("Cancel", "취소")
TELL = Said("Tell the agent now", "지금 전달")
RETRY = Said("Retry", "다시 시도")
CONTINUE = Said("Continue", "이어서 하기")
RECEIPT = Said("Receipt", "근거 보기")
REPORT = Said("Report as wrong", "잘못된 판정 신고")
SHOW_DIFF = Said("Show diff", "변경 보기")
UNDO = Said("Undo", "되돌리기")
REDO = Said("Redo", "되살리기")
MERGE = Said("Merge", "병합")
PUSH = Said("Push branch", "브랜치 푸시")
OPEN_PULL_REQUEST = Said("Open pull request", "풀 리퀘스트 열기")
APPROVE = Said("Approve", "승인")
DENY = Said("Deny", "거절")
ALWAYS = Said("Always here", "여기서는 항상")

# How a message stands that waits.
IN_LINE = Said("“{words}” is {place} in line here.", "“{words}”: 여기서 {place}번째로 기다리는 중입니다.")
TOLD = Said("“{words}”: the agent at work was told.", "“{words}”: 작업 중인 에이전트에게 전했습니다.")
WAITS_FOR_AGENT = Said("“{words}” waits for a free agent.", "“{words}”: 빈 에이전트를 기다리는 중입니다.")

# Above a post that may stand there twice.
DUPLICATE = Said(
    "(possibly a duplicate: nobody knows whether an earlier attempt to post this arrived)",
    "(중복일 수 있음: 앞서 게시하려던 시도가 도착했는지 알 수 없습니다)",
)

# Messages and commands that are not carried out.
STALE_COMMAND = Said(
    "The service was away when you gave this command, and did not carry it out. Give it again if need be.",
    "서비스가 꺼져 있을 때 받은 명령이라 실행하지 않았습니다. 필요하면 다시 보내 주세요.",
)
GIVEN_UP = Said(
    "Your message could not be stored, and is not worked on. Send it again later.",
    "메시지를 저장할 수 없어 처리하지 못했습니다. 나중에 다시 보내 주세요.",
)

# Files that are left out, and why.
FILE_LEFT_OUT = Said("The file {name} was left out: {reason}", "{name} 파일은 제외했습니다: {reason}")
TOO_MANY_FILES = Said("At most {most} files fit with one message.", "메시지 하나에 파일은 {most}개까지입니다.")
TOO_LARGE = Said("It is larger than {size}. Send a smaller file.", "{size}보다 큽니다. 더 작은 파일을 보내 주세요.")
EMPTY = Said("It is empty.", "빈 파일입니다.")
NOT_FETCHED = Said(
    "It could not be fetched from {platform}. Send it again later.",
    "{platform}에서 파일을 받지 못했습니다. 나중에 다시 보내 주세요.",
)
SAME_NAMES = Said(
    "More than {most} files of the message have the same name.", "이름이 같은 파일이 {most}개가 넘습니다."
)
NOT_STORED = Said(
    "It could not be stored ({reason}). Send it again later.",
    "저장할 수 없습니다 ({reason}). 나중에 다시 보내 주세요.",
)

# Below what is too long to be shown whole.
LINES_ATTACHED = Said("({name}: all {count:,} lines are attached)", "({name}: 전체 {count:,}줄을 첨부했습니다)")
TEXT_ATTACHED = Said("(the whole text, {count:,} characters, is attached)", "(전체 {count:,}자를 첨부했습니다)")

# The message that shows who works.
TOOL_CALLS = Said("{count:tool call|tool calls}", "도구 {count}회")
SERVICE_CHECKS = Said("the service checks {name}: {command}", "서비스 검사 {name}: {command}")
MODEL_ASKED_AGAIN = Said("the model's service failed, and is asked again", "모델 서비스를 다시 부르는 중")
SENT_BACK = Said("sent back {count}×: {reason}", "돌려보냄 {count}회: {reason}")
MINUTES = Said("{minutes} min {seconds} s", "{minutes}분 {seconds}초")
SECONDS = Said("{seconds} s", "{seconds}초")

# Before a line of an agent's that reads like one of the service.
AGENT_WRITES = Said("the agent writes:", "에이전트의 말:")

# What owners are told of messages that were written while nobody listened.
BEHIND = Said(
    "⚠️ What was written in {count} channels of {platform} while mama-bot was away is not read yet; it goes on trying. "
    "{reason}",
    "⚠️ mama-bot이 자리를 비운 동안 {platform} 채널 {count}곳에 쓰인 메시지를 아직 읽지 못했습니다. "
    "계속 시도합니다. {reason}",
)
NO_REASON = Said("The log says more.", "자세한 내용은 로그에 있습니다.")
