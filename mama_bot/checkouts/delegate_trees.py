"""A work tree for each delegation: made from how its sender's stands, found again after a crash, removed at the end."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import structlog

from mama_bot.checkouts import sentences as says
from mama_bot.checkouts.brought_work import BroughtWork, copied_commits
from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.checkouts.ignored_files import made_within
from mama_bot.checkouts.own_repository import own_repository
from mama_bot.checkouts.repository_store import Base, RepositoryStore
from mama_bot.checkouts.thread_branch import ThreadBranch
from mama_bot.checkouts.tree_history import InTheWay, TreeHistory, TreeLook
from mama_bot.checkouts.work_places import CLAIMED, FURNISHED, marked_at, remove_tree, set_mark, take_mark_off
from mama_bot.checkouts.work_tree import BRANCH_PREFIX, begin_branch, of_tree
from mama_bot.config import DelegateWork
from mama_bot.errors import RepositoryUnavailable
from mama_bot.locks import KeyedLocks
from mama_bot.model import (
    BroughtHow,
    ConversationKey,
    DelegateTree,
    StoredDelegateTree,
    Turn,
    TurnId,
    WorkBrought,
)
from mama_bot.protocols import Clock, DelegateTreeRecords
from mama_bot.repositories.git import GitFailed

MOST_IGNORED = 1000

log = structlog.get_logger(__name__)


class DelegateTrees:
    """Gives delegations work trees of their own, and brings back what was made in them.

    `work` says what becomes of it: `end_sessions` ends the sessions of agents in a work tree that is about to go.
    """

    def __init__(
        self,
        *,
        checkouts: Checkouts,
        records: DelegateTreeRecords,
        history: TreeHistory,
        work: DelegateWork,
        clock: Clock,
        end_sessions: Callable[[DelegateTree], Awaitable[None]],
    ) -> None:
        self._checkouts = checkouts
        self._records = records
        self._history = history
        self._work = work
        self._clock = clock
        self._end_sessions = end_sessions
        self._brought = BroughtWork(checkouts=checkouts, records=records, history=history)
        self._trees: dict[TurnId, DelegateTree] = {}
        self._locks: KeyedLocks[TurnId] = KeyedLocks()
        self._sender_locks: KeyedLocks[tuple[ConversationKey, TurnId | None]] = KeyedLocks()

    @property
    def directory(self) -> Path:
        """Where the service keeps everything."""
        return self._checkouts.directory

    def works_apart(self, repository: str) -> bool:
        """Return whether a delegation in a repository gets a work tree of its own."""
        return self._work is not DelegateWork.SHARED and self._checkouts.store(repository) is not None

    def learn(self, key: ConversationKey, trees: Sequence[DelegateTree]) -> None:
        """Learn which work trees the delegations of a conversation have whose exchange begins here, or goes on."""
        for known in self._of(key):  # by another node some may have ended since
            del self._trees[known]
        self._trees.update((tree.id, tree) for tree in trees)

    def _of(self, key: ConversationKey) -> Sequence[TurnId]:
        return [name for name, tree in self._trees.items() if tree.key == key]

    def known(self, tree: TurnId | None, repository: str) -> Path | None:
        """Return where the work tree of a delegation lies; None where it has none (any more) in this repository."""
        made = self._trees.get(tree) if tree is not None else None
        return self._place(made) if made is not None and made.repository == repository else None

    def _place(self, tree: DelegateTree) -> Path:
        return self._checkouts.directory / tree.path

    # --- made -----------------------------------------------------------------------------------------

    async def prepare(self, turn: Turn, repository: str) -> Path:
        """Return the work tree of a delegation, made from how its sender's stands where it is new.

        The git tree that the turn's checks are taken from is known there too. Raises RepositoryUnavailable, also where
        the work of the delegation was brought before.
        """
        async with self._locks.held(turn.id):
            tree = self._trees.get(turn.id)
            if tree is None or not self._place(tree).is_dir():
                stored = await self._records.known(turn.id)
                if stored is not None and stored.outcome is not None:  # nobody would bring what is made there
                    raise RepositoryUnavailable(says.ALREADY_BROUGHT.of(persona=turn.persona))
                try:
                    tree = await self._made(turn, repository)
                except (GitFailed, OSError) as error:
                    reason = error.reason if isinstance(error, GitFailed) else error.strerror or str(error)
                    raise RepositoryUnavailable(says.NOT_MADE.of(name=repository, reason=reason)) from error
                await self._records.make(tree)
                self._trees[turn.id] = tree
            set_mark(self._place(tree), CLAIMED)
            return self._place(tree)

    async def _made(self, turn: Turn, repository: str) -> DelegateTree:
        store = self._store(repository)
        sender = self.known(turn.sender_tree, repository) or await self._checkouts.prepare(turn.key, repository)
        await self._branch(sender, store).check()
        look = await self._looked(sender)
        conversation = slug(turn.key)
        await self._history.keep(repository, conversation, look, look.mark.files, lent=(store.objects,))
        fetched = await store.last_base()
        place = await self._checkouts.supply.take(repository, fetched)
        tree = DelegateTree(
            id=turn.id,
            message_id=turn.message_id,
            key=turn.key,
            repository=repository,
            persona=turn.persona,
            path=place.relative_to(self._checkouts.directory),
            branch=f"{BRANCH_PREFIX}{conversation}-{turn.persona}-{_short(turn.id)}",
            began=look.mark,
            made_at=self._clock.now(),
            into=turn.sender_tree if self.known(turn.sender_tree, repository) is not None else None,
        )
        try:
            await self._furnish(tree, sender, look, store, fetched, turn.base)
            tree = replace(tree, ignored=await self._ignored(place))
            set_mark(place, FURNISHED)
        except (GitFailed, OSError):
            await remove_tree(place)
            raise
        log.info("delegate_tree_made", repository=repository, turn=turn.id, place=place.parent.name)
        return tree

    async def _furnish(
        self, tree: DelegateTree, sender: Path, look: TreeLook, store: RepositoryStore, fetched: Base, base: str
    ) -> None:
        """Let a new work tree be as its sender's is: commits, branch, files that no commit holds."""
        place, conversation = self._place(tree), slug(tree.key)
        lent = (sender / ".git" / "objects", store.objects, *look.objects)
        async with own_repository(self._checkouts.git, look.object_format, lent) as own:
            wanted = [commit for commit in (look.mark.commit, base) if commit]
            await copied_commits(own, place, wanted, known=[fetched.commit])
        commit = look.mark.commit or fetched.commit
        await begin_branch(self._checkouts.git, store, place, tree.branch, Base(branch=fetched.branch, commit=commit))
        before = await self._looked(place)
        await self._history.keep(tree.repository, conversation, before, before.mark.files, lent=(store.objects,))
        if before.mark.files != look.mark.files:
            changed = (tree.repository, place, before.mark.files, look.mark.files, (store.objects,))
            try:
                await self._history.write(*changed)
            except InTheWay:  # what its set-up left there
                await self._history.write(*changed, aside=True)
        if commit != fetched.commit:
            await self._branch(place, store).reset_index(commit)

    async def _ignored(self, place: Path) -> tuple[str, ...]:
        """Return what git ignores in a work tree, directories as a whole, `MOST_IGNORED` at most."""
        asked = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory")
        listed = await self._checkouts.git.output(place, *asked, variables=of_tree(place))
        return tuple(name for name in listed.split("\0")[:MOST_IGNORED] if name)

    async def _looked(self, place: Path) -> TreeLook:
        look = await self._history.look(place)
        if look is None:
            raise GitFailed(directory=place, command="status", reason="there is no repository any more")
        return look

    def _store(self, repository: str) -> RepositoryStore:
        store = self._checkouts.store(repository)
        if store is None:
            raise RepositoryUnavailable(says.NOT_CONFIGURED.of(name=repository))
        return store

    def _branch(self, tree: Path, store: RepositoryStore) -> ThreadBranch:
        return ThreadBranch(self._checkouts.git, tree, store.objects)

    # --- brought back ---------------------------------------------------------------------------------

    async def bring(self, delegation: TurnId, *, answered: bool) -> StoredDelegateTree | None:
        """Bring the work of a delegation that ended to its sender, as is set, and remove its work tree; once is enough.

        The work of one that was not `answered` is kept on its branch. Returns what became of it, None where the
        delegation had no work tree of its own. Nobody may work in the sender's meanwhile.
        """
        async with self._locks.held(delegation):
            stored = await self._records.known(delegation)
            if stored is None:
                return None
            outcome = stored.outcome
            if outcome is None:
                await self._end_sessions(stored.tree)
                async with self._sender_locks.held((stored.tree.key, stored.tree.into)):
                    outcome = await self._outcome(stored, answered=answered)
                outcome = replace(outcome, ignored=await self._gone(stored.tree, outcome))
                await self._records.settle(delegation, outcome)
                log.info("delegate_tree_ended", turn=delegation, how=outcome.how.value, files=len(outcome.files))
            self._trees.pop(delegation, None)
            if outcome.how is not BroughtHow.STAYS:
                place = self._place(stored.tree)
                take_mark_off(place, CLAIMED)
                await remove_tree(place)
            return StoredDelegateTree(tree=stored.tree, plan=stored.plan, outcome=outcome)

    async def _outcome(self, stored: StoredDelegateTree, *, answered: bool) -> WorkBrought:
        tree = stored.tree
        place = self._place(tree)
        if not place.is_dir():
            log.warning("delegate_tree_gone", turn=tree.id)
            return WorkBrought(how=BroughtHow.LOST, files=(str(tree.path),))
        try:
            sender = self.known(tree.into, tree.repository)
            sender = sender or await self._checkouts.prepare(tree.key, tree.repository)
            beside = await self._brought.beside(tree, place, sender)
            try:
                if answered and (self._work is DelegateWork.MERGED or stored.plan is not None):
                    outcome = await self._brought.merged(stored, place, sender, at=self._clock.now())
                    return replace(outcome, beside=beside)
            except (GitFailed, OSError) as error:
                log.warning("work_not_merged", turn=tree.id, reason=str(error))
                answered = False
            how = BroughtHow.BRANCH if answered else BroughtHow.LEFT
            outcome = await self._brought.on_branch(tree, place, sender, how=how, at=self._clock.now())
            return replace(outcome, beside=beside)
        except (GitFailed, OSError, RepositoryUnavailable) as error:
            log.warning("delegate_tree_stays", turn=tree.id, reason=str(error))
            return WorkBrought(how=BroughtHow.STAYS, files=(str(tree.path),))

    async def _gone(self, tree: DelegateTree, outcome: WorkBrought) -> tuple[str, ...]:
        """Return what was made of files that git ignores, and goes with a work tree."""
        place = self._place(tree)
        if outcome.how in (BroughtHow.STAYS, BroughtHow.LOST):
            return ()
        try:
            made = await self._ignored(place)
            within = await asyncio.to_thread(self._made_within, place, [name for name in made if name in tree.ignored])
        except (GitFailed, OSError) as error:
            log.warning("ignored_files_not_known", turn=tree.id, reason=str(error))
            return ()
        return (*(name for name in made if name not in tree.ignored), *within)

    def _made_within(self, place: Path, known: Sequence[str]) -> Sequence[str]:
        """Return what was made in ignored directories that were there from the beginning (what a set-up left)."""
        since = marked_at(place, FURNISHED)
        directories = [name for name in known if name.endswith("/")]
        return made_within(place, directories, since, most=MOST_IGNORED) if since is not None else ()

    async def merged_into(self, delegation: TurnId) -> tuple[Path, Path] | None:
        """Return where the work tree of a delegation was, and the one into which its work was merged; None: it was not
        merged.
        """
        stored = await self._records.known(delegation)
        if stored is None or stored.outcome is None or stored.outcome.how is not BroughtHow.MERGED:
            return None
        tree = stored.tree
        outer = None if tree.into is None else await self._records.known(tree.into)
        if outer is not None:
            return self._place(tree), self._place(outer.tree)
        return self._place(tree), self._checkouts.path(tree.key, tree.repository)

    async def left_by(self, key: ConversationKey) -> list[StoredDelegateTree]:
        """Keep what delegations left whose senders will not hear of them, and return what that is.

        The exchange of the conversation runs here: what work trees it has was learned, and those made since are known.
        """
        left = [await self.bring(delegation, answered=False) for delegation in self._of(key)]
        return [stored for stored in left if stored is not None]


def _short(turn: TurnId) -> str:
    return hashlib.sha256(turn.encode("utf-8", "surrogatepass")).hexdigest()[:6]
