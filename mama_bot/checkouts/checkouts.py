"""The repository and the work tree of each conversation: assigned once, made when it is needed, found again later."""

import asyncio
import hashlib
import re
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType

import structlog

from mama_bot.checkouts import sentences as says
from mama_bot.checkouts.assignments import REMEMBERED, Assignments
from mama_bot.checkouts.branch_push import BranchPush, Outgoing
from mama_bot.checkouts.kept_work import KeptWork
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.planted import refuse_planted
from mama_bot.checkouts.repository_store import RepositoryStore
from mama_bot.checkouts.spare_demand import has_room
from mama_bot.checkouts.stale_locks import free_of_stale_locks
from mama_bot.checkouts.standings import SECONDS, checkout_state
from mama_bot.checkouts.supply import SetUp, WorkTreeSupply
from mama_bot.checkouts.told_waits import TOLD_SECONDS, TellWait, ToldWaits
from mama_bot.checkouts.work_places import (
    CLAIMED,
    SCRATCH_STORE,
    STORES,
    borrowed_objects,
    kept_directory,
    move_away,
    remove_files,
    remove_tree,
    set_mark,
    store_directory,
    take_mark_off,
)
from mama_bot.checkouts.work_tree import BRANCH_PREFIX, begin_branch, new_repository
from mama_bot.config import RepositorySettings, WorkTreeSettings
from mama_bot.errors import PushRefused, RepositoryUnavailable
from mama_bot.locks import KeyedLocks
from mama_bot.model import SCRATCH, Checkout, ConversationKey, MissingContents, RepositoryView, WorkPlace
from mama_bot.protocols import CheckoutRecords, Clock
from mama_bot.provisions import GitWay
from mama_bot.recent import Recent
from mama_bot.repositories.git import Git, GitFailed

log = structlog.get_logger(__name__)

USED_SECONDS = 3600.0  # how exactly it is noted when a work tree was used last
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


@lru_cache(maxsize=4_096)  # asked for some ten times in each turn
def slug(key: ConversationKey) -> str:
    """Return a name for a conversation: readable, safe, and never the same for two conversations."""
    digest = hashlib.sha256(repr((key.platform, key.channel, key.thread)).encode()).hexdigest()[:10]
    return f"{_UNSAFE.sub('-', str(key))[:40].strip('-')}-{digest}"


class Checkouts:
    """Assigns a repository to each conversation, and gives each a work tree of its own.

    `directory` is where this service keeps everything, `repositories` what is configured by name, `default` the name of
    the one for conversations that nothing else says anything about (`SCRATCH`: none). `seed` makes the scratch
    repository of a conversation in an empty directory, `ways` are how the service reaches the sources, by name,
    `tell_missing` tells a conversation that begins in a repository what of it will not be there, `tell_wait` that its
    work tree takes so many seconds; `room` says whether the disk has room for further spares.
    """

    def __init__(
        self,
        *,
        directory: Path,
        repositories: Mapping[str, RepositorySettings],
        settings: WorkTreeSettings,
        records: CheckoutRecords,
        clock: Clock,
        new_id: Callable[[], str],
        default: str = SCRATCH,
        seed: Callable[[Path], Awaitable[None]] | None = None,
        set_up: SetUp | None = None,
        git: OwnGit | None = None,
        ways: Mapping[str, GitWay] = MappingProxyType({}),
        tell_missing: Callable[[ConversationKey, str, MissingContents], Awaitable[None]] | None = None,
        tell_wait: TellWait | None = None,
        told_seconds: float = TOLD_SECONDS,
        room: Callable[[Path], bool] = has_room,
    ) -> None:
        self.directory = self._directory = directory.absolute()
        self.names = tuple(repositories)
        self._repositories = repositories
        self._records = records
        self.assignments = Assignments(
            repositories=repositories,
            records=records,
            clock=clock,
            default=default,
            has_scratch=lambda key: (self._directory / self._scratch_path(key)).exists(),
        )
        self._clock = clock
        self.git = self._git = git or OwnGit(self._directory / STORES / "gitconfig")
        self._looking = Git(SECONDS, self._directory, partial(borrowed_objects, self._directory))
        self._tell_missing = tell_missing
        self._seed = seed or partial(new_repository, self._git)
        self._stores = {
            name: RepositoryStore(
                name=name,
                settings=repository,
                directory=store_directory(self._directory, name),
                git=self._git,
                seconds=settings.fetch_seconds,
                way=ways.get(name),
                now=clock.monotonic,
            )
            for name, repository in repositories.items()
            if not repository.in_place
        }
        self.supply = WorkTreeSupply(
            directory=self._directory,
            git=self._git,
            stores=self._stores,
            new_id=new_id,
            set_up=set_up,
            spares=settings.spares,
            now=clock.monotonic,
            room=room,
        )
        self._waits = ToldWaits(tell=tell_wait, expected=self.supply.expected_seconds, seconds=told_seconds)
        self._kept: dict[str, KeptWork] = {}
        self._paths: Recent[tuple[ConversationKey, str], Path] = Recent(REMEMBERED)
        self._locks: KeyedLocks[tuple[ConversationKey, str]] = KeyedLocks()

    # --- which repository -----------------------------------------------------------------------------

    async def begin(self, key: ConversationKey, person: str) -> WorkPlace:
        """Return where a conversation works; by its first message its repository is decided for good."""
        place = await self._records.place(key)
        name = await self.assignments.assign(key, person, place.repository)
        for checkout in place.checkouts:
            if checkout.put_away_at is None:
                self._paths[key, checkout.repository] = self._directory / checkout.path
        return replace(place, repository=name)

    def repository(self, key: ConversationKey) -> str:
        """Return the repository that a conversation was assigned; `SCRATCH` where nothing is known of it."""
        return self.assignments.of(key)

    async def view(self, key: ConversationKey, person: str, *, looks: bool = True) -> RepositoryView:
        """Return what a person is shown of where a conversation works, or would; git is asked where it `looks`."""
        assigned = await self._records.assigned(key)
        name = await self.assignments.suggested(key, person) if assigned is None else assigned
        known = await self.known(key, name)
        settings = self._repositories.get(name)
        in_place = settings is not None and settings.in_place
        path = Path(settings.source) if settings is not None and in_place else None
        if known is not None and known.put_away_at is None:
            path = self._directory / known.path
            looks = looks and await self._is_plain(path, name)
        return RepositoryView(
            name=name,
            source=settings.source if settings else "",
            in_place=in_place,
            state=await checkout_state(self._looking, path, known.base if known else "") if path and looks else None,
            failure=self.supply.failures.get(name, ""),
            missing=await self._missing(name, known) if looks else MissingContents(),
            locks=await asyncio.to_thread(free_of_stale_locks, path) if path and looks and not in_place else (),
            names=self.names,
        )

    async def _missing(self, name: str, known: Checkout | None) -> MissingContents:
        store = self._stores.get(name)
        if store is None or known is None:
            return MissingContents()
        try:
            return await store.missing(known.base)
        except (GitFailed, OSError) as error:
            log.warning("missing_not_known", repository=name, reason=str(error))
            return MissingContents()

    async def _is_plain(self, tree: Path, name: str) -> bool:
        """Return whether git may look at a work tree of the service: nothing in it leads to another's."""
        store = self._stores.get(name)
        try:
            await asyncio.to_thread(refuse_planted, tree, store.objects if store else None)
        except (GitFailed, OSError) as error:
            log.warning("work_tree_not_looked_at", repository=name, reason=str(error))
            return False
        return True

    # --- which directory ------------------------------------------------------------------------------

    def path(self, key: ConversationKey, name: str) -> Path:
        """Return where a conversation works in a repository.

        Raises RepositoryUnavailable where it is not configured, or nothing was prepared.
        """
        if name == SCRATCH:
            return self._directory / self._scratch_path(key)
        settings = self._configured(name)
        if settings.in_place:
            return Path(settings.source)
        path = self._paths.get((key, name))
        if path is None:
            raise RepositoryUnavailable(says.NOT_MADE.of(name=name, reason="nothing was prepared"))
        return path

    async def prepare(self, key: ConversationKey, name: str) -> Path:
        """Return where a conversation works in a repository, made when it is new; raises RepositoryUnavailable."""
        settings = self._configured(name) if name != SCRATCH else None
        if settings is not None and settings.in_place:
            path = Path(settings.source)
            if not await asyncio.to_thread(path.is_dir):
                raise RepositoryUnavailable(says.NO_DIRECTORY.of(name=name, source=settings.source))
            return path
        async with self._locks.held((key, name)):
            try:
                checkout = await self._prepared(key, name)
            except (GitFailed, OSError) as error:
                reason = error.reason if isinstance(error, GitFailed) else error.strerror or str(error)
                shown = name or says.SCRATCH_NAME
                raise RepositoryUnavailable(says.NOT_MADE.of(name=shown, reason=reason)) from error
            path = self._paths[key, name] = self._directory / checkout.path
            await asyncio.to_thread(free_of_stale_locks, path)
        return path

    async def outgoing(self, key: ConversationKey, name: str, *, message: str) -> Outgoing:
        """Return what a conversation in which nobody works has to push, copied out of its work tree.

        What no commit holds is committed first, with this message.

        Raises PushRefused, RepositoryUnavailable, GitFailed, OSError.
        """
        push = self.push_of(name)
        branch = next((each.branch for each in await self._records.of_conversation(key) if each.repository == name), "")
        if not branch:
            raise PushRefused(says.NOT_BEGUN)
        tree = await self.prepare(key, name)
        async with self._locks.held((key, name)):
            scratch = store_directory(self._directory, name).parent / "out" / slug(key)
            return await push.taken(tree, branch, scratch, message=message, at=self._clock.now())

    def push_of(self, name: str) -> BranchPush:
        """Return what pushes the work on a repository; raises PushRefused, RepositoryUnavailable."""
        settings = self._configured(name) if name != SCRATCH else None
        if settings is None:
            raise PushRefused(says.NO_SOURCE)
        if settings.in_place:
            raise PushRefused(says.PUSHED_BY_OWNER.of(source=settings.source))
        return BranchPush(git=self._git, store=self._stores[name])

    async def _prepared(self, key: ConversationKey, name: str) -> Checkout:
        now = self._clock.now()
        known = await self.known(key, name)
        if known is not None and known.put_away_at is None and (self._directory / known.path).is_dir():
            if (now - known.used_at).total_seconds() <= USED_SECONDS:
                return known
            checkout = replace(known, used_at=now)
        elif known is not None and await self.kept(name).holds(slug(key)):
            if known.put_away_at is None:  # somebody removed it: what is half restored must not be taken for whole
                await self._records.keep(replace(known, put_away_at=now))
            checkout = await self._restored(known, slug(key))
        elif name == SCRATCH:
            checkout = await self._scratch(key)
        else:
            checkout = await self._made(key, name)
        await self._records.keep(checkout)
        set_mark(self._directory / checkout.path, CLAIMED)
        return checkout

    async def _made(self, key: ConversationKey, name: str) -> Checkout:
        now, branch = self._clock.now(), f"{BRANCH_PREFIX}{slug(key)}"
        base = await self._stores[name].base()
        tree = await self._waits.told_of(key, name, self.supply.take(name, base))
        await begin_branch(self._git, self._stores[name], tree, branch, base)
        missing = await self._stores[name].missing(base.commit)
        if missing != MissingContents() and self._tell_missing is not None:
            await self._tell_missing(key, name, missing)
        path = tree.relative_to(self._directory)
        return Checkout(key=key, repository=name, branch=branch, base=base.commit, path=path, made_at=now, used_at=now)

    async def _scratch(self, key: ConversationKey) -> Checkout:
        now, path = self._clock.now(), self._scratch_path(key)
        tree = self._directory / path
        if not await asyncio.to_thread(tree.is_dir):
            # Seeded under another name first: a directory that exists is complete. What a crash left is thrown away.
            making = tree.with_name(tree.name + ".making")
            if await asyncio.to_thread(making.exists):
                await asyncio.to_thread(shutil.rmtree, making)
            await asyncio.to_thread(making.mkdir, parents=True)
            await self._seed(making)
            making.rename(tree)
        return Checkout(key=key, repository=SCRATCH, branch="main", base="", path=path, made_at=now, used_at=now)

    def _scratch_path(self, key: ConversationKey) -> Path:
        return Path(f"workspaces/{slug(key)}/team")

    def place_of(self, checkout: Checkout) -> Path:
        """Return where a work tree lies, or lay before it was put away."""
        return self._directory / checkout.path

    def store(self, name: str) -> RepositoryStore | None:
        """Return the store of a repository; None for one that is worked on in place, the scratch one, or none."""
        return self._stores.get(name)

    def settings(self, name: str) -> RepositorySettings | None:
        """Return what is configured of a repository; None for the scratch one, and one that is not there any more."""
        return self._repositories.get(name)

    async def known(self, key: ConversationKey, name: str) -> Checkout | None:
        """Return the work tree that a conversation has of a repository, put away or not; None where it has none."""
        return next((each for each in await self._records.of_conversation(key) if each.repository == name), None)

    # --- away and back --------------------------------------------------------------------------------

    def kept(self, name: str) -> KeptWork:
        """Return what keeps the work on a repository."""
        if name not in self._kept:
            store = self._stores.get(name)
            self._kept[name] = KeptWork(
                directory=kept_directory(self._directory, name),
                git=self._git,
                store=store.directory if store else None,
            )
        return self._kept[name]

    def kept_names(self) -> Sequence[str]:
        """Return the names of the repositories whose work may be kept, also of those that are configured no more."""
        places = sorted((self._directory / STORES).glob("*/"))
        return ["" if place.name == SCRATCH_STORE else place.name for place in places]

    async def put_away(self, checkout: Checkout) -> bool:
        """Keep what a work tree holds and remove it; False where it stays, because something in it cannot be kept.

        Whatever moment a crash comes at, the work is in the work tree, or kept, or both.
        """
        key, name = checkout.key, checkout.repository
        tree = self._directory / checkout.path
        async with self._locks.held((key, name)):
            try:
                await self.kept(name).keep(tree, slug(key))
            except (GitFailed, OSError) as error:
                log.warning("work_tree_stays", conversation=str(key), repository=name, reason=str(error))
                return False
            await self._records.keep(replace(checkout, put_away_at=self._clock.now()))
            away = await self._moved_away(checkout)
        # Nobody waits for what may take minutes: the removal of a very large tree.
        await remove_files(away)
        log.info("work_tree_put_away", conversation=str(key), repository=name)
        return True

    async def discard(self, checkout: Checkout) -> Path:
        """Let a conversation have no work tree any more, whose work is kept; return what is to be removed of it."""
        async with self._locks.held((checkout.key, checkout.repository)):
            await self._records.forget(checkout)
            away = await self._moved_away(checkout)
        log.info("work_tree_discarded", conversation=str(checkout.key), repository=checkout.repository)
        return away

    async def bring_back(self, checkout: Checkout, kept_as: str) -> None:
        """Give a conversation the work tree that was kept under a name; safe to repeat after a crash.

        Raises GitFailed, OSError, RepositoryUnavailable.
        """
        async with self._locks.held((checkout.key, checkout.repository)):
            restored = await self._restored(checkout, kept_as)
            await self._records.keep(restored)
            set_mark(self._directory / checkout.path, CLAIMED)
            self._paths[checkout.key, checkout.repository] = self._directory / checkout.path

    async def _moved_away(self, checkout: Checkout) -> Path:
        tree = self._directory / checkout.path
        take_mark_off(tree, CLAIMED)
        self._paths.pop((checkout.key, checkout.repository), None)
        return await asyncio.to_thread(move_away, tree)

    async def _restored(self, checkout: Checkout, kept_as: str) -> Checkout:
        key, name, now = checkout.key, checkout.repository, self._clock.now()
        # Where it was: there an agent finds its session again, and what was installed its own path.
        tree = self._directory / checkout.path
        await remove_tree(tree)
        if name == SCRATCH:
            await asyncio.to_thread(tree.mkdir, parents=True)
            await new_repository(self._git, tree, commit=False)
        else:
            await self.supply.make_at(tree, await self._stores[name].last_base())
        await self.kept(name).give_back(tree, kept_as)
        if name != SCRATCH:
            await self.supply.set_up(tree)
        log.info("work_tree_restored", conversation=str(key), repository=name)
        return replace(checkout, used_at=now, put_away_at=None)

    def _configured(self, name: str) -> RepositorySettings:
        settings = self._repositories.get(name)
        if settings is None:
            raise RepositoryUnavailable(says.NOT_CONFIGURED.of(name=name))
        return settings
