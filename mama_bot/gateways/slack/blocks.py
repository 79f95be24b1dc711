"""A post as blocks, where it has more than text: buttons, the line of facts; pure."""

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


def blocks_of(text: str, buttons: Sequence[Button], language: Language, *, context: str = "") -> list[Block]:
    """Return a text in Slack's markup, with buttons under it and its line of `context` small and grey.

    Nothing where it has neither, and where the text is too long for sections.
    """
    before, line, after = text.partition(context) if context else (text, "", "")
    shown = [*_sections(before), *_context(line), *_sections(after)]
    if not (buttons or line) or len(shown) > MOST_SECTIONS:
        return []
    actions: list[Block] = [{"type": "actions", "elements": [_element(button, language) for button in buttons]}]
    return [*shown, *actions] if buttons else shown


def _sections(text: str) -> list[Block]:
    pieces = _pieces(text.strip("\n"))
    return [{"type": "section", "text": {"type": "mrkdwn", "text": piece, "verbatim": True}} for piece in pieces]


def _context(line: str) -> list[Block]:
    return [{"type": "context", "elements": [{"type": "mrkdwn", "text": line, "verbatim": True}]}] if line else []


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
