"""The buttons below messages."""

from collections.abc import Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from mama_bot.gateways.chat.command_forms import Button
from mama_bot.wording import Language

IN_ROW = 3


def keyboard_of(buttons: Sequence[Button], language: Language) -> InlineKeyboardMarkup | None:
    """Return buttons side by side, as many as a phone shows with their words; None where there are none."""
    shown = [InlineKeyboardButton(button.label.to(language), callback_data=button.value) for button in buttons]
    return (
        InlineKeyboardMarkup([shown[first : first + IN_ROW] for first in range(0, len(shown), IN_ROW)])
        if shown
        else None
    )
