"""Each event of the gateway to where it belongs; one that cannot be read is counted and passed over."""

from collections.abc import Callable

import structlog

from mama_bot.gateways.chat.read_marks import Marks
from mama_bot.gateways.discord.arrivals import DiscordInbound, ReceivedMessage
from mama_bot.gateways.discord.channel_queues import ChannelQueues
from mama_bot.gateways.discord.interactions import Interactions
from mama_bot.gateways.discord.places import DiscordPlaces
from mama_bot.gateways.discord.threads import DiscordThreads
from mama_bot.gateways.discord.wire import (
    DIRECT,
    DiscordMessage,
    DiscordPlace,
    NotUnderstood,
    guild_of,
    identifier,
    interaction_of,
    mapping,
    message_of,
    optional_id,
    read_place,
)
from mama_bot.metrics import Metrics
from mama_bot.protocols import Inlet

log = structlog.get_logger(__name__)
EMPTY = "1"  # the mark of a channel that holds no message yet
MAX_GAPS = 200  # channels read after a gap whether or not Discord says that they hold anything new


class Events:
    """Reads events as they come, in order, and never waits: what takes time is put into queues."""

    def __init__(
        self,
        *,
        inlet: Inlet,
        inbound: DiscordInbound,
        interactions: Interactions,
        places: DiscordPlaces,
        threads: DiscordThreads,
        marks: Marks,
        queues: ChannelQueues,
        presses: ChannelQueues,
        metrics: Metrics,
        ready: Callable[[str, str], None],
        resumed: Callable[[], None],
    ) -> None:
        self._inlet = inlet
        self._inbound = inbound
        self._interactions = interactions
        self._places = places
        self._threads = threads
        self._marks = marks
        self._queues = queues
        self._presses = presses
        self._metrics = metrics
        self._ready = ready
        self._not_understood: set[str] = set()
        self._readers: dict[str, Callable[[object], None]] = {
            "READY": self._on_ready,
            "RESUMED": lambda _: resumed(),
            "GUILD_CREATE": self._on_guild,
            "GUILD_ROLE_CREATE": places.learn_role,
            "GUILD_ROLE_UPDATE": places.learn_role,
            "CHANNEL_CREATE": self._on_place,
            "CHANNEL_UPDATE": self._on_place,
            "CHANNEL_DELETE": self._on_place_gone,
            "THREAD_CREATE": self._on_place,
            "THREAD_UPDATE": self._on_place,
            "THREAD_DELETE": self._on_place_gone,
            "MESSAGE_CREATE": self._on_message,
            "MESSAGE_UPDATE": self._on_edit,
            "MESSAGE_DELETE": self._on_deletion,
            "MESSAGE_DELETE_BULK": self._on_deletions,
            "INTERACTION_CREATE": self._on_interaction,
        }

    def take(self, name: str, payload: object) -> None:
        """Deal with an event; never raises."""
        try:
            self._readers[name](payload)
        except NotUnderstood as error:
            self._metrics.count("discord_events_not_understood")
            if name not in self._not_understood:
                self._not_understood.add(name)
                log.warning("discord_event_not_understood", event_name=name, reason=str(error))
        except Exception:
            # One event that we cannot read must not end the connection.
            self._metrics.count("discord_events_failed")
            log.exception("discord_event_failed", event_name=name)

    def _on_ready(self, payload: object) -> None:
        data = mapping(payload)
        application = data.get("application")
        known = optional_id(application.get("id")) if isinstance(application, dict) else ""
        self._marks.begin_gap()
        self._ready(identifier(mapping(data.get("user")).get("id")), known)
        for channel in self._marks.latest(MAX_GAPS):
            self._queues.gap(channel)

    def _on_guild(self, payload: object) -> None:
        guild = guild_of(payload)
        self._places.learn_guild(guild)
        for place in guild.places:
            if not place.holds_messages:
                continue
            since = self._marks.of(place.id)
            if not since:
                # The very first start: what was written before it is not for us, all that comes after it is.
                self._marks.advance(place.id, place.last_message or EMPTY)
            elif int(place.last_message or EMPTY) > since:
                self._queues.gap(place.id)

    def _on_place(self, payload: object) -> None:
        self._places.learn(read_place(payload))

    def _on_place_gone(self, payload: object) -> None:
        gone = identifier(mapping(payload).get("id"))
        self._places.forget(gone)
        self._queues.put(gone, lambda: self._threads.forget(gone))

    def _on_message(self, payload: object) -> None:
        message = self._message(payload)
        self._marks.expect(message.channel, message.id)
        self._queues.put(message.channel, lambda: self._inbound.take(self._inlet, ReceivedMessage(message)))

    def _on_edit(self, payload: object) -> None:
        data = mapping(payload)
        if "author" not in data or "content" not in data:
            return  # embeds of links, which are filled in later
        message = self._message(payload)
        self._queues.put(message.channel, lambda: self._inbound.revise(self._inlet, message))

    def _message(self, payload: object) -> DiscordMessage:
        message = message_of(payload)
        if (
            not message.guild
            and self._places.known(message.channel) is None
            and mapping(payload).get("guild_id") is None
        ):
            self._places.learn(DiscordPlace(id=message.channel, kind=DIRECT))
        return message

    def _on_deletion(self, payload: object) -> None:
        data = mapping(payload)
        self._withdraw(identifier(data.get("channel_id")), identifier(data.get("id")))

    def _on_deletions(self, payload: object) -> None:
        data = mapping(payload)
        ids = data.get("ids")
        for message in ids if isinstance(ids, list) else []:
            self._withdraw(identifier(data.get("channel_id")), identifier(message))

    def _withdraw(self, channel: str, message: str) -> None:
        self._queues.put(channel, lambda: self._inbound.withdraw(self._inlet, channel, message))

    def _on_interaction(self, payload: object) -> None:
        interaction = interaction_of(payload)
        self._presses.put(interaction.id, lambda: self._interactions.answer(self._inlet, interaction))
