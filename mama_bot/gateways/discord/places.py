"""Channels, threads and roles, as the gateway tells them and the API fills the gaps."""

from mama_bot.gateways.discord.rest import DiscordRefused, Rest
from mama_bot.gateways.discord.wire import DiscordPlace, Guild, NotUnderstood, mapping, optional_id, read_place
from mama_bot.model import ConversationKey, MessageId, Platform, written_id
from mama_bot.recent import Recent

PLATFORM = Platform("discord")
MAX_PLACES = 20_000


class DiscordPlaces:
    """What is known of the channels that the bot sees; the oldest knowledge is dropped beyond 20,000."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest
        self._places: Recent[str, DiscordPlace] = Recent(MAX_PLACES)
        self._roles: dict[str, str] = {}
        self._bot_roles: dict[str, str] = {}

    def learn(self, place: DiscordPlace) -> DiscordPlace:
        """Keep a channel as it is now."""
        self._places[place.id] = place
        return place

    def learn_guild(self, guild: Guild) -> None:
        """Keep the channels and the roles of a Discord server."""
        self._roles |= guild.roles
        self._bot_roles |= guild.bot_roles
        for place in guild.places:
            self.learn(place)

    def learn_role(self, raw: object) -> None:
        """Keep a role that was made or renamed."""
        role = mapping(mapping(raw).get("role"))
        name, role_id = role.get("name"), optional_id(role.get("id"))
        if role_id and isinstance(name, str):
            self._roles[role_id] = name

    def forget(self, place_id: str) -> None:
        """Forget a channel that is gone."""
        self._places.pop(place_id, None)

    def known(self, place_id: str) -> DiscordPlace | None:
        """Return what is known without asking."""
        return self._places.get(place_id)

    async def of(self, place_id: str) -> DiscordPlace | None:
        """Return a channel; None when the bot cannot see it. Raises Limited, Unreachable or Closed."""
        known = self._places.get(place_id)
        if known is not None:
            return known
        try:
            raw = await self._rest.request("GET", "/channels/{channel_id}", channel_id=place_id)
            return self.learn(read_place(raw))
        except (DiscordRefused, NotUnderstood):
            return None

    def role_name(self, role_id: str) -> str:
        """Return what a role is called; "" when unknown."""
        return self._roles.get(role_id, "")

    def channel_name(self, place_id: str) -> str:
        """Return what a channel is called; "" when unknown."""
        known = self._places.get(place_id)
        return known.name if known else ""

    def roles_of_bot(self, bot: str) -> frozenset[str]:
        """Return the roles that Discord made for a bot, one on each server."""
        return frozenset(role for role, owner in self._bot_roles.items() if owner == bot)


def key_in_place(place: DiscordPlace, thread: str = "") -> ConversationKey:
    """Return the conversation in a channel or thread; `thread` is one that a message in the channel will open."""
    if place.thread:
        return ConversationKey(PLATFORM, place.parent or place.id, place.id)
    return ConversationKey(PLATFORM, place.id, thread)


def snowflake_of(message_id: MessageId) -> str:
    """Return the number of a message on Discord; "0" for no message of Discord."""
    number = written_id(message_id).removeprefix(f"{PLATFORM}:")
    return number if number.isascii() and number.isdigit() else "0"
