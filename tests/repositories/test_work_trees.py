"""How a work tree stands, asked of git: true, harmless, and never in the way."""

import os
from pathlib import Path

import pytest

from mama_bot.repositories.work_trees import LATE_TIMES, REST_SECONDS, GitWorkTrees
from tests.repositories.making import git, run_nothing_configured


async def test_a_clean_tree_has_its_commit_and_nothing_more(repository: Path) -> None:
    state = await GitWorkTrees().state(repository)
    assert state is not None
    assert (state.commit, state.dirty) == (git(repository, "rev-parse", "HEAD"), False)


@pytest.mark.parametrize("name", ["a.py", "new.py", "새 파일.py"])
async def test_what_is_changed_or_untracked_makes_it_dirty(repository: Path, name: str) -> None:
    (repository / name).write_text("changed\n")
    (repository / "sub").mkdir()
    state = await GitWorkTrees().state(repository / "sub")
    assert state is not None
    assert state.dirty


async def test_before_the_first_commit_there_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    state = await GitWorkTrees().state(tmp_path)
    assert state is not None
    assert (state.commit, state.dirty) == ("", False)


async def test_without_a_repository_there_is_no_state(tmp_path: Path) -> None:
    (tmp_path / "own" / "one").mkdir(parents=True)
    git(tmp_path, "init", "-q")
    trees = GitWorkTrees(own=tmp_path / "own")
    assert await trees.state(tmp_path / "own" / "one") is None
    assert await trees.state(tmp_path / "nowhere") is None


async def test_nothing_that_is_configured_in_the_repository_runs(repository: Path, tmp_path: Path) -> None:
    with run_nothing_configured(repository, tmp_path):
        (repository / "a.py").write_text("changed\n")
        state = await GitWorkTrees().state(repository)
        assert state is not None
        assert state.dirty


async def test_asking_writes_nothing(repository: Path) -> None:
    os.utime(repository / "a.py", (1, 1))
    before = (repository / ".git" / "index").read_bytes()
    await GitWorkTrees().state(repository)
    assert (repository / ".git" / "index").read_bytes() == before


async def test_a_late_git_is_unknown_and_soon_not_asked_any_more(repository: Path) -> None:
    trees = GitWorkTrees(seconds=0.0)
    assert [await trees.state(repository) for _ in range(LATE_TIMES + 2)] == [None] * (LATE_TIMES + 2)


async def test_a_directory_that_failed_is_asked_about_again_after_a_while(repository: Path) -> None:
    seconds = 0.0
    trees = GitWorkTrees(now=lambda: seconds)
    config = repository / ".git" / "config"
    good = config.read_text()
    config.write_text("[broken")
    assert [await trees.state(repository) for _ in range(LATE_TIMES)] == [None] * LATE_TIMES
    config.write_text(good)
    assert await trees.state(repository) is None
    seconds = REST_SECONDS
    assert await trees.state(repository) is not None
