"""How much a turn changed, and the diff that a reviewer gets."""

from pathlib import Path

from mama_bot.repositories import GitChanges
from tests.enforcement.examples import turn
from tests.enforcement.scope.test_scope_guard import git, repository, write

__all__ = ["repository"]


async def test_lines_and_diff_since_the_baseline_whether_committed_or_not(repository: Path) -> None:
    changes = GitChanges(workspace_of=lambda _: repository)
    baseline = await changes.tree(repository)
    write(repository, "src/auth.py", "src/auth.py\n" * 19 + "새 줄\n")
    git(repository, "commit", "-q", "-a", "-m", "second")
    write(repository, "새 파일.py", "a\nb\n")
    (repository / "image.png").write_bytes(b"\0\1\2" * 100)
    work = await changes.work(turn(baseline=baseline), 10_000)
    assert work is not None
    assert work.files == ("image.png", "src/auth.py", "새 파일.py")
    assert work.lines == 1 + 1 + 2
    assert work.left_out == ("image.png",)
    assert "+새 줄" in work.text
    assert "+b" in work.text


async def test_a_large_change_does_not_push_the_small_ones_out_of_the_diff(repository: Path) -> None:
    changes = GitChanges(workspace_of=lambda _: repository)
    baseline = await changes.tree(repository)
    write(repository, "a_huge.py", "x = 1\n" * 50_000)
    (repository / "wide.py").write_text("y" * 3000 + "\n", encoding="utf-8")
    write(repository, "src/auth.py", "changed\n")
    work = await changes.work(turn(baseline=baseline), 2_000)
    assert work is not None
    assert work.left_out == ("a_huge.py",)
    assert "+changed" in work.text
    assert "the diff is cut here" in work.text
    assert len(work.text) < 2_100


async def test_without_a_baseline_nothing_is_known_and_without_a_change_nothing_is_there(repository: Path) -> None:
    changes = GitChanges(workspace_of=lambda _: repository)
    assert await changes.work(turn(), 100) is None
    work = await changes.work(turn(baseline=await changes.tree(repository)), 100)
    assert work is not None
    assert (work.files, work.lines, work.text) == ((), 0, "")
