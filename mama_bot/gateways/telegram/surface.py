"""Progress on Telegram: a sign of typing, and one message that is edited, at the pace that groups allow."""

from collections.abc import Sequence

from telegram.constants import ChatAction, ParseMode

from mama_bot.gateways.chat.command_forms import STOP_BUTTON, Button
from mama_bot.gateways.chat.markdown.posts import short_message
from mama_bot.gateways.chat.seen import ReactionsRefused, SlowDown
from mama_bot.gateways.telegram.accounts import TelegramAccounts, counted_number, thread_of
from mama_bot.gateways.telegram.dialect import DIALECT
from mama_bot.gateways.telegram.keyboards import keyboard_of
from mama_bot.gateways.telegram.posts import UNCHANGED, OutgoingMessage, Sender
from mama_bot.gateways.telegram.remembered_chats import RememberedChats
from mama_bot.gateways.telegram.timings import Timing
from mama_bot.gateways.telegram.transport import TelegramRefused
from mama_bot.model import ConversationKey, MessageId, Turn
from mama_bot.protocols import Clock
from mama_bot.recent import Recent
from mama_bot.wording import Language

_CHATS = 1000
_BAD_REQUEST, _FORBIDDEN = 400, 403
SEEN = "👀"


class TelegramSurface:
    """A ProgressSurface; the message is the team's bot's, so that whoever looks after a restart can take it away."""

    def __init__(
        self, *, accounts: TelegramAccounts, sender: Sender, chats: RememberedChats, clock: Clock, timing: Timing
    ) -> None:
        self._accounts = accounts
        self._sender = sender
        self._chats = chats
        self._clock = clock
        self._timing = timing
        self._edited: Recent[str, float] = Recent(_CHATS)

    async def typing(self, turn: Turn) -> None:
        """Show that the persona types."""
        account = self._accounts.speaking(turn.key, turn.persona)
        try:
            await account.client.send_chat_action(
                self._chat(turn.key), ChatAction.TYPING, message_thread_id=thread_of(turn.key) or None
            )
        except TelegramRefused:
            if account is not self._accounts.of_chat(turn.key):
                await self._accounts.of_chat(turn.key).client.send_chat_action(self._chat(turn.key), ChatAction.TYPING)

    async def create(self, turn: Turn, text: str) -> str:
        """Post the message."""
        self._note_edit(turn.key)
        html, plain = short_message(text, DIALECT)
        message = OutgoingMessage(
            chat=int(turn.key.channel),
            thread=thread_of(turn.key),
            text=html,
            plain=plain,
            keyboard=keyboard_of([STOP_BUTTON], turn.language),
        )
        return str(await self._sender.send(self._accounts.of_chat(turn.key), message))

    async def edit(self, turn: Turn, platform_id: str, text: str) -> None:
        """Replace its text; in a group, where edits are counted, not sooner than some seconds after the last one."""
        if turn.key.channel.startswith("-"):
            last = self._edited.get(turn.key.channel)
            if last is not None and self._clock.monotonic() - last < self._timing.group_edit:
                return
        self._note_edit(turn.key)
        html, plain = short_message(text, DIALECT)
        try:
            await self._edit(turn, platform_id, html, html=True)
        except TelegramRefused as error:
            if "parse" in error.description:
                await self._edit(turn, platform_id, plain, html=False)
            elif UNCHANGED not in error.description:
                raise

    async def react(self, key: ConversationKey, message_id: MessageId) -> None:
        """Put the sign of being seen on a message."""
        await self._set_reaction(key, message_id, SEEN)

    async def unreact(self, key: ConversationKey, message_id: MessageId) -> None:
        """Take it off."""
        await self._set_reaction(key, message_id, None)

    async def _set_reaction(self, key: ConversationKey, message_id: MessageId, sign: str | None) -> None:
        account = self._accounts.of_chat(key)
        number = counted_number(message_id, account)
        if not number:
            return
        try:
            await account.client.set_message_reaction(self._chat(key), number, reaction=sign or [])
        except TelegramRefused as error:
            raise _heeded(error) from error

    async def say(self, key: ConversationKey, text: str, buttons: Sequence[Button], language: Language) -> str:
        """Post a line."""
        html, plain = short_message(text, DIALECT)
        message = OutgoingMessage(
            chat=int(key.channel),
            thread=thread_of(key),
            text=html,
            plain=plain,
            keyboard=keyboard_of(buttons, language),
        )
        try:
            return str(await self._sender.send(self._accounts.of_chat(key), message))
        except TelegramRefused as error:
            raise _heeded(error) from error

    async def say_anew(
        self, key: ConversationKey, platform_id: str, text: str, buttons: Sequence[Button], language: Language
    ) -> None:
        """Replace the text of a line."""
        await self._accounts.of_chat(key).client.edit_message_text(
            short_message(text, DIALECT)[1],
            chat_id=self._chat(key),
            message_id=int(platform_id),
            reply_markup=keyboard_of(buttons, language),
        )

    async def unsay(self, key: ConversationKey, platform_id: str) -> None:
        """Delete a line."""
        try:
            await self.remove(key, platform_id)
        except TelegramRefused as error:
            if error.status != _BAD_REQUEST:  # it is gone, or too old to be deleted
                raise _heeded(error) from error

    async def remove(self, key: ConversationKey, platform_id: str) -> None:
        """Delete it."""
        await self._accounts.of_chat(key).client.delete_message(self._chat(key), int(platform_id))

    async def _edit(self, turn: Turn, platform_id: str, text: str, *, html: bool) -> None:
        await self._accounts.of_chat(turn.key).client.edit_message_text(
            text,
            chat_id=self._chat(turn.key),
            message_id=int(platform_id),
            parse_mode=ParseMode.HTML if html else None,
            reply_markup=keyboard_of([STOP_BUTTON], turn.language),
        )

    def _note_edit(self, key: ConversationKey) -> None:
        self._edited[key.channel] = self._clock.monotonic()

    def _chat(self, key: ConversationKey) -> int:
        return self._chats.current(int(key.channel))


def _heeded(error: TelegramRefused) -> Exception:
    """Return what a refusal means for the next reaction there."""
    if error.retry_after:
        return SlowDown(error.retry_after)
    if error.status == _FORBIDDEN or "REACTION" in error.description.upper():
        return ReactionsRefused(error.description)
    return error
