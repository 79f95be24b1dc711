"""The one way in: what every gateway is given."""

import unicodedata
from collections.abc import Awaitable, Callable

import structlog

from mama_bot.errors import AccessRefused, MamaBotError, MessageRefused, QueueFull, StoreUnavailable
from mama_bot.intake import sentences
from mama_bot.intake.access import Access
from mama_bot.intake.persona_menus import PersonaMenus
from mama_bot.message_line import MessageStandings
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Answer,
    AuthorKind,
    Command,
    ConversationKey,
    InboundMessage,
    MessageId,
    StopAsked,
    read_question_reference,
)
from mama_bot.protocols import Inbox

log = structlog.get_logger(__name__)

_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp", "Mn"})
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters by category, blank to the eye


class Intake:
    """Checks a message, stores it, and only then says that it was taken."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        standings: MessageStandings,
        steer: Callable[[InboundMessage], Awaitable[bool]],
        stop: Callable[[ConversationKey, str], Awaitable[StopAsked]],
        commands: Callable[[Command], Awaitable[Answer]],
        access: Access,
        max_characters: int,
        metrics: Metrics,
        menus: PersonaMenus | None = None,
    ) -> None:
        self._inbox = inbox
        self._standings = standings
        self._steer = steer
        self._stop = stop
        self._commands = commands
        self._access = access
        self._max_characters = max_characters
        self._metrics = metrics
        self._menus = menus

    async def deliver(self, message: InboundMessage) -> bool:
        """Store a message; see Inlet.deliver."""
        try:
            await self._admit(message, new=True)
            self._check(message)
            message = await self._asked(message)
            taken = await self._inbox.accept(message)
            if self._menus is not None:
                await self._menus.taken(message)
        except AccessRefused:
            raise
        except (MessageRefused, QueueFull, StoreUnavailable) as error:
            self._note_refusal(message, error)
            raise
        self._metrics.count("messages" if taken else "messages_repeated", platform=message.key.platform)
        log.info(
            "message_stored" if taken else "message_repeated",
            message=message.id,
            conversation=str(message.key),
            characters=len(message.text),
        )
        if taken is not None and not await self._told_at_once(message):
            await self._standings.taken(message, taken)
        return taken is not None

    async def _told_at_once(self, message: InboundMessage) -> bool:
        """Whether the agent at work is told of a message that is stored; else it waits like any other."""
        if message.author.kind is not AuthorKind.PERSON:
            return False
        try:
            return await self._steer(message)
        except StoreUnavailable as error:
            log.warning("not_steered", message=message.id, reason=str(error))
            return False

    async def revise(self, message: InboundMessage) -> bool:
        """See Inlet.revise; raises MessageRefused as well, where the new text cannot be taken and the old one stays."""
        try:
            await self._admit(message, new=False)
            waiting = await self._inbox.waiting(message.key, message.id)
            if waiting is None or waiting.author.id != message.author.id:
                return False
            self._check(message)
            if self._menus is not None:
                message = await self._menus.read_again(message, before=waiting)
            taken = await self._inbox.revise(message)
        except AccessRefused:
            raise
        except (MessageRefused, StoreUnavailable) as error:
            self._note_refusal(message, error)
            raise
        if taken:
            self._metrics.count("messages_revised", platform=message.key.platform)
            log.info("message_revised", message=message.id, conversation=str(message.key), characters=len(message.text))
        return taken

    async def withdraw(self, key: ConversationKey, message_id: MessageId) -> bool:
        """See Inlet.withdraw."""
        withdrawn = await self._inbox.withdraw(key, message_id)
        if withdrawn:
            self._metrics.count("messages_withdrawn", platform=key.platform)
            log.info("message_withdrawn", message=message_id, conversation=str(key))
            await self._standings.done(key, message_id)
        return withdrawn

    async def command(self, command: Command) -> Answer:
        """See Inlet.command."""
        try:
            if command.origin is not None:
                asked = None if read_question_reference(command.argument) is not None else command.name
                await self._access.check(command.origin, command.author, command.key, command.language, command=asked)
        except StoreUnavailable as error:
            # Whoever is named in the configuration is known without the store: this may be a stranger.
            self._metrics.count("commands_refused", platform=command.key.platform)
            log.warning("command_refused", command=command.name.value, reason=str(error))
            raise AccessRefused(reason="It cannot be told just now whether they are served.") from error
        return await self._commands(command)

    async def admit(self, message: InboundMessage) -> None:
        """See Inlet.admit."""
        await self._admit(message, new=False)

    async def stop(self, key: ConversationKey, by: str) -> bool:
        """Stop what runs in a conversation."""
        return bool(await self._stop(key, by))

    async def _admit(self, message: InboundMessage, *, new: bool) -> None:
        if message.origin is not None:
            await self._access.check(message.origin, message.author, message.key, message.language, new=new)

    async def _asked(self, message: InboundMessage) -> InboundMessage:
        """Return a message as a persona is asked by it; raises MessageRefused for a command that cannot begin."""
        return message if self._menus is None else await self._menus.read(message)

    def _note_refusal(self, message: InboundMessage, error: MamaBotError) -> None:
        self._metrics.count("messages_refused", reason=type(error).__name__)
        log.warning("message_refused", message=message.id, conversation=str(message.key), reason=str(error))

    def _check(self, message: InboundMessage) -> None:
        if _blank(message.text) and not message.attachments:
            raise MessageRefused(sentences.EMPTY)
        size, most = len(message.text), self._max_characters
        if size > most:
            raise MessageRefused(sentences.TOO_LONG.of(size=size, most=most))


def _blank(text: str) -> bool:
    return all(unicodedata.category(sign) in _INVISIBLE or sign in _FILLERS for sign in text)
