"""Bring what was made in the work tree of a delegation into its sender's, or keep it there as a branch."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.checkouts.kept_work import stash_entries
from mama_bot.checkouts.own_repository import OwnRepository, own_repository
from mama_bot.checkouts.thread_branch import ThreadBranch
from mama_bot.checkouts.tree_history import InTheWay, TreeHistory, TreeLook
from mama_bot.checkouts.work_tree import of_tree
from mama_bot.model import BringingPlan, BroughtHow, DelegateTree, StoredDelegateTree, TreeMark, WorkBrought
from mama_bot.protocols import DelegateTreeRecords
from mama_bot.repositories.git import GitFailed

KEPT_MESSAGE = "Work of {persona}, as its delegation ended"
MERGE_MESSAGE = "Merge the work of {persona}"


class BroughtWork:
    """Merges what a delegation changed into its sender's files as they are now, committed or not.

    A conflict changes nothing there: all of the work is then on a branch, which the sender's repository has. Whatever
    is done is planned in the store first, and after a crash it is done once. Nobody works in either place meanwhile.
    Every method raises GitFailed, OSError.
    """

    def __init__(self, *, checkouts: Checkouts, records: DelegateTreeRecords, history: TreeHistory) -> None:
        self._checkouts = checkouts
        self._records = records
        self._history = history

    async def merged(self, stored: StoredDelegateTree, place: Path, sender: Path, *, at: datetime) -> WorkBrought:
        """Merge the work in `place` into the sender's work tree; what did not go there is on a branch."""
        tree, plan = stored.tree, stored.plan
        ours, theirs = self._branch(tree, sender), self._branch(tree, place)
        await ours.check()
        await theirs.check()
        look = await self._looked(sender)
        made = await self._looked(place)
        await self._keep(tree, look, look.mark.files)
        if plan is None:
            if made.mark == tree.began:
                return WorkBrought(how=BroughtHow.UNCHANGED)
            await self._keep(tree, made, tree.began.files, made.mark.files)
            planned = await self._planned(tree, ours, theirs, look.mark, made.mark, at)
            if not isinstance(planned, BringingPlan):
                return await self.on_branch(tree, place, sender, how=BroughtHow.CONFLICT, at=at, conflicts=planned)
            plan = planned
            await self._records.plan(tree.id, plan)
            files = plan.after.files
        else:  # of what is neither as it was nor as it is to be, somebody else may be the author
            files = await self._history.towards(
                *(tree.repository, slug(tree.key)),
                before=plan.before.files,
                after=plan.after.files,
                now=look.mark.files,
                lent=self._lent(tree),
            )
        lent = self._lent(tree)
        try:
            await self._history.write(tree.repository, look.root, look.mark.files, files, lent)
        except InTheWay as error:
            return await self.on_branch(tree, place, sender, how=BroughtHow.CONFLICT, at=at, conflicts=error.paths)
        head = await ours.head()
        if head.commit == plan.before.commit and plan.after.commit != head.commit:
            await ours.move(head, plan.after.commit)
        changed = await self._history.lines(tree.repository, plan.before.files, plan.after.files, lent)
        paths = tuple(file.path for file in changed)
        return WorkBrought(how=BroughtHow.MERGED, files=paths, commits=plan.commits, branch=plan.branch)

    async def _planned(
        self,
        tree: DelegateTree,
        ours: ThreadBranch,
        theirs: ThreadBranch,
        now: TreeMark,
        made: TreeMark,
        at: datetime,
    ) -> BringingPlan | Sequence[str]:
        """Return how the sender's work tree is to stand, or the files in which the work conflicts with it."""
        files = await self._history.without(
            *(tree.repository, slug(tree.key)),
            before=made.files,
            after=tree.began.files,
            now=now.files,
            lent=self._lent(tree),
        )
        if not isinstance(files, str):
            return files
        if made.commit == tree.began.commit:
            return BringingPlan(before=now, after=TreeMark(files=files, commit=now.commit))
        commit, commits = await self._commit_after(tree, ours, theirs, now.commit, made.commit, at)
        branch = ""
        if commit == now.commit:  # its commits do not fit, its files do
            branch = tree.branch
            await self._refer(ours, branch, made.commit)
        return BringingPlan(
            before=now, after=TreeMark(files=files, commit=commit), commits=commits if not branch else 0, branch=branch
        )

    async def _commit_after(
        self, tree: DelegateTree, ours: ThreadBranch, theirs: ThreadBranch, now: str, made: str, at: datetime
    ) -> tuple[str, int]:
        """Return the commit with the work's commits on top of what is checked out, and how many those are.

        It is what is checked out where they do not fit there.
        """
        began = tree.began.commit
        await self._copy(ours, theirs, [made], known=[began])
        async with own_repository(self._checkouts.git, await ours.object_format(), ours.lent) as own:
            counted = await own.asked("rev-list", "--count", f"{began}..{made}")
            if not (counted and await own.is_ancestor(began, made)) or await ours.is_unfinished():
                return now, 0
            if now == began:
                return made, int(counted)
            together = await own.merged(now, made)
            if not isinstance(together, str):
                return now, 0
            message = MERGE_MESSAGE.format(persona=tree.persona)
            return await own.commit(together, (now, made), message, _moment(at)), int(counted)

    async def on_branch(
        self,
        tree: DelegateTree,
        place: Path,
        sender: Path,
        *,
        how: BroughtHow,
        at: datetime,
        conflicts: Sequence[str] = (),
    ) -> WorkBrought:
        """Keep the work as a branch of the sender's repository, what no commit holds in a commit of its own."""
        ours, theirs = self._branch(tree, sender), self._branch(tree, place)
        await ours.check()
        await theirs.check()
        look = await self._looked(place)
        if look.mark == tree.began:
            return WorkBrought(how=BroughtHow.UNCHANGED)
        if look.mark.files != tree.began.files:
            await theirs.commit_files(KEPT_MESSAGE.format(persona=tree.persona), _moment(at))
        head = await theirs.head()
        await self._copy(ours, theirs, [head.commit], known=[tree.began.commit])
        await self._refer(ours, tree.branch, head.commit)
        await self._keep(tree, look, tree.began.files, look.mark.files)
        lines = await self._history.lines(tree.repository, tree.began.files, look.mark.files, self._lent(tree))
        files = tuple(conflicts) or tuple(file.path for file in lines)
        return WorkBrought(how=how, files=files, branch=tree.branch)

    async def beside(self, tree: DelegateTree, place: Path, sender: Path) -> tuple[str, ...]:
        """Keep the other branches of a work tree, and its stash, as branches of the sender's; return their names.

        What is checked out is not among them, nor what the sender or the source has. It is safe to repeat.
        """
        ours, theirs = self._branch(tree, sender), self._branch(tree, place)
        await ours.check()
        await theirs.check()
        # Beside the branch of the delegation, not below it: a reference cannot be a directory of others too.
        tips = {f"{tree.branch}-branches/{name}": tip for name, tip in (await self._heads(theirs)).items()}
        stash = await asyncio.to_thread(stash_entries, place)
        tips |= {f"{tree.branch}-stash/{number}": entry for number, entry in enumerate(stash, start=1)}
        known = {tree.began.commit, (await theirs.head()).commit, (await ours.head()).commit}
        known |= {tip for name, tip in (await self._heads(ours)).items() if name not in tips}
        known |= await self._fetched(tree)
        behind = "".join(f"^{commit}\n" for commit in sorted(known) if commit)
        async with own_repository(self._checkouts.git, await theirs.object_format(), (*theirs.lent, *ours.lent)) as own:
            wanted = {}
            for name, tip in tips.items():
                given = f"{tip}\n{behind}".encode()
                if await own.output("rev-list", "--max-count=1", "--stdin", given=given):
                    wanted[name] = tip
            if wanted:
                await copied_commits(own, sender, [*wanted.values()], known=[tree.began.commit])
        for name, tip in wanted.items():
            await self._refer(ours, name, tip)
        return tuple(wanted)

    async def _heads(self, branch: ThreadBranch) -> dict[str, str]:
        """Return the commits of the branches of a work tree, by name."""
        asked = ("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads/")
        listed = await self._checkouts.git.output(branch.tree, *asked, variables=of_tree(branch.tree))
        pairs = (line.split(" ", 1) for line in listed.splitlines())
        return {name.removeprefix("refs/heads/"): commit for commit, name in pairs}

    async def _fetched(self, tree: DelegateTree) -> set[str]:
        """Return the commits at which the branches of the source were fetched."""
        store = self._checkouts.store(tree.repository)
        if store is None:
            return set()
        asked = ("for-each-ref", "--format=%(objectname)", "refs/heads/", "refs/remotes/")
        return set((await self._checkouts.git.output(store.objects.parent, *asked)).split())

    async def _copy(
        self, ours: ThreadBranch, theirs: ThreadBranch, commits: Sequence[str], *, known: Sequence[str]
    ) -> None:
        lent = (*theirs.lent, *ours.lent)
        async with own_repository(self._checkouts.git, await theirs.object_format(), lent) as own:
            await copied_commits(own, ours.tree, commits, known=known)

    async def _refer(self, branch: ThreadBranch, name: str, commit: str) -> None:
        own = of_tree(branch.tree)
        await self._checkouts.git.output(branch.tree, "update-ref", f"refs/heads/{name}", commit, variables=own)

    async def _keep(self, tree: DelegateTree, look: TreeLook, *trees: str) -> None:
        await self._history.keep(tree.repository, slug(tree.key), look, *trees, lent=self._lent(tree))

    async def _looked(self, place: Path) -> TreeLook:
        look = await self._history.look(place)
        if look is None:
            raise GitFailed(directory=place, command="status", reason="there is no repository any more")
        return look

    def _branch(self, tree: DelegateTree, place: Path) -> ThreadBranch:
        store = self._checkouts.store(tree.repository)
        return ThreadBranch(self._checkouts.git, place, store.objects if store else None)

    def _lent(self, tree: DelegateTree) -> tuple[Path, ...]:
        store = self._checkouts.store(tree.repository)
        return (store.objects,) if store else ()


async def copied_commits(own: OwnRepository, place: Path, wanted: Sequence[str], *, known: Sequence[str]) -> None:
    """Copy objects with all that they need into a work tree, which knows those behind `known`; raises GitFailed."""
    wanted = [name for name in wanted if await own.holds(name)]
    behind = [name for name in known if name and await own.holds(name)]
    given = "".join(f"{name}\n" for name in wanted) + "".join(f"^{name}\n" for name in behind)
    pack = place / ".git" / "objects" / "pack" / "pack"
    await own.output("pack-objects", "--quiet", "--revs", "--non-empty", str(pack), given=given.encode())


def _moment(at: datetime) -> str:
    return at.replace(microsecond=0).isoformat()
