"""What an agent plants in the `.git` of its work tree hands nothing of another conversation over, and stops nothing."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mama_bot.checkouts.checkouts import slug
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.config import WorkTreeSettings
from mama_bot.confinement import landlock
from mama_bot.errors import RepositoryUnavailable
from mama_bot.repositories.git import GitFailed
from tests.checkouts.making import ONE, TWO, Life, make_source
from tests.end_to_end.evidence import git

SECRET = "of-the-other-4711"
OF_ONE = f"refs/mama/{slug(ONE)}"
Plant = Callable[
    [Path, Path], None
]  # in a work tree, with the repository of the other: its own, or what keeps its work


def stash(word: str) -> Plant:
    return lambda tree, other: log_stash(tree, word)


def log_stash(tree: Path, word: str) -> None:
    log = tree / ".git" / "logs" / "refs" / "stash"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"0 {word} x y\n")


def link(place: str, target: str) -> Plant:
    def plant(tree: Path, other: Path) -> None:
        file = emptied(tree, place)
        file.symlink_to(other / target)
        with (tree / ".git" / "objects" / "info" / "alternates").open("a") as alternates:
            alternates.write(f"{other}/objects\n")

    return plant


def only_link(place: str, target: str) -> Plant:
    return lambda tree, other: emptied(tree, place).symlink_to(other / target)


def fifo(place: str) -> Plant:
    return lambda tree, other: os.mkfifo(emptied(tree, place))


def written(place: str, text: str) -> Plant:
    return lambda tree, other: (emptied(tree, place).write_text(text.format(other=other)), None)[1]


def emptied(tree: Path, place: str) -> Path:
    file = tree / place
    if file.is_dir():
        shutil.rmtree(file)
    file.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def blob_of(other: Path) -> str:
    tip = "HEAD" if other.name == ".git" else f"{OF_ONE}/heads/mama/{slug(ONE)}"
    return git(other, "rev-parse", f"{tip}:private")


def known_commit(tree: Path, other: Path) -> None:
    log_stash(tree, git(other, "rev-parse", f"{OF_ONE}/heads/mama/{slug(ONE)}"))


def known_reference(tree: Path, other: Path) -> None:
    (tree / ".git/refs/heads/x").write_text(git(other, "rev-parse", f"{OF_ONE}/heads/mama/{slug(ONE)}") + "\n")


def known_file_staged(tree: Path, other: Path) -> None:
    git(tree, "update-index", "--add", "--cacheinfo", f"100644,{blob_of(other)},private")


def known_file_committed(tree: Path, other: Path) -> None:
    listed = f"100644 blob {blob_of(other)}\tprivate\n"
    made = subprocess.run(
        ["git", "mktree", "--missing"], cwd=tree, input=listed, text=True, capture_output=True, check=True
    )
    git(tree, "update-ref", "refs/heads/x", git(tree, "commit-tree", made.stdout.strip(), "-m", "x"))


PUT_AWAY: dict[str, Plant] = {
    "stash: search": stash(":/other"),
    "stash: name": stash(f"{OF_ONE}/heads/mama/{slug(ONE)}"),
    "stash: option": stash("--all"),
    "stash: known commit": known_commit,
    "reference: known commit": known_reference,
    "index: known file": known_file_staged,
    "commit: known file": known_file_committed,
    "commondir": written(".git/commondir", "{other}\n"),
    "references linked": link(".git/refs/heads/x", "refs/mama"),
    "references only linked": only_link(".git/refs/heads/x", "refs/mama"),
    "packed-refs linked": link(".git/packed-refs", "packed-refs"),
    "objects linked": only_link(".git/objects", "objects"),
    "alternates": written(".git/objects/info/alternates", "{other}/objects\n"),
    ".git linked": only_link(".git", "."),
    ".git a file": written(".git", "gitdir: {other}\n"),
}
LIVE: dict[str, Plant] = {
    ".git linked": only_link(".git", "."),
    ".git a file": written(".git", "gitdir: {other}\n"),
    "commondir": written(".git/commondir", "{other}\n"),
    "index linked": link(".git/index", "index"),
    "logs linked": link(".git/logs", "logs"),
    "stash log linked": link(".git/logs/refs/stash", "logs/HEAD"),
    "alternates": written(".git/objects/info/alternates", "{other}/objects\n"),
}
ENDLESS: dict[str, Plant] = {
    **{
        f"pipe {place}": fifo(f".git/{place}")
        for place in (
            *("logs/refs/stash", "HEAD", "config", "index", "packed-refs"),
            *("refs/heads/x", "commondir", "objects/info/alternates"),
        )
    },
    **{f"zeros {place}": only_link(f".git/{place}", "/dev/zero") for place in ("logs/refs/stash", "HEAD", "index")},
}
CASES = [
    pytest.param(plant, live, id=f"{name} ({'live' if live else 'put away'})")
    for plants, live in ((PUT_AWAY, False), (LIVE, True), (ENDLESS, False))
    for name, plant in plants.items()
]


@pytest.mark.parametrize(("plant", "live"), CASES)
async def test_nothing_that_is_planted_hands_the_work_of_another_over(tmp_path: Path, plant: Plant, live: bool) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun()
    one = await checkouts.prepare(ONE, "app")
    (one / "private").write_text(SECRET)
    git(one, "add", "-A")
    git(one, "commit", "-qm", "Work of the other")
    if not live:
        (checkout,) = await life.records.of_conversation(ONE)
        assert await checkouts.put_away(checkout)
    other = one / ".git" if live else tmp_path / "data" / "repositories" / "app" / "kept.git"
    two = await checkouts.prepare(TWO, "app")
    (two / "mine").write_text("mine")
    plant(two, other)
    (checkout,) = await life.records.of_conversation(TWO)
    if await asyncio.wait_for(checkouts.put_away(checkout), 60):
        two = await checkouts.prepare(TWO, "app")
        every = ["git", "cat-file", "--batch-all-objects", "--batch"]
        held = subprocess.run(every, cwd=two, check=True, capture_output=True).stdout
        assert SECRET.encode() not in held
    assert (two / "mine").read_text() == "mine"
    again = await checkouts.prepare(ONE, "app")
    assert (again / "private").read_text() == SECRET
    assert git(again, "log", "-1", "--format=%s") == "Work of the other"


async def test_a_work_tree_with_linked_hooks_is_put_away(tmp_path: Path) -> None:
    life = Life(tmp_path, make_source(tmp_path))
    checkouts = life.begun()
    tree = await checkouts.prepare(ONE, "app")
    (tree / ".git" / "hooks").mkdir(exist_ok=True)
    (tree / ".git" / "hooks" / "pre-commit").symlink_to("../../greeting")
    (checkout,) = await life.records.of_conversation(ONE)
    assert await checkouts.put_away(checkout)


SPARE = ("packed-refs", "refs/remotes/origin/HEAD", "logs/HEAD", "HEAD", "index", "config", "objects/info/alternates")


@pytest.mark.parametrize("place", SPARE)
async def test_a_spare_that_leads_elsewhere_is_thrown_away(tmp_path: Path, place: str) -> None:
    life = Life(tmp_path, make_source(tmp_path), settings=WorkTreeSettings(spares=1))
    checkouts = life.begun()
    await checkouts.supply.refill()
    (spare,) = (tmp_path / "data" / "work_trees").glob("*/app")
    key = tmp_path / "data" / "page.key"
    key.write_text("A" * 43)
    emptied(spare, f".git/{place}").symlink_to(key)
    tree = await checkouts.prepare(ONE, "app")
    assert tree != spare
    assert not spare.exists()
    assert git(tree, "status", "--porcelain") == ""
    assert key.read_text() == "A" * 43


@pytest.mark.parametrize("place", SPARE)
async def test_a_set_up_that_plants_what_leads_elsewhere_is_told_in_a_sentence(tmp_path: Path, place: str) -> None:
    key = tmp_path / "page.key"
    key.write_text("A" * 43)

    async def set_up(name: str, tree: Path) -> str:
        emptied(tree, f".git/{place}").symlink_to(key)
        return ""

    checkouts = Life(tmp_path, make_source(tmp_path)).begun(set_up=set_up)
    await checkouts.supply.refill()
    with pytest.raises(RepositoryUnavailable, match="neither a file nor a directory"):
        await checkouts.prepare(ONE, "app")
    assert key.read_text() == "A" * 43
    assert not [*(tmp_path / "data" / "work_trees").iterdir()]


@pytest.mark.skipif(landlock.version() == 0, reason="this kernel confines nothing")
async def test_git_that_is_given_places_writes_nowhere_else_wherever_a_link_leads(tmp_path: Path) -> None:
    tree, elsewhere = tmp_path / "tree", tmp_path / "elsewhere"
    tree.mkdir()
    elsewhere.mkdir()
    (tree / "d").symlink_to(elsewhere)
    own = OwnGit(settings=tmp_path / "settings")
    await own.output(tmp_path, "config", "--file", str(tree / "own"), "a.b", "c", writable=[tree])
    with pytest.raises(GitFailed):
        await own.output(tmp_path, "config", "--file", str(tree / "d" / "planted"), "a.b", "c", writable=[tree])
    assert (tree / "own").exists()
    assert [*elsewhere.iterdir()] == []
