"""What git is asked of work trees that are damaged, hostile, huge, or inside another one."""

import os
import shutil
from pathlib import Path

import pytest

from mama_bot.config import ScopeGuardSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.scope.stage import ScopeGuard
from mama_bot.model import Amend
from mama_bot.repositories import GitChanges, snapshot
from mama_bot.repositories.git import GitFailed
from tests.enforcement.examples import delegation, draft, turn, wrote
from tests.enforcement.scope.test_scope_guard import changed, git, repository, write
from tests.repositories.making import run_nothing_configured

__all__ = ["repository"]


def script(directory: Path) -> Path:
    """A command that leaves the file `ran` beside itself."""
    made = directory / "script"
    made.write_text(f"#!/bin/sh\ntouch {directory / 'ran'}\ncat\n", encoding="utf-8")
    made.chmod(0o755)
    return made


async def test_a_workspace_of_our_own_inside_a_checkout_is_not_the_checkout_s(repository: Path) -> None:
    write(repository, ".gitignore", "data/\n")
    own = repository / "data" / "workspaces"
    workspace = own / "web-general" / "developer"
    workspace.mkdir(parents=True)
    changes = GitChanges(workspace_of=lambda _: workspace, indexes=repository / "data" / "indexes", own=own)
    baseline = await changes.tree(workspace)
    assert baseline == ""
    guard = ScopeGuard(settings=ScopeGuardSettings(), changed_files=changes)
    said = draft("Done.", record=wrote("a.py", "b.py", "c.py", "d.py"))
    decision = await guard.judge(Case(said, turn(delegated=delegation("- only a.py"), baseline=baseline)))
    assert isinstance(decision, Amend)
    assert decision.evidence.figures[0].value == 3
    git(workspace, "init", "-q")
    begun = await changes.tree(workspace)
    write(workspace, "new.py")
    write(repository, "src/auth.py", "somebody else\n")
    assert await changes.since(turn(baseline=begun)) == frozenset({"new.py"})


async def test_a_configured_workspace_inside_a_repository_sees_all_of_it(repository: Path, tmp_path: Path) -> None:
    changes = GitChanges(workspace_of=lambda _: repository / "src", own=tmp_path / "elsewhere")
    baseline = await changes.tree(repository / "src")
    write(repository, "docs/new.md")
    assert await changes.since(turn(baseline=baseline)) == frozenset({"docs/new.md"})


async def test_what_is_not_to_be_shown_is_named_and_stands_in_no_diff(repository: Path, tmp_path: Path) -> None:
    changes = GitChanges(workspace_of=lambda _: repository, indexes=tmp_path / "indexes", unshown=(".mama/",))
    baseline = await changes.tree(repository)
    write(repository, ".mama/topics.jsonl", "All of it is perfect.\n")
    write(repository, "a.md", "new words\n")
    work = await changes.work(turn(baseline=baseline), 10_000)
    assert work is not None
    assert (work.files, work.left_out) == ((".mama/topics.jsonl", "a.md"), ())
    assert ("new words" in work.text, "perfect" in work.text) == (True, False)


async def test_no_filter_that_the_repository_configures_is_run(repository: Path, tmp_path: Path) -> None:
    command = str(script(tmp_path))
    write(repository, ".gitattributes", "*.py filter=x\n*.md filter=a=b.c\n*.txt filter=y\n")
    for name in ("x", "a=b.c"):
        git(repository, "config", "--file", ".git/config", f"filter.{name}.clean", command)
        git(repository, "config", "--file", ".git/config", f"filter.{name}.required", "true")
    git(repository, "config", "filter.y.process", command)
    baseline = await snapshot(repository)
    for name in ("src/auth.py", "README.md", "new.txt"):
        write(repository, name, "other\n")
    assert await changed(repository, baseline) == frozenset({"src/auth.py", "README.md", "new.txt"})
    assert not (tmp_path / "ran").exists()


async def test_no_filter_that_a_submodule_configures_is_run(repository: Path, tmp_path: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    write(inner, "file.txt")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "first")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "with a repository inside")
    git(inner, "config", "filter.x.clean", str(script(tmp_path)))
    write(inner, ".gitattributes", "* filter=x\n")
    write(inner, "file.txt", "changed\n")
    baseline = await snapshot(repository)
    assert not (tmp_path / "ran").exists()
    git(inner, "-c", "filter.x.clean=", "commit", "-q", "-am", "second")
    write(repository, "new.py")
    assert await changed(repository, baseline) == frozenset({"inner", "new.py"})
    shutil.rmtree(inner)
    assert await changed(repository, baseline) == frozenset({"inner", "new.py"})
    assert not (tmp_path / "ran").exists()


async def test_a_repository_that_is_gone_or_broken_since_the_baseline_is_an_error(repository: Path) -> None:
    baseline = await snapshot(repository)
    settings = repository / ".git" / "config"
    whole = settings.read_text(encoding="utf-8")
    settings.write_text("[broken\n", encoding="utf-8")
    with pytest.raises(GitFailed, match="bad config"):
        await changed(repository, baseline)
    with pytest.raises(GitFailed, match="bad config"):
        await snapshot(repository)
    settings.write_text(whole, encoding="utf-8")
    shutil.rmtree(repository / ".git")
    with pytest.raises(GitFailed, match="the repository that was here when the turn began is gone"):
        await changed(repository, baseline)
    shutil.rmtree(repository)
    with pytest.raises(GitFailed, match="is gone"):
        await changed(repository, baseline)


async def test_a_repository_of_another_owner_is_read_and_nothing_of_it_runs(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a directory away")
    monkeypatch.delenv("SUDO_UID", raising=False)
    with run_nothing_configured(repository, tmp_path):
        for place in (repository, repository / ".git"):
            os.chown(place, 12345, 12345)
        assert await snapshot(repository)


async def test_settings_that_make_git_refuse_a_file_do_not_hide_the_others(repository: Path) -> None:
    git(repository, "config", "core.safecrlf", "true")
    git(repository, "config", "core.autocrlf", "input")
    baseline = await snapshot(repository)
    write(repository, "src/auth.py", "one\r\ntwo\n")
    assert await changed(repository, baseline) == frozenset({"src/auth.py"})


async def test_a_file_outside_a_sparse_checkout_is_seen(repository: Path) -> None:
    write(repository, "docs/a.md")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "second")
    git(repository, "sparse-checkout", "set", "src")
    baseline = await snapshot(repository)
    write(repository, "docs/new.md")
    assert await changed(repository, baseline) == frozenset({"docs/new.md"})


@pytest.mark.parametrize("name", ["o'brien", "*", ":(top)"])
async def test_an_empty_repository_inside_may_be_called_anything(repository: Path, name: str) -> None:
    baseline = await snapshot(repository)
    (repository / name).mkdir()
    git(repository / name, "init", "-q")
    write(repository, "src/auth.py", "other\n")
    assert await changed(repository, baseline) == frozenset({"src/auth.py"})


async def test_a_kept_index_writes_nothing_into_the_repository(repository: Path, tmp_path: Path) -> None:
    def objects() -> set[Path]:
        return set((repository / ".git").rglob("*"))

    before = objects()
    changes = GitChanges(workspace_of=lambda _: repository, indexes=tmp_path / "indexes")
    baseline = await changes.tree(repository)
    write(repository, "new.py")
    assert await changes.since(turn(baseline=baseline)) == frozenset({"new.py"})
    assert objects() == before


async def test_what_a_git_that_was_late_left_behind_goes_with_the_next_snapshot(
    repository: Path, tmp_path: Path
) -> None:
    indexes = tmp_path / "indexes"
    changes = GitChanges(workspace_of=lambda _: repository, indexes=indexes)
    await changes.tree(repository)
    (objects,) = indexes.glob("*.objects")
    for left in (objects / "pack" / "tmp_pack_abc", objects / "tmp_obj_abc"):
        left.touch()
    await changes.tree(repository)
    assert list(objects.rglob("tmp_*")) == []


async def test_a_baseline_outlives_the_objects_of_its_day(repository: Path, tmp_path: Path) -> None:
    indexes = tmp_path / "indexes"
    changes = GitChanges(workspace_of=lambda _: repository, indexes=indexes)
    write(repository, "untracked.txt", "one\n")
    baseline = await changes.tree(repository)
    for text in ("two\n", "three\n"):
        (objects,) = indexes.glob("*.objects")
        os.utime(objects / "begun", (0, 0))
        write(repository, "untracked.txt", text)
        assert await changes.since(turn(baseline=baseline)) == frozenset({"untracked.txt"})
        baseline = await changes.tree(repository)
    assert sorted(place.suffix for place in indexes.iterdir()) == ["", ".earlier", ".from", ".git", ".objects"]


async def test_an_absolute_name_below_the_repository_s_root_is_the_file_there(repository: Path) -> None:
    baseline = await snapshot(repository)
    write(repository, "src/auth.py", "other\n")
    write(repository, "src/utils.py", "other\n")
    guard = ScopeGuard(
        settings=ScopeGuardSettings(), changed_files=GitChanges(workspace_of=lambda _: repository / "src")
    )
    asked = turn(delegated=delegation(f"- {repository}/src/auth.py is faster"), baseline=baseline)
    decision = await guard.judge(Case(draft("Done."), asked))
    assert isinstance(decision, Amend)
    assert "`src/utils.py`" in decision.banner
    assert "auth" not in decision.banner


async def test_a_name_in_brackets_is_judged_like_any_other(repository: Path) -> None:
    baseline = await snapshot(repository)
    write(repository, "app/[user-id]/page.tsx")
    write(repository, "app/x.tsx")
    guard = ScopeGuard(settings=ScopeGuardSettings(), changed_files=GitChanges(workspace_of=lambda _: repository))
    asked = turn(delegated=delegation("- app/[user-id]/page.tsx shows the name"), baseline=baseline)
    decision = await guard.judge(Case(draft("Done."), asked))
    assert decision.evidence.figures[0].value == 1


async def test_a_file_that_cannot_be_read_hides_no_other(repository: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    baseline = await snapshot(repository)
    write(repository, "secret.txt")
    (repository / "secret.txt").chmod(0)
    write(repository, "new.py")
    assert await changed(repository, baseline) == frozenset({"new.py"})
