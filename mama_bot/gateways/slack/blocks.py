"""Buttons under a post, as blocks; pure."""

from collections.abc import Sequence
from typing import Any

from mama_bot.gateways.chat.command_forms import Button
from mama_bot.model import CommandName
from mama_bot.wording import Language

SECTION = 3000
MOST_SECTIONS = 40
Block = dict[str, Any]
_STYLES = {CommandName.STOP: "danger", CommandName.APPROVE: "primary", CommandName.DENY: "danger"}
_FENCE, _OPEN, _CLOSE = "```", "```\n", "\n```"
_LONGEST_ESCAPE = 5


def with_buttons(text: str, buttons: Sequence[Button], language: Language) -> list[Block]:
    """Return a text in Slack's markup and buttons under it; nothing where the text is too long for sections."""
    pieces = _pieces(text)
    if not buttons or len(pieces) > MOST_SECTIONS:
        return []
    sections: list[Block] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": piece, "verbatim": True}} for piece in pieces
    ]
    return [*sections, {"type": "actions", "elements": [_element(button, language) for button in buttons]}]


def _element(button: Button, language: Language) -> Block:
    style = _STYLES.get(button.name)
    element: Block = {
        "type": "button",
        "action_id": button.value,
        "text": {"type": "plain_text", "text": button.label.to(language), "emoji": True},
    }
    return element | ({"style": style} if style else {})


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
        if place := text.rfind(end, most // 2, most) + 1:
            return place
    escape = text.rfind("&", most - _LONGEST_ESCAPE, most)
    return escape if escape > 0 and ";" not in text[escape:most] else most
