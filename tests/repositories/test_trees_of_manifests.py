"""Which parts of a manifest changed is read from the two states of the work tree, not from any call."""

from pathlib import Path

from mama_bot.runs.runner_files import RunnerFiles
from tests.repositories.making import git, work_trees


async def parts(repository: Path, tmp_path: Path, name: str, before: str, after: str) -> dict[str, tuple[str, ...]]:
    trees = work_trees(tmp_path, deciding=RunnerFiles())
    (repository / name).write_text(before)
    first = await trees.state(repository)
    (repository / name).write_text(after)
    (repository / "a.py").write_text("y\n")
    second = await trees.state(repository)
    assert first is not None
    assert second is not None
    changes = await trees.changes(first, second)
    assert changes is not None
    return {Path(change.path).name: change.parts for change in changes}


async def test_the_script_that_changed_is_named(repository: Path, tmp_path: Path) -> None:
    before, after = '{"scripts": {"test": "jest", "lint": "eslint"}}', '{"scripts": {"test": "true", "lint": "eslint"}}'
    told = await parts(repository, tmp_path, "package.json", before, after)
    assert told == {"package.json": ("scripts.test",), "a.py": ()}


async def test_a_new_dependency_is_no_part_that_decides(repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "core.autocrlf", "true")
    before, after = '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "jest"}, "dependencies": {"a": "1"}}'
    assert await parts(repository, tmp_path, "package.json", before, after) == {"package.json": (), "a.py": ()}
