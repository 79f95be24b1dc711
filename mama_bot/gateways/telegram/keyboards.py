"""The buttons below messages."""

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from mama_bot.gateways.chat.commands import button_value
from mama_bot.gateways.chat.labels import labels
from mama_bot.model import CommandName, Notice, NoticeKind, Post
from mama_bot.wording import is_korean


def buttons_of(post: Post) -> InlineKeyboardMarkup | None:
    """What can be pressed below a post."""
    words = labels(korean=is_korean(post.text))
    receipt = InlineKeyboardButton(words.receipt, callback_data=button_value(CommandName.RECEIPT))
    report = InlineKeyboardButton(words.report, callback_data=button_value(CommandName.REPORT))
    match post:
        case Notice(approval=approval) if approval:
            approve = InlineKeyboardButton(words.approve, callback_data=button_value(CommandName.APPROVE, approval))
            deny = InlineKeyboardButton(words.deny, callback_data=button_value(CommandName.DENY, approval))
            return InlineKeyboardMarkup([[approve, deny]])
        case Notice(notice=NoticeKind.WITHHELD):
            return InlineKeyboardMarkup([[report]])
        case Notice():
            return None
        case _:
            return InlineKeyboardMarkup([[receipt, report]])


def stop_button(*, korean: bool) -> InlineKeyboardMarkup:
    """Below the message that shows who works."""
    button = InlineKeyboardButton(labels(korean=korean).stop, callback_data=button_value(CommandName.STOP))
    return InlineKeyboardMarkup([[button]])
