"""The command /repo: which repository a conversation works in, and, for owners, another one for its channel."""

from collections.abc import Awaitable, Callable

from mama_bot.checkouts import Checkouts
from mama_bot.checkouts.absent_contents import missing_told
from mama_bot.config import nearest
from mama_bot.intake import sentences as says
from mama_bot.model import SCRATCH, Answer, Author, Command, ConversationKey, Platform, RepositoryView
from mama_bot.wording import Language

SCRATCH_WORD = "scratch"
MOST_LOCKS = 3


class RepositoryCommand:
    """Answers /repo; `is_owner` says who may change what others work in, `runs` whether somebody works there now."""

    def __init__(
        self,
        *,
        checkouts: Checkouts,
        is_owner: Callable[[Platform, Author], bool],
        runs: Callable[[ConversationKey], Awaitable[bool]],
    ) -> None:
        self._checkouts = checkouts
        self._is_owner = is_owner
        self._runs = runs

    async def answer(self, command: Command, language: Language) -> Answer:
        """Show the repository of a conversation, or change it where one is named."""
        name = command.argument.strip()
        if not name:
            view = await self._checkouts.view(command.key, command.author.id)
            return Answer(text="\n".join(_lines(view, language)))
        if not self._is_owner(command.key.platform, command.author):
            return Answer(text=says.OWNERS_CHOOSE.to(language), done=False)
        names = (*self._checkouts.names, SCRATCH_WORD)
        if name not in names:
            return Answer(text=says.NO_REPOSITORY.to(language, name=name[:60], meant=nearest(name, names)), done=False)
        if await self._runs(command.key):
            return Answer(text=says.REPOSITORY_BUSY.to(language), done=False)
        chosen = SCRATCH if name == SCRATCH_WORD else name
        # Nothing is fetched or made now, which may take longer than a platform waits: the next message sees to it.
        await self._checkouts.assignments.choose(command.key, chosen, by=command.author.id)
        view = await self._checkouts.view(command.key, command.author.id)
        return Answer(text="\n".join([says.REPOSITORY_CHOSEN.to(language, name=name), *_lines(view, language)]))


def _lines(view: RepositoryView, language: Language) -> list[str]:
    lines = []
    if view.name == SCRATCH:
        lines.append(says.WORKS_IN_SCRATCH.to(language))
    elif view.in_place:
        lines.append(says.WORKS_IN_PLACE.to(language, name=view.name, source=view.source))
    else:
        lines.append(says.WORKS_IN_TREE.to(language, name=view.name, source=view.source))
    if view.state is not None:
        state = view.state
        place = says.ON_BRANCH.of(branch=state.branch) if state.branch else says.ON_NO_BRANCH
        counts = says.COMMITS_AND_FILES.of(ahead=state.ahead, uncommitted=state.uncommitted)
        lines.append(f"{place.to(language)} · {counts.to(language)}")
    elif view.name != SCRATCH and not view.in_place:
        lines.append(says.NOT_BEGUN.to(language))
    if missing := missing_told(view.missing, view.name, language):
        lines.append(missing)
    if view.locks:
        lines.append(says.LOCKED.to(language, locks=", ".join(f"`{lock}`" for lock in view.locks[:MOST_LOCKS])))
    if view.failure:
        lines.append(says.SET_UP_FAILED.to(language, reason=view.failure))
    if view.names:
        lines.append(says.OTHER_REPOSITORIES.to(language, names=", ".join(f"`{name}`" for name in view.names)))
    return lines
