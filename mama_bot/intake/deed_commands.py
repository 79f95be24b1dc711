"""The commands about the work of a conversation: show, undo, merge, discard, restore, push; for people who may."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

import structlog

from mama_bot.checkouts import Checkouts
from mama_bot.deeds import Deeds, may
from mama_bot.deeds.deed_runner import WAIT_SECONDS
from mama_bot.deeds.diffs import Diffs
from mama_bot.deeds.sentences import deed_told
from mama_bot.errors import MamaBotError
from mama_bot.intake import deed_sentences as says
from mama_bot.intake.diff_text import CHARACTERS, diff_text
from mama_bot.intake.merge_caution import LATEST_CHANGES, LATEST_MESSAGES, caution_of
from mama_bot.metrics import Metrics
from mama_bot.model import (
    CHANGE_NAMED,
    RIGHT_OF,
    Answer,
    Author,
    ChangeId,
    Command,
    CommandName,
    Conflicting,
    ConversationKey,
    Deed,
    DeedId,
    DeedRequest,
    DeedRight,
    Discarded,
    DiscardWork,
    MergeBranch,
    Merged,
    NotDone,
    Notice,
    NoticeKind,
    Offer,
    Opened,
    OpenPullRequest,
    Platform,
    PostId,
    PushBranch,
    Pushed,
    Refusal,
    Restored,
    RestoreWork,
    ReviewStatus,
    StoredTurn,
    TreeDiff,
    TurnId,
    UndoChange,
    Undone,
    WorkChange,
    text_hash,
)
from mama_bot.protocols import Clock, ConversationHistory, DeedRecords, Outbox, ReviewStates
from mama_bot.recent import Recent
from mama_bot.turns.schedule import work_under_review
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

MOST_CHANGES = 200
REMEMBERED = 1000
MARK_CHARACTERS = 6
MOST_BYTES = 54  # of what a button carries beside its command, on the platform that takes least
ANYWAY = frozenset(says.ANYWAY.to(language) for language in Language)
# The deeds that need nothing but their name.
PLAIN: Mapping[CommandName, Deed] = {
    CommandName.MERGE: MergeBranch(),
    CommandName.DISCARD: DiscardWork(),
    CommandName.RESTORE: RestoreWork(),
    CommandName.PUSH: PushBranch(),
    CommandName.PR: OpenPullRequest(),
}
PATIENT_SECONDS = 8.0  # so long whoever pushes waits for the outcome itself, which other machines have a part in


@dataclass(frozen=True, slots=True, kw_only=True)
class _Caution:
    """What speaks against a merge, in words, and by a mark that is another one once it is about something else."""

    text: str
    mark: str


class DeedCommands:
    """Answers the commands in `by_name`; `is_owner` says who owns the bot on a platform."""

    def __init__(
        self,
        *,
        deeds: Deeds,
        diffs: Diffs,
        checkouts: Checkouts,
        records: DeedRecords,
        reviews: ReviewStates,
        history: ConversationHistory,
        outbox: Outbox,
        is_owner: Callable[[Platform, Author], bool],
        clock: Clock,
        new_id: Callable[[], str],
        metrics: Metrics,
    ) -> None:
        self._deeds = deeds
        self._diffs = diffs
        self._checkouts = checkouts
        self._records = records
        self._reviews = reviews
        self._history = history
        self._outbox = outbox
        self._is_owner = is_owner
        self._clock = clock
        self._new_id = new_id
        self._metrics = metrics
        self._shown: Recent[tuple[ConversationKey, str], str] = Recent(REMEMBERED)
        self.by_name: Mapping[CommandName, Callable[[Command, PostId | None, Language], Awaitable[Answer]]] = {
            CommandName.DIFF: self.show,
            CommandName.UNDO: self.undo,
            CommandName.REDO: self.redo,
            **dict.fromkeys(PLAIN, self.plain),
        }

    # --- showing --------------------------------------------------------------------------------------

    async def show(self, command: Command, post: PostId | None, language: Language) -> Answer:
        """Post what a turn changed in the thread, or all of the work; a refusal is told to the asker alone."""
        is_bare = not command.argument.strip() and not _names_post(command, post)
        try:
            latest = next(iter(await self._records.changes(command.key, 1)), None) if is_bare else None
            after_undo = latest is not None and latest.undoes is not None
            all_of_it = after_undo or command.argument.strip().casefold() in says.ALL_OF_IT
            diff = await (self._all(command.key) if all_of_it else self._diff(command, post))
        except (MamaBotError, OSError) as error:
            log.warning("diff_not_made", conversation=str(command.key), reason=str(error))
            return Answer(text=says.NO_DIFF_NOW.to(language), done=False)
        if diff is None or not diff.files:
            none = says.NO_CHANGE_YET if is_bare else says.NO_CHANGE
            none = says.NO_CHANGE_LEFT if after_undo else none
            return Answer(text=none.to(language), done=False)
        notice = Notice(
            id=PostId(f"diff.{self._new_id()}"),
            key=command.key,
            notice=NoticeKind.DIFF,
            text=diff_text(diff, language, above=says.CHANGED_SINCE_BEGIN if after_undo else None),
        )
        await self._outbox.add(notice)
        return Answer(text=says.DIFF_BELOW.to(language))

    async def _all(self, key: ConversationKey) -> TreeDiff | None:
        return await self._diffs.of_all(key, most_characters=CHARACTERS)

    async def _diff(self, command: Command, post: PostId | None) -> TreeDiff | None:
        change = await self._of_post(command, post)
        if change is None and not _names_post(command, post):
            change = next((each.id for each in await self._records.changes(command.key, 1)), None)
        return None if change is None else await self._diffs.of_change(command.key, change, most_characters=CHARACTERS)

    # --- doing ----------------------------------------------------------------------------------------

    async def undo(self, command: Command, post: PostId | None, language: Language) -> Answer:
        """Undo the change that a post tells of, else the latest one of a turn that stands."""
        return await self._undone(command, post, language, redo=False)

    async def redo(self, command: Command, post: PostId | None, language: Language) -> Answer:
        """Bring back what the latest undo took back."""
        return await self._undone(command, post, language, redo=True)

    async def plain(self, command: Command, post: PostId | None, language: Language) -> Answer:
        """Do a deed about the branch of the conversation; what is not in order is merged when it is asked for so."""
        repository, change = await self._branch(command, post)
        rest = _argument(command)[1]
        deed = PLAIN[command.name]
        may_not = self._may_not(command, deed, repository, change, language)
        if may_not is not None:
            return may_not
        # Without a store there is nothing to merge into, and of what holds nothing the deed itself says so.
        if isinstance(deed, MergeBranch) and await self._holds_work(command.key, repository):
            caution = await self._caution(command.key, language)
            if caution is not None and not self._agreed(command, rest, caution):
                self._shown[command.key, command.author.id] = caution.mark
                offers = await self._anyway(command, repository, change, caution, language)
                return Answer(text=caution.text, done=False, offers=offers)
            deed = replace(deed, anyway=caution is not None)
        if isinstance(deed, OpenPullRequest):
            deed = replace(deed, title=rest)
        return await self._done(command, deed, repository, change, language)

    async def _branch(self, command: Command, post: PostId | None) -> tuple[str, WorkChange | None]:
        """Return whose branch a deed is about: its repository, and the latest turn there that stands, by its change.

        The branch is one, whichever of its replies a button stands under, and belongs to whom that turn worked for. An
        undo makes it nobody's: whoever may undo has no right more by it.
        """
        named = await self._change(command, post)
        repository = named.repository if named is not None else await self._repository(command)
        changes = await self._records.changes(command.key, MOST_CHANGES)
        turns = [each for each in changes if each.undoes is None and each.repository == repository]
        return repository, next((each for each in turns if each.undone_by is None), next(iter(turns), None))

    def _agreed(self, command: Command, rest: str, caution: _Caution) -> bool:
        """Return whether somebody wants to merge in spite of just this: not of what they were shown before it."""
        word, _, shown = rest.casefold().partition(" ")
        shown = shown.strip() or self._shown.get((command.key, command.author.id), caution.mark)
        return word in ANYWAY and shown == caution.mark

    async def _anyway(
        self, command: Command, repository: str, change: WorkChange | None, caution: _Caution, language: Language
    ) -> tuple[Offer, ...]:
        """Return the offer to merge what is not in order: of the same branch, also where work goes on in another."""
        argument = f"{says.ANYWAY.to(language)} {caution.mark}"
        if change is not None and repository != await self._repository(command):
            argument = f"{CHANGE_NAMED}{change.id} {argument}"
        if len(argument.encode()) > MOST_BYTES:
            return ()
        return (Offer(name=CommandName.MERGE, label=says.MERGE_ANYWAY.to(language), argument=argument),)

    async def _caution(self, key: ConversationKey, language: Language) -> _Caution | None:
        """Return what speaks against merging the work of a conversation; None for nothing."""
        deeds = await self._records.deeds(key, LATEST_CHANGES)
        merged = next((each.request.at for each in deeds if isinstance(each.outcome, Merged)), None)
        view = await self._history.view(key, LATEST_MESSAGES)
        changes = await self._records.changes(key, LATEST_CHANGES)
        approved = await self._approved(view.turns)
        told = partial(caution_of, view, changes, since=merged, approved=approved)
        text, plain = await asyncio.to_thread(lambda: (told(language), told(Language.ENGLISH)))  # records may be long
        latest = changes[0].id if changes else ""
        return _Caution(text=text, mark=text_hash(f"{latest} {plain}")[:MARK_CHARACTERS]) if text else None

    async def _approved(self, turns: Sequence[StoredTurn]) -> frozenset[TurnId]:
        """Return the turns whose work was approved by its review, or by a person."""
        works = {stored.turn.id: work_under_review(turns, stored.turn).id for stored in turns}
        reviews = [await self._reviews.review(work) for work in dict.fromkeys(works.values())]
        approved = {each.session_id for each in reviews if each is not None and each.status is ReviewStatus.APPROVED}
        return frozenset(turn for turn, work in works.items() if work in approved)

    async def _holds_work(self, key: ConversationKey, repository: str) -> bool:
        """Return whether a conversation has, or may have, something that the branch where it began lacks."""
        if self._checkouts.store(repository) is None:
            return False
        try:
            return await self._diffs.differs(key, repository)
        except (MamaBotError, OSError) as error:
            log.warning("work_not_compared", conversation=str(key), reason=str(error))
            return True

    async def _repository(self, command: Command) -> str:
        """Return the repository that a conversation works in, or would."""
        return (await self._checkouts.view(command.key, command.author.id, looks=False)).name

    async def _undone(self, command: Command, post: PostId | None, language: Language, *, redo: bool) -> Answer:
        change = await self._change(command, post)
        if redo and change is not None and not await self._takes_back(change):  # what took it back is meant
            changes = await self._records.changes(command.key, MOST_CHANGES)
            change = next((each for each in changes if each.undoes == change.id and each.undone_by is None), None)
        elif change is None and not _names_post(command, post):
            changes = await self._records.changes(command.key, MOST_CHANGES)
            turns = {each.id for each in changes if each.undoes is None}
            standing = (each for each in changes if each.undone_by is None)
            change = next((each for each in standing if (each.undoes if redo else each.id) in turns), None)
        if change is None:
            none = says.NOTHING_TO_REDO if redo else says.NOTHING_TO_UNDO
            return Answer(text=none.to(language), done=False)
        return await self._done(command, UndoChange(change=change.id), change.repository, change, language)

    async def _takes_back(self, change: WorkChange) -> bool:
        """Return whether a change is an undo, and neither the work of a turn nor what brought that back."""
        takes_back, earlier = False, change.undoes
        while earlier is not None:
            takes_back = not takes_back
            known = await self._records.change(change.key, earlier)
            earlier = None if known is None else known.undoes
        return takes_back

    async def _done(
        self, command: Command, deed: Deed, repository: str, change: WorkChange | None, language: Language
    ) -> Answer:
        may_not = self._may_not(command, deed, repository, change, language)
        if may_not is not None:
            return may_not
        request = DeedRequest(
            id=DeedId(self._new_id()),
            key=command.key,
            repository=repository,
            deed=deed,
            by=command.author,
            at=self._clock.now(),
            title=await self._records.title(command.key),
            language=language,
        )
        patience = PATIENT_SECONDS if RIGHT_OF[type(deed)] is DeedRight.PUSH else WAIT_SECONDS
        outcome = await self._deeds.ask(request, seconds=patience)
        match outcome:
            case None:
                return Answer(text=says.DEED_GOES_ON.to(language))
            case NotDone():
                return Answer(text=deed_told(outcome, request), done=False, offers=_offers(outcome, change, language))
            case Conflicting():
                return Answer(text=says.NOT_MERGED.to(language), done=False)
            case Pushed() | Opened():
                return Answer(text=deed_told(outcome, request))
            case Undone() | Merged() | Discarded() | Restored():
                return Answer(text=says.DEED_DONE.to(language))
            case unexpected:
                assert_never(unexpected)

    def _may_not(
        self, command: Command, deed: Deed, repository: str, change: WorkChange | None, language: Language
    ) -> Answer | None:
        """Return what whoever may not do a deed is told; None for whoever may."""
        platform = command.key.platform
        right = RIGHT_OF[type(deed)]
        if may(
            right,
            self._checkouts.settings(repository),
            platform,
            command.author,
            command.origin,
            is_owner=self._is_owner(platform, command.author),
            is_asker=change is not None and change.asker == command.author.id,
        ):
            return None
        self._metrics.count("deeds_refused", kind=deed.kind, platform=platform)
        log.warning("deed_refused", kind=deed.kind, by=command.author.id, conversation=str(command.key))
        return Answer(text=says.MAY_NOT[right].to(language), done=False)

    # --- which change ---------------------------------------------------------------------------------

    async def _change(self, command: Command, post: PostId | None) -> WorkChange | None:
        change = _argument(command)[0] or await self._of_post(command, post)
        return None if change is None else await self._records.change(command.key, change)

    async def _of_post(self, command: Command, post: PostId | None) -> ChangeId | None:
        """Return the change that a post tells of."""
        known = None if post is None else await self._history.posted(command.key, post)
        return None if known is None else known.change


def _offers(outcome: NotDone, change: WorkChange | None, language: Language) -> tuple[Offer, ...]:
    """Return what is offered to whoever was refused: what a turn changed and was undone before can be brought back."""
    if outcome.why is not Refusal.UNDONE_ALREADY or change is None or change.undoes is not None:
        return ()
    argument = f"{CHANGE_NAMED}{change.id}"
    if len(argument.encode()) > MOST_BYTES:
        return ()
    return (Offer(name=CommandName.REDO, label=says.REDO.to(language), argument=argument),)


def _argument(command: Command) -> tuple[ChangeId | None, str]:
    """Return the change that a command names, and what else stands behind its name."""
    argument = command.argument.strip()
    if not argument.startswith(CHANGE_NAMED):
        return None, argument
    named, _, rest = argument.removeprefix(CHANGE_NAMED).partition(" ")
    return ChangeId(named), rest.strip()


def _names_post(command: Command, post: PostId | None) -> bool:
    """Return whether a command is about one post: then it is about that or nothing."""
    return post is not None or command.platform_id != "" or command.argument.startswith(CHANGE_NAMED)
