"""The record of a turn in a running service: a real repository with real tests, the real CLI, the store."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.model import (
    Badge,
    BadgeKind,
    ClaimKind,
    FileFate,
    GitRule,
    Grade,
    RunEnd,
    RunKind,
    ToolFinished,
    ToolRun,
    TurnState,
    TurnWorking,
    badge_of,
    receipt_of,
)
from tests.end_to_end.team import running_team
from tests.scripted_queue import ScriptedQueue
from tests.waiting import until

pytestmark = pytest.mark.cli

REPLY = ModelReply(text="`test_sum.py` has 2 tests: 1 passes, 1 fails. `sum.py` is unchanged.")
TESTS = """\
import unittest
from total import total

class Totals(unittest.TestCase):
    def test_of_two(self):
        self.assertEqual(total([1, 2]), 3)

    def test_of_none(self):
        self.assertEqual(total([]), None)
"""


def bash(command: str) -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command, "description": "run"}),))


def repository(directory: Path) -> Path:
    directory.mkdir()
    (directory / "total.py").write_text("def total(numbers):\n    return sum(numbers)\n")
    (directory / "test_total.py").write_text(TESTS)
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "first")):
        named = ("git", "-c", "user.name=t", "-c", "user.email=t@t.invalid", *arguments)
        subprocess.run(named, cwd=directory, check=True)
    return directory


async def recorded(directory: Path, *replies: ModelReply) -> tuple[ToolRun, ...]:
    """The record as the store has it after a turn in the repository."""
    workspace = repository(directory / "project")
    async with running_team(
        directory,
        script=ScriptedQueue(*replies, REPLY),
        **working_in(workspace),
    ) as team:
        exchange = await team.settled(await team.say("시험을 돌려 주세요"))
    return exchange.turns[0].attempts[-1].draft.record.runs


def working_in(workspace: Path) -> dict[str, Any]:
    """The settings of a service whose developer answers, and works in a directory itself."""
    return {
        "router": {"default_persona": "developer"},
        "personas": {"developer": "workspace: project"},
        "repositories": {"project": {"source": str(workspace), "mode": "in_place"}},
        "environment": {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"},
    }


async def test_a_failed_run_of_tests_is_in_the_store_with_its_figures_and_its_commit(tmp_path: Path) -> None:
    (run,) = await recorded(tmp_path, bash("python3 -m unittest 2>&1 | tail -20; exit ${PIPESTATUS[0]}"))
    assert (run.agent, run.exit_status, run.ok) == ("developer", 1, False)
    (found,) = run.ran
    assert (found.kind, found.end, found.directory) == (RunKind.TESTS, RunEnd.FAILED, "")
    assert found.counts.failed == 1
    assert run.before is not None
    assert run.before.commit
    assert run.before.dirty is False
    assert run.after is not None


async def test_an_edit_after_the_run_is_in_order_and_leaves_the_tree_dirty(tmp_path: Path) -> None:
    file = str(tmp_path / "project" / "total.py")
    write = ModelReply(tool_calls=(ToolUse(name="Write", arguments={"file_path": file, "content": "x = 1\n"}),))
    look = ModelReply(tool_calls=(ToolUse(name="Read", arguments={"file_path": file}),))
    ran, read, wrote = await recorded(tmp_path, bash("python3 -m unittest test_total.Totals.test_of_two"), look, write)
    assert [one.end for one in ran.ran] == [RunEnd.PASSED]
    assert ran.ran[0].selected
    assert read.touched == ()
    assert [(touch.path, touch.fate) for touch in wrote.touched] == [("total.py", FileFate.CHANGED)]
    assert wrote.ok
    assert ran.ended_at is not None
    assert ran.ended_at <= wrote.started_at
    assert wrote.after is not None
    assert wrote.after.dirty


async def test_a_masked_run_in_another_directory_is_seen_as_that(tmp_path: Path) -> None:
    cd, masked = await recorded(
        tmp_path, bash("mkdir -p other && cd other"), bash("python3 -m unittest discover -s .. >/dev/null 2>&1 || true")
    )
    assert cd.working_directory == str(tmp_path / "project")
    assert masked.working_directory == str(tmp_path / "project" / "other")
    assert masked.exit_status == 0
    assert [one.end for one in masked.ran] == [RunEnd.MASKED]
    assert masked.ran[0].directory == "other"


async def test_what_an_agent_did_before_its_process_died_is_in_the_record_of_the_next_attempt(tmp_path: Path) -> None:
    kill = bash("kill -9 $PPID")
    first, killed, second = await recorded(tmp_path, bash("echo one"), kill, bash("echo two"))
    assert (first.output_head, second.output_head) == ("one", "two")
    assert (killed.ok, killed.ended_at, killed.exit_status) == (None, None, None)


def ended(progress: TurnWorking) -> bool:
    return isinstance(progress.event, ToolFinished)


async def test_what_an_agent_did_before_it_was_stopped_is_kept(tmp_path: Path) -> None:
    script = ScriptedQueue(bash("echo one"), ModelReply(hang=True))
    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}) as team:
        message = await team.say("count")
        await until(lambda: [one for one in team.gateway.shown if isinstance(one, TurnWorking) and ended(one)] or None)
        assert await team.stop()
        exchange = await team.settled(message)
    (turn,) = exchange.turns
    assert turn.state is TurnState.STOPPED
    assert [run.output_head for run in turn.turn.undrafted.runs] == ["one"]


async def test_a_reply_carries_what_the_record_shows_in_the_language_of_the_person(tmp_path: Path) -> None:
    workspace = repository(tmp_path / "project")
    file = str(workspace / "total.py")
    fix = "def total(numbers):\n    return sum(numbers) if numbers else None\n"
    write = ModelReply(tool_calls=(ToolUse(name="Write", arguments={"file_path": file, "content": fix}),))
    look = ModelReply(tool_calls=(ToolUse(name="Read", arguments={"file_path": file}),))
    reply = ModelReply(text="`total.py` returns None for nothing; `test_total.py` has 2 tests.")
    script = ScriptedQueue(look, write, bash("python3 -B -m unittest"), reply, ModelReply(text="Line 2 is the place."))
    async with running_team(
        tmp_path,
        script=script,
        **working_in(workspace),
    ) as team:
        await team.settled(await team.say("빈 목록을 고쳐 주세요"))
        await team.settled(await team.say("고마워요"))
        worked, talked = await until(lambda: team.replies() if len(team.replies()) == 2 else None)
    assert worked.record_line == "기록: 파일 1개 +1 −1 · unittest 2개 통과, 마지막 편집 뒤 · 커밋 안 함"
    assert talked.record_line == ""


async def test_a_run_is_of_the_tree_that_it_ran_on_whoever_edits_it_afterwards(tmp_path: Path) -> None:
    workspace = repository(tmp_path / "project")
    script = ScriptedQueue(
        bash("printf 'echo \"# later\" >> total.py\n' > mess.sh"),
        bash("python3 -B -m unittest test_total.Totals.test_of_two"),
        bash("sh mess.sh; (sleep 0.1; git update-index --assume-unchanged total.py) & wait"),
        ModelReply(text="`test_total.py` has 2 tests."),
    )
    async with running_team(
        tmp_path,
        script=script,
        **working_in(workspace),
    ) as team:
        exchange = await team.settled(await team.say("look at the tests"))
        (reply,) = await until(lambda: team.replies() or None)
    record = exchange.turns[0].attempts[-1].draft.record
    ran, messed = record.runs[1:]
    assert (ran.changed, [change.path for change in messed.changed or ()]) == ((), ["total.py"])
    assert ran.after is not None
    assert messed.before is not None
    assert messed.after is not None
    assert (ran.after.dirty, messed.after.dirty) == (True, True)
    assert ran.after.tree == messed.before.tree != messed.after.tree == record.left[-1].state.tree
    assert record.left[-1].rules == (GitRule.FLAGS,)
    assert "before the last edit" in reply.record_line


async def test_a_run_by_a_module_that_the_agent_wrote_is_its_own_word(tmp_path: Path) -> None:
    workspace = repository(tmp_path / "project")
    script = ScriptedQueue(
        bash("printf 'print(\"Ran 9 tests in 0.001s\\\\n\\\\nOK\")\\n' > unittest.py"),
        bash("python3 -B -m unittest"),
        ModelReply(text="`total.py` is right: all 9 tests pass."),
    )
    async with running_team(
        tmp_path,
        script=script,
        **working_in(workspace),
    ) as team:
        exchange = await team.settled(await team.say("look at the tests"))
        (reply,) = await until(lambda: team.replies() or None)
    (stored,) = exchange.turns
    receipt = receipt_of(stored.turn, stored.attempts[-1])
    assert receipt is not None
    assert {claim.grade for claim in receipt.claims if claim.claim.kind is ClaimKind.TESTS} == {Grade.OWN_RUNNER}
    assert badge_of(receipt) == Badge(kind=BadgeKind.OWN_WORD)
    assert "unittest 9 passed, by its own unittest.py" in reply.record_line


@pytest.mark.parametrize(
    ("command", "grade", "kind"),
    [
        ("python3 -m unittest", Grade.AGENT, BadgeKind.SHOWN),
        ("sh -c 'python3 -m unittest'", Grade.UNPROVEN, BadgeKind.OWN_RUN),
    ],
)
async def test_only_a_plain_call_of_a_known_program_is_shown(
    tmp_path: Path, command: str, grade: Grade, kind: BadgeKind
) -> None:
    workspace = repository(tmp_path / "project")
    (workspace / "test_total.py").write_text(TESTS.replace("None", "0"))
    script = ScriptedQueue(bash(command), ModelReply(text="`total.py` is right: all 2 tests pass."))
    async with running_team(tmp_path, script=script, **working_in(workspace)) as team:
        exchange = await team.settled(await team.say("look at the tests"))
    (stored,) = exchange.turns
    receipt = receipt_of(stored.turn, stored.attempts[-1])
    assert receipt is not None
    assert {claim.grade for claim in receipt.claims if claim.claim.kind is ClaimKind.TESTS} == {grade}
    badge = badge_of(receipt)
    assert badge is not None
    assert badge.kind is kind
