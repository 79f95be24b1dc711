"""What an agent writes into its `.git` leads to no other repository, and keeps nobody waiting."""

import asyncio
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from mama_bot.confinement import landlock
from mama_bot.repositories.git import Git, GitFailed
from mama_bot.repositories.snapshots import Snapshots
from tests.repositories.making import git, made_repository, work_trees

SECRET = "the other conversation's words"
DEADLINE = 10.0


def unreadable_file(work: Path) -> None:
    (work / "private.txt").write_text("z")
    (work / "private.txt").chmod(0)


def unreadable_directory(work: Path) -> None:
    (work / "sub").mkdir()
    (work / "sub" / "private.txt").write_text("z")
    (work / "sub").chmod(0)


def named_pipe(work: Path) -> None:
    os.mkfifo(work / "private.txt")


def shared_directory(work: Path, other: Path) -> None:
    (work / ".git" / "commondir").write_text(f"{other}/.git\n")
    (work / ".git" / "HEAD").write_text((other / ".git" / "HEAD").read_text())


def link(work: Path, other: Path) -> None:
    (work / ".git").rename(work.parent / "moved")
    (work / ".git").symlink_to(other / ".git")


def file(work: Path, other: Path) -> None:
    shutil.rmtree(work / ".git")
    (work / ".git").write_text(f"gitdir: {other}/.git\n")


def linked_work_tree_of_the_other(work: Path, other: Path) -> None:
    git(other, "worktree", "add", "-q", "--detach", str(work.parent / "linked"))
    shutil.rmtree(work / ".git")
    shutil.copy(work.parent / "linked" / ".git", work / ".git")


def alternates(work: Path, other: Path) -> None:
    (work / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (work / ".git" / "objects" / "info" / "alternates").write_text(f"{other}/.git/objects\n")
    (work / ".git" / "HEAD").write_text(git(other, "rev-parse", "HEAD") + "\n")


def quoted_alternates(work: Path, other: Path) -> None:
    alternates(work, other)
    (work / ".git" / "objects" / "info" / "alternates").write_text(f'"\\057{str(other)[1:]}/.git/objects"\n')


def linked_objects(work: Path, other: Path) -> None:
    alternates(work, other)
    shutil.rmtree(work / ".git" / "objects")
    (work / ".git" / "objects").symlink_to(other / ".git" / "objects")


PLANTED = (
    shared_directory,
    link,
    file,
    linked_work_tree_of_the_other,
    alternates,
    quoted_alternates,
    linked_objects,
)


def two(data: Path) -> tuple[Path, Path]:
    """Return two repositories of the service; the second has text that the first is never to see."""
    data.mkdir()
    work, other = made_repository(data / "work"), made_repository(data / "other")
    (other / "sub").mkdir()
    for name in ("private.txt", "sub/private.txt"):
        (other / name).write_text(f"{SECRET}\n")
    git(other, "add", "-A")
    git(other, "commit", "-q", "-m", SECRET)
    return work, other


async def seen(snapshots: Snapshots, work: Path, before: str) -> str:
    """Return all that can be read of a work tree: its tree, and what changed in it."""
    repository = await snapshots.find(work)
    assert repository is not None
    now = await snapshots.tree(repository)
    variables = snapshots.comparing(repository)
    parts = [await snapshots.git.output(work, "ls-tree", "-r", now, variables=variables)]
    parts.append(await snapshots.git.output(work, "diff-tree", "-r", "--patch", before, now, variables=variables))
    return "\n".join(parts)


@pytest.mark.parametrize("hide", [unreadable_file, unreadable_directory, named_pipe])
@pytest.mark.parametrize("plant", PLANTED)
@pytest.mark.parametrize("keeps_indexes", [True, False])
async def test_no_text_of_another_repository_is_in_a_diff(
    tmp_path: Path,
    plant: Callable[[Path, Path], None],
    hide: Callable[[Path], None],
    keeps_indexes: bool,
) -> None:
    work, other = two(tmp_path / "data")
    snapshots = Snapshots(indexes=tmp_path / "data" / "indexes" if keeps_indexes else None, own=tmp_path / "data")
    repository = await snapshots.find(work)
    assert repository is not None
    before = await snapshots.tree(repository)
    plant(work, other)
    hide(work)
    with pytest.raises(GitFailed):
        await seen(snapshots, work, before)
    status, output = 1, ""
    with suppress(GitFailed):
        status, output, _ = await Git(8, tmp_path / "data").run(work, "log", "--all", "--patch")
    assert (status, output) == (1, "")
    trees = work_trees(tmp_path / "data", own=tmp_path / "data", seconds=DEADLINE)
    assert await trees.state(work) is None
    assert await trees.rules(work) is None


@pytest.mark.parametrize("hide", [unreadable_file, unreadable_directory])
async def test_a_file_that_cannot_be_read_is_not_said_to_be_what_was_committed(
    tmp_path: Path, hide: Callable[[Path], None]
) -> None:
    _, work = two(tmp_path / "data")
    if os.geteuid() == 0 and landlock.version() == 0:
        pytest.skip("root reads everything")
    snapshots = Snapshots(indexes=tmp_path / "indexes", own=tmp_path / "data")
    before = (await snapshots.trees(work)) or pytest.fail("no repository")
    for name in ("private.txt", "sub"):
        (shutil.rmtree if (work / name).is_dir() else os.unlink)(work / name)
    hide(work)
    assert "private.txt" not in (await seen(snapshots, work, before.on_disk)).partition("diff --git")[0]
    for name in ("private.txt", "sub"):
        if (work / name).exists():
            (work / name).chmod(0o755)
    again = await seen(snapshots, work, before.on_disk)
    assert "+z" in again


async def test_what_the_service_lent_is_read_and_a_linked_work_tree_is_known(tmp_path: Path) -> None:
    work, store = two(tmp_path / "data")
    (work / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (work / ".git" / "objects" / "info" / "alternates").write_text(f"{store}/.git/objects\n")
    git(work, "fetch", "-q", str(store))
    git(work, "reset", "-q", "--hard", "FETCH_HEAD")

    def borrowed(root: Path) -> Sequence[Path]:
        return (store / ".git" / "objects",) if root == work else ()

    snapshots = Snapshots(indexes=tmp_path / "data" / "indexes", own=tmp_path / "data", borrowed=borrowed)
    trees = await snapshots.trees(work)
    assert trees is not None
    assert trees.on_disk == trees.committed != ""
    assert store / ".git" / "objects" in trees.objects

    outside = made_repository(tmp_path / "outside")
    git(outside, "worktree", "add", "-q", str(tmp_path / "linked"))
    linked = await snapshots.trees(tmp_path / "linked")
    assert linked is not None
    assert linked.on_disk == linked.committed != ""


@pytest.mark.parametrize("name", [".git", ".git/commondir", ".git/objects/info/alternates", ".git/HEAD"])
@pytest.mark.parametrize("thing", ["pipe", "link to zero"])
async def test_a_pipe_or_an_endless_device_in_a_repository_keeps_nobody_waiting(
    repository: Path, tmp_path: Path, name: str, thing: str
) -> None:
    place = repository / name
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    if thing == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero")
    trees = work_trees(tmp_path, seconds=1.0, first_seconds=1.0)
    async with asyncio.timeout(DEADLINE):
        assert await trees.state(repository) is None
        assert await trees.rules(repository) is None
