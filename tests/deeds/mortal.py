"""Git and a store for a service that may die before or after anything that it does."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mama_bot.checkouts.own_git import OwnGit
from mama_bot.model import DeedId, DeedOutcome, DeedPlan, DeedRequest, Notice, WorkChange
from mama_bot.store.stored_deeds import StoredDeeds
from tests.checkouts.test_nothing_is_lost import Clock, Died


@contextmanager
def death() -> Iterator[None]:
    """What a service does until it dies; of tasks that die together too."""
    try:
        yield
    except* Died:
        pass


@dataclass(frozen=True)
class MortalGit(OwnGit):
    """Git, for a service that may die before any command."""

    clock: Clock = field(default_factory=Clock)

    async def output(
        self,
        directory: Path,
        *arguments: str,
        given: bytes = b"",
        variables: Mapping[str, str] | None = None,
        filters: tuple[str, ...] = (),
        undecodable: str = "replace",
        writable: Sequence[Path] | None = None,
    ) -> str:
        self.clock.tick()
        return await OwnGit.output(
            self,
            directory,
            *arguments,
            given=given,
            variables=variables,
            filters=filters,
            undecodable=undecodable,
            writable=writable,
        )

    async def reached(self, directory: Path, *arguments: str, **further: Any) -> tuple[int, str, str]:
        self.clock.tick()
        reached = await OwnGit.reached(self, directory, *arguments, **further)
        self.clock.tick()
        return reached


class MortalDeeds(StoredDeeds):
    """What is stored of deeds, for a service that may die before and after it stores anything."""

    clock: Clock

    @classmethod
    def of(cls, stored: StoredDeeds, clock: Clock) -> "MortalDeeds":
        mortal = cls(database=stored._database, clock=stored._clock, bell=stored._bell)
        mortal.clock = clock
        return mortal

    async def plan(self, deed: DeedId, plan: DeedPlan) -> None:
        self.clock.tick()
        await super().plan(deed, plan)
        self.clock.tick()

    async def settle(
        self, request: DeedRequest, outcome: DeedOutcome, notice: Notice | None, change: WorkChange | None = None
    ) -> None:
        self.clock.tick()
        await super().settle(request, outcome, notice, change)
        self.clock.tick()
