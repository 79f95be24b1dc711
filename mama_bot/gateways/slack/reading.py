"""What people write becomes messages and commands of the core; everything here happens before the acknowledgement."""

from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import assert_never

import structlog

from mama_bot.config import SlackSettings
from mama_bot.errors import AccessRefused, MessageRefused, QueueFull
from mama_bot.gateways.chat.commands import parse_command
from mama_bot.gateways.slack import markup
from mama_bot.gateways.slack.accounts import Accounts
from mama_bot.gateways.slack.answers import Answers
from mama_bot.gateways.slack.downloads import Downloads
from mama_bot.gateways.slack.people import People
from mama_bot.gateways.slack.places import id_of, key_of, origin_of
from mama_bot.gateways.slack.threads import Threads
from mama_bot.gateways.slack.wire import Deleted, Edited, Event, Left, Pressed, Slashed, Written
from mama_bot.gateways.slack.workers import Workers
from mama_bot.locks import KeyedLocks
from mama_bot.metrics import Metrics
from mama_bot.model import Author, AuthorKind, Command, CommandName, ConversationKey, InboundMessage
from mama_bot.protocols import Clock, Inlet

log = structlog.get_logger(__name__)

RECENT = 2000


class Reader:
    """Hands events to the inlet; `take` raises StoreUnavailable, and then Slack is to deliver again."""

    def __init__(
        self,
        *,
        settings: SlackSettings,
        accounts: Accounts,
        people: People,
        threads: Threads,
        downloads: Downloads,
        answers: Answers,
        workers: Workers,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        self._accounts = accounts
        self._people = people
        self._threads = threads
        self._downloads = downloads
        self._answers = answers
        self._workers = workers
        self._clock = clock
        self._metrics = metrics
        self._recent: OrderedDict[str, None] = OrderedDict()
        self._locks = KeyedLocks[ConversationKey | str]()

    async def take(self, event: Event, inlet: Inlet) -> None:
        """Store what an event tells, or begin to answer it."""
        match event:
            case Written():
                async with self._in_order(event):
                    await self._write(event, inlet)
            case Edited(message=message):
                async with self._in_order(message):
                    await self._edit(event, inlet)
            case Deleted(message=message):
                async with self._in_order(message):
                    await self._delete(event, inlet)
            case Slashed():
                self._workers.spawn("command", self._answers.slash, event, inlet)
            case Pressed():
                self._workers.spawn("button", self._answers.press, event, inlet)
            case Left(channel=channel, user=user):
                if self._accounts.own is not None and user == self._accounts.own.user:
                    self._metrics.count("slack_channels_left")
                    log.warning("slack_channel_left", channel=channel, remedy="invite the bot again with /invite")
            case unexpected:
                assert_never(unexpected)

    async def _write(self, event: Written, inlet: Inlet) -> None:
        if not self._addressed(event):
            return
        message_id = id_of(event)
        if message_id in self._recent:
            self._metrics.count("slack_events_repeated")
            return
        message = await self._message(event)
        command = parse_command(message.text)
        if command is not None:
            self._remember(message_id)
            name, argument = command
            self._workers.spawn(
                "command", self._answers.text, self._command(event, message, name, argument), event, inlet
            )
            return
        await self._deliver(event, message, inlet)
        self._remember(message_id)

    async def _deliver(self, event: Written, message: InboundMessage, inlet: Inlet) -> None:
        refused: Sequence[str] = ()
        try:
            if event.files:
                await inlet.admit(message)
                kept, refused = await self._downloads.keep(message.id, event.files, message.language)
                message = replace(message, attachments=kept)
            await inlet.deliver(message)
        except (AccessRefused, MessageRefused, QueueFull) as error:
            tell = error.to(message.language)
            log.info("slack_message_refused", message=message.id, reason=str(error))
            if event.files:
                await self._downloads.forget(message.id)
            if tell and message.author.kind is AuthorKind.PERSON:
                self._workers.spawn("refusal", self._answers.tell, event, tell)
            return
        if message.key.thread and not event.direct:
            await self._threads.join(event.channel, message.key.thread)
        if refused and message.author.kind is AuthorKind.PERSON:
            self._workers.spawn("refusal", self._answers.tell, event, "\n".join(refused))

    async def _edit(self, event: Edited, inlet: Inlet) -> None:
        if not self._addressed(event.message):
            return
        message = await self._message(event.message)
        try:
            if event.message.files:
                await inlet.admit(message)
                kept, _ = await self._downloads.keep(message.id, event.message.files, message.language)
                message = replace(message, attachments=kept)
            taken = await inlet.revise(message)
        except (AccessRefused, MessageRefused, QueueFull) as error:
            log.info("slack_edit_refused", message=message.id, reason=str(error))
            return
        self._metrics.count("slack_edits", taken=str(taken).lower())

    async def _delete(self, event: Deleted, inlet: Inlet) -> None:
        if self._accounts.wrote(event.message):
            return
        message_id, key = id_of(event.message), key_of(event.message, self._settings)
        try:
            taken = await inlet.withdraw(key, message_id)
        except (AccessRefused, MessageRefused, QueueFull) as error:
            log.info("slack_deletion_refused", message=message_id, reason=str(error))
            return
        self._metrics.count("slack_deletions", taken=str(taken).lower())

    def _addressed(self, event: Written) -> bool:
        """Whether a message is for the team; another bot has to name it, so that bots never talk by themselves."""
        own = self._accounts.own
        if own is None or self._accounts.wrote(event):
            return False
        named = event.mentioned or self._names_us(event.text, own.user)
        if event.bot:
            return named
        if not event.user:
            return False
        return (
            named
            or event.direct
            or self._threads.joined(event.channel, event.thread)
            or event.parent_user == own.user
            or event.parent_user in self._accounts.personas_by_user()
        )

    def _names_us(self, text: str, own: str) -> bool:
        ours = {own, *self._accounts.personas_by_user()}
        return not ours.isdisjoint(markup.mentioned(text))

    async def _message(self, event: Written) -> InboundMessage:
        return InboundMessage(
            id=id_of(event),
            key=key_of(event, self._settings),
            author=await self._author(event),
            text=await self._text(event),
            received_at=self._clock.now(),
            origin=origin_of(event.team, event.channel, direct=event.direct),
        )

    async def _author(self, event: Written) -> Author:
        if event.bot:
            identity = event.user or event.bot
            return Author(id=identity, name=event.name or identity, kind=AuthorKind.BOT)
        return Author(id=event.user, name=await self._people.name(event.user))

    async def _text(self, event: Written) -> str:
        own = self._accounts.own
        text = event.text if own is None else markup.without_mention(event.text, own.user)
        personas = self._accounts.personas_by_user()
        people = await self._people.names(user for user in markup.mentioned(text) if user not in personas)
        return markup.typed(text, people=people, personas=personas, emoji=event.emoji)

    def _command(self, event: Written, message: InboundMessage, name: CommandName, argument: str) -> Command:
        assert message.origin is not None
        here = event.thread or event.direct
        return Command(
            name=name,
            key=message.key if here else self._answers.spoken_of(event.channel),
            author=message.author,
            origin=message.origin,
            argument=argument,
            language=message.language,
        )

    def _remember(self, message_id: str) -> None:
        self._recent[message_id] = None
        while len(self._recent) > RECENT:
            self._recent.popitem(last=False)

    @asynccontextmanager
    async def _in_order(self, message: Written) -> AsyncIterator[None]:
        """One event of a conversation after the other; those of a channel begin to be stored as they came."""
        async with self._locks.held(message.channel):
            await self._ask_names(message)
        # Nothing is waited for between the two, unless the conversation is busy.
        async with self._locks.held(key_of(message, self._settings)):
            yield

    async def _ask_names(self, message: Written) -> None:
        """Have the names that the message needs, so that reading it waits for nothing."""
        if self._addressed(message) and id_of(message) not in self._recent:
            await self._author(message)
            await self._text(message)
