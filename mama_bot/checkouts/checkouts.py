"""The repository and the work tree of each conversation: assigned once, made when it is needed, found again later."""

import asyncio
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import structlog

from mama_bot.checkouts import sentences as says
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.repository_store import RepositoryStore
from mama_bot.checkouts.work_tree import BRANCH_PREFIX, begin_branch, make_work_tree
from mama_bot.config import RepositorySettings, WorkTreeSettings
from mama_bot.errors import RepositoryUnavailable
from mama_bot.locks import KeyedLocks
from mama_bot.model import SCRATCH, Checkout, ConversationKey, InboundMessage
from mama_bot.protocols import CheckoutRecords, Clock
from mama_bot.recent import Recent
from mama_bot.repositories.git import GitFailed

log = structlog.get_logger(__name__)

REMEMBERED = 10_000
TREES = "work_trees"
STORES = "repositories"
USED_SECONDS = 3600.0  # how exactly it is noted when a work tree was used last
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def slug(key: ConversationKey) -> str:
    """Return a name for a conversation: readable, safe, and never the same for two conversations."""
    digest = hashlib.sha256(repr((key.platform, key.channel, key.thread)).encode()).hexdigest()[:10]
    return f"{_UNSAFE.sub('-', str(key))[:40].strip('-')}-{digest}"


class Checkouts:
    """Assigns a repository to each conversation, and gives each a work tree of its own.

    `directory` is where this service keeps everything, `repositories` what is configured by name, `default` the name of
    the one for conversations that nothing else says anything about (`SCRATCH`: none).
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
    ) -> None:
        self._directory = directory.absolute()
        self._repositories = repositories
        self._settings = settings
        self._records = records
        self._clock = clock
        self._new_id = new_id
        self._default = default
        self._git = OwnGit(self._directory / STORES / "gitconfig")
        self._stores = {
            name: RepositoryStore(
                name=name,
                settings=repository,
                directory=store_directory(self._directory, name),
                git=self._git,
                seconds=settings.fetch_seconds,
                now=clock.monotonic,
            )
            for name, repository in repositories.items()
            if not repository.in_place
        }
        self._assigned: Recent[ConversationKey, str] = Recent(REMEMBERED)
        self._paths: Recent[tuple[ConversationKey, str], Path] = Recent(REMEMBERED)
        self._locks: KeyedLocks[tuple[ConversationKey, str]] = KeyedLocks()

    async def assign(self, message: InboundMessage) -> str:
        """Return the repository that a conversation works in; by its first message it is decided for good."""
        key = message.key
        name = await self._records.assigned(key)
        if name is None:
            name = await self._records.assign(key, await self.suggested(key, message.author.id))
            log.info("repository_assigned", conversation=str(key), repository=name)
        self._assigned[key] = name
        for checkout in await self._records.of_conversation(key):
            if checkout.put_away_at is None:
                self._paths[key, checkout.repository] = self._directory / checkout.path
        return name

    async def suggested(self, key: ConversationKey, person: str) -> str:
        """Return the repository for a conversation that begins: by thread, channel, who asks, or the default."""
        channel = f"{key.platform}/{key.channel}"
        by_place = {
            place: name for name, each in self._repositories.items() for place in (*each.channels, *each.people)
        }
        if str(key) != channel and str(key) in by_place:
            return by_place[str(key)]
        chosen = await self._records.choice(channel)
        if chosen is not None and (chosen == SCRATCH or chosen in self._repositories):
            return chosen
        return by_place.get(channel) or by_place.get(f"{key.platform}/{person}") or self._default

    def repository(self, key: ConversationKey) -> str:
        """Return the repository that a conversation was assigned; `SCRATCH` where nothing is known of it."""
        return self._assigned.get(key, SCRATCH)

    def path(self, key: ConversationKey, name: str) -> Path:
        """Return where a conversation works in a repository.

        Raises RepositoryUnavailable where it is not configured, or nothing was prepared.
        """
        settings = self._configured(name)
        if settings.in_place:
            return Path(settings.source)
        path = self._paths.get((key, name))
        if path is None:
            raise RepositoryUnavailable(says.NOT_MADE.of(name=name, reason="nothing was prepared"))
        return path

    async def prepare(self, key: ConversationKey, name: str) -> Path:
        """Return where a conversation works in a repository, made when it is new; raises RepositoryUnavailable."""
        settings = self._configured(name)
        if settings.in_place:
            path = Path(settings.source)
            if not await asyncio.to_thread(path.is_dir):
                raise RepositoryUnavailable(says.NO_DIRECTORY.of(name=name, source=settings.source))
            return path
        async with self._locks.held((key, name)):
            try:
                checkout = await self._prepared(key, name)
            except (GitFailed, OSError) as error:
                reason = error.reason if isinstance(error, GitFailed) else error.strerror or str(error)
                raise RepositoryUnavailable(says.NOT_MADE.of(name=name, reason=reason)) from error
        path = self._paths[key, name] = self._directory / checkout.path
        return path

    async def _prepared(self, key: ConversationKey, name: str) -> Checkout:
        now = self._clock.now()
        of_conversation = await self._records.of_conversation(key)
        checkout = next((each for each in of_conversation if each.repository == name), None)
        if checkout is None or not (self._directory / checkout.path).is_dir():
            checkout = await self._made(key, name)
            await self._records.keep(checkout)
        elif (now - checkout.used_at).total_seconds() > USED_SECONDS:
            checkout = replace(checkout, used_at=now)
            await self._records.keep(checkout)
        return checkout

    async def _made(self, key: ConversationKey, name: str) -> Checkout:
        store, now = self._stores[name], self._clock.now()
        base = await store.base()
        path = Path(TREES) / self._new_id() / name
        branch = f"{BRANCH_PREFIX}{slug(key)}"
        await make_work_tree(self._git, store, self._directory / path, base)
        await begin_branch(self._git, self._directory / path, branch, base)
        seconds = (self._clock.now() - now).total_seconds()
        log.info("work_tree_made", conversation=str(key), repository=name, branch=branch, seconds=round(seconds, 2))
        return Checkout(key=key, repository=name, branch=branch, base=base.commit, path=path, made_at=now, used_at=now)

    def _configured(self, name: str) -> RepositorySettings:
        settings = self._repositories.get(name)
        if settings is None:
            raise RepositoryUnavailable(says.NOT_CONFIGURED.of(name=name))
        return settings


def store_directory(directory: Path, name: str) -> Path:
    """Return where the copy of a repository is that work trees borrow their objects from."""
    return directory / STORES / name / "store.git"


def borrowed_objects(directory: Path, workspace: Path) -> tuple[Path, ...]:
    """Return the objects that a work tree of this service borrows; nothing for any other workspace."""
    trees, real = (directory / TREES).resolve(), workspace.resolve()
    return (store_directory(directory, real.name) / "objects",) if real.parent.parent == trees else ()
