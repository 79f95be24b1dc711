"""The commands /push and /pr: the work of a conversation goes to its source, for who may."""

from collections.abc import Callable

from mama_bot.intake import sentences as says
from mama_bot.model import Answer, Author, Command, CommandName, Platform
from mama_bot.pull_requests.publication import Publication, PublicationRequest
from mama_bot.wording import Language

ANSWER_SECONDS = 8.0  # so long whoever asked waits for the outcome itself


class PublishCommands:
    """Answers /push and /pr; `is_owner` says who may send work out."""

    def __init__(self, *, publication: Publication, is_owner: Callable[[Platform, Author], bool]) -> None:
        self._publication = publication
        self._is_owner = is_owner

    async def answer(self, command: Command, language: Language) -> Answer:
        """Push the branch of a conversation, and with /pr open its pull request; what cannot be done is a sentence."""
        if not self._is_owner(command.key.platform, command.author):
            return Answer(text=says.OWNERS_PUBLISH.to(language), done=False)
        request = PublicationRequest(
            key=command.key, by=command.author, language=language, title=command.argument.strip()
        )
        if command.name is CommandName.PUSH:
            return await self._publication.push(request, ANSWER_SECONDS)
        return await self._publication.open(request, ANSWER_SECONDS)
