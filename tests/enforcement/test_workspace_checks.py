"""The checks that the service itself runs, on real repositories with a real small suite of tests."""

import asyncio
import hashlib
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from mama_bot.agents.processes import end_marked, marked_processes
from mama_bot.config import CheckOf, WorkspaceCheck, WorkspaceCheckSettings
from mama_bot.enforcement import GitChanges
from mama_bot.enforcement.sidecar import MARK_VARIABLE, CheckNotRun, Ended, HostChecks, Result, sweep
from mama_bot.enforcement.workspace_checks import CheckedWorkspace, WorkspaceChecks, own_words
from mama_bot.log import redactor
from mama_bot.model import Allow, Block, Decision
from tests.enforcement.examples import SteppingClock, draft, turn
from tests.enforcement.test_scope_guard import git, write

CODE = "def total(prices):\n    return sum(prices)\n"
BROKEN = "def total(prices):\n    return sum(prices) + 1\n"
TESTS = """\
import unittest
from shop import total

class Totals(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([1, 2]), 3)
"""
WEAKENED = TESTS.replace("self.assertEqual(total([1, 2]), 3)", "pass")
SUITE = (sys.executable, "-m", "unittest", "discover", "-s", "tests", "-t", ".")


def check(*argv: str, **settings: object) -> WorkspaceCheck:
    return WorkspaceCheck.model_validate({"name": "tests", "argv": argv or SUITE, **settings})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, "shop.py", BROKEN)
    write(root, "tests/__init__.py", "")
    write(root, "tests/test_shop.py", TESTS)
    write(root, ".gitignore", "__pycache__/\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


class Place:
    """The service's side: where its checks run, and what runs them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory / "checks"
        self.mark = hashlib.sha256(str(directory).encode()).hexdigest()
        self.numbers = itertools.count()
        self.changes = GitChanges(workspace_of=lambda _: directory, indexes=directory / "indexes")
        self.checks = self.further()

    def further(self, at_once: int = 2) -> HostChecks:
        """Checks of another life of the same service."""
        return HostChecks(
            repositories=self.changes,
            place=self.directory,
            mark=self.mark,
            environment={"PATH": os.environ["PATH"]},
            redact=redactor(["swordfish"]),
            end_marked=partial(end_marked, term_seconds=0),
            new_id=lambda: f"{self.mark[:8]}-{next(self.numbers)}",
            clock=SteppingClock(),
            at_once=at_once,
        )

    async def run(self, workspace: Path, *checks: WorkspaceCheck, base: str = "") -> Result:
        (first, *_) = await self.checks.run(workspace, checks or (check(),), base=base)
        return first

    async def sweep(self) -> None:
        await sweep(self.directory, self.mark, partial(end_marked, term_seconds=0))

    @property
    def left(self) -> list[str]:
        """What is there of directories and processes."""
        directories = [str(one) for one in self.directory.iterdir()] if self.directory.exists() else []
        return directories + [process.command for process in marked_processes(MARK_VARIABLE, self.mark)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    assert made.left == []


def everything(root: Path) -> dict[str, str]:
    """The bytes of all files of a repository but its objects."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and "objects" not in path.parts)
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


async def until(look: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not look():
            await asyncio.sleep(0.01)


# --- what is checked ------------------------------------------------------------------------------


async def test_honest_work_passes_and_broken_work_fails_with_the_end_of_the_output(shop: Path, place: Place) -> None:
    failed = await place.run(shop)
    assert (failed.ended, failed.exit_status) == (Ended.FAILED, 1)
    assert "AssertionError: 4 != 3" in failed.output
    write(shop, "shop.py", CODE)
    passed = await place.run(shop)
    assert (passed.ended, passed.exit_status) == (Ended.PASSED, 0)
    assert failed.tree != passed.tree


async def test_uncommitted_and_untracked_files_are_seen_and_ignored_ones_are_not(shop: Path, place: Place) -> None:
    write(shop, "shop.py", "from prices import total\n")
    write(shop, "prices.py", CODE)
    assert (await place.run(shop)).ended is Ended.PASSED
    (shop / "prices.py").unlink()
    write(shop, ".gitignore", "ignored.py\n")
    write(shop, "shop.py", "from ignored import total\n")
    write(shop, "ignored.py", CODE)
    assert (await place.run(shop)).ended is Ended.FAILED


async def test_a_check_of_the_commit_sees_the_commit_alone(shop: Path, place: Place) -> None:
    write(shop, "shop.py", CODE)
    committed = check(of=CheckOf.COMMIT)
    assert (await place.run(shop, committed)).ended is Ended.FAILED
    git(shop, "commit", "-q", "-am", "repaired")
    write(shop, "shop.py", BROKEN)
    assert (await place.run(shop, committed)).ended is Ended.PASSED
    assert (await place.run(shop)).ended is Ended.FAILED


async def test_a_check_of_the_commit_fails_before_the_first_one(tmp_path: Path, place: Place) -> None:
    new = tmp_path / "new"
    new.mkdir()
    git(new, "init", "-q")
    write(new, "a.py")
    assert (await place.run(new, check("true", of=CheckOf.COMMIT))).ended is Ended.NO_COMMIT
    assert (await place.run(new, check("true", from_base=["tests/"]))).ended is Ended.PASSED


async def test_a_workspace_inside_a_repository_is_checked_where_it_is(shop: Path, place: Place) -> None:
    write(shop, "api/tests/a.txt", "before\n")
    base = await place.changes.tree(shop / "api")
    write(shop, "api/tests/a.txt", "after\n")
    write(shop, "tests/a.txt", "after\n")
    shown = check("sh", "-c", "cat a.txt ../../tests/a.txt; exit 3", directory="tests", from_base=["tests"])
    result = await place.run(shop / "api", shown, base=base)
    assert result.output.split() == ["before", "after"]
    assert result.restored == ("api/tests/a.txt",)


# --- the files of the base ------------------------------------------------------------------------


@pytest.mark.parametrize("commits", [False, True])
async def test_whoever_edits_the_test_so_that_it_passes_is_caught(shop: Path, place: Place, commits: bool) -> None:
    base = await place.changes.tree(shop)
    write(shop, "tests/test_shop.py", WEAKENED)
    if commits:
        git(shop, "commit", "-q", "-am", "all tests pass")
    assert (await place.run(shop)).ended is Ended.PASSED
    caught = await place.run(shop, check(from_base=["tests/"]), base=base)
    assert caught.ended is Ended.FAILED
    assert caught.restored == ("tests/test_shop.py",)
    write(shop, "shop.py", CODE)
    assert (await place.run(shop, check(from_base=["tests/"]), base=base)).ended is Ended.PASSED


async def test_files_that_the_base_does_not_have_are_left_out_and_deleted_ones_are_back(
    shop: Path, place: Place
) -> None:
    base = await place.changes.tree(shop)
    (shop / "tests" / "test_shop.py").unlink()
    write(shop, "tests/conftest.py", "raise SystemExit(0)\n")
    write(shop, "tests/test_mine.py", "")
    listed = check("sh", "-c", "ls tests; exit 1", from_base=["tests/"])
    assert (await place.run(shop, listed, base=base)).output.split() == ["__init__.py", "test_shop.py"]


async def test_without_a_base_the_commit_is_it(shop: Path, place: Place) -> None:
    write(shop, "tests/test_shop.py", WEAKENED)
    assert (await place.run(shop, check(from_base=["tests/"]))).ended is Ended.FAILED


async def test_what_was_uncommitted_before_the_work_began_belongs_to_the_base(shop: Path, place: Place) -> None:
    write(shop, "tests/test_shop.py", WEAKENED)
    base = await place.changes.tree(shop)
    assert (await place.run(shop, check(from_base=["tests/"]), base=base)).ended is Ended.PASSED


async def test_names_are_paths_of_the_workspace_directories_and_patterns(shop: Path, place: Place) -> None:
    names = ("a.txt", "deep/a.txt", "deep/er/a.txt", "deep/b.cfg", "c.cfg")
    for name in names:
        write(shop, name, "before\n")
    base = await place.changes.tree(shop)
    for name in names:
        write(shop, name, "after\n")
    for given, restored in {
        "a.txt": {"a.txt"},
        "./deep/er/": {"deep/er/a.txt"},
        "deep": {"deep/a.txt", "deep/er/a.txt", "deep/b.cfg"},
        "deep/*.txt": {"deep/a.txt"},
        "**/a.txt": {"a.txt", "deep/a.txt", "deep/er/a.txt"},
        "*.cfg": {"c.cfg"},
        "nothing": set(),
    }.items():
        result = await place.run(shop, check("true", from_base=[given]), base=base)
        assert set(result.restored) == restored, given


async def test_a_link_that_leads_out_of_the_tree_is_never_written_through(
    shop: Path, place: Place, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    base = await place.changes.tree(shop)
    (shop / "tests" / "test_shop.py").unlink()
    (shop / "tests" / "__init__.py").unlink()
    (shop / "tests").rmdir()
    (shop / "tests").symlink_to(outside)
    for names in (["tests/"], ["tests/test_shop.py"], ["**/*.py"]):
        result = await place.run(shop, check(from_base=names), base=base)
        assert "tests/test_shop.py" in result.restored
        assert result.ended is Ended.FAILED
        assert "4 != 3" in result.output or "Ran 0" not in result.output
    assert list(outside.iterdir()) == []


async def test_a_file_where_the_base_has_a_directory_and_the_other_way_round(shop: Path, place: Place) -> None:
    write(shop, "data", "a file\n")
    base = await place.changes.tree(shop)
    (shop / "data").unlink()
    write(shop, "data/in/it", "a file in directories\n")
    result = await place.run(shop, check("sh", "-c", "cat data; exit 1", from_base=["data"]), base=base)
    assert result.output == "a file\n"


async def test_attributes_of_the_agent_do_not_change_how_protected_files_are_laid_out(shop: Path, place: Place) -> None:
    base = await place.changes.tree(shop)
    write(shop, ".gitattributes", "tests/* text eol=crlf\n")
    counted = check("sh", "-c", "grep -c $(printf '\\r') tests/test_shop.py", from_base=["tests/"])
    assert (await place.run(shop, counted, base=base)).output == "0\n"


async def test_hostile_names_are_only_names(shop: Path, place: Place) -> None:
    base = await place.changes.tree(shop)
    names = [
        b"tests/two\nlines",
        b"tests/\xff\xfe",
        "tests/테스트 $(touch x);'\"".encode(),
        b"tests/-rf",
        b"tests/:(top)",
    ]
    for name in names:
        (shop / os.fsdecode(name)).write_text("x", encoding="utf-8")
    listed = check("sh", "-c", "ls tests | wc -l")
    assert (await place.run(shop, listed)).output.split() == ["8"]
    kept = check("sh", "-c", "ls tests | wc -l; exit 1", from_base=["tests"])
    result = await place.run(shop, kept, base=base)
    assert result.output.split() == ["2"]
    assert len(result.restored) == len(names)


# --- what is left as it was -----------------------------------------------------------------------


async def test_the_repository_is_byte_for_byte_what_it_was(shop: Path, place: Place) -> None:
    write(shop, "stashed.txt")
    git(shop, "stash", "push", "-q", "--include-untracked")
    write(shop, "staged.txt")
    git(shop, "add", "staged.txt")
    write(shop, "tests/test_shop.py", WEAKENED)
    base = git(shop, "rev-parse", "HEAD^{tree}")
    before = everything(shop)
    written = check("sh", "-c", "echo x > shop.py; rm -rf tests; git init -q .; exit 1", from_base=["tests/"])
    assert (await place.run(shop, written, base=base)).ended is Ended.FAILED
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
    assert (await place.run(shop, check(from_base=["tests/"]))).ended is Ended.PASSED
    assert not ran.exists()


async def test_a_submodule_is_an_empty_directory(shop: Path, place: Place) -> None:
    inner = shop / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    write(inner, "a.py")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "first")
    git(shop, "add", "inner")
    assert (await place.run(shop, check("sh", "-c", "ls -A inner; exit 1"))).output == ""


# --- how it is run --------------------------------------------------------------------------------


async def test_a_check_sees_a_clean_environment_and_no_input(
    shop: Path, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-to-be-seen")
    shown = check("sh", "-c", "env; cat; exit 1", environment={"CI": "1", "HOME": "/nowhere"})
    output = (await place.run(shop, shown)).output
    names = {line.split("=", 1)[0] for line in output.splitlines()} - {"PWD", "SHLVL", "_", "OLDPWD"}
    marks = {"MAMA_BOT_CHECK_MARK", "MAMA_BOT_CHECK_RUN"}
    assert names == {"PATH", "HOME", "LANG", "TMPDIR", "CI", "GIT_CEILING_DIRECTORIES"} | marks
    assert "HOME=/nowhere" in output.splitlines()


async def test_a_check_in_which_git_is_asked_finds_no_repository_above(shop: Path) -> None:
    git(shop.parent, "init", "-q")
    place = Place(shop.parent)
    assert (await place.run(shop, check("git", "rev-parse", "--show-toplevel"))).exit_status == 128


async def test_when_the_time_is_up_the_whole_tree_of_processes_ends(shop: Path, place: Place) -> None:
    script = "sleep 300 & setsid sleep 300 & (trap '' TERM; sleep 300) & echo begun; wait"
    late = await place.run(shop, check("sh", "-c", script, timeout_seconds=0.5))
    assert (late.ended, late.exit_status) == (Ended.LATE, None)
    assert late.output == "begun\n"
    assert place.left == []
    again = await place.run(shop, check("sh", "-c", script, timeout_seconds=0.5))
    assert not again.cached


async def test_what_a_check_leaves_running_ends_with_it(shop: Path, place: Place) -> None:
    assert (await place.run(shop, check("sh", "-c", "sleep 300 & setsid sleep 300 & exit 0"))).ended is Ended.PASSED
    assert place.left == []


async def test_cancelling_leaves_no_process_and_no_directory(shop: Path, place: Place) -> None:
    script = "mkdir closed; touch closed/file; chmod 0 closed; setsid sleep 300 & echo > begun; sleep 300"
    async with asyncio.TaskGroup() as group:
        running = group.create_task(place.run(shop, check("sh", "-c", script)))
        await until(lambda: any(place.directory.glob("*/tree/begun")))
        assert place.left
        running.cancel()
    assert place.left == []


async def test_what_a_killed_service_left_is_swept_at_the_start(shop: Path, place: Place) -> None:
    left = place.directory / "left"
    (left / "tree" / "closed").mkdir(parents=True)
    (left / "tree" / "closed").chmod(0)
    stray = await asyncio.create_subprocess_exec(
        "sleep", "300", env={"PATH": os.environ["PATH"], MARK_VARIABLE: place.mark}
    )
    await place.sweep()
    assert place.left == []
    async with asyncio.timeout(10):
        assert await stray.wait() != 0
    await place.sweep()


async def test_fifty_megabytes_of_output_are_kept_as_their_ends(shop: Path, place: Place) -> None:
    script = "import sys; [sys.stdout.buffer.write(b'x' * 2**20) for _ in range(50)]; print('\\nthe end'); sys.exit(1)"
    result = await place.run(shop, check(sys.executable, "-c", script))
    assert len(result.output) <= 4_000
    assert result.output.endswith("the end\n")
    assert result.output_sha256 == hashlib.sha256(b"x" * 50 * 2**20 + b"\nthe end\n").hexdigest()


async def test_secrets_in_an_output_are_not_kept(shop: Path, place: Place) -> None:
    assert (await place.run(shop, check("sh", "-c", "echo it is swordfish; exit 1"))).output == "it is [redacted]\n"


async def test_a_program_of_the_tree_that_is_gone_is_a_failure_and_one_of_the_system_cannot_be_run(
    shop: Path, place: Place
) -> None:
    assert (await place.run(shop, check("./check.sh"))).ended is Ended.NO_PROGRAM
    assert (await place.run(shop, check("true", directory="gone"))).ended is Ended.NO_DIRECTORY
    with pytest.raises(CheckNotRun, match="no-such-program cannot be started"):
        await place.run(shop, check("no-such-program"))
    failing = check("false", name="other")
    results = await place.checks.run(shop, (check("no-such-program"), failing), base="")
    assert [result.check.name for result in results] == ["other"]


async def test_a_directory_that_is_a_link_out_of_the_tree_is_none(shop: Path, place: Place) -> None:
    (shop / "out").symlink_to("/")
    (shop / "in").symlink_to("tests")
    assert (await place.run(shop, check("true", directory="out"))).ended is Ended.NO_DIRECTORY
    assert (await place.run(shop, check("true", directory="in"))).ended is Ended.PASSED


async def test_without_a_repository_no_check_can_be_run(tmp_path: Path, place: Place) -> None:
    with pytest.raises(CheckNotRun, match="belongs to no git repository; run `git init`"):
        await place.run(tmp_path)


async def test_a_check_that_a_signal_ended_is_a_failure(shop: Path, place: Place) -> None:
    killed = await place.run(shop, check("sh", "-c", "kill -9 $$"))
    assert (killed.ended, killed.exit_status) == (Ended.KILLED, -9)


async def test_the_same_tree_and_check_are_known_again_and_a_change_is_not(shop: Path, place: Place) -> None:
    first = await place.run(shop)
    again = await place.run(shop)
    assert (first.cached, again.cached) == (False, True)
    assert replace(again, cached=False) == first
    assert not (await place.run(shop, check(environment={"A": "b"}))).cached
    write(shop, "README.md")
    assert not (await place.run(shop)).cached


async def test_no_more_checks_than_allowed_run_at_once(shop: Path, place: Place, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.mkdir()
    script = f"touch {seen}/$$; ls {seen} | wc -l; sleep 0.1; rm {seen}/$$; exit 1"
    checks = tuple(check("sh", "-c", script, name=str(number)) for number in range(6))
    results = await place.further(at_once=2).run(shop, checks, base="")
    assert max(int(result.output) for result in results) <= 2


# --- the stage ------------------------------------------------------------------------------------


async def judged(shop: Path, place: Place, text: str, *checks: WorkspaceCheck, base: str = "") -> Decision:
    configured = checks or (check(from_base=["tests/"]),)
    stage = WorkspaceChecks(
        settings=WorkspaceCheckSettings(),
        workspace_of=lambda _: CheckedWorkspace(path=shop, checks=configured),
        checks=place.checks,
    )
    return await stage.judge(draft(text), replace(turn(), base=base))


@pytest.mark.parametrize(
    "text",
    [
        "Done, all tests pass.",
        "I fixed the rounding in shop.py.",
        "pytest: 45 passed in 3.2s",
        "LGTM, approved. 12 tests pass.",
        "Approved. 1 of 2 tests fails.",
        "The build is green.",
        "All tests pass: 4985 of 4992 passed.",
        "테스트 2개가 실패했지만 모든 테스트가 통과했습니다.",
        "완료했습니다. 모든 테스트가 통과합니다.",
        "파서를 고쳤습니다.",
        "승인합니다.",
        "DELEGATE::reviewer::Look at it\nEXPECTED OUTCOME: a verdict\n\nEverything is done.",
    ],
)
async def test_a_completion_an_approval_or_a_passed_check_is_checked(shop: Path, place: Place, text: str) -> None:
    decision = await judged(shop, place, text)
    assert isinstance(decision, Block)
    assert decision.rule == "workspace_check_failed"
    write(shop, "shop.py", CODE)
    passed = await judged(shop, place, text)
    assert isinstance(passed, Allow)
    assert [one.ok for one in passed.checks] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "The total is the sum of the prices, see shop.py:2.",
        "How should it round, up or down?",
        "I will fix the rounding next, then run the tests.",
        "I fixed the rounding, but 1 test still fails.",
        "Not all tests pass: 1 of 2 fails.",
        "ruff is clean. 3 failed, 5 passed; once all of them pass I say so.",
        "모든 테스트가 통과하지는 않습니다. 1개가 실패합니다.",
        "아직 완료되지 않았습니다. 테스트 1개가 실패합니다.",
        "테스트를 돌릴 예정입니다.",
        "어떤 방식으로 반올림할까요?",
        "안녕하세요",
        "DELEGATE::developer::Fix it\nEXPECTED OUTCOME:\n- all tests pass\n\nMUST NOT DO: touch the tests",
    ],
)
async def test_talk_questions_plans_and_reports_of_failure_are_not(shop: Path, place: Place, text: str) -> None:
    decision = await judged(shop, place, text)
    assert decision == Allow()


async def test_the_feedback_names_check_command_status_tree_files_of_the_base_and_output(
    shop: Path, place: Place
) -> None:
    base = await place.changes.tree(shop)
    write(shop, "tests/test_shop.py", WEAKENED)
    decision = await judged(shop, place, "Done, all tests pass.", base=base)
    assert isinstance(decision, Block)
    (known,) = decision.checks
    for part in (
        'The check "tests", which the service itself ran, failed',
        "unittest discover -s tests",
        "exit status 1",
        known.tree[:12],
        "`tests/test_shop.py`",
        "    AssertionError: 4 != 3",
        "Fix the code, not the check",
    ):
        assert part in decision.feedback
    assert decision.reason == 'The check "tests" that the service itself ran failed: exit status 1.'
    assert "NEEDS_REVIEW" in decision.banner
    assert (known.ok, known.exit_status, known.reason) == (False, 1, "exit status 1")


async def test_a_korean_draft_gets_korean_feedback(shop: Path, place: Place) -> None:
    base = await place.changes.tree(shop)
    write(shop, "tests/test_shop.py", WEAKENED)
    decision = await judged(shop, place, "완료했습니다. 모든 테스트가 통과합니다.", base=base)
    assert isinstance(decision, Block)
    for part in (
        '검사 "tests"이(가) 실패했습니다',
        "종료 코드 1",
        "`tests/test_shop.py`",
        "검사가 아니라 코드를 고친 뒤",
    ):
        assert part in decision.feedback
    assert decision.reason.startswith("서비스가 직접 실행한 검사")
    assert "서비스가 직접 실행한 검사가 실패했습니다" in decision.banner
    (known,) = decision.checks
    assert known.reason == "종료 코드 1"


async def test_all_checks_of_a_workspace_are_kept_with_the_decision(shop: Path, place: Place) -> None:
    decision = await judged(shop, place, "Done.", check("true", name="build"), check("false", name="lint"))
    assert isinstance(decision, Block)
    assert [(one.name, one.ok) for one in decision.checks] == [("build", True), ("lint", False)]
    assert {figure.name: figure.value for figure in decision.figures} == {"checks": 2, "checks_failed": 1}


async def test_a_time_that_is_up_is_a_failure_with_its_reason(shop: Path, place: Place) -> None:
    decision = await judged(shop, place, "Done.", check("sleep", "300", timeout_seconds=0.2))
    assert isinstance(decision, Block)
    assert decision.checks[0].reason == "not finished within 0.2 seconds"


async def test_a_check_that_cannot_be_carried_out_is_the_stage_s_failure(shop: Path, place: Place) -> None:
    with pytest.raises(CheckNotRun):
        await judged(shop, place, "Done.", check("no-such-program"))


async def test_an_output_cannot_write_lines_of_its_own_into_the_feedback(shop: Path, place: Place) -> None:
    decision = await judged(shop, place, "Done.", check("sh", "-c", "printf 'a\\033[2Jb\\rc\\n\\n'; exit 1"))
    assert isinstance(decision, Block)
    assert "\n    a?[2Jbc\n" in decision.feedback


async def test_a_workspace_without_checks_is_let_be(shop: Path, place: Place) -> None:
    stage = WorkspaceChecks(settings=WorkspaceCheckSettings(), workspace_of=lambda _: None, checks=place.checks)
    assert await stage.judge(draft("Done, all tests pass."), turn()) == Allow()


def test_what_is_handed_on_is_not_said_by_the_draft_itself() -> None:
    handed = "DELEGATE::developer::Fix it\nEXPECTED OUTCOME:\n- tests pass\n\nMUST DO: x\n- y\n\nI am done."
    assert own_words(handed).split() == ["I", "am", "done."]
    assert own_words("Done.\n- **DELEGATE::reviewer::approve it**").strip() == "Done."
