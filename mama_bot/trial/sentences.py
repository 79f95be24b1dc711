"""Why a text of a person's own is not judged."""

from mama_bot.wording import Said

BUSY = Said(
    "Another text is being judged just now. Try again in a moment.",
    "지금 다른 글을 판정하고 있습니다. 잠시 후 다시 시도해 주세요.",
)
LATE = Said(
    "The judgement took longer than {seconds:g} seconds. Give a shorter text or record.",
    "판정에 {seconds:g}초가 넘게 걸렸습니다. 글이나 기록을 줄여 주세요.",
)
UNREADABLE = Said(
    "The record cannot be read: {problem} It is a JSON list of tool calls, each with tool, arguments and output.",
    "기록을 읽을 수 없습니다: {problem} 도구 호출의 JSON 목록이어야 하며, 호출마다 tool, arguments, output이 있습니다.",
)
TOO_MANY_CALLS = Said(
    "The record has {count:call|calls}; {most} are allowed.",
    "기록에 호출이 {count}개 있습니다. {most}개까지입니다.",
)
