"""What the service checks itself, on real repositories with a real small suite of tests."""

from pathlib import Path

import pytest

from mama_bot.config import CheckOf
from mama_bot.enforcement.host_checks import CheckEnding, CheckNotRun
from tests.enforcement.host_checks.shop import BROKEN, CODE, WEAKENED, Place, check, everything, place, shop
from tests.enforcement.scope.test_scope_guard import git, write

__all__ = ["place", "shop"]


async def test_honest_work_passes_and_broken_work_fails_with_the_end_of_the_output(shop: Path, place: Place) -> None:
    failed = await place.run(shop)
    assert (failed.ended, failed.exit_status) == (CheckEnding.FAILED, 1)
    assert "AssertionError: 4 != 3" in failed.output
    write(shop, "shop.py", CODE)
    passed = await place.run(shop)
    assert (passed.ended, passed.exit_status) == (CheckEnding.PASSED, 0)
    assert failed.tree != passed.tree


async def test_uncommitted_and_untracked_files_are_seen_and_ignored_ones_are_not(shop: Path, place: Place) -> None:
    write(shop, "shop.py", "from prices import total\n")
    write(shop, "prices.py", CODE)
    assert (await place.run(shop)).ended is CheckEnding.PASSED
    (shop / "prices.py").unlink()
    write(shop, ".gitignore", "ignored.py\n")
    write(shop, "shop.py", "from ignored import total\n")
    write(shop, "ignored.py", CODE)
    assert (await place.run(shop)).ended is CheckEnding.FAILED


async def test_a_check_of_the_commit_sees_the_commit_alone(shop: Path, place: Place) -> None:
    write(shop, "shop.py", CODE)
    committed = check(of=CheckOf.COMMIT)
    assert (await place.run(shop, committed)).ended is CheckEnding.FAILED
    git(shop, "commit", "-q", "-am", "repaired")
    write(shop, "shop.py", BROKEN)
    assert (await place.run(shop, committed)).ended is CheckEnding.PASSED
    assert (await place.run(shop)).ended is CheckEnding.FAILED


async def test_a_check_of_the_commit_fails_before_the_first_one(tmp_path: Path, place: Place) -> None:
    new = tmp_path / "new"
    new.mkdir()
    git(new, "init", "-q")
    write(new, "a.py")
    assert (await place.run(new, check("true", of=CheckOf.COMMIT))).ended is CheckEnding.NO_COMMIT
    assert (await place.run(new, check("true", from_base=["tests/"]))).ended is CheckEnding.PASSED


async def test_a_workspace_inside_a_repository_is_checked_where_it_is(shop: Path, place: Place) -> None:
    write(shop, "api/tests/a.txt", "before\n")
    base = await place.changes.tree(shop / "api")
    write(shop, "api/tests/a.txt", "after\n")
    write(shop, "tests/a.txt", "after\n")
    shown = check("sh", "-c", "cat a.txt ../../tests/a.txt; exit 3", directory="tests", from_base=["tests"])
    result = await place.run(shop / "api", shown, base=base)
    assert result.output.split() == ["before", "after"]
    assert result.restored == ("api/tests/a.txt",)


async def test_the_repository_is_byte_for_byte_what_it_was(shop: Path, place: Place) -> None:
    write(shop, "stashed.txt")
    git(shop, "stash", "push", "-q", "--include-untracked")
    write(shop, "staged.txt")
    git(shop, "add", "staged.txt")
    write(shop, "tests/test_shop.py", WEAKENED)
    base = git(shop, "rev-parse", "HEAD^{tree}")
    before = everything(shop)
    written = check("sh", "-c", "echo x > shop.py; rm -rf tests; git init -q .; exit 1", from_base=["tests/"])
    assert (await place.run(shop, written, base=base)).ended is CheckEnding.FAILED
    assert everything(shop) == before
    assert git(shop, "worktree", "list", "--porcelain").count("worktree ") == 1
    assert git(shop, "stash", "list").count("\n") == 0


async def test_nothing_that_the_repository_configures_is_run(shop: Path, place: Place, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        hook = shop / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_bytes(script.read_bytes())
        hook.chmod(0o755)
    write(shop, ".gitattributes", "*.py filter=x\n")
    git(shop, "config", "core.fsmonitor", str(script))
    for kind in ("smudge", "clean", "process"):
        git(shop, "config", f"filter.x.{kind}", str(script))
    write(shop, "shop.py", CODE)
    ran.unlink(missing_ok=True)
    assert (await place.run(shop, check(from_base=["tests/"]))).ended is CheckEnding.PASSED
    assert not ran.exists()


async def test_a_submodule_is_an_empty_directory(shop: Path, place: Place) -> None:
    inner = shop / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    write(inner, "a.py")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "first")
    git(shop, "add", "inner")
    # Until somebody commits it as a submodule, what an agent put there is looked at file by file.
    assert (await place.run(shop, check("sh", "-c", "ls -A inner; exit 1"))).output == "a.py\n"
    git(shop, "commit", "-q", "-m", "a submodule")
    assert (await place.run(shop, check("sh", "-c", "ls -A inner; exit 1"))).output == ""


async def test_a_linked_work_tree_and_a_repository_of_longer_names_are_checked_too(
    shop: Path, place: Place, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git(shop, "worktree", "add", "-q", str(linked))
    before = everything(shop)
    write(linked, "tests/test_shop.py", WEAKENED)
    assert (await place.run(linked)).ended is CheckEnding.PASSED
    assert (await place.run(linked, check(from_base=["tests/"]))).ended is CheckEnding.FAILED
    assert everything(shop) == before
    longer = tmp_path / "longer"
    longer.mkdir()
    git(longer, "init", "-q", "--object-format=sha256")
    write(longer, "tests/a", "before")
    base = await place.changes.tree(longer)
    write(longer, "tests/a", "after")
    shown = await place.run(longer, check("sh", "-c", "cat tests/a; exit 1", from_base=["tests"]), base=base)
    assert (shown.output, len(shown.tree)) == ("before", 64)


async def test_a_base_that_is_no_longer_known_is_no_verdict(shop: Path, place: Place) -> None:
    with pytest.raises(CheckNotRun, match="diff-tree"):
        await place.run(shop, check(from_base=["tests/"]), base="1" * 40)
