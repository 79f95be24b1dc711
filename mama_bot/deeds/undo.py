"""Take back what a turn, or an earlier undo, changed in a work tree: nothing that came after it is lost."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.own_repository import own_repository
from mama_bot.checkouts.thread_branch import ThreadBranch
from mama_bot.checkouts.tree_history import InTheWay, TreeHistory, TreeLook
from mama_bot.deeds.deed_runner import DoneDeed
from mama_bot.deeds.discard import kept_as
from mama_bot.deeds.merge import commit_title, moment_of
from mama_bot.deeds.turn_changes import TurnChanges
from mama_bot.model import (
    ChangeId,
    DeedPlan,
    DeedRequest,
    Merged,
    NotDone,
    Refusal,
    TreeMark,
    UndoChange,
    Undone,
    UndoPlan,
    WorkChange,
)
from mama_bot.protocols import DeedRecords
from mama_bot.repositories.git import GitFailed

log = structlog.get_logger(__name__)

MOST_DEEDS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where an undo is done: the directory, and its branch where the service may move that."""

    workspace: Path
    branch: ThreadBranch | None
    lent: Sequence[Path]


class Undo:
    """Undoes: takes what differs back from the files as they are now, and from the commits where the change made any.

    What would be lost refuses it, by name. The way is planned in the store before a file is written, and all that was
    on the disk is kept before that: an undo that was cut off is ended by the next life.
    """

    def __init__(
        self, *, checkouts: Checkouts, records: DeedRecords, changes: TurnChanges, history: TreeHistory, git: OwnGit
    ) -> None:
        self._checkouts = checkouts
        self._records = records
        self._changes = changes
        self._history = history
        self._git = git

    async def __call__(self, request: DeedRequest, plan: DeedPlan | None) -> DoneDeed:
        """Do the deed, or end one that was cut off; raises GitFailed, OSError, RepositoryUnavailable."""
        deed = request.deed
        change = await self._records.change(request.key, deed.change) if isinstance(deed, UndoChange) else None
        refused = _refused(change)
        if change is None or change.after is None or refused is not None:
            return DoneDeed(outcome=refused or NotDone(why=Refusal.NOTHING))
        workspace = await self._checkouts.prepare(request.key, change.repository)
        if self._changes.busy(workspace):
            return DoneDeed(outcome=NotDone(why=Refusal.BUSY))
        look = await self._look(workspace)
        place = self._place(change.repository, workspace, look)
        if place.branch is not None:
            await place.branch.check()
        if not isinstance(plan, UndoPlan):
            made = await self._plan(request, change, change.after, place, look)
            if isinstance(made, NotDone):
                return DoneDeed(outcome=made)
            plan = made
            await self._records.plan(request.id, plan)
            return await self._carry_out(request, change, plan, place)
        return await self._carry_out(request, change, plan, place, resumed=True)

    def _place(self, name: str, workspace: Path, look: TreeLook) -> _Place:
        settings = self._checkouts.settings(name)
        store = self._checkouts.store(name)
        in_place = settings is not None and settings.in_place
        branch = None if in_place else ThreadBranch(self._git, workspace, store.objects if store else None)
        return _Place(workspace=workspace, branch=branch, lent=self._changes.lent(name, look))

    async def _look(self, workspace: Path) -> TreeLook:
        look = await self._history.look(workspace)
        if look is None:
            raise GitFailed(directory=workspace, command="status", reason="there is no repository any more")
        return look

    # --- what is to be done ---------------------------------------------------------------------------

    async def _plan(
        self, request: DeedRequest, change: WorkChange, after: TreeMark, place: _Place, look: TreeLook
    ) -> UndoPlan | NotDone:
        name, conversation = change.repository, slug(request.key)
        if not await self._history.holds(name, conversation, change.before.files, after.files, lent=place.lent):
            return NotDone(why=Refusal.GONE)
        if place.branch is not None:
            # Whatever an agent staged or committed is kept first.
            await self._checkouts.kept(name).keep(place.workspace, kept_as(request.key, request.id))
        await self._history.keep(name, conversation, look, look.mark.files, lent=place.lent)
        now = look.mark.files
        files = await self._history.without(
            name, conversation, before=change.before.files, after=after.files, now=now, lent=place.lent
        )
        if not isinstance(files, str):
            return NotDone(why=Refusal.CHANGED_SINCE, files=files)
        commit = look.mark.commit
        if place.branch is not None and change.before.commit != after.commit:
            taken_back = await self._commit(request, change.before.commit, after.commit, place.branch)
            if not isinstance(taken_back, str):
                return NotDone(why=Refusal.CHANGED_SINCE, files=taken_back)
            commit = taken_back
        if files == now and commit == look.mark.commit:
            return NotDone(why=Refusal.NOTHING)
        return UndoPlan(before=look.mark, after=TreeMark(files=files, commit=commit))

    async def _commit(
        self, request: DeedRequest, before: str, after: str, branch: ThreadBranch
    ) -> str | tuple[str, ...]:
        """Return a commit on top of what is checked out that takes back what was committed, or what is in the way.

        It is what is checked out where there is nothing to take back, or git knows the commits no more.
        """
        head = await branch.head()
        async with own_repository(self._git, await branch.object_format(), branch.lent) as own:
            if not (before and after and await own.holds(before) and await own.holds(after)):
                return head.commit
            trees = [await own.asked("rev-parse", f"{commit}^{{tree}}") for commit in (after, head.commit, before)]
            tree = await own.brought_together(*trees)
            if not isinstance(tree, str):
                return tuple(file.path for file in tree)
            if tree == trees[1]:
                return head.commit
            return await own.commit(tree, (head.commit,), f"Undo: {commit_title(request)}", moment_of(request.at))

    # --- doing it -------------------------------------------------------------------------------------

    async def _carry_out(
        self, request: DeedRequest, change: WorkChange, plan: UndoPlan, place: _Place, *, resumed: bool = False
    ) -> DoneDeed:
        """Write the files, and move the branch; what a dead life has done of it is not done again."""
        name, conversation = change.repository, slug(request.key)
        look = await self._look(place.workspace)
        # Where a crash left files half written, what lies there is kept too, whoever wrote it.
        await self._history.keep(name, conversation, look, look.mark.files, lent=place.lent)
        files = plan.after.files
        if resumed:  # of what is neither as it was nor as it is to be, somebody else may be the author
            before, now = plan.before.files, look.mark.files
            files = await self._history.towards(
                name, conversation, before=before, after=files, now=now, lent=place.lent
            )
        try:
            await self._history.write(name, look.root, look.mark.files, files, place.lent, aside=resumed)
            if place.branch is not None:
                await _moved(place.branch, plan)
        except InTheWay as error:
            return DoneDeed(outcome=NotDone(why=Refusal.CHANGED_SINCE, files=error.paths))
        except (GitFailed, OSError):
            await self._back(name, conversation, plan, place)
            raise
        undone = await self._undone(request, change, plan, place)
        lines = await self._history.lines(name, plan.before.files, plan.after.files, place.lent)
        commit = plan.after.commit if plan.after.commit != plan.before.commit else ""
        paths = tuple(file.path for file in lines)
        again = await self._is_undo(change)
        merged = "" if again else await self._merged_into(change)
        outcome = Undone(change=undone.id, files=paths, commit=commit, again=again, merged=merged)
        return DoneDeed(outcome=outcome, change=undone)

    async def _merged_into(self, change: WorkChange) -> str:
        """Return the branch into which the work was merged after a change; "" for none."""
        for stored in await self._records.deeds(change.key, MOST_DEEDS):
            is_later = stored.request.at >= change.at and stored.request.repository == change.repository
            if is_later and isinstance(stored.outcome, Merged):
                return stored.outcome.branch
        return ""

    async def _is_undo(self, change: WorkChange) -> bool:
        """Return whether a change took something back; what took back an undo brought it again."""
        if change.undoes is None:
            return False
        earlier = await self._records.change(change.key, change.undoes)
        return earlier is None or not await self._is_undo(earlier)

    async def _back(self, name: str, conversation: str, plan: UndoPlan, place: _Place) -> None:
        """Bring the files back that were written before something failed; all of them are kept in any case."""
        try:
            look = await self._look(place.workspace)
            await self._history.keep(name, conversation, look, look.mark.files, lent=place.lent)
            await self._history.write(name, look.root, look.mark.files, plan.before.files, place.lent)
        except (GitFailed, OSError) as error:
            log.error("undo_half_done", repository=name, reason=str(error))  # noqa: TRY400 - the first error is raised

    async def _undone(self, request: DeedRequest, change: WorkChange, plan: UndoPlan, place: _Place) -> WorkChange:
        look = await self._look(place.workspace)
        made = WorkChange(
            id=ChangeId(f"undo.{request.id}"),
            key=request.key,
            repository=change.repository,
            before=plan.before,
            after=plan.after,
            at=request.at,
            asker=request.by.id,
            undoes=change.id,
        )
        return await self._changes.kept(made, look)


async def _moved(branch: ThreadBranch, plan: UndoPlan) -> None:
    """Let the branch that is checked out be where the plan leads, unless it is elsewhere by now."""
    head = await branch.head()
    if head.commit == plan.before.commit and plan.after.commit != head.commit:
        await branch.move(head, plan.after.commit)
    elif head.commit:
        await branch.reset_index(head.commit)


def _refused(change: WorkChange | None) -> NotDone | None:
    if change is None:
        return NotDone(why=Refusal.NOTHING)
    if change.undone_by is not None:
        return NotDone(why=Refusal.UNDONE_ALREADY)
    return NotDone(why=Refusal.SHARED) if change.shared else None
