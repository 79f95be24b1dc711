"""Messages from Discord as arrivals: what they are, whether they are for the team, and how they are answered."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import structlog

from mama_bot.config.platform_settings import DiscordSettings, Threads
from mama_bot.gateways.chat.arrivals import Arrival, ArrivalOutcome, ArrivalPort, Arrivals
from mama_bot.gateways.chat.attachments import Attachments, Fetched
from mama_bot.gateways.chat.command_forms import Button, asked_command
from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.gateways.chat.read_marks import Marks
from mama_bot.gateways.chat.sentences import GIVEN_UP
from mama_bot.gateways.discord.addressing import Identity, Names, addressed_text, answers_us, is_ours, mentions_us
from mama_bot.gateways.discord.attachments import DiscordFileServer
from mama_bot.gateways.discord.forms import button_row, service_messages
from mama_bot.gateways.discord.patience import Patience, patiently
from mama_bot.gateways.discord.places import PLATFORM, DiscordPlaces, key_in_place
from mama_bot.gateways.discord.posts import DiscordOutbound
from mama_bot.gateways.discord.rest import Closed, DiscordRefused, Limited, Rest, Unreachable
from mama_bot.gateways.discord.threads import DiscordThreads
from mama_bot.gateways.discord.webhooks import Webhooks
from mama_bot.gateways.discord.wire import NEWS, ORDINARY, TEXT, DiscordMessage, DiscordPlace, NotUnderstood, message_of
from mama_bot.model import Author, AuthorKind, Command, CommandName, ConversationKey, MessageId, Origin
from mama_bot.protocols import Inlet
from mama_bot.wording import language_of

R = TypeVar("R")
log = structlog.get_logger(__name__)

STALE_SECONDS = 300.0
BARE_COMMANDS = frozenset(name.value for name in CommandName)


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """A message as Discord tells of it: live, or `missed` and read from the history.

    `perhaps_before`: an earlier life may have dealt with it, one that was cut off.
    """

    message: DiscordMessage
    missed: bool = False
    perhaps_before: bool = False


class DiscordArrivals(ArrivalPort[ReceivedMessage]):
    """Reads, fetches and answers messages of one account."""

    def __init__(
        self,
        *,
        settings: DiscordSettings,
        dependencies: ChatDependencies,
        identity: Callable[[], Identity],
        rest: Rest,
        places: DiscordPlaces,
        threads: DiscordThreads,
        webhooks: Webhooks,
        outbound: DiscordOutbound,
        attachments: Attachments,
        files: DiscordFileServer,
    ) -> None:
        self._settings = settings
        self._clock = dependencies.clock
        self._metrics = dependencies.metrics
        self._identity = identity
        self._rest = rest
        self._places = places
        self._threads = threads
        self._webhooks = webhooks
        self._outbound = outbound
        self._attachments = attachments
        self._files = files
        self._names = Names(role=places.role_name, channel=places.channel_name)
        self._planned: set[str] = set()

    def id_of(self, source: ReceivedMessage) -> MessageId:
        return MessageId(f"{PLATFORM}:{source.message.id}")

    async def read(self, source: ReceivedMessage, *, taken: bool) -> Arrival[ReceivedMessage] | None:
        message, identity = source.message, self._identity()
        if message.kind not in ORDINARY or is_ours(message, identity, self._webhooks.ids):
            return None
        place = await self._place(message)
        if not taken and not await self._addressed(message, place, identity):
            return None
        text = addressed_text(message, identity, self._names)
        author, origin = _author(message), await self._origin(message, place)
        command = _command_in(text) if author.kind is AuthorKind.PERSON else None
        return Arrival(
            id=self.id_of(source),
            key=key_in_place(place, message.id if self.opens_thread(place) else ""),
            author=author,
            origin=origin,
            text=text,
            source=source,
            has_files=bool(message.files),
            wordless=not text.strip(),
            command=None
            if command is None
            else Command(
                name=command[0],
                key=key_in_place(place),
                author=author,
                origin=origin,
                argument=command[1],
                platform_id=message.answers,
                language=language_of(text),
            ),
            stale=source.missed and (source.perhaps_before or self._is_old(message)),
        )

    async def fetch(self, arrival: Arrival[ReceivedMessage]) -> Fetched:
        files = arrival.source.message.files
        return await self._attachments.keep(arrival.id, files, self._files.chunks, language=arrival.language)

    async def tell(self, arrival: Arrival[ReceivedMessage], markdown: str, buttons: Sequence[Button] = ()) -> None:
        row = (button_row(buttons, arrival.language),) if buttons else ()
        await self.answer(arrival.source.message, markdown, row)

    async def open_thread(
        self, arrival: Arrival[ReceivedMessage], admit: Callable[[], Awaitable[None]]
    ) -> ConversationKey:
        """Plan the thread that is opened from a message when there is something to post in it."""
        message = arrival.source.message
        if arrival.key.thread == message.id and await self._threads.plan(message.id, arrival.text):
            self._planned.add(message.id)
        return arrival.key

    async def close_thread(self, arrival: Arrival[ReceivedMessage]) -> None:
        """Forget a thread that was planned for this message just now, not one of before: an old message came again."""
        message = arrival.source.message
        if message.id in self._planned:
            self._planned.discard(message.id)
            await self._threads.forget(message.id)

    async def join(self, arrival: Arrival[ReceivedMessage]) -> None:
        """Take part in the thread that a message stands in."""
        self._planned.discard(arrival.source.message.id)
        if arrival.key.thread == arrival.source.message.channel:
            await self._threads.join(arrival.key.thread)

    async def answer(self, message: DiscordMessage, markdown: str, buttons: tuple[dict[str, object], ...] = ()) -> None:
        """Answer a message with words of the service itself, and rows of buttons below them; best effort."""
        lines = service_messages(markdown)
        try:
            for number, line in enumerate(lines, start=1):
                below = buttons if number == len(lines) else ()
                await self._outbound.say(message.channel, line, answers=message.id, buttons=below)
        except (DiscordRefused, Limited, Unreachable, Closed) as error:
            self._metrics.count("chat_lines_not_told", platform=PLATFORM)
            log.warning("line_not_told", channel=message.channel, message=message.id, reason=str(error))

    def opens_thread(self, place: DiscordPlace) -> bool:
        """Return whether a message in a channel opens a thread of its own."""
        return self._settings.threads is Threads.TASK and place.kind in {TEXT, NEWS}

    def _is_old(self, message: DiscordMessage) -> bool:
        """Whether a command was given so long ago that it could hit what was not meant."""
        return message.at is not None and (self._clock.now() - message.at).total_seconds() > STALE_SECONDS

    async def _place(self, message: DiscordMessage) -> DiscordPlace:
        place = self._places.known(message.channel) or await self._places.of(message.channel)
        # Whoever is told of a message may see its channel, whether or not the API tells of that.
        return place or self._places.learn(DiscordPlace(id=message.channel, guild=message.guild))

    async def is_for_us(self, message: DiscordMessage) -> bool:
        """Return whether a message is one for the team."""
        identity = self._identity()
        if message.kind not in ORDINARY or is_ours(message, identity, self._webhooks.ids):
            return False
        return await self._addressed(message, await self._place(message), identity)

    async def _addressed(self, message: DiscordMessage, place: DiscordPlace, identity: Identity) -> bool:
        if mentions_us(message, identity):
            return True
        if message.author.bot or message.webhook:
            return False
        if place.direct:
            return True
        if message.answers and message.answered is None:
            message = await self._with_answered(message)
        if answers_us(message, identity, self._webhooks.ids):
            return True
        # Without the Message Content intent the text of other messages is empty: there is nothing to take.
        return place.thread and self._threads.takes_part(place.id) and bool(message.text or message.files)

    async def _with_answered(self, message: DiscordMessage) -> DiscordMessage:
        path = "/channels/{channel_id}/messages/{message_id}"
        try:
            raw = await self._rest.request("GET", path, channel_id=message.channel, message_id=message.answers)
            answered = message_of(raw, nested=True)
        except (DiscordRefused, NotUnderstood):
            return message
        return replace(message, answered=answered)

    async def _origin(self, message: DiscordMessage, place: DiscordPlace) -> Origin:
        guild = place.guild or message.guild
        roles = message.roles
        if roles is None:
            roles = await self._roles(guild, message) if guild and self._settings.access.roles else ()
        channel = (place.parent or place.id) if place.thread else place.id
        return Origin(workspace=guild, channel=channel, direct=place.direct, roles=roles)

    async def _roles(self, guild: str, message: DiscordMessage) -> tuple[str, ...]:
        """Return the roles of an author whom a history names without them."""
        path = "/guilds/{guild_id}/members/{user_id}"
        try:
            raw = await self._rest.request("GET", path, guild_id=guild, user_id=message.author.id)
        except DiscordRefused:
            return ()
        roles = raw.get("roles") if isinstance(raw, dict) else None
        return tuple(str(role) for role in roles) if isinstance(roles, list) else ()


class DiscordInbound:
    """Brings messages to the inlet, one call at a time for each channel: stored, then marked as seen."""

    def __init__(
        self,
        *,
        port: DiscordArrivals,
        arrivals: Arrivals[ReceivedMessage],
        places: DiscordPlaces,
        outbound: DiscordOutbound,
        marks: Marks,
        dependencies: ChatDependencies,
        patience: Patience,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._port = port
        self._arrivals = arrivals
        self._places = places
        self._outbound = outbound
        self._marks = marks
        self._dependencies = dependencies
        self._patience = patience
        self._sleep = sleep

    async def take_live(self, inlet: Inlet, message: DiscordMessage) -> None:
        """Deal with a message as it is told; where that breaks, it is read again from the history."""
        with self._marks.dealing_with(message.channel, message.id):
            await self.take(inlet, ReceivedMessage(message))

    async def take(self, inlet: Inlet, heard: ReceivedMessage) -> None:
        """Deal with a message, live or missed before: returns when it is stored, refused or given up."""
        message = heard.message
        if not self._marks.written:
            # Without any mark the next life could not tell what this one missed.
            await self._marks.write()
        outcome = await self._patiently(lambda: self._arrivals.take(inlet, heard), message.id)
        if outcome is None:
            await self._say_given_up(message)
            self._arrivals.settle(self._port.id_of(heard), ArrivalOutcome.GIVEN_UP)
        self._marks.advance(message.channel, message.id)
        if outcome is ArrivalOutcome.COMMAND:
            # The inbox does not know commands: written at once, so that a restart does not give them again.
            await self._marks.write()

    async def take_missed(self, inlet: Inlet, message: DiscordMessage, perhaps_before: bool) -> None:
        """Deal with a message that nobody told of, `perhaps_before` by an earlier life: as `take` does."""
        await self.take(inlet, ReceivedMessage(message, missed=True, perhaps_before=perhaps_before))

    async def revise(self, inlet: Inlet, message: DiscordMessage) -> None:
        """Deal with a message that was edited."""
        if not message.edited:
            return
        done = await self._patiently(
            _true_after(lambda: self._arrivals.revise(inlet, ReceivedMessage(message))), message.id
        )
        if done is None:
            await self._say_given_up(message)

    async def withdraw(self, inlet: Inlet, place_id: str, message_id: str) -> None:
        """Deal with a message that was deleted."""
        if not self._outbound.is_ours(message_id):
            await self._patiently(lambda: self._withdraw(inlet, place_id, message_id), message_id)

    async def _withdraw(self, inlet: Inlet, place_id: str, message_id: str) -> None:
        place = await self._places.of(place_id)
        if place is not None:
            key = key_in_place(place, message_id if self._port.opens_thread(place) else "")
            await self._arrivals.withdraw(inlet, key, MessageId(f"{PLATFORM}:{message_id}"))

    async def give_up(self, message: DiscordMessage) -> None:
        """Never try a missed message again, and tell its author if it was for the team."""
        self._arrivals.settle(self._port.id_of(ReceivedMessage(message)), ArrivalOutcome.GIVEN_UP)
        if not message.author.bot and await self._port.is_for_us(message):
            await self._say_given_up(message)

    async def _say_given_up(self, message: DiscordMessage) -> None:
        await self._port.answer(message, GIVEN_UP.to(language_of(message.text)))

    async def _patiently(self, work: Callable[[], Awaitable[R]], message_id: str) -> R | None:
        return await patiently(
            work,
            message=message_id,
            patience=self._patience,
            clock=self._dependencies.clock,
            metrics=self._dependencies.metrics,
            sleep=self._sleep,
        )


def _true_after(work: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[bool]]:
    async def done() -> bool:
        await work()
        return True

    return done


def _author(message: DiscordMessage) -> Author:
    bot = message.author.bot or bool(message.webhook)
    kind = AuthorKind.BOT if bot else AuthorKind.PERSON
    return Author(id=message.author.id, name=message.author.name, kind=kind)


def _command_in(text: str) -> tuple[CommandName, str] | None:
    """Return a command with its slash and what follows, or its bare name alone: "stop the server" is a task."""
    bare = text.strip()
    return asked_command(f"/{bare}" if bare in BARE_COMMANDS else text)
