"""The work trees of delegations in the lives of a service, for tests that end it at a moment of theirs."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import cast

from mama_bot.checkouts import Checkouts
from mama_bot.checkouts.delegate_trees import DelegateTrees
from mama_bot.checkouts.supply import SetUp
from mama_bot.checkouts.tree_history import TreeHistory
from mama_bot.checkouts.work_places import borrowed_objects
from mama_bot.config import DelegateWork, QueueSettings, RepositorySettings, WorkTreeSettings
from mama_bot.model import DelegateTree, Turn, TurnId, WorkBrought
from mama_bot.protocols import DelegateTreeRecords
from mama_bot.repositories.snapshots import Snapshots
from mama_bot.store import open_store, sqlite_url
from mama_bot.store.stored_delegate_trees import StoredDelegateTrees
from tests.agents.conftest import SystemClock
from tests.checkouts.making import ONE
from tests.store.making import message, turn


class Killed(Exception):
    """The service was killed."""


@dataclass
class Place:
    """What outlives a service, and the work trees of one that runs."""

    directory: Path
    work: DelegateWork = DelegateWork.MERGED
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    ended: list[TurnId] = field(default_factory=list)

    @asynccontextmanager
    async def life(
        self, *, killed_at: str = "", set_up: SetUp | None = None
    ) -> AsyncIterator[tuple[Checkouts, DelegateTrees, Path]]:
        data, clock = self.directory / "data", SystemClock()
        data.mkdir(exist_ok=True)
        async with open_store(sqlite_url(data / "store.sqlite"), clock=clock, queue=QueueSettings()) as store:
            checkouts = Checkouts(
                directory=data,
                repositories={"app": RepositorySettings(source=str(self.directory / "source"))},
                settings=WorkTreeSettings(spares=0),
                records=store.checkouts,
                clock=clock,
                new_id=lambda: f"{next(self.numbers):04}",
                default="app",
                set_up=set_up,
            )
            snapshots = Snapshots(
                indexes=data / "indexes", own=data, borrowed=lambda place: borrowed_objects(data, place)
            )

            async def ended(tree: DelegateTree) -> None:
                self.ended.append(tree.id)

            trees = DelegateTrees(
                checkouts=checkouts,
                records=cast("DelegateTreeRecords", Mortal(store.delegate_trees, killed_at)),
                history=TreeHistory(directory=data, git=checkouts.git, snapshots=snapshots),
                work=self.work,
                clock=clock,
                end_sessions=ended,
            )
            learned = await checkouts.begin(ONE, "u1")
            lead = await checkouts.prepare(ONE, "app")
            trees.learn(ONE, learned.delegate_trees)
            yield checkouts, trees, lead


class Mortal:
    """Records of a service that is killed right after one of its methods, or right before it."""

    def __init__(self, records: StoredDelegateTrees, at: str) -> None:
        self._records = records
        self._at = at

    def __getattr__(self, name: str) -> Callable[..., object]:
        method = getattr(self._records, name)

        async def call(*arguments: object) -> object:
            if self._at == f"before {name}":
                raise Killed
            answer = await method(*arguments)
            if self._at == f"after {name}":
                raise Killed
            return answer

        return call


def asked(number: int, persona: str = "developer") -> Turn:
    name = TurnId(f"m1.0.{number}")
    return replace(turn(message(1)), id=name, key=ONE, persona=persona, work_tree=name)


def read(place: Path) -> dict[str, str]:
    return {
        str(file.relative_to(place)): file.read_text()
        for file in sorted(place.rglob("*"))
        if file.is_file() and ".git" not in file.relative_to(place).parts
    }


async def brought(trees: DelegateTrees, number: int, *, answered: bool = True) -> WorkBrought:
    stored = await trees.bring(TurnId(f"m1.0.{number}"), answered=answered)
    assert stored is not None
    assert stored.outcome is not None
    return stored.outcome
