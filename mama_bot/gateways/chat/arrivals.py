"""What comes in from a chat, on its one way to the inlet: the same steps on every platform."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Generic, TypeVar

import structlog

from mama_bot.errors import AccessRefused, MamaBotError, MessageRefused, QueueFull
from mama_bot.gateways.chat.attachments import Fetched
from mama_bot.gateways.chat.command_forms import Button, offered_buttons
from mama_bot.gateways.chat.message_files import forget_attachments
from mama_bot.gateways.chat.sentences import STALE_COMMAND
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Answer,
    Attachment,
    Author,
    AuthorKind,
    Command,
    ConversationKey,
    InboundMessage,
    MessageId,
    Origin,
    Platform,
)
from mama_bot.protocols import Clock, Inlet
from mama_bot.recent import Recent
from mama_bot.wording import Language, language_of

Source = TypeVar("Source")
log = structlog.get_logger(__name__)

REMEMBERED = 4000


class ArrivalOutcome(StrEnum):
    """What became of a message; the value is the label of the metric `chat_messages`."""

    DELIVERED = "delivered"
    REPEATED = "repeated"
    COMMAND = "command"
    REFUSED = "refused"
    NOT_SERVED = "not_served"
    NOT_FOR_US = "not_for_us"
    GIVEN_UP = "given_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival(Generic[Source]):
    """A message for the team, before anything is fetched or stored for it; `source` is what the platform sent.

    `locale` is the language of its author's app, where the platform tells it. `command` is the command that the text
    is; a `stale` one was given while nobody listened. A `wordless` message is nothing without its files.
    """

    id: MessageId
    key: ConversationKey
    author: Author
    origin: Origin
    text: str
    source: Source
    locale: Language = Language.ENGLISH
    has_files: bool = False
    wordless: bool = False
    command: Command | None = None
    stale: bool = False

    @property
    def language(self) -> Language:
        """The language in which its author is answered, now and later: that of the text, else of their app."""
        return language_of(self.text, otherwise=self.locale)


class ArrivalPort(ABC, Generic[Source]):
    """What a platform does for its arrivals; every method may raise StoreUnavailable and the platform's own errors."""

    @abstractmethod
    def id_of(self, source: Source) -> MessageId:
        """Return the id of a message: the same whenever the platform tells of it."""

    @abstractmethod
    async def read(self, source: Source, *, taken: bool) -> Arrival[Source] | None:
        """Return the arrival that a message is; None for a message of ours, or one that is not for us.

        An edited message that was `taken` before is for us, whatever it says now.
        """

    @abstractmethod
    async def fetch(self, arrival: Arrival[Source]) -> Fetched:
        """Fetch the files of a message whose author is served."""

    @abstractmethod
    async def tell(self, arrival: Arrival[Source], markdown: str, buttons: Sequence[Button] = ()) -> None:
        """Answer a message with words of the service itself, and buttons below them.

        What cannot be told is logged and counted.
        """

    async def open_thread(self, arrival: Arrival[Source], admit: Callable[[], Awaitable[None]]) -> ConversationKey:
        """Return where the conversation is held, after planning its thread; `admit` asks whether its author is served.

        Raises AccessRefused.
        """
        return arrival.key

    async def close_thread(self, arrival: Arrival[Source]) -> None:
        """Take back what `open_thread` planned: the message was refused."""

    async def join(self, arrival: Arrival[Source]) -> None:
        """Take part in the conversation from now on: its messages need no mention."""

    async def aside(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do work that no acknowledgement has to wait for."""
        await work()


class Arrivals(Generic[Source]):
    """Takes what a platform tells, one message of a conversation at a time; raises what the port and the store raise.

    A message that raised is not remembered: the platform, or the adapter, brings it again.
    """

    def __init__(self, *, platform: Platform, port: ArrivalPort[Source], clock: Clock, metrics: Metrics) -> None:
        self._platform = platform
        self._port = port
        self._clock = clock
        self._metrics = metrics
        self._seen: Recent[MessageId, ArrivalOutcome] = Recent(REMEMBERED)

    async def take(self, inlet: Inlet, source: Source) -> ArrivalOutcome:
        """Deal with a message: ours? for us? seen? a command? admitted? Then fetch, deliver, refuse, tell and count."""
        message_id = self._port.id_of(source)
        if message_id in self._seen:
            return self._counted(ArrivalOutcome.REPEATED)
        arrival = await self._port.read(source, taken=False)
        if arrival is None:
            return self._counted(ArrivalOutcome.NOT_FOR_US)
        return self.settle(message_id, await self._deal(inlet, arrival))

    def settle(self, message_id: MessageId, outcome: ArrivalOutcome) -> ArrivalOutcome:
        """Count and remember what became of a message; returns it."""
        self._seen[message_id] = outcome
        return self._counted(outcome)

    async def revise(self, inlet: Inlet, source: Source) -> None:
        """Take the new text of a message that still waits; a refusal is told as that of a new message is."""
        taken_before = self._seen.get(self._port.id_of(source)) in {ArrivalOutcome.DELIVERED, ArrivalOutcome.REPEATED}
        arrival = await self._port.read(source, taken=taken_before)
        if arrival is None or arrival.command is not None:
            return
        try:
            outcome = await self._revised(inlet, arrival)
        except AccessRefused:
            return  # strangers were told what they may know when the message came
        except (MessageRefused, QueueFull) as error:
            await self._refuse(arrival, error)
            outcome = "refused"
        self._metrics.count("chat_edits", platform=self._platform, outcome=outcome)

    async def withdraw(self, inlet: Inlet, key: ConversationKey, message_id: MessageId) -> None:
        """Forget a message that its author deleted while it waits."""
        try:
            taken = await inlet.withdraw(key, message_id)
        except (MessageRefused, QueueFull) as error:
            log.info("deletion_refused", message=message_id, reason=str(error))
            return
        self._metrics.count("chat_deletions", platform=self._platform, outcome="taken" if taken else "too_late")

    async def _revised(self, inlet: Inlet, arrival: Arrival[Source]) -> str:
        """Return what became of an edit: `taken`, `too_late`, or `refused` for one whose files were all left out."""
        fetched = await self._fetched(inlet, arrival)
        if _is_nothing(arrival, fetched):
            await self._tell_person(arrival, "\n".join(fetched.left_out))
            return "refused"
        if not await self._handed_on(inlet.revise, arrival, fetched):
            return "too_late"
        await self._tell_person(arrival, "\n".join(fetched.left_out))
        return "taken"

    async def _deal(self, inlet: Inlet, arrival: Arrival[Source]) -> ArrivalOutcome:
        if (command := arrival.command) is not None:
            if arrival.stale:
                await self._port.tell(arrival, STALE_COMMAND.to(arrival.language))
            else:
                await self._port.aside(lambda: self._answer(inlet, arrival, command))
            return ArrivalOutcome.COMMAND
        try:
            return await self._deliver(inlet, arrival)
        except (MessageRefused, QueueFull) as error:
            await self._port.close_thread(arrival)
            return await self._refuse(arrival, error)

    async def _answer(self, inlet: Inlet, arrival: Arrival[Source], command: Command) -> None:
        answer = await answer_to(inlet, command, self._metrics)
        if answer.text:
            await self._port.tell(arrival, answer.text, offered_buttons(answer))

    async def _deliver(self, inlet: Inlet, arrival: Arrival[Source]) -> ArrivalOutcome:
        key = await self._port.open_thread(arrival, lambda: inlet.admit(self._message(arrival)))
        arrival = replace(arrival, key=key)
        fetched = await self._fetched(inlet, arrival)
        outcome = ArrivalOutcome.REFUSED
        if _is_nothing(arrival, fetched):
            await self._port.close_thread(arrival)
        else:
            new = await self._handed_on(inlet.deliver, arrival, fetched)
            outcome = ArrivalOutcome.DELIVERED if new else ArrivalOutcome.REPEATED
        await self._port.join(arrival)
        if outcome is not ArrivalOutcome.REPEATED:
            await self._tell_person(arrival, "\n".join(fetched.left_out))
        return outcome

    async def _handed_on(
        self, take: Callable[[InboundMessage], Awaitable[bool]], arrival: Arrival[Source], fetched: Fetched
    ) -> bool:
        """Return whether the inlet took a message; the new files of one that it did not take are removed."""
        try:
            taken = await take(self._message(arrival, fetched.kept))
        except (MessageRefused, QueueFull):
            await forget_attachments(fetched.new)
            raise
        if not taken:
            await forget_attachments(fetched.new)
        return taken

    async def _fetched(self, inlet: Inlet, arrival: Arrival[Source]) -> Fetched:
        if not arrival.has_files:
            return Fetched()
        await inlet.admit(self._message(arrival))
        return await self._port.fetch(arrival)

    async def _refuse(self, arrival: Arrival[Source], error: MamaBotError) -> ArrivalOutcome:
        """Say why a message was not taken: all of it to whoever is served, to a stranger what they may know."""
        told = await self._tell_person(arrival, error.to(arrival.language))
        log.info("message_refused", platform=self._platform, message=arrival.id, reason=str(error), told=told)
        return ArrivalOutcome.NOT_SERVED if isinstance(error, AccessRefused) else ArrivalOutcome.REFUSED

    async def _tell_person(self, arrival: Arrival[Source], text: str) -> bool:
        """Answer a person, never a bot, which would answer in turn; returns whether there was somebody to tell."""
        told = bool(text) and arrival.author.kind is AuthorKind.PERSON
        if told:
            await self._port.tell(arrival, text)
        return told

    def _message(self, arrival: Arrival[Source], attachments: tuple[Attachment, ...] = ()) -> InboundMessage:
        return InboundMessage(
            id=arrival.id,
            key=arrival.key,
            author=arrival.author,
            text=arrival.text,
            received_at=self._clock.now(),
            attachments=attachments,
            origin=arrival.origin,
            language=arrival.language,
        )

    def _counted(self, outcome: ArrivalOutcome) -> ArrivalOutcome:
        self._metrics.count("chat_messages", platform=self._platform, outcome=outcome.value)
        return outcome


async def answer_to(inlet: Inlet, command: Command, metrics: Metrics) -> Answer:
    """Return what a command led to; of a refusal, what the person may know of it."""
    metrics.count("chat_commands", platform=command.key.platform, command=command.name.value)
    try:
        return await inlet.command(command)
    except MamaBotError as error:
        log.info("command_refused", command=command.name.value, reason=str(error))
        return Answer(text=error.to(command.language), done=False)


def _is_nothing(arrival: Arrival[Source], fetched: Fetched) -> bool:
    """Whether all of a message was left out."""
    return arrival.wordless and not fetched.kept and bool(fetched.left_out)
