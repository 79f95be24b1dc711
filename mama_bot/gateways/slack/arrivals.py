"""Messages from Slack as arrivals: what they are, whether they are for the team, and how they are answered."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar, assert_never

import structlog

from mama_bot.backoff import Backoff
from mama_bot.config import SlackSettings
from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.chat.arrivals import Arrival, ArrivalOutcome, ArrivalPort, Arrivals
from mama_bot.gateways.chat.attachments import Attachments, Fetched
from mama_bot.gateways.chat.command_forms import Button, asked_command
from mama_bot.gateways.chat.gaps import Gaps
from mama_bot.gateways.chat.read_marks import Marks
from mama_bot.gateways.slack import markup
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.answers import SlackAnswers
from mama_bot.gateways.slack.attachments import SlackFileServer
from mama_bot.gateways.slack.people import People
from mama_bot.gateways.slack.places import id_of, key_of_message, mark_of, origin_of
from mama_bot.gateways.slack.sentences import GIVEN_UP
from mama_bot.gateways.slack.threads import SlackThreads
from mama_bot.gateways.slack.wire import Deleted, Edited, Event, Left, Pressed, Slashed, Written
from mama_bot.gateways.slack.workers import Workers
from mama_bot.locks import KeyedLocks
from mama_bot.metrics import Metrics
from mama_bot.model import Author, AuthorKind, Command, ConversationKey, MessageId
from mama_bot.protocols import Clock, Inlet
from mama_bot.wording import language_of

R = TypeVar("R")
log = structlog.get_logger(__name__)
STORE_PATIENCE_SECONDS = 60.0
STALE_SECONDS = 300.0
BETWEEN_TRIES = Backoff(first=0.2, longest=5.0)


class SlackArrivals(ArrivalPort[Written]):
    """Reads, fetches and answers messages of one workspace; what is told goes out beside the acknowledgement."""

    def __init__(
        self,
        *,
        settings: SlackSettings,
        accounts: SlackAccounts,
        people: People,
        threads: SlackThreads,
        attachments: Attachments,
        files: SlackFileServer,
        answers: SlackAnswers,
        workers: Workers,
        clock: Clock,
    ) -> None:
        self._clock = clock
        self._settings = settings
        self._accounts = accounts
        self._people = people
        self._threads = threads
        self._attachments = attachments
        self._files = files
        self._answers = answers
        self._workers = workers

    def id_of(self, source: Written) -> MessageId:
        return id_of(source)

    async def read(self, source: Written, *, taken: bool) -> Arrival[Written] | None:
        own = self._accounts.own
        if own is None or self._accounts.wrote(source) or not (taken or self.addressed(source)):
            return None
        author, text = await self.author(source), await self.text(source)
        key = key_of_message(source, self._settings)
        origin = origin_of(source.team, source.channel, direct=source.direct, guest_of=source.guest_of)
        given = asked_command(text)
        here = source.thread or source.direct
        return Arrival(
            id=id_of(source),
            key=key,
            author=author,
            origin=origin,
            text=text,
            source=source,
            has_files=bool(source.files),
            wordless=not text.strip(),
            stale=source.missed and (source.perhaps_before or self._is_old(source)),
            command=None
            if given is None
            else Command(
                name=given[0],
                key=key if here else self._answers.spoken_of(source.channel),
                author=author,
                origin=origin,
                argument=given[1],
                language=language_of(text),
            ),
        )

    def _is_old(self, message: Written) -> bool:
        """Whether a command was given so long ago that it could hit what was not meant."""
        return self._clock.now().timestamp() - mark_of(message.ts) / 1_000_000 > STALE_SECONDS

    async def fetch(self, arrival: Arrival[Written]) -> Fetched:
        files = arrival.source.files
        return await self._attachments.keep(arrival.id, files, self._files.chunks, language=arrival.language)

    async def tell(self, arrival: Arrival[Written], markdown: str, buttons: Sequence[Button] = ()) -> None:
        self._workers.spawn("line", self._answers.tell, arrival.source, markdown, buttons)

    async def join(self, arrival: Arrival[Written]) -> None:
        """Take part in the thread that a message stands in, or opens."""
        if arrival.key.thread and not arrival.source.direct:
            await self._threads.join(arrival.source.channel, arrival.key.thread)

    async def aside(self, work: Callable[[], Awaitable[None]]) -> None:
        """Answer commands beside the acknowledgement."""
        self._workers.spawn("command", work)

    def addressed(self, message: Written) -> bool:
        """Return whether a message is for the team; another bot has to name it: bots never talk by themselves."""
        own = self._accounts.own
        if own is None or self._accounts.wrote(message):
            return False
        personas = self._accounts.personas_by_user()
        named = message.mentioned or not {own.user, *personas}.isdisjoint(markup.mentioned(message.text))
        if named or message.bot or not message.user:
            return named
        return (
            message.direct
            or self._threads.joined(message.channel, message.thread)
            or message.parent_user == own.user
            or message.parent_user in personas
        )

    async def author(self, message: Written) -> Author:
        """Return who wrote a message, after asking for their name."""
        if message.bot:
            identity = message.user or message.bot
            return Author(id=identity, name=message.name or identity, kind=AuthorKind.BOT)
        return Author(id=message.user, name=await self._people.name(message.user))

    async def text(self, message: Written) -> str:
        """Return what a message says as it was typed, without the mention of the bot."""
        own = self._accounts.own
        text = message.text if own is None else markup.without_mention(message.text, own.user)
        personas = self._accounts.personas_by_user()
        people = await self._people.names(user for user in markup.mentioned(text) if user not in personas)
        return markup.typed(text, people=people, personas=personas, emoji=message.emoji)


class SlackInbound:
    """Brings events to the inlet: a store that takes nothing is asked again, and what comes after it waits behind it.

    What is told of a channel waits for what was missed there, for a few seconds. What could not be stored opens a gap
    in its channel: it is read there, in whatever order, where Slack does not deliver it again.
    """

    def __init__(
        self,
        *,
        settings: SlackSettings,
        port: SlackArrivals,
        arrivals: Arrivals[Written],
        accounts: SlackAccounts,
        answers: SlackAnswers,
        workers: Workers,
        metrics: Metrics,
        clock: Clock,
        marks: Marks,
        gaps: Gaps,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._marks = marks
        self._gaps = gaps
        self._settings = settings
        self._port = port
        self._clock = clock
        self._sleep = sleep
        self._arrivals = arrivals
        self._accounts = accounts
        self._answers = answers
        self._workers = workers
        self._metrics = metrics
        self._locks = KeyedLocks[ConversationKey | str]()

    async def take(self, event: Event, inlet: Inlet) -> None:
        """Store what an event tells, or begin to answer it."""
        match event:
            case Written():
                with self._marks.dealing_with(event.channel, str(mark_of(event.ts))):
                    async with self._in_order(event):
                        outcome = await self._stored(lambda: self._arrivals.take(inlet, event))
                await self._noted(outcome)
            case Edited(message=message):
                async with self._in_order(message):
                    await self._stored(lambda: self._arrivals.revise(inlet, message))
            case Deleted(message=message):
                async with self._in_order(message):
                    if not self._accounts.wrote(message):
                        await self._arrivals.withdraw(inlet, key_of_message(message, self._settings), id_of(message))
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

    @asynccontextmanager
    async def _in_order(self, message: Written) -> AsyncIterator[None]:
        """One event of a conversation after the other; those of a channel begin to be stored as they came."""
        async with self._locks.held(message.channel):
            if not await self._gaps.filled(message.channel):
                self._metrics.count("slack_messages_before_missed_ones")
            await self._ask_names(message)
        # Nothing is waited for between the two, unless the conversation is busy.
        async with self._locks.held(key_of_message(message, self._settings)):
            yield

    async def take_missed(self, message: Written, inlet: Inlet) -> None:
        """Store a message that nobody told of; what comes to its channel meanwhile waits for none but this one."""
        await self._ask_names(message)
        async with self._locks.held(key_of_message(message, self._settings)):
            outcome = await self._arrivals.take(inlet, message)
        if outcome is ArrivalOutcome.COMMAND:  # the gap before it stays open until all of it is dealt with
            self._marks.advance(message.channel, str(mark_of(message.ts)))
        await self._noted(outcome)

    async def _noted(self, outcome: ArrivalOutcome) -> None:
        if outcome is ArrivalOutcome.COMMAND:
            # The inbox does not know commands: written at once, so that a restart does not give them again.
            await self._marks.write()

    async def give_up(self, message: Written) -> None:
        """Never try a message again, and tell its author."""
        self._metrics.count("slack_messages_given_up")
        log.error("slack_message_given_up", message=id_of(message))
        self._arrivals.settle(id_of(message), ArrivalOutcome.GIVEN_UP)
        if self._port.addressed(message) and not message.bot:
            self._workers.spawn("line", self._answers.tell, message, GIVEN_UP.to(language_of(message.text)))

    async def _stored(self, take: Callable[[], Awaitable[R]]) -> R:
        """Take an event, again and again for a minute while the store is not there: the next ones wait behind it."""
        began, failures = self._clock.monotonic(), 0
        while True:
            try:
                return await take()
            except StoreUnavailable as error:
                failures += 1
                self._metrics.count("slack_events_not_stored")
                if failures == 1:
                    log.warning("slack_event_not_stored", reason=str(error))
                if self._clock.monotonic() - began > STORE_PATIENCE_SECONDS:
                    raise
            await self._sleep(BETWEEN_TRIES.pause(failures))

    async def _ask_names(self, message: Written) -> None:
        """Have the names that the message needs, so that reading it waits for nothing."""
        if self._port.addressed(message):
            await self._port.author(message)
            await self._port.text(message)
