"""The buttons below messages."""

from collections.abc import Sequence

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from mama_bot.gateways.chat.command_forms import Button
from mama_bot.wording import Language


def keyboard_of(buttons: Sequence[Button], language: Language) -> InlineKeyboardMarkup | None:
    """Return buttons side by side; None where there are none."""
    row = [InlineKeyboardButton(button.label.to(language), callback_data=button.value) for button in buttons]
    return InlineKeyboardMarkup([row]) if row else None
