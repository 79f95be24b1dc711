"""Merge the branch of a conversation into the branch that its work began from, in the source itself."""

from dataclasses import replace
from datetime import datetime

import structlog

from mama_bot.checkouts.branch_push import known_refusal
from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.own_repository import own_repository
from mama_bot.checkouts.repository_store import RepositoryStore
from mama_bot.checkouts.thread_branch import BroughtIn, ThreadBranch
from mama_bot.deeds.deed_runner import DoneDeed
from mama_bot.model import (
    SCRATCH,
    Conflicting,
    DeedOutcome,
    DeedPlan,
    DeedRequest,
    MergeBranch,
    Merged,
    MergePlan,
    NotDone,
    Refusal,
)
from mama_bot.protocols import DeedRecords
from mama_bot.wording import one_line, printable

log = structlog.get_logger(__name__)

TRIES = 3  # others may push at the same time
TITLE_CHARACTERS = 72
AGAINST_ADVICE = ", although it was not in order or no check of it is known to have passed"


class Merge:
    """Merges: what is in no commit is committed first, but for what runs leave behind; a merge commit is made aside,
    and pushed without force.

    Nothing of a merge is ever in the work tree of the conversation: where it cannot be made, nothing was done.
    """

    def __init__(self, *, checkouts: Checkouts, records: DeedRecords, git: OwnGit) -> None:
        self._checkouts = checkouts
        self._records = records
        self._git = git

    async def __call__(self, request: DeedRequest, plan: DeedPlan | None) -> DoneDeed:
        """Do the deed, or end one that was cut off; raises GitFailed, OSError, RepositoryUnavailable."""
        name = request.repository
        if name == SCRATCH:
            return DoneDeed(outcome=NotDone(why=Refusal.NO_REMOTE))
        store = self._checkouts.store(name)
        if store is None:
            return DoneDeed(outcome=NotDone(why=Refusal.IN_PLACE))
        planned = plan if isinstance(plan, MergePlan) else None
        if planned is not None and await self._is_merged(store, planned):
            return DoneDeed(outcome=_merged(planned))
        if await self._checkouts.known(request.key, name) is None:
            return DoneDeed(outcome=NotDone(why=Refusal.NOTHING))
        tree = await self._checkouts.prepare(request.key, name)
        branch = ThreadBranch(self._git, tree, store.objects)
        await branch.check()
        if await branch.is_unfinished():
            return DoneDeed(outcome=NotDone(why=Refusal.UNFINISHED_MERGE))
        message = f"{commit_title(request)}\n\nAsked for by {_name(request)}.\n\nMama-Deed: {request.id}"
        brought = await branch.commit_files(message, moment_of(request.at), for_others=True)
        if planned is not None:
            brought = replace(brought, files=max(brought.files, planned.committed))
        return DoneDeed(outcome=await self._merge(request, store, branch, brought))

    async def _is_merged(self, store: RepositoryStore, plan: MergePlan) -> bool:
        """Return whether the source has the commit of a merge that was cut off."""
        await store.fetch(anew=True)
        target = (await store.last_base()).commit
        return await self._git.succeeds(store.directory, "merge-base", "--is-ancestor", plan.commit, target)

    async def _merge(
        self, request: DeedRequest, store: RepositoryStore, branch: ThreadBranch, brought: BroughtIn
    ) -> DeedOutcome:
        committed = brought.files
        kept = self._checkouts.kept(request.repository)
        await kept.keep(branch.tree, slug(request.key))
        head = await branch.head()
        refused = ""
        async with own_repository(
            self._git, await branch.object_format(), (kept.directory / "objects", store.objects)
        ) as own:
            for _ in range(TRIES):
                await store.fetch(anew=True)
                base = await store.last_base()
                if not head.commit or await own.is_ancestor(head.commit, base.commit):
                    return NotDone(why=Refusal.NOTHING, committed=committed)
                tree = await own.merged(base.commit, head.commit)
                if not isinstance(tree, str):
                    return Conflicting(branch=base.branch, files=tree, committed=committed)
                message = f"Merge {head.branch or 'work'}: {commit_title(request)}\n\nMerged by {_whose(request)}."
                commit = await own.commit(tree, (base.commit, head.commit), message, moment_of(request.at))
                plan = MergePlan(branch=base.branch, commit=commit, committed=committed, left_out=brought.left_out)
                await self._records.plan(request.id, plan)
                refused = await store.push(kept.directory, commit, base.branch)
                if refused:
                    log.info("push_refused", repository=store.name, reason=refused)
                    await store.fetch(anew=True)
                    if (await store.last_base()).commit == base.commit:
                        break  # nobody was quicker: it is not wanted
                    continue
                await store.fetch(anew=True)
                return _merged(plan)
        known = known_refusal(store, base.branch, refused)
        if known is not None:
            return NotDone(why=Refusal.REFUSED, detail=known.to(request.language), committed=committed)
        return NotDone(why=Refusal.NOT_TAKEN, detail=told_reason(refused), committed=committed)


def commit_title(request: DeedRequest) -> str:
    """Return the title of a conversation as the first line of a commit."""
    return one_line(printable(request.title), TITLE_CHARACTERS) or "Work of the team"


def moment_of(at: datetime) -> str:
    """Return a moment as git takes it."""
    return at.replace(microsecond=0).isoformat()


def told_reason(errors: str) -> str:
    """Return what of git's words says why a push was refused."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    telling = [line for line in lines if line.startswith(("remote:", "!", "fatal:"))] or lines[-1:]
    return " ".join(telling)


def _name(request: DeedRequest) -> str:
    return one_line(printable(request.by.name))


def _whose(request: DeedRequest) -> str:
    """Return whose merge it is, with what whoever reads the history is to know of it."""
    is_anyway = isinstance(request.deed, MergeBranch) and request.deed.anyway
    return f"{_name(request)}{AGAINST_ADVICE if is_anyway else ''}"


def _merged(plan: MergePlan) -> Merged:
    return Merged(branch=plan.branch, commit=plan.commit, committed=plan.committed, left_out=plan.left_out)
