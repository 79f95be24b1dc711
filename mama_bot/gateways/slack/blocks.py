"""Buttons under a post, as blocks; pure."""

from collections.abc import Sequence
from typing import Any

from mama_bot.gateways.chat.commands import button_value
from mama_bot.gateways.chat.labels import Labels
from mama_bot.model import CommandName, Notice, NoticeKind, Post, Reply

SECTION = 3000
MOST_SECTIONS = 40
Block = dict[str, Any]
_FENCE, _OPEN, _CLOSE = "```", "```\n", "\n```"
_LONGEST_ESCAPE = 5


def buttons_of(post: Post, words: Labels) -> tuple[Block, ...]:
    """The buttons that belong under a post."""
    match post:
        case Reply():
            return (_button(CommandName.RECEIPT, words.receipt), _button(CommandName.REPORT, words.report))
        case Notice(approval=approval) if approval:
            return (
                _button(CommandName.APPROVE, words.approve, approval, style="primary"),
                _button(CommandName.DENY, words.deny, approval, style="danger"),
            )
        case Notice(notice=NoticeKind.WITHHELD):
            return (_button(CommandName.REPORT, words.report),)
        case Notice():
            return ()


def stop_button(words: Labels) -> Block:
    """The button of a progress message."""
    return _button(CommandName.STOP, words.stop, style="danger")


def with_buttons(text: str, buttons: Sequence[Block]) -> list[Block]:
    """A text in Slack's markup, and buttons under it; empty when the text is too long for sections."""
    pieces = _pieces(text)
    if not buttons or len(pieces) > MOST_SECTIONS:
        return []
    sections: list[Block] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": piece, "verbatim": True}} for piece in pieces
    ]
    return [*sections, {"type": "actions", "elements": list(buttons)}]


def _button(name: CommandName, label: str, argument: str = "", *, style: str = "") -> Block:
    about: Block = {
        "type": "button",
        "action_id": button_value(name, argument),
        "text": {"type": "plain_text", "text": label, "emoji": True},
    }
    return about | ({"style": style} if style else {})


def _pieces(text: str) -> list[str]:
    """At most SECTION characters each, cut where it hurts least; a fence of code is closed and opened again."""
    pieces = []
    while len(text) > SECTION:
        cut = _cut(text, SECTION - len(_CLOSE))
        piece, text = text[:cut], text[cut:]
        if piece.count(_FENCE) % 2:
            piece, text = piece.rstrip("\n") + _CLOSE, _OPEN + text
        pieces.append(piece)
    pieces.append(text)
    return [piece for piece in pieces if piece.strip()]


def _cut(text: str, most: int) -> int:
    """Behind a line or a word in the second half, and never within an escaped character."""
    for end in ("\n", " "):
        if found := text.rfind(end, most // 2, most) + 1:
            return found
    escape = text.rfind("&", most - _LONGEST_ESCAPE, most)
    return escape if escape > 0 and ";" not in text[escape:most] else most
