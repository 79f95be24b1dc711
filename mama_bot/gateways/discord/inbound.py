"""Messages from Discord on their way to the inlet: stored, then marked as seen; what was not taken is said."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Literal, TypeVar

import structlog

from mama_bot.config.platforms import DiscordSettings
from mama_bot.config.platforms import Threads as Opening
from mama_bot.errors import AccessRefused, MessageRefused, QueueFull
from mama_bot.gateways.chat.commands import parse_command
from mama_bot.gateways.chat.dependencies import ChatDependencies
from mama_bot.gateways.discord.addressing import Identity, Names, answers_us, is_ours, mentions_us, words_of
from mama_bot.gateways.discord.attachments import Attachments
from mama_bot.gateways.discord.marks import Marks
from mama_bot.gateways.discord.outbound import Outbound
from mama_bot.gateways.discord.patience import Patience, patiently
from mama_bot.gateways.discord.places import PLATFORM, Places, key_of
from mama_bot.gateways.discord.rest import Closed, Limited, Refused, Rest, Unreachable
from mama_bot.gateways.discord.sending import lines_of
from mama_bot.gateways.discord.threads import Threads
from mama_bot.gateways.discord.webhooks import Webhooks
from mama_bot.gateways.discord.wire import NEWS, ORDINARY, TEXT, Message, NotUnderstood, Place, message_of
from mama_bot.model import (
    Attachment,
    Author,
    AuthorKind,
    Command,
    CommandName,
    InboundMessage,
    MessageId,
    Origin,
)
from mama_bot.protocols import Inlet
from mama_bot.wording import is_korean, language_of

R = TypeVar("R")
log = structlog.get_logger(__name__)

MAX_REMEMBERED = 2000
STALE_SECONDS = 300.0
BARE_COMMANDS = frozenset(name.value for name in CommandName)
Outcome = Literal["delivered", "repeated", "refused", "not_served", "not_for_us", "command", "given_up"]


class Inbound:
    """Reads messages of one account; one call at a time for each channel."""

    def __init__(
        self,
        *,
        settings: DiscordSettings,
        dependencies: ChatDependencies,
        identity: Callable[[], Identity],
        rest: Rest,
        places: Places,
        threads: Threads,
        webhooks: Webhooks,
        marks: Marks,
        outbound: Outbound,
        attachments: Attachments,
        patience: Patience,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._clock = dependencies.clock
        self._metrics = dependencies.metrics
        self._identity = identity
        self._rest = rest
        self._places = places
        self._threads = threads
        self._webhooks = webhooks
        self._marks = marks
        self._outbound = outbound
        self._attachments = attachments
        self._patience = patience
        self._sleep = sleep
        self._names = Names(role=places.role_name, channel=places.channel_name)
        self._dealt_with: OrderedDict[str, bool] = OrderedDict()

    def count(self, outcome: Outcome) -> None:
        """Count what became of a message."""
        self._metrics.count("chat_messages", platform=PLATFORM, outcome=outcome)

    async def take(self, inlet: Inlet, message: Message, *, missed: bool = False) -> None:
        """Deal with a message, live or `missed` before: returns when it is stored, refused or given up."""
        outcome: Outcome | None
        if not self._marks.written:
            # Without any mark the next life could not tell what this one missed.
            await self._marks.write()
        if message.id not in self._dealt_with:
            outcome = await self._patiently(lambda: self._deal(inlet, message, missed=missed), message.id)
            if outcome is None:
                await self.tell(message, _given_up(korean=is_korean(message.text)))
                outcome = "given_up"
            self._dealt_with[message.id] = outcome in {"delivered", "repeated"}
            if len(self._dealt_with) > MAX_REMEMBERED:
                self._dealt_with.popitem(last=False)
        else:
            outcome = "repeated"
        self.count(outcome)
        self._marks.advance(message.channel, message.id)
        if outcome == "command":
            # The inbox does not know commands: written at once, so that a restart does not give them again.
            await self._marks.write()

    async def _patiently(self, work: Callable[[], Awaitable[R]], message_id: str) -> R | None:
        return await patiently(
            work,
            message=message_id,
            patience=self._patience,
            clock=self._clock,
            metrics=self._metrics,
            sleep=self._sleep,
        )

    async def _deal(self, inlet: Inlet, message: Message, *, missed: bool) -> Outcome:
        identity = self._identity()
        place = await self._place(message)
        if message.kind not in ORDINARY or is_ours(message, identity, self._webhooks.ids):
            return "not_for_us"
        if not await self._is_for_us(message, place, identity):
            return "not_for_us"
        opens = self._opens_thread(place)
        text = words_of(message, identity, self._names)
        command = _command_in(text) if not message.author.bot and not message.webhook else None
        try:
            if command is not None and missed and self._is_stale(message):
                await self.tell(message, _stale(korean=is_korean(message.text)))
                return "command"
            if command is not None:
                return await self._command(inlet, message, place, *command)
            if opens:
                await self._threads.plan(message.id, text)
            return await self._deliver(inlet, message, place, text)
        except AccessRefused as refused:
            await self._take_back(message, opens=opens)
            tell = refused.to(language_of(message.text))
            if tell and not message.author.bot and not message.webhook:
                await self.tell(message, tell)
            return "not_served"
        except (MessageRefused, QueueFull) as refused:
            await self._take_back(message, opens=opens)
            log.info("message_refused", message=message.id, reason=str(refused))
            await self.tell(message, refused.to(language_of(text)))
            return "refused"

    def _is_stale(self, message: Message) -> bool:
        """Whether a command was given so long ago that it could hit what was not meant."""
        return message.at is not None and (self._clock.now() - message.at).total_seconds() > STALE_SECONDS

    async def _take_back(self, message: Message, *, opens: bool) -> None:
        if opens:
            await self._threads.forget(message.id)

    async def _place(self, message: Message) -> Place:
        found = self._places.known(message.channel) or await self._places.of(message.channel)
        # Whoever is told of a message may see its channel, whether or not the API tells of that.
        return found or self._places.learn(Place(id=message.channel, guild=message.guild))

    def _opens_thread(self, place: Place) -> bool:
        return self._settings.threads is Opening.TASK and place.kind in {TEXT, NEWS}

    async def _is_for_us(self, message: Message, place: Place, identity: Identity) -> bool:
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

    async def _with_answered(self, message: Message) -> Message:
        path = "/channels/{channel_id}/messages/{message_id}"
        try:
            raw = await self._rest.request("GET", path, channel_id=message.channel, message_id=message.answers)
            answered = message_of(raw, nested=True)
        except (Refused, NotUnderstood):
            return message
        return replace(message, answered=answered)

    async def _command(self, inlet: Inlet, message: Message, place: Place, name: CommandName, argument: str) -> Outcome:
        answer = await inlet.command(
            Command(
                name=name,
                key=key_of(place),
                author=_author(message),
                origin=await self._origin(message, place),
                argument=argument,
                platform_id=message.answers,
                language=language_of(message.text),
            )
        )
        await self.tell(message, answer.text)
        return "command"

    async def _deliver(self, inlet: Inlet, message: Message, place: Place, text: str) -> Outcome:
        kept: tuple[Attachment, ...] = ()
        if message.files:
            await inlet.admit(await self._inbound(message, place, text))
            kept, refused = await self._attachments.keep(message, language_of(text))
            if refused:
                await self.tell(message, "\n".join(refused))
        taken = await inlet.deliver(await self._inbound(message, place, text, kept))
        if place.thread:
            await self._threads.join(place.id)
        return "delivered" if taken else "repeated"

    async def _inbound(
        self, message: Message, place: Place, text: str, kept: tuple[Attachment, ...] = ()
    ) -> InboundMessage:
        return InboundMessage(
            id=MessageId(f"{PLATFORM}:{message.id}"),
            key=key_of(place, message.id if self._opens_thread(place) else ""),
            author=_author(message),
            text=text,
            received_at=self._clock.now(),
            attachments=kept,
            origin=await self._origin(message, place),
        )

    async def _origin(self, message: Message, place: Place) -> Origin:
        guild = place.guild or message.guild
        roles = message.roles
        if roles is None:
            roles = await self._roles(guild, message) if guild and self._settings.access.roles else ()
        channel = (place.parent or place.id) if place.thread else place.id
        return Origin(workspace=guild, channel=channel, direct=place.direct, roles=roles)

    async def _roles(self, guild: str, message: Message) -> tuple[str, ...]:
        """The roles of an author whom a history names without them."""
        path = "/guilds/{guild_id}/members/{user_id}"
        try:
            raw = await self._rest.request("GET", path, guild_id=guild, user_id=message.author.id)
        except Refused:
            return ()
        roles = raw.get("roles") if isinstance(raw, dict) else None
        return tuple(str(role) for role in roles) if isinstance(roles, list) else ()

    async def revise(self, inlet: Inlet, message: Message) -> None:
        """A message was edited."""

        async def work() -> bool:
            await self._revise(inlet, message)
            return True

        if await self._patiently(work, message.id) is None:
            await self.tell(message, _given_up(korean=is_korean(message.text)))

    async def _revise(self, inlet: Inlet, message: Message) -> None:
        identity = self._identity()
        if not message.edited or message.kind not in ORDINARY or is_ours(message, identity, self._webhooks.ids):
            return
        place = await self._place(message)
        if not self._dealt_with.get(message.id) and not await self._is_for_us(message, place, identity):
            return
        text = words_of(message, identity, self._names)
        if _command_in(text) is not None:
            return
        try:
            kept: tuple[Attachment, ...] = ()
            if message.files:
                await inlet.admit(await self._inbound(message, place, text))
                kept, _ = await self._attachments.keep(message, language_of(text))
            revised = await inlet.revise(await self._inbound(message, place, text, kept))
            self._metrics.count("chat_edits", platform=PLATFORM, taken=str(revised).lower())
        except AccessRefused:
            return
        except (MessageRefused, QueueFull) as refused:
            await self.tell(message, refused.to(language_of(text)))

    async def withdraw(self, inlet: Inlet, place_id: str, message_id: str) -> None:
        """A message was deleted."""
        await self._patiently(lambda: self._withdraw(inlet, place_id, message_id), message_id)

    async def _withdraw(self, inlet: Inlet, place_id: str, message_id: str) -> None:
        place = await self._places.of(place_id)
        if place is None or self._outbound.is_ours(message_id):
            return
        key = key_of(place, message_id if self._opens_thread(place) else "")
        try:
            taken = await inlet.withdraw(key, MessageId(f"{PLATFORM}:{message_id}"))
        except (AccessRefused, MessageRefused):
            return
        self._metrics.count("chat_deletions", platform=PLATFORM, taken=str(taken).lower())

    async def tell(self, message: Message, markdown: str) -> None:
        """Answer a message with a line of the service itself; best effort."""
        try:
            for line in lines_of(markdown):
                await self._outbound.say(message.channel, line, answers=message.id)
        except (Refused, Limited, Unreachable, Closed) as error:
            self._metrics.count("discord_lines_not_told")
            log.warning("line_not_told", channel=message.channel, message=message.id, reason=str(error))


def _author(message: Message) -> Author:
    bot = message.author.bot or bool(message.webhook)
    kind = AuthorKind.BOT if bot else AuthorKind.PERSON
    return Author(id=message.author.id, name=message.author.name, kind=kind)


def _command_in(text: str) -> tuple[CommandName, str] | None:
    """A command with its slash and what follows, or its bare name alone: "stop the server" is a task."""
    bare = text.strip()
    return parse_command(f"/{bare}" if bare in BARE_COMMANDS else text)


def _stale(*, korean: bool) -> str:
    if korean:
        return "서비스가 꺼져 있을 때 받은 명령이라 실행하지 않았습니다. 필요하면 다시 보내 주세요."
    return "The service was away when you gave this command, and did not carry it out. Give it again if need be."


def _given_up(*, korean: bool) -> str:
    if korean:
        return "메시지를 저장할 수 없어 처리하지 못했습니다. 나중에 다시 보내 주세요."
    return "Your message could not be stored, and is not worked on. Send it again later."
