"""A conversation whose turns change a work tree, and people who undo, merge and discard that, over several lives."""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.checkouts import Checkouts
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.tree_history import TreeHistory
from mama_bot.checkouts.work_places import borrowed_objects
from mama_bot.config import QueueSettings, RepositoryMode, RepositorySettings, WorkTreeSettings
from mama_bot.deeds import Deeds
from mama_bot.deeds.discard import Discard, Restore
from mama_bot.deeds.merge import Merge
from mama_bot.deeds.publication import Publication
from mama_bot.deeds.turn_changes import TurnChanges
from mama_bot.deeds.undo import Undo
from mama_bot.errors import ForgeRefused
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Audience,
    Author,
    AuthorKind,
    ChangeId,
    ConversationKey,
    Deed,
    DeedId,
    DeedOutcome,
    DeedRequest,
    MessageId,
    Platform,
    StoredDeed,
    Turn,
    TurnId,
    TurnKind,
    UndoChange,
    WorkChange,
)
from mama_bot.protocols import Forge
from mama_bot.pull_requests.sentences import NO_FORGE
from mama_bot.repositories.snapshots import Snapshots
from mama_bot.store import Store, open_store, sqlite_url
from tests.agents.conftest import SystemClock
from tests.checkouts.making import make_source
from tests.checkouts.test_nothing_is_lost import Clock
from tests.deeds.mortal import MortalDeeds

KEY = ConversationKey(Platform("slack"), "C1", "1")
KIM = Author(id="U1", name="Kim", kind=AuthorKind.PERSON)


@dataclass
class Bench:
    """One life of a service, as far as work trees and deeds go."""

    store: Store
    checkouts: Checkouts
    changes: TurnChanges
    history: TreeHistory
    deeds: Deeds
    metrics: Metrics
    numbers: Iterator[int]
    repository: str = "app"
    key: ConversationKey = KEY

    async def tree(self) -> Path:
        return await self.checkouts.prepare(self.key, self.repository)

    async def turn(
        self, files: Mapping[str, str | None], *, key: ConversationKey | None = None, asker: str = KIM.id
    ) -> WorkChange | None:
        """Let a turn write files (None: delete), and return what is noted of it."""
        turn = await self.begin(key=key, asker=asker)
        tree = await self.checkouts.prepare(turn.key, self.repository)
        write(tree, files)
        return await self.changes.end(turn, tree)

    async def begin(self, *, key: ConversationKey | None = None, asker: str = KIM.id) -> Turn:
        turn = made_turn(f"t{next(self.numbers)}", key or self.key)
        tree = await self.checkouts.prepare(turn.key, self.repository)
        await self.changes.begin(turn, self.repository, tree, asker=asker)
        return turn

    async def asked(self, deed: Deed, *, key: ConversationKey | None = None) -> DeedRequest:
        """Store a deed as if somebody had asked for it, and the service died at once."""
        request = self.request(deed, key=key)
        assert await self.store.deeds.ask(request)
        return request

    def request(self, deed: Deed, *, key: ConversationKey | None = None) -> DeedRequest:
        return DeedRequest(
            id=DeedId(f"d{next(self.numbers)}"),
            key=key or self.key,
            repository=self.repository,
            deed=deed,
            by=KIM,
            at=SystemClock().now(),
            title="Mend the greeting",
        )

    async def done(self, deed: Deed, *, key: ConversationKey | None = None) -> DeedOutcome:
        """Do a deed and return what came of it, as the store has it."""
        request = await self.asked(deed, key=key)
        await self.deeds.resume()
        return await self.outcome(request)

    async def outcome(self, request: DeedRequest) -> DeedOutcome:
        stored: StoredDeed = next(
            each for each in await self.store.deeds.deeds(request.key, 100) if each.request.id == request.id
        )
        assert stored.outcome is not None
        return stored.outcome

    async def undo(self, change: WorkChange | None) -> DeedOutcome:
        assert change is not None
        return await self.done(UndoChange(change=change.id))

    async def change(self, change: ChangeId) -> WorkChange:
        known = await self.store.deeds.change(self.key, change)
        assert known is not None
        return known


def no_forge(name: str) -> Forge:
    raise ForgeRefused(NO_FORGE.of(name=name))


@dataclass
class Site:
    """What outlives a service: its data, and the source that people push to."""

    directory: Path
    in_place: bool = False
    may_merge: tuple[str, ...] = ("owners",)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    git: OwnGit | None = None
    clock: Clock | None = None
    most_packs: int = 50
    forge_of: Callable[[str], Forge] = no_forge
    forgotten: list[ConversationKey] = field(default_factory=list)

    @property
    def source(self) -> Path:
        return self.directory / "source"

    @asynccontextmanager
    async def life(self, repository: str = "app") -> AsyncIterator[Bench]:
        data, clock = self.directory / "data", SystemClock()
        data.mkdir(exist_ok=True)
        async with open_store(sqlite_url(data / "store.sqlite"), clock=clock, queue=QueueSettings()) as store:
            mode = RepositoryMode.IN_PLACE if self.in_place else RepositoryMode.WORK_TREE
            checkouts = Checkouts(
                directory=data,
                repositories={"app": RepositorySettings(source=str(self.source), mode=mode, may_merge=self.may_merge)},
                settings=WorkTreeSettings(spares=0),
                records=store.checkouts,
                clock=clock,
                new_id=lambda: f"{next(self.numbers):04}",
                default="app",
                git=self.git,
            )
            git = checkouts.git
            snapshots = Snapshots(
                indexes=data / "indexes", own=data, borrowed=lambda place: borrowed_objects(data, place)
            )
            history = TreeHistory(directory=data, git=git, snapshots=snapshots, most_packs=self.most_packs)
            metrics = Metrics()
            records = store.deeds if self.clock is None else MortalDeeds.of(store.deeds, self.clock)
            changes = TurnChanges(records=records, checkouts=checkouts, history=history, clock=clock, metrics=metrics)

            async def forget(key: ConversationKey) -> None:
                self.forgotten.append(key)

            publication = Publication(
                checkouts=checkouts,
                forge_of=self.forge_of,
                records=records,
                pull_requests=store.pull_requests,
                history=store.history,
                clock=clock,
                watch=lambda: None,
            )
            discard = Discard(checkouts=checkouts, records=records, forget_sessions=forget)
            deeds = Deeds(
                records=records,
                holds=store.stops,
                undo=Undo(checkouts=checkouts, records=records, changes=changes, history=history, git=git),
                merge=Merge(checkouts=checkouts, records=records, git=git),
                discard=discard,
                restore=Restore(checkouts=checkouts, records=records, discard=discard),
                push=publication.push,
                open_request=publication.open,
                metrics=metrics,
            )
            yield Bench(
                store=store,
                checkouts=checkouts,
                changes=changes,
                history=history,
                deeds=deeds,
                metrics=metrics,
                numbers=self.numbers,
                repository=repository,
            )


def made_site(directory: Path, *, in_place: bool = False) -> Site:
    """A source with a first commit, and no service yet."""
    make_source(directory)
    return Site(directory, in_place=in_place)


def made_turn(name: str, key: ConversationKey) -> Turn:
    return Turn(
        id=TurnId(name),
        message_id=MessageId(f"m.{name}"),
        key=key,
        persona="developer",
        kind=TurnKind.REQUEST,
        audience=Audience.PERSON,
        asker=KIM,
        prompt="Mend the greeting",
    )


def write(tree: Path, files: Mapping[str, str | None]) -> None:
    for name, text in files.items():
        place = tree / name
        if text is None:
            place.unlink(missing_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
