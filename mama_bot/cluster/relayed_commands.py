"""Commands about files, carried out by the node that has the files of their conversation."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from mama_bot.cluster import sentences as says
from mama_bot.errors import AccessRefused, MamaBotError, StoreUnavailable
from mama_bot.model import Answer, Command, CommandAnswered, CommandAsked, CommandName, ConversationKey
from mama_bot.protocols import NodeEvents
from mama_bot.wording import Language, language_of

# What reads or changes work trees, or the sessions of agents; so does a stop of one branch of an exchange.
ABOUT_FILES = frozenset(
    {
        *(CommandName.DIFF, CommandName.UNDO, CommandName.REDO, CommandName.MERGE, CommandName.DISCARD),
        *(CommandName.RESTORE, CommandName.PUSH, CommandName.PR, CommandName.REPO, CommandName.AGENTS),
        *(CommandName.REVIEW, CommandName.RESET, CommandName.DELETE),
    }
)
ANSWER_SECONDS = 120.0

log = structlog.get_logger(__name__)


class RelayedCommands:
    """Answers commands: those about files by the node of their conversation, all others here.

    `home` tells which node has the files of a conversation (None: none has any yet), `own` is this one's id.
    """

    def __init__(
        self,
        *,
        answer: Callable[[Command], Awaitable[Answer]],
        home: Callable[[ConversationKey], Awaitable[str | None]],
        own: str,
        events: NodeEvents,
        new_id: Callable[[], str],
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._answer = answer
        self._home = home
        self._own = own
        self._events = events
        self._new_id = new_id
        self._answer_seconds = answer_seconds
        self._waiting: dict[str, asyncio.Future[Answer]] = {}

    async def answer(self, command: Command) -> Answer:
        """Answer a command; one that its node does not answer in time is not told to be done. Raises AccessRefused."""
        branch = command.name is CommandName.STOP and bool(command.argument.strip())
        if command.name not in ABOUT_FILES and not branch:
            return await self._answer(command)
        try:
            home = await self._home(command.key)
        except StoreUnavailable as error:
            log.warning("home_not_known", conversation=str(command.key), reason=str(error))
            home = None
        if home is None or home == self._own:
            return await self._answer(command)
        question = CommandAsked(id=self._new_id(), node=home, command=command)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[question.id] = answer
        self._events.publish(question)
        try:
            async with asyncio.timeout(self._answer_seconds):
                return await answer
        except TimeoutError:
            log.warning("command_not_answered", name=command.name.value, node=home, conversation=str(command.key))
            return Answer(text=says.NOT_ANSWERED.to(_language(command)), done=False)
        finally:
            del self._waiting[question.id]

    def is_asked(self, question: CommandAsked) -> bool:
        """Return whether a question is asked of this node."""
        return question.node == self._own

    def refuse(self, question: CommandAsked) -> None:
        """Answer that too much else is done here just now."""
        if self.is_asked(question):
            busy = Answer(text=says.BUSY.to(_language(question.command)), done=False)
            self._events.publish(CommandAnswered(id=question.id, answer=busy))

    async def asked(self, question: CommandAsked) -> None:
        """Answer what another node asks of this one, also what is refused or fails: somebody waits there.

        What fails is raised here as well, for the log.
        """
        if not self.is_asked(question):
            return
        language = _language(question.command)
        try:
            answer = await self._answer(question.command)
        except AccessRefused as error:
            answer = Answer(text=error.to(language) or says.REFUSED.to(language), done=False)
        except Exception as error:
            reason = error.to(language) if isinstance(error, MamaBotError) else says.FAULT.to(language)
            failed = Answer(text=says.FAILED.to(language, reason=reason), done=False)
            self._events.publish(CommandAnswered(id=question.id, answer=failed))
            raise
        self._events.publish(CommandAnswered(id=question.id, answer=answer))

    def answered(self, event: CommandAnswered) -> None:
        """Hand an answer to whoever waits for it here."""
        waiting = self._waiting.get(event.id)
        if waiting is not None and not waiting.done():
            waiting.set_result(event.answer)


def _language(command: Command) -> Language:
    return language_of(command.argument) if command.language == Language.ENGLISH else command.language
