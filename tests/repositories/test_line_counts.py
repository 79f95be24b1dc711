"""Lines that were added and taken out, as git counts them: true, harmless, and left out where nobody can tell."""

from pathlib import Path

import pytest

from tests.repositories.making import git, line_counts, run_nothing_configured


@pytest.fixture
def workspace(repository: Path) -> Path:
    directory = repository / "sub dir"
    directory.mkdir()
    (directory / "두 줄.py").write_text("one\ntwo\n")
    (directory / "gone.py").write_text("1\n2\n3\n")
    (directory / "image.bin").write_bytes(b"\0\1\2")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "second")
    return directory


async def counted(workspace: Path, *paths: str) -> dict[str, tuple[int, int]]:
    return dict(
        await line_counts(workspace.parent.parent).since(workspace, git(workspace, "rev-parse", "HEAD^{tree}"), paths)
    )


async def test_changed_new_and_deleted_files_are_counted(workspace: Path) -> None:
    (workspace / "두 줄.py").write_text("one\n2\nthree\n")
    (workspace / "gone.py").unlink()
    (workspace / "new.py").write_text("a\nb")
    lines = await counted(workspace, "두 줄.py", "gone.py", "new.py")
    assert lines == {"두 줄.py": (2, 1), "gone.py": (0, 3), "new.py": (2, 0)}


async def test_what_was_committed_since_counts_too(workspace: Path) -> None:
    began = git(workspace, "rev-parse", "HEAD^{tree}")
    (workspace / "두 줄.py").write_text("one\n")
    (workspace / "new.py").write_text("a\n")
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "third")
    lines = await line_counts(workspace.parent.parent).since(workspace, began, ("두 줄.py", "new.py"))
    assert lines == {"두 줄.py": (0, 1), "new.py": (1, 0)}


async def test_what_git_does_not_count_is_left_out(workspace: Path, tmp_path: Path) -> None:
    (workspace / "image.bin").write_bytes(b"\0\3")
    (workspace / "new.bin").write_bytes(b"\0\3")
    (workspace / ".gitignore").write_text("ignored.py\n")
    (workspace / "ignored.py").write_text("x\n")
    (tmp_path / "outside.py").write_text("x\n")
    asked = ("image.bin", "new.bin", "ignored.py", "../a.py", "nowhere.py")
    assert await counted(workspace, *asked) == {}
    assert await counted(workspace, str(tmp_path / "outside.py")) == {}


async def test_a_link_is_not_followed(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("x\ny\n")
    (workspace / "link.py").symlink_to(tmp_path / "outside.py")
    assert await counted(workspace, "link.py") == {"link.py": (1, 0)}  # where it leads is what git keeps of it


async def test_nothing_that_is_configured_in_the_repository_runs(repository: Path, tmp_path: Path) -> None:
    began = git(repository, "rev-parse", "HEAD^{tree}")
    with run_nothing_configured(repository, tmp_path):
        (repository / "a.py").write_text("x\ny\n")
        assert await line_counts(tmp_path).since(repository, began, ("a.py",)) == {"a.py": (1, 0)}


async def test_a_commit_is_never_taken_for_an_option(repository: Path, tmp_path: Path) -> None:
    target = tmp_path / "written"
    assert await line_counts(tmp_path).since(repository, f"--output={target}", ("a.py",)) == {}
    assert not target.exists()


async def test_a_late_git_counts_nothing(repository: Path) -> None:
    (repository / "a.py").write_text("x\ny\n")
    assert (
        await line_counts(repository.parent, seconds=0.0).since(
            repository, git(repository, "rev-parse", "HEAD^{tree}"), ("a.py",)
        )
        == {}
    )
