"""Remove what was kept of the work of conversations and nobody can come back to any more."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from mama_bot.checkouts.checkouts import Checkouts, slug
from mama_bot.checkouts.tree_history import TreeHistory
from mama_bot.checkouts.unreachable import FRESH_SECONDS
from mama_bot.deeds.deed_runner import Holds
from mama_bot.deeds.turn_changes import TurnChanges
from mama_bot.errors import MamaBotError
from mama_bot.model import ConversationKey, Discarded, Restored, StoredDeed, UndoPlan
from mama_bot.protocols import Clock, DeedRecords

log = structlog.get_logger(__name__)

EVERY_SECONDS = 6 * 3_600.0
FIRST_SECONDS = 600.0  # a start has other things to do
HELD_SECONDS = 60.0


@dataclass(slots=True)
class _Records:
    """What the store knows: the trees by repository and conversation, the deeds, and those whose work is back."""

    trees: dict[str, dict[str, set[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    deeds: dict[str, StoredDeed] = field(default_factory=dict)
    back: set[str] = field(default_factory=set)


class Prune:
    """Prunes by itself: trees that no change knows, and discarded work that is back or older than `keep_days`.

    What a conversation has on the disk, what was put away by its age, what an open deed is about, and what is younger
    than two hours stays. What was deleted with its conversation goes.
    """

    def __init__(
        self,
        *,
        records: DeedRecords,
        holds: Holds,
        checkouts: Checkouts,
        history: TreeHistory,
        changes: TurnChanges,
        keep_days: float,
        clock: Clock,
        fresh_seconds: float = FRESH_SECONDS,
    ) -> None:
        self._records = records
        self._holds = holds
        self._checkouts = checkouts
        self._history = history
        self._changes = changes
        self._keep = timedelta(days=keep_days)
        self._clock = clock
        self._fresh = fresh_seconds

    async def run(self) -> None:
        """Prune now and then until cancelled; what fails is logged and tried again."""
        await asyncio.sleep(FIRST_SECONDS)
        while True:
            try:
                await self.prune()
            except (MamaBotError, OSError) as error:
                log.warning("pruning_failed", reason=str(error))
            await asyncio.sleep(EVERY_SECONDS)

    async def prune(self) -> None:
        """Prune what is kept of each repository; raises StoreUnavailable."""
        names = await asyncio.to_thread(self._checkouts.kept_names)
        # Read before the deeds are: a deed is stored before anything is kept under its name.
        kept = {name: await self._kept_under(name) for name in names}
        known = await self._known()
        for name in names:
            try:
                await self._prune_work(name, kept[name], known)
                await self._prune_trees(name, known.trees[name])
            except (MamaBotError, OSError) as error:
                log.warning("not_pruned", repository=name, reason=str(error))

    async def _kept_under(self, name: str) -> frozenset[str]:
        try:
            return await self._checkouts.kept(name).names()
        except (MamaBotError, OSError) as error:
            log.warning("not_pruned", repository=name, reason=str(error))
            return frozenset()

    async def _known(self) -> _Records:
        known = _Records()
        async for change in self._records.every_change():
            trees = known.trees[change.repository][slug(change.key)]
            trees.add(change.before.files)
            if change.after is not None:
                trees.add(change.after.files)
        async for stored in self._records.every_deed():
            request, outcome = stored.request, stored.outcome
            known.deeds[request.id] = stored
            if isinstance(outcome, Restored):
                known.back.add(outcome.of)
            if outcome is None and isinstance(stored.plan, UndoPlan):
                known.trees[request.repository][slug(request.key)] |= {
                    stored.plan.before.files,
                    stored.plan.after.files,
                }
        return known

    # --- discarded work -------------------------------------------------------------------------------

    async def _prune_work(self, name: str, kept: frozenset[str], known: _Records) -> None:
        work = self._checkouts.kept(name)
        stale = {each for each in kept if self._is_stale(each, known)}
        by_key: dict[ConversationKey, set[str]] = defaultdict(set)
        for each in stale:
            stored = known.deeds.get(_deed_of(each))
            if stored is not None:
                by_key[stored.request.key].add(each)
        # Those of a deleted conversation have nobody who could ask for them.
        await work.drop(stale - {each for names in by_key.values() for each in names})
        for key, names in by_key.items():
            async with self._holds.held(key, seconds=HELD_SECONDS) as held:
                is_free = held and not any(each.request.key == key for each in await self._records.unsettled())
                if is_free:
                    await work.drop(names)
        await work.tidy(fresh_seconds=self._fresh)

    def _is_stale(self, name: str, known: _Records) -> bool:
        """Return whether what is kept under a name is of no deed that somebody may take back."""
        deed = _deed_of(name)
        if not deed:
            return False  # put away by its age: it comes back when somebody speaks
        stored = known.deeds.get(deed)
        if stored is None:
            return True
        if stored.outcome is None:
            return False
        if deed in known.back and _puts_away(stored):
            return True
        return stored.request.at < self._clock.now() - self._keep

    # --- trees ----------------------------------------------------------------------------------------

    async def _prune_trees(self, name: str, needed: Mapping[str, set[str]]) -> None:
        now = self._clock.now().timestamp()
        fresh = now - self._fresh
        dropped = await self._history.drop(
            name, needed, before=min(fresh, now - self._keep.total_seconds()), gone_before=fresh
        )
        if dropped:
            log.info("trees_pruned", repository=name, trees=dropped)
        await self._history.tidy(name, await self._changes.lent_now(name), fresh_seconds=self._fresh)


def _deed_of(name: str) -> str:
    """Return the deed under whose name work is kept; "" for what was put away by its age."""
    return name.partition(".")[2]


def _puts_away(stored: StoredDeed) -> bool:
    outcome = stored.outcome
    return isinstance(outcome, Discarded) or (isinstance(outcome, Restored) and outcome.replaced is not None)
