"""What nobody can come back to is pruned, and nothing that a deed or a change may need, whenever the service dies."""

import asyncio
import subprocess
import tempfile
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mama_bot.deeds.discard import kept_as
from mama_bot.deeds.prune import Prune
from mama_bot.model import SCRATCH, DiscardWork, NotDone, Refusal, Restored, RestoreWork, Undone
from tests.agents.conftest import SystemClock
from tests.checkouts.making import files
from tests.checkouts.test_nothing_is_lost import Clock
from tests.deeds.making import KEY, Bench, Site, made_site
from tests.deeds.mortal import MortalGit, death
from tests.deeds.test_no_work_is_lost import DEEDS, MOMENTS, TURNS, WRITTEN, History, Step, blob, lived, reachable


class LaterClock(SystemClock):
    """The clock of a service some days later."""

    def __init__(self, days: float) -> None:
        self._later = timedelta(days=days)

    def now(self) -> datetime:
        return super().now() + self._later


def pruning(bench: Bench, *, days: float = 0, keep_days: float = 14, fresh_seconds: float = 0) -> Prune:
    return Prune(
        records=bench.store.deeds,
        holds=bench.store.stops,
        checkouts=bench.checkouts,
        history=bench.history,
        changes=bench.changes,
        keep_days=keep_days,
        clock=LaterClock(days),
        fresh_seconds=fresh_seconds,
    )


def holds(site: Site, text: str) -> bool:
    """Whether any store of the service still has a file of these words, referred to or not."""
    name = blob(text.encode())
    places = (site.directory / "data").glob("repositories/*/*.git")
    return any(
        subprocess.run(["git", "--git-dir", str(place), "cat-file", "-e", name], capture_output=True).returncode == 0
        for place in places
    )


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return made_site(tmp_path)


async def test_discarded_work_is_kept_until_it_is_back_and_goes_then(site: Site) -> None:
    async with site.life() as bench:
        await bench.turn({"greeting": "discarded words\n"})
        await bench.done(DiscardWork())
        await pruning(bench, days=13).prune()
        assert holds(site, "discarded words\n")
        outcome = await bench.done(RestoreWork())
        assert isinstance(outcome, Restored)
        assert (await bench.tree() / "greeting").read_text() == "discarded words\n"
        await pruning(bench).prune()
        assert await bench.checkouts.kept("app").names() == frozenset()
        assert (await bench.tree() / "greeting").read_text() == "discarded words\n"


async def test_discarded_work_goes_by_its_age_and_that_is_told(site: Site) -> None:
    async with site.life() as bench:
        await bench.turn({"greeting": "old words\n"})
        await bench.done(DiscardWork())
        await pruning(bench, days=15).prune()
        assert await bench.done(RestoreWork()) == NotDone(why=Refusal.GONE)


async def test_what_was_put_away_by_its_age_stays_however_old(site: Site) -> None:
    async with site.life() as bench:
        await bench.turn({"greeting": "put away\n"})
        checkout = await bench.checkouts.known(KEY, "app")
        assert checkout is not None
        assert await bench.checkouts.put_away(checkout)
        await pruning(bench, days=1_000).prune()
        assert (await bench.tree() / "greeting").read_text() == "put away\n"


async def test_every_change_can_be_undone_and_shown_after_a_prune_however_old(site: Site) -> None:
    async with site.life() as bench:
        first = await bench.turn({"greeting": "one\n"})
        second = await bench.turn({"note": "two\n"})
        await pruning(bench, days=1_000).prune()
        assert isinstance(await bench.undo(second), Undone)
        await pruning(bench, days=1_000).prune()
        assert isinstance(await bench.undo(first), Undone)
        assert files(await bench.tree()) == {".gitignore": b"ignored\n", "greeting": b"hello\n"}


async def test_the_contents_of_a_deleted_conversation_go(site: Site) -> None:
    async with site.life() as bench:
        await bench.turn({"note": "deleted words\n"})
        await bench.done(DiscardWork())
        await bench.turn({"note": "further words\n"})
        assert await bench.store.conversations.delete(KEY)
        assert holds(site, "deleted words\n")
        await pruning(bench, fresh_seconds=3_600).prune()
        assert holds(site, "deleted words\n"), "what was kept just now may be about to be needed"
        await pruning(bench).prune()
        assert not holds(site, "deleted words\n")
        assert (await bench.tree() / "note").read_text() == "further words\n"


async def test_nothing_of_an_open_deed_goes_nor_while_somebody_works(site: Site) -> None:
    async with site.life() as bench:
        await bench.turn({"greeting": "held words\n"})
        await bench.done(DiscardWork())
        request = await bench.asked(RestoreWork())
        await pruning(bench, days=15).prune()
        await bench.deeds.resume()
        assert isinstance(await bench.outcome(request), Restored)
        discarding = await bench.asked(DiscardWork())
        await bench.deeds.resume()
        async with bench.store.stops.held(KEY) as held:
            assert held
            await pruning(bench, days=15).prune()
        assert kept_as(KEY, discarding.id) in await bench.checkouts.kept("app").names()


PRUNES = st.builds(Step, do=st.just("prune"), moment=MOMENTS)
STEPS = st.one_of(
    TURNS,
    PRUNES,
    st.builds(Step, do=st.just("edit"), **WRITTEN),
    *(st.builds(Step, do=st.just(deed), which=st.integers(0, 2), moment=MOMENTS) for deed in DEEDS),
    st.builds(Step, do=st.just("put away")),
)


def changed_blobs(site: Site, history: History) -> set[str]:
    """The contents in every tree of a change that is known: somebody may undo it."""
    data = site.directory / "data"
    lent = ":".join(str(place / "objects") for place in data.glob("repositories/*/*.git"))
    names: set[str] = set()
    for tree in {mark.files for change in history.changes for mark in (change.before, change.after) if mark}:
        listed = subprocess.run(
            ["git", "ls-tree", "-r", "--format=%(objectname)", tree],
            check=True,
            capture_output=True,
            text=True,
            env={
                "GIT_DIR": str(site.source / ".git"),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": lent,
                "PATH": "/usr/bin:/bin",
            },
        ).stdout
        names |= set(listed.split())
    return names


async def pruned(site: Site, bench: Bench, step: Step, history: History, clock: Clock) -> None:
    """Prune in a life that may die of it; what people can come back to is there, whatever else went."""
    now = files(await bench.tree())
    needed = changed_blobs(site, history) | {blob(text) for state in history.discarded for text in state.values()}
    clock.left = step.moment
    with death():
        await pruning(bench).prune()
    clock.left = None
    assert files(await bench.tree()) == now
    assert needed <= reachable(site) | {blob(text) for text in now.values()}
    history.ever = {*now.values(), *(text for state in history.discarded for text in state.values())}


@settings(max_examples=10, deadline=None)
@given(TURNS, st.lists(STEPS, min_size=5, max_size=9), st.sampled_from(("app", SCRATCH)))
def test_pruning_takes_nothing_that_somebody_can_come_back_to(
    first: Step, steps: Sequence[Step], repository: str
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        site, clock = made_site(Path(directory)), Clock()
        site.git = MortalGit(Path(directory) / "gitconfig", clock)
        site.clock = clock
        asyncio.run(lived(site, [first, *steps], repository, clock, pruned=pruned))
