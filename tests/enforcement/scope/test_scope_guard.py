"""ScopeGuard and the changes it asks git for, on real repositories."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mama_bot.config import ScopeGuardSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.scope.stage import ScopeGuard
from mama_bot.model import Allow, Amend, Decision, Delegation, ToolRecord, Turn, Verdict
from mama_bot.repositories import GitChanges, snapshot
from mama_bot.repositories.changes import GitFailed
from tests.enforcement.examples import Changed, delegation, draft, turn, wrote

IDENTITY = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": "/dev/null",
}


def git(directory: Path, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=directory, env=IDENTITY | variables, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def write(directory: Path, name: str, text: str = "text\n") -> None:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for name in ("src/auth.py", "src/utils.py", "README.md"):
        write(root, name, f"{name}\n" * 20)
    write(root, ".gitignore", "build/\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


async def changed(root: Path, baseline: str) -> frozenset[str] | None:
    return await GitChanges(workspace_of=lambda _: root).since(turn(baseline=baseline))


async def judged(
    asked: Delegation | None, files: frozenset[str] | None, record: ToolRecord | None = None, text: str = "Done."
) -> Decision:
    guard = ScopeGuard(settings=ScopeGuardSettings(), changed_files=Changed(files))
    return await guard.judge(Case(draft(text, record=record), turn(delegated=asked)))


async def test_committed_uncommitted_untracked_renamed_and_deleted_files_are_changes(repository: Path) -> None:
    baseline = await snapshot(repository)
    write(repository, "src/auth.py", "committed\n")
    git(repository, "commit", "-q", "-am", "second")
    write(repository, "README.md", "uncommitted\n")
    write(repository, "새 파일.txt")
    write(repository, "build/ignored.txt")
    git(repository, "mv", "src/utils.py", "src/tools.py")
    assert await changed(repository, baseline) == frozenset(
        {"src/auth.py", "README.md", "새 파일.txt", "src/utils.py", "src/tools.py"}
    )
    (repository / ".gitignore").unlink()
    assert ".gitignore" in (await changed(repository, baseline) or frozenset())


async def test_nothing_changed_is_an_empty_set(repository: Path) -> None:
    assert await changed(repository, await snapshot(repository)) == frozenset()


async def test_what_was_changed_before_and_put_back_is_no_change(repository: Path) -> None:
    baseline = await snapshot(repository)
    write(repository, "src/auth.py", "other\n")
    git(repository, "checkout", "-q", "--", "src/auth.py")
    assert await changed(repository, baseline) == frozenset()


async def test_a_workspace_inside_the_repository_sees_all_of_it(repository: Path) -> None:
    baseline = await snapshot(repository / "src")
    write(repository, "docs/new.md")
    assert await changed(repository / "src", baseline) == frozenset({"docs/new.md"})


async def test_a_repository_without_a_commit_inside_hides_nothing_else(repository: Path) -> None:
    baseline = await snapshot(repository)
    (repository / "scaffold").mkdir()
    git(repository / "scaffold", "init", "-q")
    write(repository, "scaffold/new.py")
    write(repository, "src/auth.py", "other\n")
    assert "src/auth.py" in (await changed(repository, baseline) or frozenset())


async def test_a_name_with_a_line_break_is_one_file(repository: Path) -> None:
    baseline = await snapshot(repository)
    write(repository, "two\nlines.txt")
    assert await changed(repository, baseline) == frozenset({"two\nlines.txt"})


async def test_without_a_repository_or_a_baseline_nothing_is_known(tmp_path: Path, repository: Path) -> None:
    assert await changed(tmp_path, "") is None
    assert await changed(tmp_path / "missing", "") is None
    assert await changed(repository, "") is None
    assert await snapshot(tmp_path) == ""
    assert await snapshot(tmp_path / "missing") == ""


async def test_changes_are_seen_before_the_first_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    baseline = await snapshot(tmp_path)
    write(tmp_path, "first.txt")
    assert await changed(tmp_path, baseline) == frozenset({"first.txt"})


async def test_what_others_left_uncommitted_before_is_not_counted(repository: Path) -> None:
    write(repository, "src/auth.py", "another agent\n")
    write(repository, "new.py", "another agent\n")
    before = git(repository, "status", "--porcelain")
    baseline = await snapshot(repository)
    assert git(repository, "status", "--porcelain") == before
    assert await changed(repository, baseline) == frozenset()
    write(repository, "new.py", "this agent\n")
    assert await changed(repository, baseline) == frozenset({"new.py"})


async def test_a_baseline_that_is_gone_is_an_error_in_a_sentence(repository: Path) -> None:
    with pytest.raises(GitFailed, match=r"git diff-tree in .* failed: "):
        await changed(repository, "1" * 40)


async def test_git_that_is_late_is_an_error_and_leaves_no_process(repository: Path) -> None:
    late = GitChanges(workspace_of=lambda _: repository, seconds=1e-9)
    with pytest.raises(GitFailed, match="no answer within"):
        await late.since(turn(baseline="HEAD"))


async def test_what_the_repository_configures_is_not_run(repository: Path, tmp_path: Path) -> None:
    baseline = await snapshot(repository)
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\n", encoding="utf-8")
    script.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(script))
    git(repository, "config", "diff.external", str(script))
    write(repository, "src/auth.py", "other\n")
    assert await changed(repository, baseline) == frozenset({"src/auth.py"})
    assert not (tmp_path / "ran").exists()


EXPECTED = "- src/auth.py uses constant time\n- tests/auth_test.py covers it"


async def test_expected_files_pass() -> None:
    assert isinstance(await judged(delegation(EXPECTED), frozenset({"src/auth.py", "tests/auth_test.py"})), Allow)


async def test_an_unexpected_file_is_a_warning_that_names_it() -> None:
    decision = await judged(delegation(EXPECTED), frozenset({"src/auth.py", "src/utils.py"}))
    assert isinstance(decision, Amend)
    assert decision.verdict is Verdict.NOTED
    assert "`src/utils.py`" in decision.banner


@pytest.mark.parametrize(("count", "verdict"), [(2, Verdict.NOTED), (3, Verdict.NEEDS_REVIEW)])
async def test_at_the_threshold_the_reply_needs_review(count: int, verdict: Verdict) -> None:
    decision = await judged(delegation(EXPECTED), frozenset(f"other/{number}.py" for number in range(count)))
    assert isinstance(decision, Amend)
    assert decision.verdict is verdict


async def test_a_file_named_in_must_not_do_is_never_expected() -> None:
    asked = delegation("Everything in src/", must_not="src/utils.py must not be touched")
    decision = await judged(asked, frozenset({"src/auth.py", "src/utils.py"}))
    assert isinstance(decision, Amend)
    assert "utils" in decision.banner
    assert "auth" not in decision.banner


async def test_must_not_do_alone_is_judged_alone() -> None:
    asked = delegation("Faster log-in", must_not="Do not touch migrations/")
    assert isinstance(await judged(asked, frozenset({"src/auth.py"})), Allow)
    assert isinstance(await judged(asked, frozenset({"migrations/0001.sql"})), Amend)


@pytest.mark.parametrize("asked", [None, delegation(), delegation("Faster log-in. 더 빠른 로그인")])
async def test_without_named_files_nothing_is_judged(asked: Delegation | None) -> None:
    assert isinstance(await judged(asked, frozenset({"a.py", "b.py", "c.py", "d.py"})), Allow)


async def test_generated_files_are_expected() -> None:
    assert isinstance(
        await judged(delegation(EXPECTED), frozenset({"poetry.lock", "src/__pycache__/auth.cpython.pyc"})), Allow
    )


async def test_without_an_outcome_the_files_of_the_task_count() -> None:
    assert isinstance(await judged(delegation(task="Refactor src/auth.py"), frozenset({"src/auth.py"})), Allow)
    assert isinstance(await judged(delegation(task="Refactor src/auth.py"), frozenset({"b.py"})), Amend)


async def test_without_a_repository_the_record_of_tools_counts() -> None:
    assert isinstance(await judged(delegation(EXPECTED), None, wrote("src/other.py")), Amend)
    assert isinstance(await judged(delegation(EXPECTED), None, wrote("src/auth.py")), Allow)
    assert isinstance(await judged(delegation(EXPECTED), None, wrote("src/other.py", ok=False)), Allow)
    assert isinstance(await judged(delegation(EXPECTED), None, wrote("src/other.py", tool="Read")), Allow)


async def test_a_hostile_file_name_stays_on_one_line_of_the_banner() -> None:
    decision = await judged(delegation(EXPECTED), frozenset({"a\n@everyone `x`.py"}), text="완료했습니다.")
    assert isinstance(decision, Amend)
    assert "\n" not in decision.banner
    assert "@" not in decision.banner
    assert "파일 1개" in decision.banner


async def test_the_guard_asks_git_in_the_workspace_of_the_turn(repository: Path) -> None:
    baseline = await snapshot(repository)
    write(repository, "src/utils.py", "changed\n")

    def workspace_of(asked: Turn) -> Path:
        assert asked.persona == "developer"
        return repository

    guard = ScopeGuard(settings=ScopeGuardSettings(), changed_files=GitChanges(workspace_of=workspace_of))
    decision = await guard.judge(Case(draft("Done."), turn(delegated=delegation(EXPECTED), baseline=baseline)))
    assert isinstance(decision, Amend)
    assert "src/utils.py" in decision.banner


async def test_what_the_repository_declares_as_generated_is_expected(repository: Path) -> None:
    write(repository, ".gitattributes", "*_pb2.py linguist-generated\nnot.py -linguist-generated\n")
    baseline = await snapshot(repository)
    for name in ("src/auth.py", "한글_pb2.py", "not.py"):
        write(repository, name, "changed\n")
    changes = GitChanges(workspace_of=lambda _: repository)
    guard = ScopeGuard(settings=ScopeGuardSettings(), changed_files=changes)
    asked = turn(delegated=delegation(EXPECTED), baseline=baseline)
    decision = await guard.judge(Case(draft("Done."), asked))
    assert isinstance(decision, Amend)
    assert "`not.py`" in decision.banner
    assert "pb2" not in decision.banner
    write(repository, ".gitattributes", "* linguist-generated\n")
    declared_now = await guard.judge(Case(draft("Done."), asked))
    assert isinstance(declared_now, Amend)
    assert "pb2" in declared_now.banner, "who changes the declaration in the same turn is not excused by it"


async def test_files_that_the_team_s_own_tools_generate_are_configured() -> None:
    settings = ScopeGuardSettings(generated=("src/generated/", "*.pb.go"))
    guard = ScopeGuard(settings=settings, changed_files=Changed(frozenset({"src/generated/a/b.py", "x.pb.go"})))
    assert isinstance(await guard.judge(Case(draft("Done."), turn(delegated=delegation(EXPECTED)))), Allow)


async def test_how_many_files_were_unexpected_is_measured() -> None:
    decision = await judged(delegation(EXPECTED), frozenset({"src/auth.py", "b.py", "c.py"}))
    assert [(figure.name, figure.value) for figure in decision.evidence.figures] == [
        ("unexpected_files", 2),
        ("scope_violated", False),
    ]


async def test_a_kept_index_sees_what_a_fresh_one_sees(repository: Path, tmp_path: Path) -> None:
    """Commits, ignored files that are tracked all the same, and files that nobody added, in any order."""
    kept = GitChanges(workspace_of=lambda _: repository, indexes=tmp_path / "indexes")
    write(repository, "untracked.txt")
    steps: list[Callable[[], object]] = [
        lambda: write(repository, "src/auth.py", "one\n"),
        lambda: git(repository, "commit", "-q", "-am", "second"),
        lambda: write(repository, "build/forced.txt"),
        lambda: git(repository, "add", "-f", "build/forced.txt"),
        lambda: write(repository, "build/forced.txt", "again\n"),
        lambda: git(repository, "mv", "src/utils.py", "src/두 번째.py"),
        (repository / "untracked.txt").unlink,
        lambda: git(repository, "stash", "-q"),
        lambda: git(repository, "checkout", "-q", "-b", "other", "HEAD~1"),
        lambda: write(repository, "src/auth.py", "two\n"),
        lambda: write(repository, "src/auth.py", "six\n"),
    ]
    for step in steps:
        step()
        assert await kept.tree(repository) == await snapshot(repository)
    assert len(list((tmp_path / "indexes").glob("*.from"))) == 1


async def test_objects_that_git_collected_are_written_again(repository: Path, tmp_path: Path) -> None:
    write(repository, "untracked/one.txt", "one\n")
    for _ in range(2):
        kept = GitChanges(workspace_of=lambda _: repository, indexes=tmp_path / "indexes")
        await kept.tree(repository)
        git(repository, "gc", "-q", "--prune=now")
    write(repository, "untracked/two.txt", "two\n")
    after = GitChanges(workspace_of=lambda _: repository, indexes=tmp_path / "indexes")
    tree = await after.tree(repository)
    (objects,) = (tmp_path / "indexes").glob("*.objects")
    at = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects)}
    assert git(repository, "cat-file", "-p", f"{tree}:untracked/one.txt", **at) == "one"


async def test_a_lock_that_a_killed_git_left_is_no_hindrance(repository: Path, tmp_path: Path) -> None:
    kept = GitChanges(workspace_of=lambda _: repository, indexes=tmp_path / "indexes")
    before = await kept.tree(repository)
    (index,) = (file for file in (tmp_path / "indexes").iterdir() if not file.suffix)
    index.with_suffix(".lock").touch()
    write(repository, "new.py")
    assert await kept.tree(repository) not in ("", before)


async def test_turns_in_one_repository_at_the_same_time_do_not_disturb_each_other(
    repository: Path, tmp_path: Path
) -> None:
    kept = GitChanges(workspace_of=lambda _: repository, indexes=tmp_path / "indexes")
    for number in range(50):
        write(repository, f"many/{number}.txt")
    async with asyncio.TaskGroup() as group:
        trees = [group.create_task(kept.tree(repository / place)) for place in ("", "src", "many", "")]
    assert {tree.result() for tree in trees} == {await snapshot(repository)}
