"""Work trees of delegations: begun as the sender's stands, brought back once, nothing of them lost."""

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import DelegateWork
from mama_bot.errors import RepositoryUnavailable
from mama_bot.model import SCRATCH, BroughtHow, TurnId
from mama_bot.turns.heard import brought_line
from tests.checkouts.delegate_places import Killed, Place, asked, brought, read
from tests.checkouts.making import ONE, make_source
from tests.end_to_end.evidence import git


@pytest.fixture
def place(tmp_path: Path) -> Place:
    make_source(tmp_path)
    return Place(tmp_path)


async def test_each_begins_as_the_sender_stands_and_what_they_made_comes_together(place: Place) -> None:
    async with place.life() as (_, trees, lead):
        (lead / "greeting").write_text("hello\n안녕\n")
        git(lead, "commit", "-qam", "Greet in Korean")
        (lead / "notes").write_text("uncommitted\n")
        (lead / "한글.txt").write_text("가나다\n")
        first, second = [await trees.prepare(asked(number), "app") for number in (1, 2)]
        assert read(first) == read(second) == read(lead)
        assert git(first, "log", "-1", "--format=%s") == "Greet in Korean"
        assert git(first, "status", "--porcelain") == git(lead, "status", "--porcelain")
        assert trees.known(TurnId("m1.0.1"), "app") == first

        (first / "first").write_text("1\n")
        (first / "notes").unlink()
        (second / "greeting").write_text("hello\n안녕\nbonjour\n")
        git(second, "commit", "-qam", "Greet in French")
        (second / "run").write_text("#!/bin/sh\n")
        (second / "run").chmod(0o755)
        (lead / "meanwhile").write_text("by the lead\n")

        assert (await brought(trees, 1)).files == ("first", "notes")
        after = await brought(trees, 2)
        assert (after.how, after.commits, after.branch) == (BroughtHow.MERGED, 1, "")
        assert read(lead) == {
            ".gitignore": "ignored\n",
            "first": "1\n",
            "greeting": "hello\n안녕\nbonjour\n",
            "meanwhile": "by the lead\n",
            "run": "#!/bin/sh\n",
            "한글.txt": "가나다\n",
        }
        assert (lead / "run").stat().st_mode & 0o100
        assert git(lead, "log", "-1", "--format=%s") == "Greet in French"
        assert place.ended == ["m1.0.1", "m1.0.2"]
        assert not first.exists()
        assert not second.exists()
        assert trees.known(TurnId("m1.0.1"), "app") is None
        assert await brought(trees, 2) == after  # it is asked again, and nothing is done twice


async def test_a_conflict_changes_no_file_of_the_sender_and_all_of_the_work_is_on_a_branch(place: Place) -> None:
    async with place.life() as (_, trees, lead):
        trees_made = [await trees.prepare(asked(number), "app") for number in (1, 2)]
        for number, tree in enumerate(trees_made, start=1):
            (tree / "greeting").write_text(f"hello {number}\n")
            (tree / f"of {number}").write_text("more\n")
        assert (await brought(trees, 1)).how is BroughtHow.MERGED
        before = read(lead)
        conflict = await brought(trees, 2)
        assert (conflict.how, conflict.files) == (BroughtHow.CONFLICT, ("greeting",))
        assert read(lead) == before
        assert not git(lead, "diff", "--name-only", "--diff-filter=U")
        assert git(lead, "show", f"{conflict.branch}:greeting") == "hello 2"
        assert git(lead, "show", f"{conflict.branch}:of 2") == "more"


async def test_commits_on_both_sides_are_merged_and_those_that_do_not_fit_stay_on_their_branch(place: Place) -> None:
    async with place.life() as (_, trees, lead):
        first, second = [await trees.prepare(asked(number), "app") for number in (1, 2)]
        (first / "a").write_text("a\n")
        git(first, "add", "a")
        git(first, "commit", "-qm", "Add a")
        git(second, "checkout", "-q", "--orphan", "elsewhere")
        git(second, "commit", "-qm", "Another beginning")
        (second / "b").write_text("b\n")
        (lead / "c").write_text("c\n")
        git(lead, "add", "c")
        git(lead, "commit", "-qm", "Add c")
        merged = await brought(trees, 1)
        assert merged.commits == 1
        assert git(lead, "log", "-1", "--format=%s", "HEAD^2") == "Add a"
        assert git(lead, "status", "--porcelain") == ""
        aside = await brought(trees, 2)
        assert (aside.how, aside.files, aside.commits) == (BroughtHow.MERGED, ("b",), 0)
        assert git(lead, "log", "-1", "--format=%s", aside.branch) == "Another beginning"
        assert (lead / "b").exists()


@pytest.mark.parametrize("work", [DelegateWork.MERGED, DelegateWork.BRANCH])
async def test_work_that_is_not_brought_over_is_committed_on_a_branch_of_the_sender(
    place: Place, work: DelegateWork
) -> None:
    place.work = work
    async with place.life() as (_, trees, lead):
        (lead / "notes").write_text("uncommitted\n")
        tree = await trees.prepare(asked(1), "app")
        idle = await trees.prepare(asked(2), "app")
        (tree / "made").write_text("made\n")
        before = read(lead)
        if work is DelegateWork.BRANCH:
            outcome = await brought(trees, 1)
        else:  # its sender never hears of it
            outcome = next(stored.outcome for stored in await trees.left_by(ONE) if stored.outcome)
        assert outcome.how is (BroughtHow.BRANCH if work is DelegateWork.BRANCH else BroughtHow.LEFT)
        assert read(lead) == before
        assert git(lead, "show", f"{outcome.branch}:made") == "made"
        assert not tree.exists()
        assert (await brought(trees, 2)).how is BroughtHow.UNCHANGED
        assert not idle.exists()


@pytest.mark.parametrize("answered", [True, False])
async def test_other_branches_and_the_stash_of_a_delegate_are_kept_beside_its_work(
    place: Place, answered: bool
) -> None:
    async with place.life() as (_, trees, lead):
        tree = await trees.prepare(asked(1), "app")
        git(tree, "branch", "nothing-new")
        git(tree, "checkout", "-qb", "feature/한글")
        (tree / "tried").write_text("tried\n")
        git(tree, "add", "tried")
        git(tree, "commit", "-qm", "Try")
        git(tree, "checkout", "-q", "-")
        for words in ("first", "second"):
            (tree / "greeting").write_text(f"{words}\n")
            git(tree, "stash")
        (tree / "made").write_text("made\n")
        outcome = await brought(trees, 1, answered=answered)
        assert outcome.how is (BroughtHow.MERGED if answered else BroughtHow.LEFT)
        assert not tree.exists()
        tried, first, second = outcome.beside
        assert tried.endswith("/feature/한글")
        assert git(lead, "show", f"{tried}:tried") == "tried"
        assert [git(lead, "show", f"{entry}:greeting") for entry in (first, second)] == ["first", "second"]
        git(lead, "fsck", "--connectivity-only")


async def test_a_work_tree_with_a_branch_that_cannot_be_kept_stays_where_it_is(place: Place) -> None:
    async with place.life() as (_, trees, lead):
        tree = await trees.prepare(asked(1), "app")
        (tree / ".git" / "refs" / "heads" / "broken").write_text(f"{'1' * 40}\n")
        (tree / "made").write_text("made\n")
        assert (await brought(trees, 1)).how is BroughtHow.STAYS
        assert (tree / "made").exists()
        assert not (lead / "made").exists()


async def test_a_work_tree_that_was_made_anew_is_the_one_that_is_brought_in_the_next_life(place: Place) -> None:
    async with place.life() as (_, trees, _lead):
        shutil.rmtree(await trees.prepare(asked(1), "app"))
        anew = await trees.prepare(asked(1), "app")
        (anew / "made").write_text("made\n")
    async with place.life() as (_, trees, lead):
        assert trees.known(TurnId("m1.0.1"), "app") == anew
        assert (await brought(trees, 1)).files == ("made",)
        assert (lead / "made").exists()


async def test_work_whose_tree_is_gone_is_said_to_be_lost(place: Place) -> None:
    async with place.life() as (_, trees, lead):
        tree = await trees.prepare(asked(1), "app")
        (tree / "made").write_text("made\n")
        shutil.rmtree(tree)
        assert (await brought(trees, 1)).how is BroughtHow.LOST
        assert not (lead / "made").exists()


async def test_nothing_is_made_anew_in_the_work_tree_of_a_delegation_whose_work_was_brought(place: Place) -> None:
    async with place.life() as (_, trees, lead):
        await trees.prepare(asked(1), "app")
        await brought(trees, 1)
        with pytest.raises(RepositoryUnavailable, match="brought to its end"):
            await trees.prepare(asked(1), "app")
        assert read(lead)
        assert trees.known(TurnId("m1.0.1"), "app") is None


async def test_of_files_that_git_ignores_those_that_a_delegate_made_are_named(place: Place) -> None:
    async with place.life() as (_, trees, lead):
        (lead / ".gitignore").write_text("ignored\nbuild/\n")
        tree = await trees.prepare(asked(1), "app")
        (tree / "ignored").write_text("a secret\n")
        (tree / "build" / "out").mkdir(parents=True)
        (tree / "build" / "out" / "made").write_text("made\n")
        outcome = await brought(trees, 1)
        assert outcome.ignored == ("build/", "ignored")
        assert "build/, ignored" in brought_line(outcome)
        assert not (lead / "ignored").exists()
        second = await trees.prepare(asked(2), "app")
        (second / "build").mkdir()
        (second / "greeting").write_text("hi\n")
        assert (await brought(trees, 2)).ignored == ()


async def test_what_a_delegate_made_in_an_ignored_directory_that_was_there_is_named(place: Place) -> None:
    async def set_up(name: str, tree: Path) -> str:
        del name
        (tree / "build").mkdir()
        for file in ("kept", "changed"):
            (tree / "build" / file).write_text("1\n")
        return ""

    source = place.directory / "source"
    (source / ".gitignore").write_text("build/\n")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "Ignore what is built")
    async with place.life(set_up=set_up) as (_, trees, _):
        tree = await trees.prepare(asked(1), "app")
        await asyncio.sleep(0.05)  # a file system tells times to some milliseconds
        (tree / "build" / "made").write_text("made\n")
        (tree / "build" / "changed").write_text("2\n")
        outcome = await brought(trees, 1)
        assert sorted(outcome.ignored) == ["build/changed", "build/made"]


async def test_a_delegate_delegates_from_its_own_work_tree_and_hears_there(place: Place) -> None:
    async with place.life() as (_, trees, lead):
        outer = await trees.prepare(asked(1), "app")
        (outer / "outer").write_text("1\n")
        inner = await trees.prepare(replace(asked(2), sender_tree=TurnId("m1.0.1")), "app")
        assert (inner / "outer").read_text() == "1\n"
        (inner / "inner").write_text("2\n")
        await brought(trees, 2)
        assert (outer / "inner").exists()
        assert not (lead / "inner").exists()
        await brought(trees, 1)
        assert (lead / "inner").read_text() == "2\n"


@pytest.mark.parametrize("moment", ["before make", "after make"])
async def test_one_that_was_being_made_when_the_service_was_killed_is_there_in_the_next_life(
    place: Place, moment: str
) -> None:
    async with place.life(killed_at=moment) as (_, trees, lead):
        (lead / "notes").write_text("uncommitted\n")
        with pytest.raises(Killed):
            await trees.prepare(asked(1), "app")
    async with place.life() as (_, trees, lead):
        tree = await trees.prepare(asked(1), "app")
        assert read(tree) == read(lead)
        (tree / "notes").write_text("more\n")
        await brought(trees, 1)
        assert (lead / "notes").read_text() == "more\n"


@pytest.mark.parametrize("moment", ["before plan", "after plan", "before settle", "after settle"])
async def test_work_that_was_being_brought_when_the_service_was_killed_is_brought_once(
    place: Place, moment: str
) -> None:
    async with place.life(killed_at=moment) as (_, trees, lead):
        tree = await trees.prepare(asked(1), "app")
        (tree / "greeting").write_text("hello\n안녕\n")
        git(tree, "commit", "-qam", "Greet in Korean")
        (tree / "made").write_text("made\n")
        with pytest.raises(Killed):
            await trees.bring(TurnId("m1.0.1"), answered=True)
    async with place.life() as (_, trees, lead):
        outcome = await brought(trees, 1)
        assert (outcome.how, outcome.commits, outcome.files) == (BroughtHow.MERGED, 1, ("greeting", "made"))
        assert read(lead) == {".gitignore": "ignored\n", "greeting": "hello\n안녕\n", "made": "made\n"}
        assert git(lead, "log", "--format=%s", "-2").splitlines() == ["Greet in Korean", "Begin"]
        assert git(lead, "status", "--porcelain") == "?? made"
        assert not tree.exists()


async def test_what_git_ignores_at_the_senders_is_not_overwritten(place: Place) -> None:
    async with place.life() as (_, trees, lead):
        tree = await trees.prepare(asked(1), "app")
        (lead / "ignored").write_text("a secret of the lead's\n")
        (tree / ".gitignore").write_text("")
        (tree / "ignored").write_text("now it counts\n")
        outcome = await brought(trees, 1)
        assert (outcome.how, outcome.files) == (BroughtHow.CONFLICT, ("ignored",))
        assert (lead / "ignored").read_text() == "a secret of the lead's\n"
        assert git(lead, "show", f"{outcome.branch}:ignored") == "now it counts"


async def test_only_a_repository_with_a_source_has_several_work_trees_and_none_where_all_share_one(
    place: Place,
) -> None:
    async with place.life() as (_, trees, _lead):
        assert (trees.works_apart("app"), trees.works_apart(SCRATCH)) == (True, False)
    place.work = DelegateWork.SHARED
    async with place.life() as (_, trees, _lead):
        assert not trees.works_apart("app")
