"""Conversations have work trees of their own, which are found again, put away and brought back."""

import asyncio
import itertools
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from mama_bot.checkouts.spare_demand import MOST, REMEMBERED_SECONDS, TOGETHER_SECONDS, SpareDemand, has_room
from mama_bot.checkouts.supply import WorkTreeSupply
from mama_bot.checkouts.upkeep import CheckoutUpkeep
from mama_bot.config import WorkTreeSettings
from mama_bot.errors import RepositoryUnavailable
from mama_bot.model import SCRATCH, Checkout, ConversationKey, Platform
from tests.agents.conftest import SystemClock
from tests.checkouts.making import ONE, TWO, Life, files, make_source
from tests.end_to_end.evidence import git
from tests.waiting import SECONDS

SLOW_SECONDS = 5.0


class Slow(SystemClock):
    """A clock on which so much time passes between two looks at it."""

    def __init__(self) -> None:
        self._at = 0.0

    def monotonic(self) -> float:
        self._at += SLOW_SECONDS
        return self._at


async def only(life: Life, key: ConversationKey = ONE) -> Checkout:
    (checkout,) = await life.records.of_conversation(key)
    return checkout


async def test_a_work_tree_is_a_repository_of_its_own_on_a_branch_of_its_own(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun()
    one, two = await checkouts.prepare(ONE, "app"), await checkouts.prepare(TWO, "app")
    assert files(one) == files(two) == {".gitignore": b"ignored\n", "greeting": b"hello\n"}
    assert git(one, "status", "--porcelain") == ""
    git(one, "commit", "-q", "--allow-empty", "-m", "Mine")
    git(one, "update-ref", "-d", "refs/remotes/origin/main")
    assert git(two, "log", "--format=%s", "--all") == "Begin"
    assert "origin/main" in git(two, "branch", "-r")
    assert git(one, "branch", "--format=%(refname:short)") == (await only(life)).branch
    assert git(one, "describe", "--tags", "HEAD~1") == "v1"
    assert not [*(one / ".git" / "objects" / "pack").glob("*.pack")], "objects of the source are borrowed, not copied"


async def test_the_next_life_finds_a_work_tree_and_a_conversation_that_begins_later_has_the_news(
    tmp_path: Path,
) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    one = await life.begun().prepare(ONE, "app")
    (one / "note").write_text("mine")
    git(life.source, "commit", "-q", "--allow-empty", "-m", "News")
    later = life.begun()
    assert await later.prepare(ONE, "app") == one
    assert (one / "note").read_text() == "mine"
    assert git(await later.prepare(TWO, "app"), "log", "-1", "--format=%s") == "News"


async def test_work_begins_with_what_was_fetched_before_where_the_source_is_gone(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    await life.begun().prepare(ONE, "app")
    life.source.rename(tmp_path / "elsewhere")
    assert (await life.begun().prepare(TWO, "app") / "greeting").exists()


@pytest.mark.parametrize(("branch", "words"), [("nowhere", "has no branch nowhere"), ("", "has no commit yet")])
async def test_what_cannot_be_worked_in_is_told_in_a_sentence(tmp_path: Path, branch: str, words: str) -> None:
    source = make_source(tmp_path)
    if not branch:
        (source := tmp_path / "empty").mkdir()
        git(source, "init", "-q")
    with pytest.raises(RepositoryUnavailable, match=words):
        await Life(tmp_path, source).begun(branch=branch).prepare(ONE, "app")


async def test_a_spare_is_handed_over_where_it_is_at_the_newest_commit(tmp_path: Path) -> None:
    life, places = Life(tmp_path, make_source(tmp_path), settings=WorkTreeSettings(spares=1)), list[Path]()

    async def set_up(name: str, tree: Path) -> str:
        (tree / "ignored").write_text(str(tree))
        places.append(tree)
        return ""

    await life.begun(set_up=set_up).supply.refill()
    (life.source / "greeting").write_text("news\n")
    git(life.source, "commit", "-qam", "News")
    checkouts = life.begun(set_up=set_up)
    tree = await checkouts.prepare(ONE, "app")
    assert places == [tree], "made by the life before, and not set up again"
    assert (tree / "greeting").read_text() == "news\n"
    assert git(tree, "status", "--porcelain") == ""
    assert git(tree, "rev-parse", "origin/main") == git(life.source, "rev-parse", "main")
    assert await checkouts.prepare(TWO, "app") != tree


async def test_two_that_begin_at_the_same_moment_find_spares_and_the_next_sweep_makes_others(tmp_path: Path) -> None:
    life, places = Life(tmp_path, make_source(tmp_path)), list[Path]()

    async def set_up(name: str, tree: Path) -> str:
        places.append(tree)
        return ""

    checkouts = life.begun(set_up=set_up)
    await checkouts.supply.refill()
    assert len(places) == 2
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(checkouts.prepare(key, "app")) for key in (ONE, TWO)]
    taken = [task.result() for task in tasks]
    assert sorted(taken) == sorted(places)
    assert git(taken[0], "config", "checkout.workers") == "4"
    (life.source / "greeting").write_text("news\n")
    git(life.source, "commit", "-qam", "News")
    await checkouts.supply.refill()
    await checkouts.supply.refill()
    assert len(places) == 4
    assert all((tree / "greeting").exists() for tree in places)


async def test_a_burst_leaves_as_many_spares_for_the_next_one(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path), settings=WorkTreeSettings(spares=1))
    checkouts = life.begun()
    await checkouts.supply.refill()
    keys = [ConversationKey(Platform("slack"), "C1", str(number)) for number in range(9)]
    async with asyncio.TaskGroup() as group:
        for key in keys[:4]:
            group.create_task(checkouts.prepare(key, "app"))
    await checkouts.supply.refill()
    begun = {await checkouts.prepare(key, "app") for key in keys[:4]}
    ready = {*(tmp_path / "data" / "work_trees").glob("*/app")} - begun
    assert len(ready) == 4
    again = life.begun()  # the next life keeps them for as long
    await again.supply.refill()
    assert {await again.prepare(key, "app") for key in keys[4:8]} == ready


def test_spares_follow_the_busiest_minute_of_a_day_and_the_disk() -> None:
    now = [0.0]
    demand = SpareDemand(least=2, now=lambda: now[0])
    demand.began("app", 30)
    assert demand.spares("app", room=True) == MOST
    assert (demand.spares("app", room=False), demand.spares("docs", room=True)) == (2, 2)
    now[0] = REMEMBERED_SECONDS + 1
    for _ in range(5):
        demand.began("app")
        now[0] += TOGETHER_SECONDS / 2
    assert demand.spares("app", room=True) == 3
    assert SpareDemand(least=0, now=lambda: 0.0).spares("app", room=True) == 0


def test_a_large_disk_has_room_with_less_than_a_quarter_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gigabyte, disk = 2**30, [0, 0]
    monkeypatch.setattr(shutil, "disk_usage", lambda _directory: SimpleNamespace(used=disk[0] - disk[1], free=disk[1]))
    rooms = []
    for disk[:] in ([100 * gigabyte, 25 * gigabyte], [100 * gigabyte, 24 * gigabyte], [1000 * gigabyte, 50 * gigabyte]):
        rooms.append(has_room(tmp_path))
    assert rooms == [True, False, True]


async def test_whoever_waits_long_for_a_work_tree_is_told(tmp_path: Path) -> None:
    told: list[tuple[ConversationKey, str, float]] = []

    async def tell(key: ConversationKey, name: str, seconds: float) -> None:
        told.append((key, name, seconds))

    life = Life(tmp_path, make_source(tmp_path), settings=WorkTreeSettings(spares=1))
    life.clock = Slow()
    checkouts = life.begun(tell_wait=tell)
    await checkouts.supply.refill()
    await checkouts.prepare(ONE, "app")
    assert told == []  # there was one ready
    await checkouts.prepare(TWO, "app")
    assert told == [(TWO, "app", SLOW_SECONDS)]


async def test_a_wait_of_which_nothing_is_known_is_told_once_it_is_long(tmp_path: Path) -> None:
    told: list[tuple[ConversationKey, str, float]] = []
    heard = asyncio.Event()

    async def tell(key: ConversationKey, name: str, seconds: float) -> None:
        told.append((key, name, seconds))
        heard.set()

    async def set_up(name: str, tree: Path) -> str:
        await asyncio.wait_for(heard.wait(), SECONDS)
        return ""

    life = Life(tmp_path, make_source(tmp_path), settings=WorkTreeSettings(spares=0))
    checkouts = life.begun(tell_wait=tell, told_seconds=0.001, set_up=set_up)
    tree = await checkouts.prepare(ONE, "app")
    assert files(tree)
    assert [each[:2] for each in told] == [(ONE, "app")]


async def test_what_keeps_a_work_tree_from_being_made_is_said_as_without_the_line(tmp_path: Path) -> None:
    async def tell(key: ConversationKey, name: str, seconds: float) -> None:
        raise AssertionError("nobody waited")

    life = Life(tmp_path, make_source(tmp_path), settings=WorkTreeSettings(spares=0))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "work_trees").write_text("in the way")
    with pytest.raises(RepositoryUnavailable):
        await life.begun(tell_wait=tell).prepare(ONE, "app")


async def test_what_sets_a_work_tree_up_counts_as_waiting(tmp_path: Path) -> None:
    told: list[float] = []

    async def tell(key: ConversationKey, name: str, seconds: float) -> None:
        told.append(seconds)

    async def set_up(name: str, tree: Path) -> str:
        return ""

    life = Life(tmp_path, make_source(tmp_path), settings=WorkTreeSettings(spares=0), clock=Slow())
    checkouts = life.begun(tell_wait=tell, set_up=set_up)
    await checkouts.prepare(ONE, "app")
    await checkouts.prepare(TWO, "app")
    assert told == [2 * SLOW_SECONDS]


async def test_spares_that_are_taken_while_there_seem_to_be_too_many_are_not_missed(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path), settings=WorkTreeSettings(spares=2))
    checkouts, loop, taken = life.begun(), asyncio.get_running_loop(), list[Path]()
    await checkouts.supply.refill()
    store = checkouts.store("app")
    assert store is not None
    base, looks = await store.base(), itertools.count()

    def room(directory: Path) -> bool:
        if next(looks) == 1:  # the second look is at whether there are too many
            for _ in range(2):
                taken.append(asyncio.run_coroutine_threadsafe(supply.take("app", base), loop).result(60))
        return False

    supply = WorkTreeSupply(
        directory=checkouts.directory,
        git=checkouts.git,
        stores={"app": store},
        new_id=lambda: f"{next(life.numbers):04}",
        set_up=None,
        spares=1,
        now=life.clock.monotonic,
        room=room,
    )
    await supply.refill()
    assert len(taken) == 2
    assert all((tree / "greeting").exists() for tree in taken)


async def test_what_was_put_away_comes_back_as_it_was(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun()
    tree = await checkouts.prepare(ONE, "app")
    (tree / "greeting").write_text("first\n")
    git(tree, "stash")
    (tree / "greeting").write_text("second\n")
    git(tree, "stash")
    git(tree, "branch", "aside")
    (tree / "a" / "b").mkdir(parents=True)
    (tree / "a" / "b" / "note").write_text("mine")
    (tree / "ignored").write_text("not kept")
    (tree / ".gitignore").unlink()
    before = files(tree) | {"ignored": b"not kept"}
    assert await checkouts.put_away(await only(life))
    assert not tree.exists()
    assert git(life.source, "branch", "--format=%(refname:short)").split() == ["main", "other"]
    again = await life.begun().prepare(ONE, "app")
    assert again == tree, "an agent finds its session by its directory"
    assert files(again) == before
    assert git(again, "log", "-1", "--format=%an %s") == "mama-bot Work in progress, kept by mama-bot"
    assert git(again, "branch", "--format=%(refname:short)").split() == ["aside", (await only(life)).branch]
    assert [git(again, "show", f"stash@{{{number}}}:greeting") for number in (0, 1)] == ["second", "first"]


async def test_what_was_only_staged_is_kept_beside_the_branch(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun()
    tree = await checkouts.prepare(ONE, "app")
    (tree / "greeting").write_text("staged\n")
    git(tree, "add", "greeting")
    (tree / "greeting").write_text("on the disk\n")
    assert await checkouts.put_away(await only(life))
    again = await life.begun().prepare(ONE, "app")
    assert git(again, "show", "HEAD:greeting") == "on the disk"
    assert git(again, "show", "refs/mama-kept/staged:greeting") == "staged"


async def test_a_work_tree_with_a_repository_inside_stays(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun()
    tree = await checkouts.prepare(ONE, "app")
    git(tree, "init", "-q", "inner")
    git(tree / "inner", "commit", "-q", "--allow-empty", "-m", "Inside")
    assert not await checkouts.put_away(await only(life))
    assert git(tree / "inner", "log", "--format=%s") == "Inside"


async def test_a_scratch_repository_has_a_first_commit_and_comes_back_too(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun(default=SCRATCH)
    tree = await checkouts.prepare(ONE, SCRATCH)
    assert git(tree, "log", "--format=%s") == "Begin"
    (tree / "note").write_text("mine")
    assert await checkouts.put_away(await only(life))
    assert files(await life.begun().prepare(ONE, SCRATCH)) == {"note": b"mine"}


async def test_only_what_was_unused_for_long_is_put_away_and_not_where_somebody_works(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts, clock = life.begun(), SystemClock()
    for key in (ONE, TWO, ConversationKey(ONE.platform, "C2")):
        await checkouts.prepare(key, "app")
    for key in (ONE, TWO):
        checkout = await only(life, key)
        await life.records.keep(replace(checkout, used_at=checkout.used_at.replace(year=2020)))

    async def runs(key: ConversationKey) -> bool:
        return key == TWO

    upkeep = CheckoutUpkeep(checkouts=checkouts, records=life.records, runs=runs, keep_days=14, clock=clock)
    await upkeep.tidy()
    assert [checkout.key for checkout in await life.records.on_disk()] == [TWO, ConversationKey(ONE.platform, "C2")]


async def test_what_a_crash_left_is_removed_and_what_anybody_worked_in_is_not(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun()
    used = await checkouts.prepare(ONE, "app")
    await checkouts.supply.refill()
    trees = used.parent.parent
    (trees / "half" / "app").mkdir(parents=True)
    (trees / "old.away" / "app").mkdir(parents=True)
    forgotten = trees / "forgotten"
    (forgotten / "app").mkdir(parents=True)
    (forgotten / "claimed").touch()

    async def runs(key: ConversationKey) -> bool:
        return False

    upkeep = CheckoutUpkeep(checkouts=life.begun(), records=life.records, runs=runs, keep_days=14, clock=SystemClock())
    await upkeep.sweep()
    assert sorted(place.name for place in trees.iterdir()) == ["0000", "0001", "0002", "forgotten"]


async def test_what_many_fetches_brought_is_one_pack_and_what_work_trees_borrow_stays(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    git(life.source, "commit", "-q", "--allow-empty", "-m", "Forgotten")
    tree = await life.begun().prepare(ONE, "app")
    git(life.source, "reset", "-q", "--hard", "HEAD~1")
    for number in range(60):
        git(life.source, "commit", "-q", "--allow-empty", "-m", f"{number}")
    store = tmp_path / "data" / "repositories" / "app" / "store.git"
    for pack in range(51):  # as 51 fetches leave them
        given = git(life.source, "rev-list", "-1", f"HEAD~{pack}")
        packed = store / "objects" / "pack" / "pack"
        subprocess.run(["git", "pack-objects", "-q", str(packed)], cwd=life.source, input=given.encode(), check=True)
    await life.begun().supply.refill()
    assert len([*(store / "objects" / "pack").glob("*.pack")]) == 1
    assert git(tree, "log", "-1", "--format=%s") == "Forgotten"
    assert git(tree, "fsck", "--no-dangling") == ""
