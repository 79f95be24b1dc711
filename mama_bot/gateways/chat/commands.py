"""Commands as text and as buttons, the same on every platform."""

import re
from collections.abc import Mapping

from mama_bot.model import BUTTONS_ONLY, CommandName

# What a platform's own menu of commands says; at most 100 characters (Discord).
DESCRIPTIONS: Mapping[CommandName, str] = {
    CommandName.AGENTS: "Who is in the team, and what each can do",
    CommandName.STATUS: "What runs in this conversation, and for how long",
    CommandName.QUEUE: "What waits, here and in the whole service",
    CommandName.STOP: "Stop what runs here, or what waits when nothing runs",
    CommandName.RESET: "Begin anew here: the agents forget this conversation",
    CommandName.USAGE: "Tokens, cost and verdicts of the last days",
    CommandName.RECEIPT: "What stands behind the latest reply: commands, results, checks",
    CommandName.REPORT: "Report that the latest verdict was wrong, with a note if you like",
    CommandName.HELP: "How to talk to the team",
}
KOREAN_DESCRIPTIONS: Mapping[CommandName, str] = {
    CommandName.AGENTS: "팀에 누가 있고 무엇을 하는지",
    CommandName.STATUS: "이 대화에서 무엇이 얼마나 진행 중인지",
    CommandName.QUEUE: "이 대화와 서비스 전체에서 기다리는 메시지",
    CommandName.STOP: "진행 중인 작업을 멈춤 (없으면 기다리는 메시지를 취소)",
    CommandName.RESET: "새로 시작: 에이전트가 이 대화를 잊음",
    CommandName.USAGE: "최근 토큰, 비용, 판정",
    CommandName.RECEIPT: "마지막 답변의 근거: 명령, 결과, 검사",
    CommandName.REPORT: "마지막 판정이 잘못되었다고 신고 (메모 가능)",
    CommandName.HELP: "팀과 대화하는 방법",
}
ARGUMENTS: Mapping[CommandName, str] = {
    CommandName.USAGE: "How many days back",
    CommandName.REPORT: "What is wrong with the verdict",
}

_TEXT = re.compile(r"\s*/(?P<name>[a-z]{1,20})(?:@[A-Za-z0-9_]{1,64})?(?:\s+(?P<argument>.*))?", re.DOTALL)
_BUTTON = "mama:"


def parse_command(text: str) -> tuple[CommandName, str] | None:
    """The command that a text (its leading mention taken off) is, and what stands behind it; None for other text."""
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    name = next((one for one in CommandName if one.value == match["name"] and one not in BUTTONS_ONLY), None)
    return None if name is None else (name, (match["argument"] or "").strip())


def button_value(name: CommandName, argument: str = "") -> str:
    """What a platform gives back when a button is pressed; at most 64 bytes for an argument of at most 40."""
    return f"{_BUTTON}{name.value}:{argument}" if argument else f"{_BUTTON}{name.value}"


def parse_button(value: str) -> tuple[CommandName, str] | None:
    """What `button_value` made; None for what it did not make."""
    if not value.startswith(_BUTTON):
        return None
    word, _, argument = value.removeprefix(_BUTTON).partition(":")
    name = next((one for one in CommandName if one.value == word), None)
    return None if name is None else (name, argument)
