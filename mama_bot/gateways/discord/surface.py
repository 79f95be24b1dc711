"""How Discord shows that someone works: a sign of typing, and one quiet message by the bot."""

from dataclasses import replace

from mama_bot.gateways.chat.command_forms import STOP_BUTTON
from mama_bot.gateways.chat.markdown.posts import short_message
from mama_bot.gateways.discord.dialect import DIALECT
from mama_bot.gateways.discord.forms import MAX_CONTENT, NOBODY, QUIETLY, button_row, platform_id_of
from mama_bot.gateways.discord.places import DiscordPlaces
from mama_bot.gateways.discord.rest import DiscordRefused, Rest
from mama_bot.gateways.discord.threads import DiscordThreads
from mama_bot.model import ConversationKey, Turn

_MESSAGE = "/channels/{channel_id}/messages/{message_id}"


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

    async def remove(self, key: ConversationKey, platform_id: str) -> None:
        """Delete it; one that is gone already is as good."""
        target = await self._threads.target(key)
        try:
            await self._rest.request("DELETE", _MESSAGE, channel_id=target.place, message_id=platform_id)
        except DiscordRefused as refused:
            if refused.status != 404:
                raise
