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
