"""A lock that a killed git left is removed; one that a git holds which runs stays, and nothing elsewhere is touched."""

import os
import subprocess
from pathlib import Path

from mama_bot.checkouts.stale_locks import free_of_stale_locks
from tests.checkouts.making import ONE, Life, make_source

LONG_AGO = 1_000_000_000


def locked(*places: Path) -> None:
    for place in places:
        place.touch()
        os.utime(place, (LONG_AGO, LONG_AGO))


async def test_what_a_killed_git_left_is_gone_when_work_goes_on(tmp_path: Path) -> None:
    checkouts = Life(tmp_path, make_source(tmp_path)).begun()
    tree = await checkouts.prepare(ONE, "app")
    directory = tree / ".git"
    (directory / "refs" / "heads" / "mama").mkdir(exist_ok=True)
    locks = [directory / "index.lock", directory / "HEAD.lock", directory / "refs" / "heads" / "mama" / "x.lock"]
    locked(*locks)
    await checkouts.prepare(ONE, "app")
    assert not any(lock.exists() for lock in locks)


async def test_a_lock_stays_while_a_git_works_there_or_is_young(tmp_path: Path) -> None:
    checkouts = Life(tmp_path, make_source(tmp_path)).begun()
    tree = await checkouts.prepare(ONE, "app")
    lock = tree / ".git" / "index.lock"
    locked(lock)
    command = ["git", "cat-file", "--batch"]
    with subprocess.Popen(command, cwd=tree, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"HEAD\n")
        process.stdin.flush()
        process.stdout.readline()  # it runs: until then it may bear its parent's name
        assert free_of_stale_locks(tree) == (".git/index.lock",)
        assert (await checkouts.view(ONE, "u1")).locks == (".git/index.lock",)
        process.stdin.close()
    assert free_of_stale_locks(tree) == ()
    lock.touch()
    assert free_of_stale_locks(tree) == (".git/index.lock",)


async def test_no_link_leads_to_locks_of_others(tmp_path: Path) -> None:
    checkouts = Life(tmp_path, make_source(tmp_path)).begun()
    tree = await checkouts.prepare(ONE, "app")
    other = tmp_path / "other"
    other.mkdir()
    locked(other / "theirs.lock")
    (tree / ".git" / "refs" / "linked").symlink_to(other)
    (tree / ".git" / "linked.lock").symlink_to(other / "theirs.lock")
    free_of_stale_locks(tree)
    assert (other / "theirs.lock").exists()
