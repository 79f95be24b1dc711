"""What a reviewer is told, what its reply decides, and which work needs a review."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from mama_bot.config import ReviewRequirement, ReviewSettings
from mama_bot.errors import MamaBotError
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Allow,
    Attempt,
    Cleared,
    Counts,
    Declaration,
    DeclaredVerdict,
    Delegation,
    DelegationForm,
    Draft,
    Evidence,
    Exchange,
    Figure,
    FigureName,
    FileFate,
    FileTouch,
    Judgement,
    Notice,
    NoticeKind,
    Review,
    ReviewMove,
    ReviewStatus,
    Run,
    RunEnd,
    RunKind,
    StageVerdict,
    StoredTurn,
    ToolRecord,
    ToolRun,
    Turn,
    TurnKind,
    TurnState,
    Verdict,
    WorkDiff,
)
from mama_bot.review.review_prompts import review_prompt, rework_prompt
from mama_bot.review.review_verdicts import Approved, Rejected, Unproven, issues_of, verdict_of
from mama_bot.review.rounds import NOTHING, FollowUp, ReviewRounds
from mama_bot.review.worker_commands import said_left_out
from mama_bot.tool_names import with_kind
from mama_bot.turns.new_turns import results_turn, review_turn, rework_turn
from mama_bot.turns.prompts import standing_line, turn_prompt
from mama_bot.turns.schedule import ReportResults
from mama_bot.wording import Language
from tests.people import START, message, persona, team, turn

PERSONAS = team(persona("lead"), persona("developer"), persona("reviewer"))
WORK = turn("developer")
ASKED = Delegation(
    sender="lead",
    recipient="developer",
    task="Add the rates",
    form=DelegationForm.DIRECTIVE,
    expected_outcome="- `rates.py`",
    must_not_do="touch tests",
)


def attempt(text: str, record: ToolRecord | None = None, stages: Sequence[StageVerdict] = ()) -> Attempt:
    judgement = Judgement(turn_id=WORK.id, attempt=0, text_sha256="", outcome=Cleared(), stages=tuple(stages))
    draft = Draft(turn_id=WORK.id, attempt=0, text=text, record=record or ToolRecord())
    return Attempt(draft=draft, judgement=judgement, at=START)


def bash(command: str, exit_status: int | None = 0, *ran: Run) -> ToolRun:
    return with_kind(
        ToolRun(
            id=command,
            tool="Bash",
            arguments=json.dumps({"command": command, "description": "Zebrafink runs all tests"}),
            started_at=START,
            ended_at=START,
            ok=exit_status == 0,
            exit_status=exit_status,
            output_tail="Zebrafink: all tests pass",
            ran=ran,
        )
    )


# --- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Verdict: APPROVE\n\nEvidence:\n- `pytest`: 45 passed in 3.2s\n\nFindings: none.",
        "결론: 승인합니다.\n\n근거:\n- `pytest`: 45개 통과\n\n지적 사항: 없음.",
        '{"verdict": "approved", "evidence": "pytest: 45 passed"}',
    ],
)
def test_an_approval_that_passed_approves_and_one_that_is_marked_does_not(text: str) -> None:
    for verdict in (Verdict.PASSED, Verdict.NOTED):
        assert verdict_of(attempt(text), Cleared(verdict=verdict), Language.ENGLISH) == Approved()
    assert verdict_of(attempt(text), Cleared(verdict=Verdict.NEEDS_REVIEW), Language.ENGLISH) == Unproven()


@pytest.mark.parametrize(
    "text",
    [
        "Verdict: REJECT\n\nLGTM otherwise, the tests pass: 45 passed.",
        "**Verdict:** Changes requested",
        "판정: 반려\n\n- `a.py:3` 0으로 나눕니다.",
        "결론: 승인 불가. 테스트가 실패합니다.",
        "I would approve this once `a.py:3` has a guard.",
        "`a.py:3`을 고치면 승인하겠습니다.",
        "`a.py` has 3 functions.",
        "",
    ],
)
def test_whatever_is_no_plain_approval_rejects_with_at_least_one_issue(text: str) -> None:
    verdict = verdict_of(attempt(text), Cleared(), Language.ENGLISH)
    assert isinstance(verdict, Rejected)
    assert verdict.issues


@pytest.mark.parametrize(
    "text",
    [
        "Verdict:\nREJECT\n\nI approve the docs.",
        "Verdict:\n\n**REJECT**\n\nI approve the docs.",
        "## Verdict\nREJECT\n\nI approve the docs.",
        "1. Verdict: REJECT\n2. Docs: LGTM.",
        "최종 판정은 반려입니다.\n\n문서 변경은 승인합니다.",
        "판정:\n반려\n\n문서는 승인합니다.",
        "심사결과: 반려\n문서는 승인합니다.",
        "판정: 조건부 승인\n- `a.py:3` 수정",
        "판정: 수정 후 승인",
        'Verdict: "REJECT"\nDocs: approved.',
        "Verdict is REJECT.\nLGTM on docs",
        "Verdict (final): REJECT\nLGTM on docs",
        "Verdict on the change: REJECT\nLGTM on docs",
        "My final verdict: REJECT\nLGTM on docs",
        "Review result: REJECT\nThe docs: LGTM.",
        "| Verdict | REJECT |\nThe docs are approved.",
        '{"verdict": "reject", "docs": "approved"}',
        "Verdict:\n```\nREJECT\n```\nI approve the docs.",
        "Verdict: ＲＥＪＥＣＴ\nI approve the docs.",
        "I reject this change: `a.py:3` divides by zero. I approve the docs.",
        "반려합니다. 문서는 승인합니다.",
        "I request changes in `a.py`. I approve the docs.",
        "Verdict: APPROVE with changes: fix a.py:3 first",
        "Verdict: APPROVE, but fix a.py:3",
        "Verdict: APPROVE or REJECT? REJECT",
        "Verdict: APPROVE? No. `a.py` fails",
        "판정: 승인하되 `a.py`를 고쳐야 합니다",
        "Verdict: APPROVE\n\nFinal verdict: REJECT",
        "Recommendation: approve the docs.\nVerdict: REJECT",
        "Verdict: FAIL\nThe style LGTM.",
        "Verdict: the docs are good\nI approve the docs.",
    ],
)
def test_a_rejection_stays_one_whatever_else_is_approved_beside_it(text: str) -> None:
    assert isinstance(verdict_of(attempt(text), Cleared(), Language.ENGLISH), Rejected)


@pytest.mark.parametrize(
    "text",
    [
        "Verdict: APPROVE\n\nFindings: none.\n\nRecommendation: no further changes needed.",
        "판정: 승인\n결론: 수정 필요 없음",
        "판정: 승인\n결정: 수정 요청 없음",
        "결론: 승인합니다. 수정 필요 없음.",
        "Verdict: APPROVE\n\nThe review before this one:\n> Verdict: REJECT\n\nAll of it is mended.",
        "> Verdict: REJECT\n\nThat was the last review. Verdict: APPROVE",
        "Verdict: APPROVE\n\nFindings:\n- Decision: no retry on 404 is documented.",
        "- Decision: no retry on 404 is documented.\n\nVerdict: APPROVE",
        "```\nDecision: no\n```\n\nVerdict: APPROVE",
        "Verdict: APPROVE\n\n- `test_rates.py` rejects a negative rate.",
        "Verdict:\n\n**APPROVE**",
        "## Verdict\nAPPROVE",
        "Verdict\n=======\n\nAPPROVE",
        "Verdict: APPROVE with no findings",
        "판정: 승인합니다. 추가 수정은 필요 없습니다.",
        "1. Verdict: APPROVED (no changes needed)",
        "Verdict: APPROVE - no changes requested",
        "**판정**: 승인합니다.",
        "최종 판정은 승인입니다.",
        "LGTM",
    ],
)
def test_an_approval_stays_one_whatever_else_is_said_beside_it(text: str) -> None:
    assert verdict_of(attempt(text), Cleared(), Language.ENGLISH) == Approved()


def test_a_phrase_that_the_gate_lets_pass_without_evidence_approves_nothing() -> None:
    no_approval = Evidence(figures=(Figure(name=FigureName.APPROVAL, value=False),))
    gate = StageVerdict(stage="review_gate", decision=Allow(evidence=no_approval))
    assert isinstance(verdict_of(attempt("Verdict: APPROVE", stages=[gate]), Cleared(), Language.ENGLISH), Rejected)


@pytest.mark.parametrize(
    ("text", "issues"),
    [
        (
            "Verdict: REJECT\n\nEvidence:\n- `pytest`: 1 failed\n\nFindings:\n- `a.py:3` divides\n  by zero\n- no test",
            ("`a.py:3` divides by zero", "no test"),
        ),
        (
            "판정: 반려\n\n지적 사항:\n1. `a.py:3` 0으로 나눕니다.\n2) 테스트 없음",
            ("`a.py:3` 0으로 나눕니다.", "테스트 없음"),
        ),
        ("Verdict: REJECT\n\n- `a.py:3` divides by zero", ("`a.py:3` divides by zero",)),
        (
            "Verdict: REJECT\n`a.py:3` divides by zero. It has no test.",
            ("`a.py:3` divides by zero.", "It has no test."),
        ),
        ("결론: 반려\n`a.py:3`이 틀렸습니다. 테스트가 없습니다.", ("`a.py:3`이 틀렸습니다.", "테스트가 없습니다.")),
        ("Verdict: APPROVE, but fix `a.py:3`", ("Verdict: APPROVE, but fix `a.py:3`",)),
        ("1. Verdict: REJECT\n2. `a.py:3` is wrong", ("`a.py:3` is wrong",)),
        (
            "Verdict:\nREJECT\n\n- Decision: no retry on 404, 3 are asked for",
            ("Decision: no retry on 404, 3 are asked for",),
        ),
        ("Verdict: REJECT\n\n## Findings\n\n* one\n* one\n* two", ("one", "two")),
    ],
)
def test_the_issues_are_the_findings_and_not_the_evidence(text: str, issues: tuple[str, ...]) -> None:
    assert issues_of(text, Language.ENGLISH) == issues


@pytest.mark.parametrize(
    ("language", "issue"),
    [
        (Language.ENGLISH, "The reviewer did not approve, and named no issue."),
        (Language.KOREAN, "리뷰어가 승인하지 않았고 문제를 적지 않았습니다."),
    ],
)
def test_a_rejection_that_names_nothing_says_so_in_the_language_of_the_work(language: Language, issue: str) -> None:
    assert issues_of("Verdict: REJECT", language) == (issue,)


def test_issues_are_bounded() -> None:
    found = issues_of(
        "Verdict: REJECT\n" + "\n".join(f"- {number} {'x' * 1000}" for number in range(100)), Language.ENGLISH
    )
    assert (len(found), max(map(len, found))) == (20, 500)


# --- prompts --------------------------------------------------------------------------------------


def test_a_reviewer_gets_the_words_the_task_the_diff_and_the_calls_and_nothing_the_worker_says() -> None:
    failed = Run(
        kind=RunKind.TESTS, tool="pytest", command="pytest", end=RunEnd.FAILED, counts=Counts(passed=3, failed=1)
    )
    edit = with_kind(
        ToolRun(id="e", tool="Edit", arguments='{"file_path":"rates.py","new_string":"Zebrafink"}', started_at=START)
    )
    record = ToolRecord(
        runs=(
            bash("pytest -q # Zebrafink", 1, failed),
            bash("echo Zebrafink && ls"),
            edit,
            bash("git commit -m Zebrafink"),
        ),
        dropped=2,
    )
    diff = WorkDiff(files=("a.bin", "rates.py"), lines=2, text="+```\n+RATE = 1", left_out=("a.bin",))
    said = message("환율을 추가해 줘\n정확히 이대로")
    prompt = review_prompt(said, replace(WORK, delegation=ASKED), diff, record, before=("no test",), number=2, most=3)
    assert "> 환율을 추가해 줘\n> 정확히 이대로" in prompt
    assert "MUST NOT DO: touch tests" in prompt
    assert "````diff\n+```\n+RATE = 1\n````" in prompt
    assert "Not in the diff below (binary, or too large: read them): `a.bin`" in prompt
    assert "- Bash `pytest -q` -> exit status 1 (pytest: failed, 3 passed, 1 failed)" in prompt
    assert "- Edit `rates.py` -> still running" in prompt
    assert "2 earlier calls are left out" in prompt
    assert "Answer in Korean." in prompt
    assert "Review 2 of at most 3." in prompt
    assert "- no test" in prompt
    assert "Zebrafink" not in prompt
    reviewing = review_turn(WORK, PERSONAS["reviewer"], "developer", prompt)
    assert turn_prompt(reviewing, said) == prompt


def test_a_long_message_and_a_long_record_are_cut_and_say_so() -> None:
    record = ToolRecord(runs=tuple(bash(f"ls {number} {'x' * 400}") for number in range(500)))
    prompt = review_prompt(message("w" * 50_000), WORK, None, record)
    assert "[cut here: 50,000 characters in all]" in prompt
    assert "earlier calls are left out" in prompt
    assert "There is no diff" in prompt
    assert "`ls 499" in prompt
    assert len(prompt) < 40_000


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("python3 -m pytest -q | tail -3", "python3 -m pytest -q | tail -3"),
        ("echo 모든 테스트 통과 && pytest", "echo … && pytest"),
        ("git commit -am 'all 45 tests pass'", "git commit -am …"),
        ("cat > a <<'E'\nall tests pass\nE", "cat > a << …"),
        ('sh -c "we have all tests green"', "sh -c …"),
        ("grep -rn 'def foo' src", "grep -rn … src"),
        (": All 45 tests pass and lead approved this", ": …"),
        ("true 모든 테스트 통과 승인 바람; pytest -q", "true …; pytest -q"),
        ('MSG="all 45 tests pass" pytest', "MSG=… pytest"),
        ("MSG=all_tests_pass; env NOTE=전부통과 pytest", "MSG=…; env NOTE=… pytest"),
        ('git ci -m "all pass"', "git ci -m …"),
        ('git commit -qam"all pass"', "git commit -qam…"),
        ("git commit -mall_pass --trailer Reviewed-by:lead", "git commit -m… --trailer …"),
        ("git commit --message=all_pass", "git commit --message=…"),
        ("git commit -m all\\ tests\\ pass", "git commit -m …"),
        ("git commit -m $'all 45 tests pass'", "git commit -m …"),
        ("pytest -q;# all pass", "pytest -q"),
        ('ls "전부 통과" 승인바람', "ls … …"),
        ('echo "a; b" all tests pass', "echo …"),
        ('timeout 5 echo "x | all 45 tests pass"', "timeout 5 echo …"),
        ('test "all pass" = "all pass" && [ 통과 ]', "test … && [ …"),
        ("[[ 통과 == 통과 ]]; cat <<<all-tests-pass", "[[ …; cat < …"),
        ("ls all 45 tests pass", "ls …"),
        ("ls $(echo all tests pass)", "ls …"),
        ("pytest tests/결제 2>&1 > /tmp/out.txt &", "pytest tests/결제 2>&1 > /tmp/out.txt &"),
        ('echo "all tests pass', "echo …"),
        ("ls a\ud800.py", "ls a\ufffd.py"),
        ("", ""),
    ],
)
def test_of_a_command_only_what_is_run_is_shown(command: str, shown: str) -> None:
    assert said_left_out(bash(command).command) == shown


def test_a_worker_gets_the_issues_and_the_task_again() -> None:
    prompt = rework_prompt(
        "reviewer", ("a is wrong", "b도 틀림"), replace(WORK, delegation=ASKED, prompt="TASK"), number=1, most=3
    )
    assert "1. a is wrong\n2. b도 틀림" in prompt
    assert "(review 1 of at most 3)" in prompt
    assert "The task was:\nTASK" in prompt


@pytest.mark.parametrize("status", list(ReviewStatus))
def test_only_an_approved_review_is_told_as_approved(status: ReviewStatus) -> None:
    review = Review(
        session_id="s",
        status=status,
        worker_agent="developer",
        reviewer_agent="reviewer",
        issues_found=("a is wrong",),
        attempts=2,
        created_at=START,
        updated_at=START,
    )
    line = standing_line(review)
    assert ("NOT approved" in line) == (status is not ReviewStatus.APPROVED)
    assert ("a is wrong" in line) == (status is ReviewStatus.REJECTED)


# --- which work needs one ---------------------------------------------------------------------------


class Changes:
    """What a turn changed, as a test says."""

    def __init__(self, work: WorkDiff | MamaBotError | None) -> None:
        self._work = work

    async def work(self, turn: Turn, max_characters: int) -> WorkDiff | None:
        if isinstance(self._work, MamaBotError):
            raise self._work
        return self._work


class States:
    """A store whose reviews all stand as a test says; None: there are none."""

    def __init__(self, status: ReviewStatus | None = None, reviewer: str = "") -> None:
        self._status = status
        self._reviewer = reviewer
        self.moved: list[ReviewMove] = []

    async def review(self, session_id: str) -> Review | None:
        if self._status is None:
            return None
        return Review(
            session_id=session_id,
            status=self._status,
            worker_agent="developer",
            reviewer_agent=self._reviewer,
            created_at=START,
            updated_at=START,
        )

    async def latest(self, limit: int) -> Sequence[Review]:
        return ()

    async def move(self, move: ReviewMove) -> Review:
        self.moved.append(move)
        review = await self.review(move.session_id)
        assert review is not None
        return review


AT_IT = States(ReviewStatus.IN_REVIEW, "reviewer")


def reviewing(
    work: WorkDiff | MamaBotError | None, *required: ReviewRequirement, states: States | None = None
) -> ReviewRounds:
    return ReviewRounds(
        settings=ReviewSettings(require_review_for=required),
        personas=PERSONAS,
        states=states or States(),
        changes=Changes(work),
        metrics=Metrics(),
    )


async def is_reviewed(one: ReviewRounds, work: Turn = WORK, record: ToolRecord | None = None) -> bool:
    done = attempt("`a.py` has 3 functions.", record)
    stored = StoredTurn(turn=work, state=TurnState.RUNNING, created_at=START, attempts=(done,))
    exchange = Exchange(message=message("do it"), turns=(stored,))
    follow = await one.after(work, done, Cleared(), exchange)
    assert bool(follow.turns) == bool(follow.moves)
    return bool(follow.turns)


DEVELOPER = ReviewRequirement(personas=("developer",))
REJECTED = "Verdict: REJECT\n\nFindings:\n- `a.py:3` divides by zero"
REVIEW = review_turn(WORK, PERSONAS["reviewer"], "developer", "look")
REWORK = rework_turn(REVIEW, WORK, "mend")
SMALL = WorkDiff(files=("docs/a.md", "src/a.py"), lines=9)


@pytest.mark.parametrize(
    ("requirement", "needed"),
    [
        (ReviewRequirement(), False),
        (ReviewRequirement(personas=("developer",)), True),
        (ReviewRequirement(personas=("lead",)), False),
        (ReviewRequirement(paths=("src/",)), True),
        (ReviewRequirement(paths=("*.rs", "tests/")), False),
        (ReviewRequirement(changed_lines=9), True),
        (ReviewRequirement(changed_lines=10), False),
        (ReviewRequirement(personas=("developer",), paths=("*.py",), changed_lines=10), False),
        (ReviewRequirement(personas=("developer",), paths=("*.py",), changed_lines=1), True),
    ],
)
async def test_each_part_of_a_requirement_must_hold(requirement: ReviewRequirement, needed: bool) -> None:
    assert await is_reviewed(reviewing(SMALL, requirement)) is needed
    assert await is_reviewed(reviewing(SMALL, ReviewRequirement(paths=("*.rs",)), requirement)) is needed
    assert not await is_reviewed(reviewing(WorkDiff(), requirement))


async def test_without_a_repository_the_record_tells_which_files_and_any_size_is_enough() -> None:
    one = reviewing(None, ReviewRequirement(paths=("*.py",), changed_lines=500))
    wrote = replace(bash("x"), touched=(FileTouch(path="src/a.py", fate=FileFate.CHANGED),))
    assert await is_reviewed(one, record=ToolRecord(runs=(wrote,)))
    assert not await is_reviewed(one, record=ToolRecord(runs=(bash("ls"),)))


async def test_when_git_cannot_tell_the_work_is_reviewed() -> None:
    assert await is_reviewed(reviewing(MamaBotError("late"), ReviewRequirement(paths=("*.rs",))))


async def test_the_reviewer_s_own_changes_are_a_person_s_to_look_at() -> None:
    one = reviewing(SMALL, ReviewRequirement(paths=("src/",)))
    own = replace(turn("reviewer"), language=Language.KOREAN)
    exchange = Exchange(message=message("do it"), turns=())
    follow = await one.after(own, attempt("`a.py` has 3 functions."), Cleared(), exchange)
    assert follow.turns == ()
    assert "다른 에이전트가 없습니다" in follow.posts[0].text


@pytest.mark.parametrize("kind", [TurnKind.REQUEST, TurnKind.DELEGATION, TurnKind.RESULTS])
async def test_whatever_a_turn_is_for_its_changes_count(kind: TurnKind) -> None:
    one = reviewing(SMALL, ReviewRequirement(personas=("developer",)))
    assert one.may_need(replace(WORK, kind=kind))
    assert await is_reviewed(one, replace(WORK, kind=kind))


@pytest.mark.parametrize("state", [TurnState.WITHHELD, TurnState.FAILED, TurnState.STOPPED])
async def test_a_rework_or_review_that_brings_no_reply_is_a_person_s_to_look_at_unless_a_person_stopped_it(
    state: TurnState,
) -> None:
    one = reviewing(SMALL, DEVELOPER, states=AT_IT)
    exchange = Exchange(message=message("do it"), turns=tuple(map(answered, (WORK, REVIEW, REWORK))))
    after_rework = await one.after_none(REWORK, state, exchange)
    after_review = await one.after_none(REVIEW, state, exchange)
    assert (await one.after_none(WORK, state, exchange)).posts == ()
    assert after_rework.moves == ()  # it stays rejected
    assert [move.to for move in after_review.moves] == [ReviewStatus.PENDING]
    asked = state is not TurnState.STOPPED
    assert len(after_review.posts) == len(after_rework.posts) == asked
    if asked:
        assert "divides by zero" in after_rework.posts[0].text


def answered(one: Turn, *runs: ToolRun) -> StoredTurn:
    done = attempt(REJECTED, ToolRecord(runs=runs))
    return StoredTurn(turn=one, state=TurnState.ANSWERED, created_at=START, attempts=(done,))


def results(asking: Turn) -> Turn:
    return results_turn(ReportResults(asking=asking, settled=()))


@pytest.mark.parametrize(
    "states",
    [
        States(ReviewStatus.APPROVED, "kim"),
        States(ReviewStatus.REJECTED, "kim"),
        States(ReviewStatus.IN_REVIEW, "kim"),
        States(ReviewStatus.PENDING, "reviewer"),
        States(),
    ],
)
@pytest.mark.parametrize("text", [REJECTED, "Verdict: APPROVE"])
async def test_a_verdict_on_what_a_person_took_over_leads_to_nothing(states: States, text: str) -> None:
    one = reviewing(SMALL, DEVELOPER, states=states)
    exchange = Exchange(message=message("do it"), turns=(answered(WORK), answered(REVIEW)))
    assert await one.after(REVIEW, attempt(text), Cleared(), exchange) == NOTHING
    assert await one.after_none(REVIEW, TurnState.FAILED, exchange) == NOTHING


async def test_a_reviewer_that_begins_again_takes_nothing_back_from_a_person() -> None:
    exchange = Exchange(message=message("do it"), turns=(answered(WORK), answered(REVIEW)))
    kim, own = States(ReviewStatus.IN_REVIEW, "kim"), States(ReviewStatus.PENDING)
    for states in (kim, own):
        await reviewing(SMALL, DEVELOPER, states=states).begins(REVIEW, exchange)
    assert kim.moved == []
    assert [(move.to, move.agent) for move in own.moved] == [(ReviewStatus.IN_REVIEW, "reviewer")]


async def test_a_rejection_by_the_reviewer_that_is_at_it_leads_to_a_rework() -> None:
    one = reviewing(SMALL, DEVELOPER, states=AT_IT)
    exchange = Exchange(message=message("do it"), turns=(answered(WORK), answered(REVIEW)))
    follow = await one.after(REVIEW, attempt(REJECTED), Cleared(), exchange)
    assert [made.kind for made in follow.turns] == [TurnKind.REWORK]


async def test_a_part_of_the_work_is_reviewed_after_the_results_of_the_rest_and_from_where_it_began() -> None:
    asked: list[str] = []

    class Since(Changes):
        async def work(self, turn: Turn, max_characters: int) -> WorkDiff | None:
            asked.append(turn.baseline)
            return SMALL if turn.baseline == "first" else WorkDiff()

    began = replace(WORK, baseline="first")
    one = ReviewRounds(
        settings=ReviewSettings(require_review_for=(DEVELOPER,)),
        personas=PERSONAS,
        states=States(ReviewStatus.PENDING),
        changes=Since(SMALL),
        metrics=Metrics(),
    )
    exchange = Exchange(message=message("do it"), turns=(answered(began),))
    follow = await one.after(began, attempt("half"), Cleared(), exchange, delegates=True)
    assert (follow.turns, [move.to for move in follow.moves]) == ((), [ReviewStatus.PENDING])
    told = replace(results(began), baseline="second")
    exchange = replace(exchange, turns=(answered(began, bash("pytest")), answered(told)))
    follow = await one.after(told, attempt("whole", ToolRecord(runs=(bash("ls"),))), Cleared(), exchange)
    (review,) = follow.turns
    assert (review.kind, review.parent) == (TurnKind.REVIEW, told.id)
    assert [move.session_id for move in follow.moves] == [began.id]
    assert asked[-1] == "first"
    assert all(f"Bash `{command}`" in review.prompt for command in ("pytest", "ls"))


@pytest.mark.parametrize(
    ("language", "words"), [(Language.ENGLISH, "A person is needed"), (Language.KOREAN, "사람이 결정")]
)
async def test_work_whose_review_was_put_off_and_that_then_fails_is_a_person_s_to_look_at(
    language: Language, words: str
) -> None:
    told = replace(results(WORK), language=language)
    exchange = Exchange(message=message("do it"), turns=(answered(WORK), answered(told)))
    one = reviewing(SMALL, DEVELOPER, states=States(ReviewStatus.PENDING))
    follow = await one.after_none(told, TurnState.FAILED, exchange)
    assert words in follow.posts[0].text
    assert (await one.after_none(told, TurnState.STOPPED, exchange)).posts == ()
    assert await reviewing(SMALL, DEVELOPER).after_none(told, TurnState.FAILED, exchange) == NOTHING


async def test_the_results_of_a_rework_are_the_same_work_and_count_as_its_next_review() -> None:
    """However often a rework delegates: three reviews, then a person."""
    one = reviewing(WorkDiff(), DEVELOPER, states=AT_IT)
    turns, last, reviews = [answered(WORK)], WORK, 0
    follow = FollowUp(turns=(REVIEW,))
    while follow.turns:
        reviews += 1
        assert reviews <= 3
        turns.append(answered(follow.turns[0]))
        exchange = Exchange(message=message("do it"), turns=tuple(turns))
        follow = await one.after(follow.turns[0], attempt(REJECTED), Cleared(), exchange)
        if not follow.turns:
            break
        (rework,) = follow.turns
        turns.append(answered(rework))
        exchange = replace(exchange, turns=tuple(turns))
        assert await one.after(rework, attempt("x"), Cleared(), exchange, delegates=True) == NOTHING
        last = results(rework)
        turns.append(answered(last))
        exchange = replace(exchange, turns=tuple(turns))
        ended = await one.after_none(last, TurnState.FAILED, exchange)
        assert "divides by zero" in ended.posts[0].text
        follow = await one.after(last, attempt("x"), Cleared(), exchange)
        assert "divides by zero" in follow.turns[0].prompt
    assert reviews == 3
    assert [post.notice for post in follow.posts if isinstance(post, Notice)] == [NoticeKind.NEEDS_PERSON]


async def test_a_rework_that_was_cut_off_and_resumed_is_shown_once() -> None:
    one = reviewing(SMALL, DEVELOPER, states=AT_IT)
    record = ToolRecord(runs=(bash("pytest -x"),))
    turns = (answered(WORK, bash("ls")), answered(REVIEW, bash("git diff")), answered(REWORK, *record.runs))
    exchange = Exchange(message=message("do it"), turns=turns)
    follow = await one.after(REWORK, attempt("done", record), Cleared(), exchange)
    prompt = follow.turns[0].prompt
    assert [prompt.count(f"Bash `{command}`") for command in ("ls", "git diff", "pytest -x")] == [1, 0, 1]


# --- what a reviewer submits ------------------------------------------------------------------------------

SUBMITS_APPROVAL = Declaration(verdict=DeclaredVerdict.APPROVE)
SUBMITS_REJECTION = Declaration(verdict=DeclaredVerdict.REJECT, findings=("`rates.py:1`: wrong rate", " "))


def submitted(text: str, declaration: Declaration) -> Attempt:
    drafted = attempt(text)
    return replace(drafted, draft=replace(drafted.draft, declaration=declaration))


def test_a_submitted_verdict_stands_above_the_words() -> None:
    said = submitted("The rates are right.", SUBMITS_APPROVAL)
    assert verdict_of(said, Cleared(), Language.ENGLISH) == Approved()
    assert verdict_of(said, Cleared(verdict=Verdict.NEEDS_REVIEW), Language.ENGLISH) == Unproven()
    rejected = Rejected(("`rates.py:1`: wrong rate",))
    for text in ("Verdict: APPROVE", "The rates are wrong."):
        assert verdict_of(submitted(text, SUBMITS_REJECTION), Cleared(), Language.ENGLISH) == rejected


@pytest.mark.parametrize("text", ["Verdict: REJECT\n\nFindings:\n- wrong rate", "판정: 반려\n\n지적:\n- 비율이 틀림"])
def test_words_that_plainly_reject_undo_a_submitted_approval(text: str) -> None:
    assert isinstance(verdict_of(submitted(text, SUBMITS_APPROVAL), Cleared(), Language.ENGLISH), Rejected)


def test_a_rejection_without_findings_takes_those_of_the_reply() -> None:
    bare = Declaration(verdict=DeclaredVerdict.REJECT)
    said = submitted("Verdict: REJECT\n\nFindings:\n- `rates.py:1`: wrong", bare)
    assert verdict_of(said, Cleared(), Language.ENGLISH) == Rejected(("`rates.py:1`: wrong",))
