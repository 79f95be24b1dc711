"""How a work tree stands, asked of git: true, harmless, and never in the way."""

import os
from pathlib import Path

import pytest

from mama_bot.model import FileFate
from mama_bot.repositories.work_trees import LATE_TIMES, REST_SECONDS
from tests.repositories.making import git, run_nothing_configured, work_trees


async def test_a_clean_tree_has_its_commit_and_nothing_more(repository: Path, tmp_path: Path) -> None:
    state = await work_trees(tmp_path).state(repository)
    assert state is not None
    assert (state.commit, state.dirty) == (git(repository, "rev-parse", "HEAD"), False)


@pytest.mark.parametrize("name", ["a.py", "new.py", "새 파일.py"])
async def test_what_is_changed_or_untracked_makes_it_dirty(repository: Path, tmp_path: Path, name: str) -> None:
    (repository / name).write_text("changed\n")
    (repository / "sub").mkdir()
    state = await work_trees(tmp_path).state(repository / "sub")
    assert state is not None
    assert state.dirty


async def test_before_the_first_commit_there_is_none(tmp_path: Path) -> None:
    directory = tmp_path / "new"
    directory.mkdir()
    git(directory, "init", "-q")
    state = await work_trees(tmp_path).state(directory)
    assert state is not None
    assert (state.commit, state.dirty) == ("", False)


async def test_without_a_repository_there_is_no_state(tmp_path: Path) -> None:
    (tmp_path / "own" / "one").mkdir(parents=True)
    git(tmp_path, "init", "-q")
    trees = work_trees(tmp_path, own=tmp_path / "own")
    assert await trees.state(tmp_path / "own" / "one") is None
    assert await trees.state(tmp_path / "nowhere") is None


async def test_nothing_that_is_configured_in_the_repository_runs(repository: Path, tmp_path: Path) -> None:
    with run_nothing_configured(repository, tmp_path):
        (repository / "a.py").write_text("changed\n")
        state = await work_trees(tmp_path).state(repository)
        assert state is not None
        assert state.dirty


async def test_asking_writes_nothing(repository: Path, tmp_path: Path) -> None:
    os.utime(repository / "a.py", (1, 1))
    before = (repository / ".git" / "index").read_bytes()
    await work_trees(tmp_path).state(repository)
    assert (repository / ".git" / "index").read_bytes() == before


async def test_a_late_git_is_unknown_and_soon_not_asked_any_more(repository: Path, tmp_path: Path) -> None:
    trees = work_trees(tmp_path, seconds=0.0, first_seconds=0.0)
    assert [await trees.state(repository) for _ in range(LATE_TIMES + 2)] == [None] * (LATE_TIMES + 2)


async def test_a_directory_that_failed_is_asked_about_again_after_a_while(repository: Path, tmp_path: Path) -> None:
    seconds = 0.0
    trees = work_trees(tmp_path, now=lambda: seconds)
    config = repository / ".git" / "HEAD"
    good = config.read_text()
    config.write_text("broken")
    assert [await trees.state(repository) for _ in range(LATE_TIMES)] == [None] * LATE_TIMES
    config.write_text(good)
    assert await trees.state(repository) is None
    seconds = REST_SECONDS
    assert await trees.state(repository) is not None


async def test_two_edits_that_leave_the_tree_equally_dirty_are_told_apart(repository: Path, tmp_path: Path) -> None:
    trees = work_trees(tmp_path)
    (repository / "a.py").write_text("y\n")
    first = await trees.state(repository)
    (repository / "a.py").write_text("z\n")
    second = await trees.state(repository)
    assert first is not None
    assert second is not None
    assert (first.dirty, second.dirty) == (True, True)
    assert first.tree != second.tree
    (repository / "a.py").write_text("y\n")
    assert await trees.state(repository) == first


async def test_what_changed_between_two_states_is_told_by_file(repository: Path, tmp_path: Path) -> None:
    trees = work_trees(tmp_path)
    (repository / "gone.py").write_text("x\n")
    before = await trees.state(repository)
    (repository / "a.py").write_text("y\n")
    (repository / "새 파일.py").write_text("y\n")
    (repository / "gone.py").unlink()
    after = await trees.state(repository)
    assert before is not None
    assert after is not None
    changes = await trees.changes(before, after)
    assert changes is not None
    assert {(Path(change.path).name, change.fate) for change in changes} == {
        ("a.py", FileFate.CHANGED),
        ("새 파일.py", FileFate.CREATED),
        ("gone.py", FileFate.DELETED),
    }
    assert await trees.changes(after, after) == ()


async def test_states_of_two_work_trees_are_not_compared(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "other"))
    (tmp_path / "other" / "a.py").write_text("y\n")
    trees = work_trees(tmp_path)
    here, there = await trees.state(repository), await trees.state(tmp_path / "other")
    assert here is not None
    assert there is not None
    assert await trees.changes(here, there) is None
