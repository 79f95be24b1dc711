"""Buttons that were pressed: acknowledged at once, answered outside the conversation's queue."""

import asyncio

import structlog
from telegram.error import TelegramError

from mama_bot.gateways.chat.arrivals import answer_to
from mama_bot.gateways.chat.command_forms import loses_buttons, offered_buttons, parse_button
from mama_bot.gateways.telegram.accounts import TELEGRAM, TelegramAccount
from mama_bot.gateways.telegram.keyboards import keyboard_of
from mama_bot.gateways.telegram.posts import units
from mama_bot.gateways.telegram.speech import Speech, TelegramPlace, plain_of
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.updates import CallbackQuery, TelegramMessage
from mama_bot.metrics import Metrics
from mama_bot.model import (
    DECIDING,
    Author,
    AuthorKind,
    Command,
    CommandName,
    ConversationKey,
    Origin,
)
from mama_bot.protocols import Inlet
from mama_bot.wording import one_line

log = structlog.get_logger(__name__)

SHORT_CHARACTERS = 200


class Presses:
    """Answers pressed buttons; what a button means stands in the button, so a restart changes nothing."""

    def __init__(self, *, speech: Speech, timing: Timing, metrics: Metrics) -> None:
        self._speech = speech
        self._timing = timing
        self._metrics = metrics

    async def take(self, inlet: Inlet, account: TelegramAccount, query: CallbackQuery, origin: Origin) -> None:
        """Answer a query: shortly in the app, or with a message below."""
        parsed, message = parse_button(query.data), query.message
        if parsed is None or message is None:
            await self._acknowledge(account, query)
            return
        command = _command(account, query, message, origin, *parsed)
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(answer_to(inlet, command, self._metrics))
            await asyncio.wait({asked}, timeout=self._timing.press)
            text = plain_of(asked.result().text) if asked.done() and asked.exception() is None else ""
            if parsed[0] in DECIDING:  # it is for this person alone, and its post says the rest
                text = one_line(text, SHORT_CHARACTERS // 2) if units(text) > SHORT_CHARACTERS else text
            has_buttons = asked.done() and asked.exception() is None and bool(asked.result().offers)
            short = asked.done() and units(text) <= SHORT_CHARACTERS and not has_buttons
            told = await self._acknowledge(
                account, query, text if short else "", alert=parsed[0] is not CommandName.STOP
            )
        answer = asked.result()
        if answer.text and not (short and told):
            await self._speech.tell(
                account,
                TelegramPlace(message.chat.id, message.topic, message.message_id),
                answer.text,
                keyboard_of(offered_buttons(answer), command.language),
            )
        if answer.done and loses_buttons(*parsed):
            await self._take_off(account, message)

    async def _acknowledge(
        self, account: TelegramAccount, query: CallbackQuery, text: str = "", *, alert: bool = False
    ) -> bool:
        """Whether the person sees the answer in the app; not when they waited too long for it."""
        try:
            await account.client.answer_callback_query(query.id, text=text or None, show_alert=bool(text) and alert)
        except TelegramError as error:
            log.info("press_acknowledged_too_late", reason=str(error))
            return False
        return True

    async def _take_off(self, account: TelegramAccount, message: TelegramMessage) -> None:
        """A decision is made once: its buttons go."""
        try:
            await account.client.edit_message_reply_markup(message.chat.id, message.message_id, reply_markup=None)
        except TelegramError as error:
            log.info("buttons_stay", reason=str(error))


def _command(
    account: TelegramAccount,
    query: CallbackQuery,
    message: TelegramMessage,
    origin: Origin,
    name: CommandName,
    argument: str,
) -> Command:
    thread = account.persona if message.chat.private else ""
    sender = query.sender
    return Command(
        name=name,
        key=ConversationKey(TELEGRAM, str(message.chat.id), thread or (str(message.topic) if message.topic else "")),
        author=Author(
            id=str(sender.id), name=sender.full_name, kind=AuthorKind.BOT if sender.is_bot else AuthorKind.PERSON
        ),
        origin=origin,
        argument=argument,
        platform_id=str(message.message_id),
        language=sender.language,
    )
