"""How Discord shows that someone works: a sign of typing, and one quiet message by the bot."""

from collections.abc import Sequence
from dataclasses import replace

from mama_bot.gateways.chat.command_forms import STOP_BUTTON, Button
from mama_bot.gateways.chat.markdown.posts import short_message
from mama_bot.gateways.chat.seen import ReactionsRefused, SlowDown
from mama_bot.gateways.discord.dialect import DIALECT
from mama_bot.gateways.discord.forms import MAX_CONTENT, NOBODY, QUIETLY, button_row, platform_id_of
from mama_bot.gateways.discord.places import DiscordPlaces, snowflake_of
from mama_bot.gateways.discord.rest import DiscordRefused, Limited, Rest
from mama_bot.gateways.discord.threads import DiscordThreads
from mama_bot.model import ConversationKey, MessageId, Turn
from mama_bot.wording import Language

_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
_REACTION = f"{_MESSAGE}/reactions/{{emoji}}/@me"
_FORBIDDEN, _GONE = 403, 404
_NO_REACTIONS = frozenset({30010, 90001})  # twenty kinds are there already; blocked by the author
SEEN = "👀"


class DiscordSurface:
    """A ProgressSurface."""

    def __init__(self, *, rest: Rest, threads: DiscordThreads, places: DiscordPlaces) -> None:
        self._rest = rest
        self._threads = threads
        self._places = places

    async def typing(self, turn: Turn) -> None:
        """Show for ten seconds that somebody types."""
        # A thread is opened for what is posted: before that, the typing shows where the person wrote.
        channel = turn.key.channel
        if not await self._threads.pending(turn.key):
            channel = (await self._threads.target(turn.key)).place
        await self._rest.request("POST", "/channels/{channel_id}/typing", channel_id=channel)

    async def create(self, turn: Turn, text: str) -> str:
        """Post the message with its stop button."""
        target = await self._threads.target(turn.key)
        where = f"thread-{turn.key.thread}" if target.instead else ""
        body = {
            "content": short_message(text, DIALECT)[0][:MAX_CONTENT],
            "components": [button_row([replace(STOP_BUTTON, argument=where)], turn.language)],
            "allowed_mentions": NOBODY,
            "flags": QUIETLY,
        }
        path = "/channels/{channel_id}/messages"
        return platform_id_of(await self._rest.request("POST", path, body=body, channel_id=target.place))

    async def edit(self, turn: Turn, platform_id: str, text: str) -> None:
        """Replace its text."""
        target = await self._threads.target(turn.key)
        body = {"content": short_message(text, DIALECT)[0][:MAX_CONTENT], "allowed_mentions": NOBODY}
        await self._rest.request("PATCH", _MESSAGE, body=body, channel_id=target.place, message_id=platform_id)

    async def react(self, key: ConversationKey, message_id: MessageId) -> None:
        """Put the sign of being seen on a message."""
        await self._reaction("PUT", key, message_id)

    async def unreact(self, key: ConversationKey, message_id: MessageId) -> None:
        """Take it off; with a message that is gone it is gone too."""
        try:
            await self._reaction("DELETE", key, message_id)
        except DiscordRefused as refused:
            if refused.status != _GONE:
                raise

    async def _reaction(self, method: str, key: ConversationKey, message_id: MessageId) -> None:
        number = snowflake_of(message_id)
        if number == "0":
            return
        # A thread has the id of the message that it was opened from, which stands in the channel.
        channel = key.thread if key.thread not in {"", number} else key.channel
        try:
            await self._rest.request(method, _REACTION, channel_id=channel, message_id=number, emoji=SEEN)
        except Limited as limited:
            raise SlowDown(limited.seconds) from limited
        except DiscordRefused as refused:
            if refused.status == _FORBIDDEN or refused.code in _NO_REACTIONS:
                raise ReactionsRefused(str(refused)) from refused
            raise

    async def say(self, key: ConversationKey, text: str, buttons: Sequence[Button], language: Language) -> str:
        """Post a line with buttons."""
        target = await self._threads.target(key)
        where = f"thread-{key.thread}" if target.instead else ""
        placed = [replace(button, argument=where) for button in buttons]
        body = {
            "content": short_message(text, DIALECT)[0][:MAX_CONTENT],
            "components": [button_row(placed, language)],
            "allowed_mentions": NOBODY,
            "flags": QUIETLY,
        }
        path = "/channels/{channel_id}/messages"
        return platform_id_of(await self._rest.request("POST", path, body=body, channel_id=target.place))

    async def say_anew(
        self, key: ConversationKey, platform_id: str, text: str, buttons: Sequence[Button], language: Language
    ) -> None:
        """Replace the text of a line; its buttons stay."""
        target = await self._threads.target(key)
        body = {"content": short_message(text, DIALECT)[0][:MAX_CONTENT], "allowed_mentions": NOBODY}
        await self._rest.request("PATCH", _MESSAGE, body=body, channel_id=target.place, message_id=platform_id)

    async def unsay(self, key: ConversationKey, platform_id: str) -> None:
        """Delete a line."""
        await self.remove(key, platform_id)

    async def remove(self, key: ConversationKey, platform_id: str) -> None:
        """Delete it; one that is gone already is as good."""
        target = await self._threads.target(key)
        try:
            await self._rest.request("DELETE", _MESSAGE, channel_id=target.place, message_id=platform_id)
        except DiscordRefused as refused:
            if refused.status != 404:
                raise
