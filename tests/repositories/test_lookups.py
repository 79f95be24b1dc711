"""What the disk and git say of files and commits that are asked about, and what they leave open."""

from pathlib import Path

import pytest

from mama_bot.model import NOTHING_KNOWN, Enquiry, Standing
from mama_bot.repositories import WorkspaceStandings
from tests.repositories.making import git, made_repository, run_nothing_configured
from tests.store.making import message, turn

TURN = turn(message())
NO_COMMIT = "deadbee"


async def standing(workspace: Path, *, seconds: float = 20, **asked: tuple[str, ...]) -> Standing:
    looked = WorkspaceStandings(workspace_of=lambda _: workspace, seconds=seconds, own=workspace.parent)
    return await looked.standing(TURN, Enquiry(**asked))


def committed(repository: Path, name: str) -> str:
    (repository / name).write_text("x\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", name)
    return git(repository, "rev-parse", "--short", "HEAD")


async def test_files_are_there_or_nowhere(repository: Path) -> None:
    (repository / "새 파일.py").touch()
    known = await standing(repository, files=("a.py", "새 파일.py", "gone.py"), names=("src/gone.py",))
    assert known.present == {"a.py", "새 파일.py"}
    assert known.absent == {"gone.py", "src/gone.py"}


async def test_a_name_that_ends_the_path_of_a_file_is_not_absent(repository: Path) -> None:
    (repository / "packages" / "api" / "src").mkdir(parents=True)
    (repository / "packages" / "api" / "src" / "Auth.py").touch()
    known = await standing(repository, names=("src/auth.py", "auth.py", "th.py"))
    assert known.present == frozenset()
    assert known.absent == {"th.py"}


async def test_a_file_of_another_branch_is_not_absent(repository: Path) -> None:
    git(repository, "switch", "-q", "-c", "feature")
    (repository / "src").mkdir()
    committed(repository, "src/auth.py")
    git(repository, "switch", "-q", "-")
    known = await standing(repository, names=("src/auth.py", "auth.py", "src/other.py"))
    assert known.absent == {"src/other.py"}


async def test_what_lies_outside_or_is_not_searched_is_not_known_to_be_absent(repository: Path) -> None:
    names = ("/etc/no-such-file", "../other/a.py", "~/notes.md", "node_modules/x/index.js", ".git/no-such-file")
    assert (await standing(repository, names=names)).absent == frozenset()


async def test_a_workspace_without_a_repository_answers_for_its_files_alone(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "a.py").touch()
    known = await standing(tmp_path / "w", files=("a.py", "b.py"), commits=("abc1234",), hashes=(NO_COMMIT,))
    assert known == Standing(present=frozenset({"a.py"}), absent=frozenset({"b.py"}))


async def test_a_commit_that_was_reset_is_lost_and_one_on_another_branch_is_not(repository: Path) -> None:
    git(repository, "switch", "-q", "-c", "feature")
    elsewhere = committed(repository, "b.py")
    git(repository, "switch", "-q", "-")
    reset = committed(repository, "c.py")
    git(repository, "reset", "-q", "--hard", "HEAD~1")
    here = committed(repository, "d.py")
    assert (await standing(repository, commits=(elsewhere, reset, here, NO_COMMIT))).lost == {reset}


async def test_a_commit_of_a_detached_head_is_not_lost(repository: Path) -> None:
    git(repository, "switch", "-q", "--detach")
    assert (await standing(repository, commits=(committed(repository, "b.py"),))).lost == frozenset()


async def test_what_no_remote_has_is_unpushed_and_without_a_remote_nobody_knows(
    tmp_path: Path, repository: Path
) -> None:
    first = committed(repository, "b.py")
    assert (await standing(repository, commits=(first,))).unpushed == frozenset()
    git(tmp_path, "init", "-q", "--bare", "origin.git")
    git(repository, "remote", "add", "origin", str(tmp_path / "origin.git"))
    git(repository, "push", "-q", "origin", "HEAD:main")
    second = committed(repository, "c.py")
    assert (await standing(repository, commits=(first, second))).unpushed == {second}


async def test_a_name_that_the_repository_has_no_commit_of_is_unheard(repository: Path) -> None:
    first, tree = git(repository, "rev-parse", "HEAD"), git(repository, "rev-parse", "HEAD^{tree}")
    asked = (first, first[:8], tree, NO_COMMIT, "0" * 40)
    assert (await standing(repository, hashes=asked)).unheard == {tree, NO_COMMIT, "0" * 40}


async def test_of_a_shallow_repository_nobody_knows_which_commits_there_are(tmp_path: Path, repository: Path) -> None:
    committed(repository, "b.py")
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", "shallow")
    assert (await standing(tmp_path / "shallow", hashes=(NO_COMMIT,))).unheard == frozenset()


async def test_nothing_that_is_configured_there_runs(repository: Path, tmp_path: Path) -> None:
    first = committed(repository, "b.py")
    with run_nothing_configured(repository, tmp_path):
        known = await standing(repository, files=("gone.py",), commits=(first,), hashes=(NO_COMMIT,))
    assert known.absent == {"gone.py"}


@pytest.mark.parametrize("seconds", [0.0])
async def test_what_is_late_is_not_known(repository: Path, seconds: float) -> None:
    assert await standing(repository, seconds=seconds, files=("a.py",), hashes=(NO_COMMIT,)) == NOTHING_KNOWN


async def test_a_workspace_that_is_gone_tells_nothing_of_what_was_in_it(tmp_path: Path) -> None:
    assert await standing(tmp_path / "gone", names=("a.py",), hashes=(NO_COMMIT,)) == NOTHING_KNOWN


async def test_a_broken_repository_is_not_known(tmp_path: Path) -> None:
    broken = made_repository(tmp_path / "broken")
    (broken / ".git" / "HEAD").write_text("nonsense")
    assert (await standing(broken, hashes=(NO_COMMIT,))).unheard == frozenset()


async def test_only_what_the_commit_has_is_known_to_be_as_it_was(repository: Path) -> None:
    (repository / ".env").write_text("A=1\n")
    known = await standing(repository, unmoved=("a.py", ".env", "../elsewhere.py", "gone.py"))
    assert known.committed == {"a.py"}
