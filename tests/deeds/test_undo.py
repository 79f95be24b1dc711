"""What a turn changed is taken back, and nothing that came after it is lost."""

import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mama_bot.model import SCRATCH, ChangeId, NotDone, Refusal, UndoChange, Undone, UndoPlan
from tests.checkouts.making import files
from tests.deeds.making import Bench, Site, made_site, write
from tests.end_to_end.evidence import git

GREETING = "hello\n"


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return made_site(tmp_path)


@pytest.fixture
async def bench(site: Site) -> AsyncIterator[Bench]:
    async with site.life() as begun:
        yield begun


async def test_an_undo_brings_back_what_was_there_before_the_turn(bench: Bench) -> None:
    tree = await bench.tree()
    before = files(tree)
    change = await bench.turn({"greeting": "bye\n", "a/new": "1\n2\n"})
    assert change is not None
    assert (change.files, change.added, change.removed) == (2, 3, 1)
    outcome = await bench.undo(change)
    assert isinstance(outcome, Undone)
    assert set(outcome.files) == {"greeting", "a/new"}
    assert files(tree) == before


async def test_an_undo_can_be_undone(bench: Bench) -> None:
    change = await bench.turn({"greeting": "bye\n", "new": "x\n"})
    tree = await bench.tree()
    after = files(tree)
    undone = await bench.undo(change)
    assert isinstance(undone, Undone)
    again = await bench.undo(await bench.change(undone.change))
    assert isinstance(again, Undone)
    assert (undone.again, again.again) == (False, True)
    assert files(tree) == after
    assert change is not None
    assert (await bench.change(change.id)).undone_by is None  # it stands, and can be undone once more


async def test_a_change_is_undone_once(bench: Bench) -> None:
    change = await bench.turn({"greeting": "bye\n"})
    await bench.undo(change)
    assert await bench.undo(change) == NotDone(why=Refusal.UNDONE_ALREADY)


async def test_what_came_after_in_other_places_stays(bench: Bench) -> None:
    change = await bench.turn({"greeting": "bye\n"})
    tree = await bench.tree()
    write(tree, {"by hand": "mine\n"})
    await bench.turn({"later": "also\n"})
    assert isinstance(await bench.undo(change), Undone)
    assert files(tree) == {
        ".gitignore": b"ignored\n",
        "by hand": b"mine\n",
        "greeting": GREETING.encode(),
        "later": b"also\n",
    }


async def test_what_came_after_in_the_same_places_refuses_it_by_name(bench: Bench) -> None:
    change = await bench.turn({"greeting": "bye\n", "other": "x\n"})
    tree = await bench.tree()
    write(tree, {"greeting": "bye for now\n"})
    before = files(tree)
    assert await bench.undo(change) == NotDone(why=Refusal.CHANGED_SINCE, files=("greeting",))
    assert files(tree) == before


async def test_what_git_ignores_is_never_written_over(bench: Bench) -> None:
    write(await bench.tree(), {".gitignore": ""})
    await bench.turn({"ignored": "a secret of the first turn\n"})
    change = await bench.turn({"ignored": None, ".gitignore": "ignored\n"})
    tree = await bench.tree()
    write(tree, {"ignored": "built by hand\n"})
    assert await bench.undo(change) == NotDone(why=Refusal.CHANGED_SINCE, files=("ignored",))
    assert (tree / "ignored").read_text() == "built by hand\n"


async def test_commits_of_the_turn_are_taken_back_by_a_commit(bench: Bench) -> None:
    turn = await bench.begin()
    tree = await bench.tree()
    base = git(tree, "rev-parse", "HEAD")
    write(tree, {"greeting": "bye\n"})
    git(tree, "commit", "-qam", "Say bye")
    write(tree, {"uncommitted": "x\n"})
    said = git(tree, "rev-parse", "HEAD")
    outcome = await bench.undo(await bench.changes.end(turn, tree))
    assert isinstance(outcome, Undone)
    assert git(tree, "rev-parse", "HEAD") == outcome.commit
    assert git(tree, "rev-parse", "HEAD^") == said
    assert git(tree, "diff", "--stat", base, "HEAD") == ""
    assert git(tree, "status", "--porcelain") == ""
    redone = await bench.undo(await bench.change(outcome.change))
    assert isinstance(redone, Undone)
    assert git(tree, "diff", "--stat", said, "HEAD") == ""
    assert git(tree, "status", "--porcelain") == "?? uncommitted"


async def test_the_scratch_repository_of_a_conversation_can_be_undone_too(site: Site) -> None:
    async with site.life(SCRATCH) as bench:
        change = await bench.turn({"note": "x\n"})
        tree = await bench.tree()
        assert isinstance(await bench.undo(change), Undone)
        assert not (tree / "note").exists()


async def test_a_turn_that_changed_nothing_leaves_no_change(bench: Bench) -> None:
    assert await bench.turn({"ignored": "x\n"}) is None
    assert not await bench.store.deeds.changes(bench.key, 10)


async def test_a_turn_that_was_cut_off_counts_from_where_it_began(site: Site) -> None:
    async with site.life() as bench:
        turn = await bench.begin()
        write(await bench.tree(), {"first": "1\n"})
    async with site.life() as bench:
        tree = await bench.tree()
        await bench.changes.begin(turn, bench.repository, tree, asker="U1")
        write(tree, {"second": "2\n"})
        assert isinstance(await bench.undo(await bench.changes.end(turn, tree)), Undone)
        assert not (tree / "first").exists()
        assert not (tree / "second").exists()


async def test_the_undo_of_another_conversation_is_no_deed_of_this_one(bench: Bench) -> None:
    assert await bench.done(UndoChange(change=ChangeId("t999"))) == NotDone(why=Refusal.NOTHING)


async def test_an_undo_that_was_cut_off_is_ended_by_the_next_life(site: Site) -> None:
    async with site.life() as bench:
        change = await bench.turn({"greeting": "bye\n", "new": "x\n"})
        assert change is not None
        assert change.after is not None
        request = await bench.asked(UndoChange(change=change.id))
        await bench.store.deeds.plan(request.id, UndoPlan(before=change.after, after=change.before))
        tree = await bench.tree()
        write(tree, {"greeting": GREETING})  # the first of two files
    async with site.life() as bench:
        await bench.deeds.resume()
        assert isinstance(await bench.outcome(request), Undone)
        assert files(tree) == {".gitignore": b"ignored\n", "greeting": GREETING.encode()}


async def test_work_that_was_put_away_is_back_for_its_undo(bench: Bench) -> None:
    change = await bench.turn({"greeting": "bye\n"})
    checkout = await bench.checkouts.known(bench.key, "app")
    assert checkout is not None
    assert await bench.checkouts.put_away(checkout)
    assert isinstance(await bench.undo(change), Undone)
    assert (await bench.tree() / "greeting").read_text() == GREETING


async def test_in_place_the_files_of_the_directory_itself_are_taken_back(tmp_path: Path) -> None:
    site = made_site(tmp_path, in_place=True)
    async with site.life() as bench:
        (site.source / "mine").write_text("by hand\n")
        change = await bench.turn({"greeting": "bye\n"})
        head = git(site.source, "rev-parse", "HEAD")
        assert isinstance(await bench.undo(change), Undone)
        assert (site.source / "greeting").read_text() == GREETING
        assert (site.source / "mine").read_text() == "by hand\n"
        assert (site.source / "greeting").stat().st_mode & 0o777 == 0o644
        assert git(site.source, "rev-parse", "HEAD") == head


async def test_in_place_what_others_did_meanwhile_is_not_taken_back(tmp_path: Path) -> None:
    site = made_site(tmp_path, in_place=True)
    async with site.life() as bench:
        one = await bench.begin()
        await bench.turn({"theirs": "x\n"}, key=type(bench.key)(bench.key.platform, "C2"))
        change = await bench.changes.end(one, site.source)
        assert await bench.undo(change) == NotDone(why=Refusal.SHARED)
        assert (site.source / "theirs").exists()


async def test_files_whose_names_are_no_unicode_are_taken_back_and_brought_back(bench: Bench) -> None:
    tree = await bench.tree()
    place = tree / os.fsdecode("인사".encode("euc-kr"))
    turn = await bench.begin()
    place.write_text("hi\n")
    change = await bench.changes.end(turn, tree)
    undone = await bench.undo(change)
    assert isinstance(undone, Undone)
    assert not place.exists()
    assert isinstance(await bench.undo(await bench.change(undone.change)), Undone)
    assert place.read_text() == "hi\n"


async def test_a_lock_that_a_killed_git_left_hinders_no_undo(bench: Bench) -> None:
    tree = await bench.tree()
    before = git(tree, "status", "--porcelain")
    change = await bench.turn({"greeting": "bye\n", ".git/index.lock": ""})
    assert isinstance(await bench.undo(change), Undone)
    (tree / ".git" / "index.lock").unlink()
    assert git(tree, "status", "--porcelain") == before


async def test_where_the_branch_cannot_be_moved_the_files_stay_as_they_were(bench: Bench) -> None:
    tree = await bench.tree()
    turn = await bench.begin()
    write(tree, {"greeting": "bye\n"})
    git(tree, "commit", "-qam", "Bye")
    change = await bench.changes.end(turn, tree)
    lock = tree / ".git" / f"{git(tree, 'symbolic-ref', 'HEAD').strip()}.lock"
    lock.touch()
    after = files(tree)
    outcome = await bench.undo(change)
    assert isinstance(outcome, NotDone)
    assert outcome.why is Refusal.FAILED
    assert files(tree) == after
    lock.unlink()
    assert isinstance(await bench.undo(change), Undone)


async def test_what_is_packed_together_is_there_without_what_it_was_copied_from(tmp_path: Path) -> None:
    site = made_site(tmp_path)
    site.most_packs = 2
    async with site.life() as bench:
        changes = [await bench.turn({f"new{number}": f"{number}\n"}) for number in range(5)]
        shutil.rmtree(tmp_path / "data" / "indexes")
        for change in reversed(changes):
            assert isinstance(await bench.undo(change), Undone)
        assert sorted(files(await bench.tree())) == [".gitignore", "greeting"]
