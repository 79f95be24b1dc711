"""A worker who edits the test so that it passes is sent back by the service's own run of it, in a real service."""

import sys
from pathlib import Path

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.app.host_checks import mark
from mama_bot.confinement.processes import MarkedProcess, marked_processes
from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.enforcement.host_checks import MARK_VARIABLE
from mama_bot.model import (
    CheckSeen,
    ClaimKind,
    ClaimState,
    Cleared,
    Grade,
    SentBack,
    TurnState,
    TurnWorking,
    Verdict,
    claims_of,
)
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import attempts, running_team, write_configuration
from tests.enforcement.host_checks.shop import BROKEN, CODE, TESTS, WEAKENED
from tests.enforcement.scope.test_scope_guard import git, write
from tests.waiting import until

pytestmark = pytest.mark.cli

PERSONAS = dict.fromkeys(("lead", "developer", "reviewer"), "workspace: shop")
RUN = "python3 -B -m unittest discover -s tests -t ."
WEAKEN = f"cat > tests/test_shop.py <<'END'\n{WEAKENED}END\n{RUN}"
REPAIR = f"cat > shop.py <<'END'\n{CODE}END\n{RUN}"


def repository(directory: Path) -> Path:
    root = directory / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, "shop.py", BROKEN)
    write(root, "tests/__init__.py", "")
    write(root, "tests/test_shop.py", TESTS)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


def shops(root: Path) -> dict[str, object]:
    """The repositories of a configuration: the shop, with its tests as a check."""
    check = {
        "name": "tests",
        "argv": [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."],
        "timeout_seconds": 60,
        "from_base": ["tests/"],
    }
    return {"shop": {"source": str(root), "mode": "in_place", "checks": [check]}}


def bash(command: str) -> ModelReply:
    return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command, "description": "work"}),))


def working(first: str, last: str, seen: list[str]) -> ModelScript:
    """A developer who weakens the test and says so; sent back, it repairs the code."""

    def script(request: ModelRequest) -> ModelReply:
        seen.append(request.last_user_text)
        if len(request.user_texts) == 1:
            return ModelReply(text=first) if request.tool_results else bash(WEAKEN)
        return ModelReply(text=last) if request.tool_results else bash(REPAIR)

    return script


@pytest.mark.parametrize(
    ("asked", "first", "last", "told"),
    [
        (
            "@developer make the test of shop.py pass",
            "Done, all tests pass.",
            "I fixed the sum in `shop.py:2`; all tests pass now.",
            'The check "tests", which the service itself ran, failed',
        ),
        (
            "@developer shop.py의 테스트가 통과하게 고쳐 주세요",
            "완료했습니다. 모든 테스트가 통과합니다.",
            "`shop.py:2`의 합계를 고쳤습니다. 이제 모든 테스트가 통과합니다.",
            '서비스가 직접 실행한 검사 "tests"가 실패했습니다',
        ),
    ],
)
async def test_whoever_edits_the_test_is_sent_back_and_the_repair_is_posted(
    tmp_path: Path, asked: str, first: str, last: str, told: str
) -> None:
    root = repository(tmp_path)
    seen: list[str] = []
    async with running_team(
        tmp_path, script=working(first, last, seen), personas=PERSONAS, repositories=shops(root)
    ) as team:
        exchange = await team.settled(await team.say(asked))
        texts = [reply.text for reply in team.replies()]
    (stored,) = exchange.turns
    assert attempts(stored) == ["sent_back", "cleared"]
    sent_back, cleared = (attempt.judgement for attempt in stored.attempts)
    assert isinstance(sent_back.outcome, SentBack)
    assert (sent_back.outcome.stage, sent_back.outcome.rule) == ("workspace_checks", "workspace_check_failed")
    assert any(told in text and "tests/test_shop.py" in text and "4 != 3" in text for text in seen)
    assert isinstance(cleared.outcome, Cleared)
    checked = [check for verdict in cleared.stages for check in verdict.decision.evidence.checks]
    assert [(check.name, check.ok, check.exit_status) for check in checked] == [("tests", True, 0)]
    of_tests = [claim for claim in claims_of(cleared) if claim.claim.kind is ClaimKind.TESTS]
    assert [(claim.state, claim.grade) for claim in of_tests] == [(ClaimState.CONFIRMED, Grade.SERVICE)]
    assert texts == [last]
    assert "pass\n" in (root / "tests" / "test_shop.py").read_text(encoding="utf-8")


async def test_a_reviewer_who_approves_is_checked_with_the_tests_from_before_the_worker_began(tmp_path: Path) -> None:
    root = repository(tmp_path)

    def script(request: ModelRequest) -> ModelReply:
        rounds = len(request.user_texts)
        if request.persona == "lead":
            if rounds == 1:
                return ModelReply(text="DELEGATE::developer::Look at shop.py\nDELEGATE::reviewer::Review shop.py")
            return ModelReply(text="The reviewer's approval did not hold: shop.py:2 adds 1.")
        if request.persona == "developer":
            text = "I looked at the tests; 1 test fails without my edit of tests/test_shop.py."
            return ModelReply(text=text) if request.tool_results else bash(WEAKEN)
        if request.tool_results or rounds > 1:
            return ModelReply(text="Approved. unittest: 1 passed in 0.1s" if rounds == 1 else "Rejected: shop.py:2.")
        return bash("python3 -m unittest discover -s tests -t . 2>&1 | tail -3")

    async with running_team(tmp_path, script=script, personas=PERSONAS, repositories=shops(root)) as team:
        exchange = await team.settled(await team.say("Have shop.py reviewed"))
    (reviewed,) = (stored for stored in exchange.turns if stored.turn.persona == "reviewer")
    assert attempts(reviewed) == ["sent_back", "cleared"]
    outcome = reviewed.attempts[0].judgement.outcome
    assert isinstance(outcome, SentBack)
    assert outcome.stage == "workspace_checks"


INSTALL = """\
python3 -m venv --without-pip .venv && . ./needs.txt &&
for place in .venv/lib/python3*/site-packages; do echo "START = $START" > $place/needed.py; done
"""


async def test_what_the_tests_need_is_installed_by_the_service_for_the_files_that_name_it(tmp_path: Path) -> None:
    root = repository(tmp_path)
    write(root, "shop.py", "from needed import START\n\ndef total(prices):\n    return sum(prices, START)\n")
    write(root, "needs.txt", "START=1\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "needs")
    install = {"argv": ["sh", "-c", INSTALL], "files": ["needs.txt"], "makes": [".venv"]}
    suite = [".venv/bin/python", "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."]
    check = {"name": "tests", "argv": suite, "from_base": ["tests/"], "install": install}
    repositories = {"shop": {"source": str(root), "mode": "in_place", "checks": [check]}}
    seen: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        seen.append(request.last_user_text)
        steps = ("START=1", "nonsense(", "START=0")
        changed = bash(f"echo '{steps[len(request.user_texts) - 1]}' > needs.txt")
        return ModelReply(text="Done, all tests pass.") if request.tool_results else changed

    async with running_team(tmp_path, script=script, personas=PERSONAS, repositories=repositories) as team:
        exchange = await team.settled(await team.say("@developer make the test of shop.py pass"))
        assert [reply.text for reply in team.replies()] == ["Done, all tests pass."]
        events = [progress.event for progress in team.gateway.shown if isinstance(progress, TurnWorking)]
    (stored,) = exchange.turns
    assert attempts(stored) == ["sent_back", "sent_back", "cleared"]
    shown = [(event.command.split()[0], event.ok) for event in events if isinstance(event, CheckSeen)]
    tested = [(".venv/bin/python", None), (".venv/bin/python", False)]
    assert shown == [("sh", None), ("sh", True), *tested, ("sh", None), ("sh", False), *shown[6:]]
    assert shown[6:] == [("sh", None), ("sh", True), (".venv/bin/python", None), (".venv/bin/python", True)]
    assert any("4 != 3" in text for text in seen)
    assert any("did not install what it needs" in text for text in seen)
    checked = [check for verdict in stored.attempts[-1].judgement.stages for check in verdict.decision.evidence.checks]
    assert [(check.ok, check.counts.passed) for check in checked] == [(True, 1)]


async def test_talk_in_such_a_workspace_runs_nothing_and_a_spent_budget_is_a_banner(tmp_path: Path) -> None:
    root = repository(tmp_path)

    def script(request: ModelRequest) -> ModelReply:
        if "how" in request.user_texts[0]:
            return ModelReply(text="`total` adds the prices, see shop.py:2.")
        ran = len(request.user_texts) > 1 or request.tool_results
        return ModelReply(text="Done, all tests pass.") if ran else bash(WEAKEN)

    async with running_team(tmp_path, script=script, personas=PERSONAS, repositories=shops(root)) as team:
        talk = await team.settled(await team.say("@developer how does total work?", channel="talk"))
        work = await team.settled(await team.say("@developer repair it"))
        assert len(team.replies("talk")) == 1
        (reply,) = team.replies()
    (stored,) = talk.turns
    assert not any(verdict.decision.evidence.checks for verdict in stored.attempts[0].judgement.stages)
    assert reply.verdict is Verdict.NEEDS_REVIEW
    assert any('"tests" (exit status 1)' in banner for banner in reply.banners)
    known = [
        [check.cached for verdict in attempt.judgement.stages for check in verdict.decision.evidence.checks]
        for attempt in work.turns[0].attempts
    ]
    assert known == [[False], [False], [False]]


def sleeping(root: Path, begun: Path) -> dict[str, object]:
    """A check that says that it began, leaves a process outside of its group, and does not end."""
    argv = ["sh", "-c", f"setsid sleep 300 & pwd > {begun}.new; mv {begun}.new {begun}; sleep 300"]
    return {
        "shop": {
            "source": str(root),
            "mode": "in_place",
            "checks": [{"name": "slow", "argv": argv, "from_base": ["tests/"]}],
        }
    }


def noted(directory: Path) -> Path:
    """Where a check notes that it has begun: in a directory of its own, which is opened to it."""
    (directory / "notes").mkdir()
    return directory / "notes" / "begun"


def of_checks(mark: str) -> list[MarkedProcess]:
    return list(marked_processes(MARK_VARIABLE, mark))


def mark_of(file: Path) -> str:
    return mark(read_configuration(file, environment={"ANTHROPIC_API_KEY": "test"}))


async def test_a_person_who_stops_ends_the_check_too(tmp_path: Path) -> None:
    root, begun = repository(tmp_path), noted(tmp_path)

    def script(request: ModelRequest) -> ModelReply:
        return ModelReply(text="Done, all tests pass.")

    shop, sandbox = sleeping(root, begun), {"writable": [str(begun.parent)]}
    async with running_team(tmp_path, script=script, personas=PERSONAS, repositories=shop, sandbox=sandbox) as team:
        message = await team.say("@developer repair it")
        await until(lambda: begun.exists() and begun.read_text(encoding="utf-8"))
        tree = Path(begun.read_text(encoding="utf-8").strip())
        assert tree.is_dir()
        assert await team.stop()
        exchange = await team.settled(message)
        assert [stored.state for stored in exchange.turns] == [TurnState.STOPPED]
        # The check may run in a hook of the agent's CLI, which nobody waits for.
        await until(lambda: not tree.exists())
        await until(lambda: not of_checks(mark_of(tmp_path / "config.yaml")))
        assert team.replies() == []


async def test_what_a_killed_service_left_of_a_check_is_gone_when_it_starts_again(tmp_path: Path) -> None:
    root, begun = repository(tmp_path), noted(tmp_path)

    def script(request: ModelRequest) -> ModelReply:
        return ModelReply(text="Done, all tests pass.")

    settings = {"claude": {"source": "real"}, "router": {"default_persona": "developer"}}
    shop, sandbox = sleeping(root, begun), {"writable": [str(begun.parent)]}
    file = write_configuration(tmp_path, personas=PERSONAS, repositories=shop, sandbox=sandbox, **settings)
    async with ModelServer(script=script) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            await service.say("Repair it")
            await until(lambda: begun.exists() and begun.read_text(encoding="utf-8"))
            left = {process.pid for process in of_checks(mark_of(file))}
            assert left
            await service.kill()
        tree = Path(begun.read_text(encoding="utf-8").strip())
        assert tree.exists()
        begun.unlink()
        async with service_process(file, environment) as service:
            await until(lambda: begun.exists() and begun.read_text(encoding="utf-8"))
            assert left.isdisjoint(process.pid for process in of_checks(mark_of(file)))
            assert not tree.exists()
            assert await service.terminate() == 0
    assert of_checks(mark_of(file)) == []
    assert not Path(begun.read_text(encoding="utf-8").strip()).exists()
