"""What is said on Telegram alone."""

from collections.abc import Mapping

from mama_bot.wording import Said

UNREADABLE_MESSAGE = Said(
    "A message here could not be read; the log of the service tells why. Please write it again.",
    "메시지를 읽지 못했습니다. 다시 써 주세요.",
)
NOT_GIVEN_OUT = Said(
    "Telegram did not give it out ({reason}). Send it again.",
    "텔레그램에서 받지 못했습니다 ({reason}). 다시 보내 주세요.",
)
TOO_LARGE_TO_POST = Said("It is larger than {most} MB.", "{most} MB보다 큽니다.")


UNREADABLE = Said(
    "{kind} cannot be read here. Write what it says, or send it as a file of text or an image.",
    "{kind}: 여기서는 읽을 수 없습니다. 글로 쓰거나 텍스트 파일, 이미지로 보내 주세요.",
)
# What no agent can read, by its field of a message.
UNREADABLE_KINDS: Mapping[str, Said] = {
    "voice": Said("A voice message", "음성 메시지"),
    "audio": Said("An audio file", "오디오 파일"),
    "video": Said("A video", "동영상"),
    "video_note": Said("A video message", "영상 메시지"),
    "animation": Said("An animation", "애니메이션"),
    "sticker": Said("A sticker", "스티커"),
    "location": Said("A location", "위치"),
    "contact": Said("A contact", "연락처"),
    "poll": Said("A poll", "투표"),
    "story": Said("A story", "스토리"),
}

# Why nothing is heard; `whose` is OF_PERSONA, or "".
NOT_YET = Said("Telegram was not reached yet.", "아직 텔레그램에 연결되지 않았습니다.")
SILENT = Said(
    "Telegram has not answered a poll for more than {seconds:g} seconds.",
    "텔레그램이 {seconds:g}초 넘게 응답하지 않습니다.",
)
OF_PERSONA = Said(" of the persona {persona}", "{persona}의 ")
WEBHOOK_SET = Said(
    "A webhook is set for the bot{whose}; it is taken off before the next poll.",
    "{whose}봇에 웹훅이 설정되어 있어 다음 요청 전에 해제합니다.",
)
ANOTHER_PROGRAM = Said(
    "Another program polls with this token{whose}. Stop it, or give one of the two a bot of its own.",
    "다른 프로그램이 {whose}이 토큰을 쓰고 있습니다. 그 프로그램을 멈추거나 봇을 따로 만드세요.",
)
ASKS_FOR_PAUSE = Said(
    "Telegram asks for a pause of {seconds:g} seconds.", "텔레그램이 {seconds:g}초 동안 기다리라고 합니다."
)
UNANSWERED_POLL = Said(
    "Telegram took a poll and never answered it; it is asked again.",
    "텔레그램이 요청을 받고 응답하지 않아 다시 요청합니다.",
)
UNCONFIRMED = Said(
    "What Telegram sends cannot be confirmed: {error}", "텔레그램에서 받은 것을 확인해 줄 수 없습니다: {error}"
)
AWAY_TOO_LONG = Said(
    "⚠️ mama-bot heard nothing from Telegram since {since}, and Telegram keeps messages for 24 hours: what was written "
    "before {kept} is gone. Ask again what was not answered.",
    "⚠️ mama-bot이 {since}부터 텔레그램에서 아무것도 받지 못했습니다. 텔레그램은 메시지를 24시간만 보관하므로 {kept} "
    "이전에 쓰인 것은 사라졌습니다. 답을 받지 못한 것은 다시 요청하세요.",
)
UNREACHED = Said("Telegram cannot be polled: {error}", "텔레그램에 요청할 수 없습니다: {error}")
TOKEN_REFUSED = Said(
    "Telegram does not accept the token{whose}. Get a new one from @BotFather (/token), "
    "set {setting} and start the service again.",
    "텔레그램이 {whose}토큰을 받아들이지 않습니다. @BotFather(/token)에서 새로 받아 "
    "{setting:을/를} 설정하고 서비스를 다시 시작하세요.",
)
