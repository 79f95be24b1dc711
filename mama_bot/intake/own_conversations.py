"""What a person does with a conversation on the page itself: give it a name, delete it."""

from collections.abc import Awaitable, Callable

from mama_bot.intake import sentences as says
from mama_bot.model import PAGE, Answer, Command, ConversationKey
from mama_bot.protocols import KeptConversations
from mama_bot.wording import Language, one_line

TITLE_CHARACTERS = 80


class OwnConversations:
    """Answers RENAME and DELETE; on a platform they are the platform's own affair."""

    def __init__(
        self,
        *,
        kept: KeptConversations,
        forget_sessions: Callable[[ConversationKey], int],
        remove_homes: Callable[[ConversationKey], Awaitable[None]],
    ) -> None:
        self._kept = kept
        self._forget_sessions = forget_sessions
        self._remove_homes = remove_homes

    async def rename(self, command: Command, language: Language) -> Answer:
        """Give a conversation the name that the command carries."""
        if command.key.platform != PAGE:
            return Answer(text=says.ON_THE_PAGE.to(language), done=False)
        title = one_line(command.argument, TITLE_CHARACTERS)
        if not title:
            return Answer(text=says.NO_NAME.to(language), done=False)
        if not await self._kept.rename(command.key, title):
            return Answer(text=says.NO_CONVERSATION.to(language), done=False)
        return Answer(text=says.RENAMED.to(language, title=title))

    async def delete(self, command: Command, language: Language) -> Answer:
        """Delete a conversation in which nothing waits or runs: its words, and what agents kept of them."""
        if command.key.platform != PAGE:
            return Answer(text=says.ON_THE_PAGE.to(language), done=False)
        if not await self._kept.delete(command.key):
            return Answer(text=says.STILL_AT_WORK.to(language), done=False)
        self._forget_sessions(command.key)
        await self._remove_homes(command.key)
        return Answer(text=says.DELETED.to(language))
