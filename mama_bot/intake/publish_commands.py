"""The commands /push and /pr: the work of a conversation goes to its source, for who may."""

from collections.abc import Callable

import structlog

from mama_bot.checkouts import Checkouts
from mama_bot.deeds import may
from mama_bot.intake import sentences as says
from mama_bot.model import Answer, Author, Command, CommandName, DeedRight, Platform
from mama_bot.pull_requests.publication import Publication, PublicationRequest
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

ANSWER_SECONDS = 8.0  # so long whoever asked waits for the outcome itself


class PublishCommands:
    """Answers /push and /pr; `is_owner` says who owns the bot on a platform."""

    def __init__(
        self, *, publication: Publication, checkouts: Checkouts, is_owner: Callable[[Platform, Author], bool]
    ) -> None:
        self._publication = publication
        self._checkouts = checkouts
        self._is_owner = is_owner

    async def answer(self, command: Command, language: Language) -> Answer:
        """Push the branch of a conversation, and with /pr open its pull request; what cannot be done is a sentence."""
        platform, author = command.key.platform, command.author
        view = await self._checkouts.view(command.key, author.id, looks=False)
        if not may(
            DeedRight.PUSH,
            self._checkouts.settings(view.name),
            platform,
            author,
            command.origin,
            is_owner=self._is_owner(platform, author),
            is_asker=False,
        ):
            log.warning("push_not_allowed", by=author.id, conversation=str(command.key))
            return Answer(text=says.MAY_NOT_PUBLISH.to(language), done=False)
        request = PublicationRequest(
            key=command.key,
            repository=view.name,
            by=author,
            language=language,
            title=command.argument.strip(),
        )
        if command.name is CommandName.PUSH:
            return await self._publication.push(request, ANSWER_SECONDS)
        return await self._publication.open(request, ANSWER_SECONDS)
