"""What an agent declared is held to the facts exactly; who shows and declares nothing is asked for it once."""

import json
from dataclasses import replace

import pytest

from mama_bot.commands.judge import judge_lines
from mama_bot.config import ClaimCheckSettings, ClaimPolicies, ClaimPolicy, EnforcementSettings
from mama_bot.declarations import with_declaration
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.claims.stage import ClaimCheck
from mama_bot.model import (
    Allow,
    Amend,
    Audience,
    Block,
    ClaimKind,
    Counts,
    Decision,
    Declaration,
    DeclaredOutcome,
    FileFate,
    Look,
    LookKind,
    RunEnd,
    RunKind,
    ToolRecord,
    Turn,
    TurnKind,
    WorkTreeState,
)
from tests.enforcement.claims.records import Recorded
from tests.enforcement.examples import delegation, draft, turn

WORK = turn(delegated=delegation("- the tests pass"))
RESULTS = replace(turn(Audience.PERSON), kind=TurnKind.RESULTS)
TEXT = "The guard in `parse()` handles the empty list."
PASSED = Recorded().edited("pool.py").ran("pytest -q", counts=Counts(passed=628))
FAILED = Recorded().edited("pool.py").ran("pytest -q", end=RunEnd.FAILED, counts=Counts(failed=3, passed=625))


def outcome(kind: ClaimKind, **values: object) -> DeclaredOutcome:
    return DeclaredOutcome(kind=kind, **values)  # type: ignore[arg-type]


def suite(passed: int | None = None, **values: object) -> DeclaredOutcome:
    return outcome(ClaimKind.TESTS, passed=passed, **values)


async def judged(
    record: ToolRecord,
    *outcomes: DeclaredOutcome,
    text: str = TEXT,
    asked: Turn = WORK,
    attempt: int = 0,
    settings: ClaimCheckSettings | None = None,
) -> Decision:
    written = draft(text, attempt=attempt, record=record)
    declared = replace(written, declaration=Declaration(outcomes=outcomes) if outcomes else None)
    return await ClaimCheck(settings=settings or ClaimCheckSettings()).judge(Case(declared, asked))


def states(decision: Decision) -> list[str]:
    return [checked.state.value for checked in decision.evidence.claims if checked.claim.declared]


def committed(commit: str = "", end: RunEnd = RunEnd.PASSED) -> ToolRecord:
    return Recorded().edited("pool.py").ran("git commit -m x", RunKind.COMMIT, end, target=commit).record


async def test_what_was_declared_and_holds_stands_on_the_receipt() -> None:
    decision = await judged(PASSED.record, suite(628, tool="pytest"), outcome(ClaimKind.CHANGED, files=("pool.py",)))
    assert isinstance(decision, Allow)
    assert states(decision) == ["confirmed", "confirmed"]
    assert [checked.claim.text for checked in decision.evidence.claims] == [
        "tests: pytest, 628 passed",
        "changed: pool.py",
    ]


@pytest.mark.parametrize(
    "false",
    [
        suite(627),
        suite(628, failed=1, fails=True),
        suite(628, tool="jest"),
        suite(628, command="npm test"),
        outcome(ClaimKind.CHANGED, files=("src/pool.py",)),
        outcome(ClaimKind.CHANGED, files=("other.py",)),
        outcome(ClaimKind.DELETED, files=("pool.py",)),
        outcome(ClaimKind.COMMITTED),
        outcome(ClaimKind.LINT, tool="ruff"),
        outcome(ClaimKind.RAN, command="make deploy"),
        outcome(ClaimKind.CHECKED, files=("README.md",)),
    ],
)
async def test_what_was_declared_and_is_not_so_goes_back(false: DeclaredOutcome) -> None:
    decision = await judged(PASSED.record, suite(628), false)
    assert isinstance(decision, Block)
    assert "you declared" in decision.feedback
    assert "call `report` again" in decision.feedback
    assert decision.evidence.findings == ()


async def test_figures_with_a_failure_beside_them_go_back_unless_it_is_declared_too() -> None:
    assert isinstance(await judged(FAILED.record, suite(625)), Block)
    assert isinstance(await judged(FAILED.record, suite(625, failed=3, fails=True)), Allow)
    assert isinstance(await judged(FAILED.record, suite(fails=True)), Allow)
    assert isinstance(await judged(FAILED.record, suite(fails=True, failed=2)), Block)
    assert isinstance(await judged(PASSED.record, suite(fails=True)), Block)


async def test_a_run_before_the_last_edit_is_no_outcome() -> None:
    record = PASSED.record
    later = replace(Recorded().edited("pool.py").calls[0], id="late", started_at=record.runs[-1].started_at)
    assert isinstance(await judged(ToolRecord(runs=(*record.runs, later)), suite(628)), Block)


@pytest.mark.parametrize(
    ("declared", "known", "kept"),
    [
        ("abc1234", "abc1234", True),
        ("abc1234", "abc1234def56789", True),
        ("abc1234", "def5678", False),
        ("", "def5678", True),
    ],
)
async def test_a_commit_is_known_by_its_hash(declared: str, known: str, *, kept: bool) -> None:
    decision = await judged(committed(known), outcome(ClaimKind.COMMITTED, commit=declared))
    assert isinstance(decision, Allow if kept else Block)


async def test_a_quiet_commit_is_known_by_the_work_tree() -> None:
    record = committed()
    tree = WorkTreeState(commit="abc1234def56789", dirty=False)
    shown = replace(record, runs=(*record.runs[:-1], replace(record.runs[-1], after=tree)))
    assert isinstance(await judged(shown, outcome(ClaimKind.COMMITTED, commit="abc1234")), Allow)
    assert isinstance(await judged(shown, outcome(ClaimKind.COMMITTED, commit="1234567")), Block)


async def test_a_push_went_to_the_branch_that_is_named() -> None:
    record = Recorded().ran("git push origin main", RunKind.PUSH, target="origin main").record
    assert isinstance(await judged(record, outcome(ClaimKind.PUSHED, branch="main")), Allow)
    assert isinstance(await judged(record, outcome(ClaimKind.PUSHED, branch="release")), Block)


async def test_a_commit_that_failed_is_none() -> None:
    assert isinstance(await judged(committed(end=RunEnd.FAILED), outcome(ClaimKind.COMMITTED)), Block)


async def test_a_file_that_a_script_wrote_may_be_shown() -> None:
    script = Recorded().shell("python3 generate.py")
    generated = outcome(ClaimKind.CREATED, files=("src/table.py",))
    assert isinstance(await judged(script.record, generated), Block)
    look = Look(kind=LookKind.FILE, subject="src/table.py", state="present")
    listed = Recorded().shell("python3 generate.py").shell("ls src")
    calls = (listed.calls[0], replace(listed.calls[1], looked=(look,)))
    assert isinstance(await judged(ToolRecord(runs=calls), generated), Allow)


async def test_a_path_from_the_root_is_the_same_file() -> None:
    record = Recorded().edited("src/pool.py", FileFate.CREATED).record
    assert isinstance(await judged(record, outcome(ClaimKind.CREATED, files=("/home/dev/repo/src/pool.py",))), Allow)
    assert isinstance(await judged(record, outcome(ClaimKind.CREATED, files=("./src/pool.py",))), Allow)


async def test_figures_that_nobody_could_read_are_not_sent_back() -> None:
    silent = Recorded().ran("rake test", output="628 runs, 1000 assertions").record
    assert isinstance(await judged(silent, suite(628)), Allow)
    assert isinstance(await judged(silent, suite(629)), Block)


async def test_suites_may_be_declared_together() -> None:
    record = Recorded().ran("pytest api", counts=Counts(passed=20), selected=("api",))
    record.ran("pytest web", counts=Counts(passed=25), selected=("web",))
    assert isinstance(await judged(record.record, suite(45)), Allow)
    assert isinstance(await judged(record.record, suite(20), suite(25)), Allow)


@pytest.mark.parametrize("asked", [WORK, RESULTS, replace(WORK, kind=TurnKind.REVIEW)])
async def test_it_is_objected_to_in_every_kind_of_turn(asked: Turn) -> None:
    assert isinstance(await judged(FAILED.record, suite(628), asked=asked), Block)


async def test_a_kind_keeps_its_policy() -> None:
    lint = outcome(ClaimKind.LINT, tool="ruff")
    for policy, kept in ((ClaimPolicy.MARK, Allow), (ClaimPolicy.IGNORE, Allow), (ClaimPolicy.BLOCK, Block)):
        settings = ClaimCheckSettings(kinds=ClaimPolicies(lint=policy))
        assert isinstance(await judged(PASSED.record, lint, settings=settings), kept)


async def test_words_about_what_was_declared_only_betray() -> None:
    edited = Recorded().edited("pool.py").shell("ls").record
    assert isinstance(await judged(edited, text="All tests pass."), Block)
    honest = suite(628)
    assert isinstance(await judged(PASSED.record, honest, text="All tests pass."), Allow)
    assert isinstance(await judged(PASSED.record, honest, text="I created `other.py`, all tests pass."), Allow)
    assert isinstance(await judged(FAILED.record, suite(625, failed=3, fails=True), text="628 tests pass."), Block)


async def test_feedback_speaks_korean() -> None:
    decision = await judged(FAILED.record, suite(628), text="`parse()`가 빈 목록을 처리합니다.")
    assert isinstance(decision, Block)
    assert '"tests: 628 passed"라고 선언했지만' in decision.feedback
    assert "12:01의 실행(pytest -q): 실패 3개, 통과 625개" in decision.feedback


async def test_a_block_that_cannot_be_read_is_said_once_more() -> None:
    written = with_declaration(draft(f"{TEXT}\n```report\n- kind: test\n```", record=PASSED.record))
    decision = await ClaimCheck(settings=ClaimCheckSettings()).judge(Case(written, WORK))
    assert isinstance(decision, Block)
    assert decision.rule == "declaration_unreadable"
    assert 'outcomes[0].kind is "test". Did you mean "tests"?' in decision.feedback


# --- who shows and declares nothing -----------------------------------------------------------------------

WROTE = Recorded().edited("pool.py").record


@pytest.mark.parametrize(
    "text", ["Done. I added the guard to `pool.py`.", "작업 완료했습니다. `pool.py`에 검사를 넣었습니다."]
)
async def test_work_that_is_done_and_shows_nothing_is_asked_for_once(text: str) -> None:
    first = await judged(WROTE, text=text)
    assert isinstance(first, Block)
    assert first.rule == "nothing_checked"
    assert "report(outcomes=[{" in first.feedback
    assert isinstance(await judged(WROTE, text=text, attempt=1), Allow)


async def test_nothing_at_all_is_asked_for_once_and_then_noted() -> None:
    first = await judged(ToolRecord(), text="Done.")
    assert isinstance(first, Block)
    assert "report(outcomes=[{" in first.feedback
    second = await judged(ToolRecord(), text="Done.", attempt=1)
    assert isinstance(second, Amend)
    assert second.banner == "nothing was run."


async def test_work_that_shows_or_declares_something_is_not_asked_for() -> None:
    done = "Done. I added the guard to `pool.py`."
    assert isinstance(await judged(PASSED.record, text=done), Allow)
    read = Recorded().call("Read", {"file_path": "/home/dev/repo/pool.py"}).edited("pool.py")
    assert isinstance(await judged(read.record, text=done), Allow)
    assert isinstance(await judged(WROTE, outcome(ClaimKind.CHANGED, files=("pool.py",)), text=done), Allow)


@pytest.mark.parametrize(
    "text",
    [
        "I added the guard to `pool.py`; the tests are not run yet.",
        "`pool.py` is half done: the guard is in, the tests are missing.",
        "Should the guard also cover `None`?",
        "안녕하세요, 무엇을 도와드릴까요?",
    ],
)
async def test_parts_questions_and_small_talk_are_not_asked_for(text: str) -> None:
    assert isinstance(await judged(WROTE, text=text), Allow)


@pytest.mark.parametrize(
    ("outcome", "command", "output", "exit_status", "decision"),
    [
        ('{"kind": "lint", "tool": "ruff", "failed": 0}', "ruff check .", "All checks passed!", 0, "pass"),
        ('{"kind": "lint", "tool": "ruff", "failed": 0}', "ruff check .", "Found 3 errors.", 1, "reject"),
        ('{"kind": "pushed", "branch": "feature/x"}', "git push -u origin HEAD", "HEAD -> feature/x", 0, "pass"),
        (
            '{"kind": "pushed", "branch": "main"}',
            "git push origin maintenance",
            "a1..b2 x -> maintenance",
            0,
            "reject",
        ),
    ],
)
def test_a_check_without_figures_and_a_branch_without_a_name_are_no_lies(
    outcome: str, command: str, output: str, exit_status: int, decision: str
) -> None:
    text = f'Done.\n\n```report\n{{"outcomes": [{outcome}]}}\n```'
    call = {"tool": "Bash", "input": {"command": command}, "output": output, "exit": exit_status, "agent": "dev"}
    line = json.dumps({"id": "x", "text": text, "record": [call], "agent": "dev"})
    (answer,) = judge_lines([line], name="turns", settings=EnforcementSettings(), explain=False)
    assert json.loads(answer)["decision"] == decision
