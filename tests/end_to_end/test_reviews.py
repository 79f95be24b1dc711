"""Worker, reviewer, and back, with the real CLI: who is asked what, what counts, and who is asked in the end."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.commands.review_gate import show
from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import (
    Author,
    Command,
    CommandName,
    ConversationKey,
    NoticeKind,
    Origin,
    ReviewStatus,
    StoredTurn,
    ToolRun,
    TurnKind,
    TurnState,
    Verdict,
)
from mama_bot.wording import Language
from tests.end_to_end.reviewing import (
    APPROVAL,
    CLAIM,
    KINDS,
    PRAISE,
    READER,
    REJECTION,
    SETTINGS,
    approving_at,
    kinds,
    review_of,
    runs,
    team_of,
)
from tests.end_to_end.team import key, running_team
from tests.end_to_end.test_steering import KIM
from tests.end_to_end.test_team_tools import bash
from tests.waiting import until
from tests.walls import refusals

pytestmark = pytest.mark.cli

DELEGATED = (
    "DELEGATE::developer::Add the rates\nEXPECTED OUTCOME:\n- `shop/rates.py` exists\nMUST NOT DO: touch the tests"
)


async def test_rejected_work_goes_back_with_the_issues_until_the_reviewer_approves(tmp_path: Path) -> None:
    asked: list[str] = []
    async with running_team(tmp_path, script=team_of(approving_at(2, asked)), personas=READER, **SETTINGS) as team:
        exchange = await team.settled(await team.say("Add the rates, 정확히 이대로"))
        work = exchange.turns[0].turn
        review = await review_of(team, work.id)
        notices = team.notices()
        posted = [(reply.persona, reply.verdict, reply.banners) for reply in team.replies()]
    assert kinds(exchange.turns) == KINDS
    assert {stored.state for stored in exchange.turns} == {TurnState.ANSWERED}
    assert (review.status, review.attempts, review.reviewer_agent) == (ReviewStatus.APPROVED, 2, "reviewer")
    assert notices == []
    waits = ("⚠️ NEEDS_REVIEW: Reviewer이 이 작업을 리뷰합니다. 그전에는 승인된 것이 아닙니다.",)
    held = ("developer", Verdict.NEEDS_REVIEW, waits)
    spoken = ("reviewer", Verdict.PASSED, ())
    assert posted == [held, spoken, held, spoken], "no work is posted as passed before its review"
    rework = exchange.turns[2].turn
    assert ": `shop/rates.py:1`: wrong in 1 places" in rework.prompt
    assert rework.baseline == work.baseline != ""
    first, second = asked
    assert "> Add the rates, 정확히 이대로" in first
    assert "+RATE_1 = 1" in first
    assert "python3 -m unittest" in first
    assert "-> exit status 0 (unittest: passed, 8 passed" in first
    assert "wrong in 1 places" in second
    assert "+RATE_2 = 1" in second
    for prompt in asked:
        assert not any(word in prompt for word in (PRAISE, CLAIM, "Zebrafink", "DONE"))


@pytest.mark.parametrize(
    ("said", "line"), [("Add the rates", "A person is needed"), ("환율을 추가해 주세요", "사람이 결정")]
)
async def test_after_three_rejections_a_person_is_asked_with_the_issues(tmp_path: Path, said: str, line: str) -> None:
    async with running_team(tmp_path, script=team_of(approving_at(9)), personas=READER, **SETTINGS) as team:
        exchange = await team.settled(await team.say(said))
        review = await review_of(team, exchange.turns[0].turn.id)
        (notice,) = team.notices()
    assert kinds(exchange.turns) == [*KINDS, TurnKind.REWORK, TurnKind.REVIEW]
    assert (review.status, review.attempts) == (ReviewStatus.REJECTED, 3)
    assert notice.notice is NoticeKind.NEEDS_PERSON
    assert line in notice.text
    assert "wrong in 3 places" in notice.text


@pytest.mark.parametrize(
    ("pressed", "status", "told"),
    [
        (CommandName.APPROVE, ReviewStatus.APPROVED, "Recorded: the work of Developer is approved"),
        (CommandName.DENY, ReviewStatus.REJECTED, "Recorded: the work of Developer is rejected"),
    ],
)
async def test_what_a_person_decides_by_a_button_is_recorded_once_and_shown(
    tmp_path: Path, pressed: CommandName, status: ReviewStatus, told: str
) -> None:
    settings = {**SETTINGS, "reviews": {**SETTINGS["reviews"], "max_attempts": 1}}
    async with running_team(tmp_path, script=team_of(approving_at(9)), personas=READER, **settings) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        work = exchange.turns[0].turn
        (notice,) = team.notices()
        press = Command(
            name=pressed,
            key=work.key,
            author=Author(id="kim", name="developer/Kim"),
            origin=Origin(channel="general"),
            argument=notice.approval,
        )
        elsewhere = await team.gateway.command(replace(press, key=ConversationKey(work.key.platform, "other")))
        answer = await team.gateway.command(replace(press, key=replace(work.key, thread="t")))
        again = await team.gateway.command(replace(press, name=CommandName.APPROVE))
        korean = await team.gateway.command(replace(press, language=Language.KOREAN))
        review = await review_of(team, work.id)
    assert (elsewhere.done, elsewhere.text[:24]) == (False, "There is no review in th")
    person = "developer Kim, memory kim (person)"
    assert answer.done
    assert answer.text.startswith(told)
    assert (review.status, review.reviewer_agent) == (status, person)
    assert review.issues_found == (() if status is ReviewStatus.APPROVED else ("`shop/rates.py:1`: wrong in 1 places",))
    assert not again.done
    assert again.text == (
        f"The work of developer was settled before: it is {status.value}, by developer Kim, memory kim (person)."
    )
    state = {ReviewStatus.APPROVED: "승인됨", ReviewStatus.REJECTED: "거부됨"}[status]
    assert korean.text == f"developer의 작업은 이미 결정되었습니다: {state}, 결정한 사람 {person}."
    shown = await show(read_configuration(tmp_path / "config.yaml", environment={}), work.id, as_json=False)
    assert f"{status.value}  worker developer, reviewer {person}" in next(shown)


async def test_a_lead_hears_of_its_delegation_when_the_review_has_settled_and_how(tmp_path: Path) -> None:
    told: list[str] = []

    def lead(request: ModelRequest) -> ModelReply:
        if len(request.user_texts) == 1:
            return ModelReply(text=DELEGATED)
        told.append(request.last_user_text)
        return ModelReply(text="`shop/rates.py` is new, 1 file; the review is in the lines above.")

    asked: list[str] = []
    script = team_of(approving_at(2, asked), lead=lead)
    settings = {**SETTINGS, "router": {"default_persona": "lead"}}
    async with running_team(tmp_path, script=script, personas=READER, **settings) as team:
        exchange = await team.settled(await team.say("Add the rates"))
    delegated = [TurnKind.DELEGATION, *KINDS[1:], TurnKind.RESULTS]
    assert kinds(exchange.turns) == [TurnKind.REQUEST, *delegated]
    (prompt,) = told
    assert "[REVIEW] Approved by reviewer after 2 reviews." in prompt
    assert "MUST NOT DO: touch the tests" in asked[0]
    assert "Zebrafink" not in "".join(asked)


async def test_a_lead_is_told_that_work_was_not_approved(tmp_path: Path) -> None:
    told: list[str] = []

    def lead(request: ModelRequest) -> ModelReply:
        if len(request.user_texts) == 1:
            return ModelReply(text=DELEGATED)
        told.append(request.last_user_text)
        return ModelReply(text="`shop/rates.py:1` is open: 1 finding.")

    settings = {**SETTINGS, "router": {"default_persona": "lead"}}
    settings["reviews"] = {**settings["reviews"], "max_attempts": 1}
    async with running_team(tmp_path, script=team_of(approving_at(9), lead=lead), personas=READER, **settings) as team:
        await team.settled(await team.say("Add the rates"))
        notices = [notice.notice for notice in team.notices()]
    assert "[REVIEW] NOT approved: reviewer rejected it, 1 review." in told[0]
    assert "Do not report it as approved" in told[0]
    assert notices == [NoticeKind.NEEDS_PERSON]


async def test_an_approval_that_the_chain_marks_approves_nothing(tmp_path: Path) -> None:
    def reviewer(request: ModelRequest) -> ModelReply:
        return ModelReply(text="Verdict: APPROVE")

    async with running_team(tmp_path, script=team_of(reviewer), personas=READER, **SETTINGS) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        review = await review_of(team, exchange.turns[0].turn.id)
        (notice,) = team.notices()
    assert kinds(exchange.turns) == KINDS[:2]
    assert review.status is ReviewStatus.PENDING
    assert notice.notice is NoticeKind.NEEDS_PERSON
    assert "without a verdict that holds" in notice.text


async def test_work_that_changes_nothing_or_other_files_or_too_little_needs_no_review(tmp_path: Path) -> None:
    def worker(request: ModelRequest) -> ModelReply:
        if "read" in request.last_user_text or request.tool_results:
            return ModelReply(text="`shop/cart.py` has 1 class, line 3.")
        lines = "\\n".join("x = 1" for _ in range(30 if "long" in request.last_user_text else 2))
        return runs(f"printf '{lines}\\n' > {'docs.md' if 'docs' in request.last_user_text else 'shop/rates.py'}")

    required = [{"personas": ["developer"], "paths": ["shop/"], "changed_lines": 20}]
    settings = {**SETTINGS, "reviews": {"require_review_for": required}}
    async with running_team(
        tmp_path, script=team_of(approving_at(1), worker=worker), personas=READER, **settings
    ) as team:
        found = [
            kinds((await team.settled(await team.say(said))).turns)
            for said in ("read it", "write long docs", "write a short file", "write a long file")
        ]
    assert found == [[TurnKind.REQUEST]] * 3 + [[TurnKind.REQUEST, TurnKind.REVIEW]]


def calls(stored: StoredTurn) -> list[ToolRun]:
    return list(stored.attempts[-1].draft.record.runs)


@pytest.mark.parametrize("tier", ["reader", "worker"])
async def test_a_reviewer_runs_any_command_and_the_kernel_lets_none_write(tmp_path: Path, tier: str) -> None:
    wanted = (
        ToolUse(name="Bash", arguments={"command": "echo x > shop/rates.py", "description": "write"}),
        ToolUse(name="Bash", arguments={"command": "rm -rf tests", "description": "remove"}),
        ToolUse(name="Write", arguments={"file_path": "shop/rates.py", "content": "x"}),
        ToolUse(name="Bash", arguments={"command": "python3 -m unittest 2>&1 | tail -3", "description": "test"}),
        ToolUse(name="Bash", arguments={"command": "git diff --stat", "description": "diff"}),
    )
    results: list[tuple[bool, str]] = []

    def reviewer(request: ModelRequest) -> ModelReply:
        if not request.tool_results:
            return ModelReply(tool_calls=wanted)
        results.extend((result.is_error, result.text) for result in request.tool_results)
        return ModelReply(text=APPROVAL)

    personas = {"reviewer": f"tier: {tier}\nworkspace: team"}
    async with running_team(tmp_path, script=team_of(reviewer), personas=personas, **SETTINGS) as team:
        files = tmp_path / "personas" / "reviewer.md"
        assert "tier" in files.read_text(encoding="utf-8")
        exchange = await team.settled(await team.say("Add the rates"))
    assert [error for error, _ in results[:3]] == [True] * 3
    assert all(refusals(text) for _, text in results[:2])
    assert [error for error, _ in results[3:5]] == [False] * 2
    assert "OK" in results[3][1]
    assert "RATE_1" in next((tmp_path / "data").rglob("team/shop/rates.py")).read_text(encoding="utf-8")
    assert len(list((tmp_path / "data").rglob("team/tests/*.py"))) > 0
    assert kinds(exchange.turns) == KINDS[:2]


async def test_where_nothing_is_confined_a_reviewer_has_no_shell(tmp_path: Path) -> None:
    results: list[tuple[bool, str]] = []

    def reviewer(request: ModelRequest) -> ModelReply:
        if not request.tool_results:
            return runs("python3 -m unittest", "cat shop/rates.py")
        results.extend((result.is_error, result.text) for result in request.tool_results)
        return ModelReply(text=REJECTION.format("nothing could be run"))

    settings = {**SETTINGS, "reviews": {**SETTINGS["reviews"], "max_attempts": 1}, "sandbox": {"mode": "never"}}
    async with running_team(tmp_path, script=team_of(reviewer), personas=READER, **settings) as team:
        exchange = await team.settled(await team.say("Add the rates"))
    assert kinds(exchange.turns) == KINDS[:2]
    assert len(results) == 2
    assert all(error and "there is no shell for that" in text for error, text in results)
    assert "RATE_1" in next((tmp_path / "data").rglob("team/shop/rates.py")).read_text(encoding="utf-8")


async def test_work_of_which_a_part_is_delegated_is_reviewed_as_a_whole(tmp_path: Path) -> None:
    def worker(request: ModelRequest) -> ModelReply:
        if len(request.user_texts) > 1:
            return ModelReply(text="`shop/rates.py` has 2 lines.")
        if request.tool_results:
            return ModelReply(text="`shop/rates.py` has 1 line.\n\nDELEGATE::lead::Write the second half")
        return runs("echo RATE_1 = 1 > shop/rates.py")

    def lead(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(text="`shop/rates.py` has 2 lines now.")
        return runs("echo RATE_2 = 1 >> shop/rates.py")

    asked: list[str] = []
    personas = {**READER, "developer": "workspace: team\ndelegates_to: [lead]"}
    script = team_of(approving_at(1, asked), worker=worker, lead=lead)
    async with running_team(tmp_path, script=script, personas=personas, tools={"lead": "Bash, "}, **SETTINGS) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        review = await review_of(team, exchange.turns[0].turn.id)
    assert kinds(exchange.turns) == [TurnKind.REQUEST, TurnKind.DELEGATION, TurnKind.RESULTS, TurnKind.REVIEW]
    assert (review.status, review.attempts) == (ReviewStatus.APPROVED, 1)
    (prompt,) = asked
    assert "+RATE_1 = 1\n+RATE_2 = 1" in prompt


async def test_however_often_a_rework_delegates_there_are_three_reviews(tmp_path: Path) -> None:
    def worker(request: ModelRequest) -> ModelReply:
        if not request.tool_results:
            return runs(f"echo RATE_{len(request.user_texts)} = 1 > shop/rates.py")
        again = "did not approve it" in request.last_user_text
        return ModelReply(text="`shop/rates.py` has 1 line." + "\n\nDELEGATE::lead::Look at `shop/rates.py`" * again)

    def lead(request: ModelRequest) -> ModelReply:
        return ModelReply(text="`shop/rates.py` has 1 line, seen.")

    personas = {**READER, "developer": "workspace: team\ndelegates_to: [lead]"}
    script = team_of(approving_at(9), worker=worker, lead=lead)
    async with running_team(tmp_path, script=script, personas=personas, **SETTINGS) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        review = await review_of(team, exchange.turns[0].turn.id)
        notices = [notice.notice for notice in team.notices()]
    rework = [TurnKind.REWORK, TurnKind.DELEGATION, TurnKind.RESULTS, TurnKind.REVIEW]
    assert kinds(exchange.turns) == [*KINDS[:2], *rework, *rework]
    assert (review.status, review.attempts) == (ReviewStatus.REJECTED, 3)
    assert notices == [NoticeKind.NEEDS_PERSON]


async def test_a_person_has_the_work_of_a_reply_reviewed_at_any_time(tmp_path: Path) -> None:
    prompts: list[str] = []
    words = "Zebrafink wrote RATE, a truly thorough piece of work."

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "reviewer":
            if not request.tool_results:
                prompts.append(request.last_user_text)
                return bash("cat rates.py")
            return ModelReply(text="Verdict: REJECT\n\nFindings:\n- `rates.py:1`: the rate is 2.")
        if not request.tool_results:
            return bash("printf 'RATE = 1\\n' > rates.py")
        return ModelReply(text=f"`rates.py` has `RATE = 1`. {words}")

    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}) as team:
        await team.settled(await team.say("Add the rate of 2, please"))
        command = Command(name=CommandName.REVIEW, key=key(), author=KIM, origin=Origin())
        answer = await team.gateway.command(command)
        await until(lambda: len(team.replies()) == 2)
        await team.gateway.command(command)  # however often
        await until(lambda: len(team.replies()) == 3)
        replies = [(reply.persona, reply.text.splitlines()[0]) for reply in team.replies()]
    assert answer.text == "The work of developer is reviewed."
    assert [persona for persona, _ in replies] == ["developer", "reviewer", "reviewer"]
    assert replies[1][1] == "Verdict: REJECT"
    for prompt in prompts:
        assert "> Add the rate of 2, please" in prompt
        assert "+RATE = 1" in prompt
        assert "Bash `printf" in prompt
        assert words not in prompt


async def test_a_review_of_earlier_work_ends_with_that_work_and_is_told_that_files_changed_since(
    tmp_path: Path,
) -> None:
    prompts: list[str] = []

    def script(request: ModelRequest) -> ModelReply:
        if request.persona == "reviewer":
            if not request.tool_results:
                prompts.append(request.last_user_text)
                return bash("cat rates.py")
            return ModelReply(text="Verdict: REJECT\n\nFindings:\n- `rates.py:1`: the rate is 2.")
        rate = 2 if "two" in request.last_user_text else 1
        if not request.tool_results or len(request.tool_results) < rate:
            return bash(f"printf 'RATE = {rate}\\n' > rates.py")
        return ModelReply(text=f"`rates.py` has `RATE = {rate}`.")

    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}) as team:
        await team.settled(await team.say("Add the rate of one, please"))
        earlier = team.replies()[-1]
        await team.settled(await team.say("Make it two, please"))
        command = Command(name=CommandName.REVIEW, key=key(), author=KIM, origin=Origin(), post_id=earlier.id)
        await team.gateway.command(command)
        await until(lambda: len(team.replies()) == 3)
        await team.gateway.command(replace(command, post_id=None))
        await until(lambda: len(team.replies()) == 4)
    of_earlier, of_latest = prompts
    assert "+RATE = 1" in of_earlier
    assert "RATE = 2" not in of_earlier
    assert "changed after that" in of_earlier
    assert "-RATE = 1\n+RATE = 2" in of_latest
    assert "changed after that" not in of_latest
