"""Worker, reviewer, and back, with the real CLI: who is asked what, what counts, and who is asked in the end."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mama_bot.app import read_configuration
from mama_bot.commands.review_gate import show
from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.model import (
    Author,
    Command,
    CommandName,
    ConversationKey,
    NoticeKind,
    Origin,
    Review,
    ReviewMove,
    ReviewStatus,
    StoredTurn,
    ToolRun,
    TurnKind,
    TurnState,
)
from mama_bot.wording import Language
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import SECONDS, Team, running_team, write_configuration

pytestmark = pytest.mark.cli

READER = {"reviewer": "tier: reader\nworkspace: team"}
SETTINGS: dict[str, Any] = {
    "router": {"default_persona": "developer"},
    "reviews": {"require_review_for": [{"personas": ["developer"]}]},
}
KINDS = [TurnKind.REQUEST, TurnKind.REVIEW, TurnKind.REWORK, TurnKind.REVIEW]
PRAISE = "brilliant"
CLAIM = "all tests pass"
WORK = "`shop/rates.py` holds the rates now: DONE. `python3 -m unittest`: 8 tests, OK. Zebrafink."
APPROVAL = "Verdict: APPROVE\n\nEvidence:\n- `python3 -m unittest`: Ran 8 tests, OK (run here)\n\nFindings: none."
REJECTION = (
    "Verdict: REJECT\n\nEvidence:\n- `python3 -m unittest`: Ran 8 tests, OK\n\nFindings:\n- `shop/rates.py:1`: {}"
)
TEST = "import unittest\n\nclass Rates(unittest.TestCase):\n    def test_rate(self): pass\n"
DELEGATED = (
    "DELEGATE::developer::Add the rates\nEXPECTED OUTCOME:\n- `shop/rates.py` exists\nMUST NOT DO: touch the tests"
)


def runs(*commands: str) -> ModelReply:
    calls = (ToolUse(name="Bash", arguments={"command": command, "description": CLAIM}) for command in commands)
    return ModelReply(tool_calls=tuple(calls))


def developer(request: ModelRequest) -> ModelReply:
    """Writes something else in each round, and praises itself where nobody should hear it."""
    if request.tool_results:
        return ModelReply(text=WORK)
    content = f"RATE_{len(request.user_texts)} = 1"
    return runs(f"printf '%s' '{content}' > shop/rates.py", f"echo {PRAISE} && python3 -m unittest # {CLAIM}")


def approving_at(number: int, asked: list[str] | None = None) -> ModelScript:
    """A reviewer that runs the tests, and approves the so manieth time it is asked."""

    def reviewer(request: ModelRequest) -> ModelReply:
        if not request.tool_results:
            if asked is not None:
                asked.append("\n".join((*request.user_texts, *request.assistant_texts)))
            return runs("python3 -m unittest", "cat shop/rates.py")
        count = len(request.user_texts)
        return ModelReply(text=APPROVAL if count >= number else REJECTION.format(f"wrong in {count} places"))

    return reviewer


def team_of(reviewer: ModelScript, *, worker: ModelScript = developer, lead: ModelScript = developer) -> ModelScript:
    members = {"lead": lead, "developer": worker, "reviewer": reviewer}
    return lambda request: members[request.persona](request)


def kinds(turns: tuple[StoredTurn, ...]) -> list[TurnKind]:
    return [stored.turn.kind for stored in turns]


async def review_of(team: Team, session_id: str) -> Review:
    review = await team.store.reviews.review(session_id)
    assert review is not None
    return review


async def test_rejected_work_goes_back_with_the_issues_until_the_reviewer_approves(tmp_path: Path) -> None:
    asked: list[str] = []
    async with running_team(tmp_path, script=team_of(approving_at(2, asked)), personas=READER, **SETTINGS) as team:
        exchange = await team.settled(await team.say("Add the rates, 정확히 이대로"))
        work = exchange.turns[0].turn
        review = await review_of(team, work.id)
        notices = team.notices()
    assert kinds(exchange.turns) == KINDS
    assert {stored.state for stored in exchange.turns} == {TurnState.ANSWERED}
    assert (review.status, review.attempts, review.reviewer_agent) == (ReviewStatus.APPROVED, 2, "reviewer")
    assert notices == []
    rework = exchange.turns[2].turn
    assert "1. `shop/rates.py:1`: wrong in 1 places" in rework.prompt
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


async def test_a_reviewer_that_fails_approves_nothing(tmp_path: Path) -> None:
    def reviewer(request: ModelRequest) -> ModelReply:
        return ModelReply(status=400, error_message="no")

    async with running_team(tmp_path, script=team_of(reviewer), personas=READER, **SETTINGS) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        review = await review_of(team, exchange.turns[0].turn.id)
        notices = [notice.notice for notice in team.notices()]
    assert [stored.state for stored in exchange.turns] == [TurnState.ANSWERED, TurnState.FAILED]
    assert review.status is ReviewStatus.PENDING
    assert notices == [NoticeKind.FAILED, NoticeKind.NEEDS_PERSON]


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
    assert all("Permission denied" in text or "Read-only file system" in text for _, text in results[:2])
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


async def test_a_stop_in_the_review_ends_it_without_an_approval(tmp_path: Path) -> None:
    def reviewer(request: ModelRequest) -> ModelReply:
        return ModelReply(hang=True)

    async with running_team(tmp_path, script=team_of(reviewer), personas=READER, **SETTINGS) as team:
        message = await team.say("Add the rates")
        async with asyncio.timeout(SECONDS):
            while kinds((exchange := await team.store.turns.load(message)).turns) != KINDS[:2] or (
                exchange.turns[1].asked < 0
            ):
                await asyncio.sleep(0.02)
        assert await team.stop()
        exchange = await team.settled(message)
        review = await review_of(team, exchange.turns[0].turn.id)
        notices = [notice.notice for notice in team.notices()]
    assert [stored.state for stored in exchange.turns] == [TurnState.ANSWERED, TurnState.STOPPED]
    assert review.status is ReviewStatus.PENDING
    assert notices == [NoticeKind.STOPPED]


async def test_what_a_person_decides_while_the_reviewer_is_at_it_stands(tmp_path: Path) -> None:
    decided: list[ReviewStatus] = []

    def reviewer(request: ModelRequest) -> ModelReply:
        return ModelReply(text=REJECTION.format("wrong")) if decided else runs("python3 -m unittest", "sleep 0.2")

    async with running_team(tmp_path, script=team_of(reviewer), personas=READER, **SETTINGS) as team:
        message = await team.say("Add the rates")
        async with asyncio.timeout(SECONDS):
            while kinds((exchange := await team.store.turns.load(message)).turns) != KINDS[:2] or (
                exchange.turns[1].asked < 0
            ):
                await asyncio.sleep(0.02)
        for status in (ReviewStatus.IN_REVIEW, ReviewStatus.APPROVED):
            await team.store.reviews.move(ReviewMove(session_id=exchange.turns[0].turn.id, to=status, agent="kim"))
        decided.append(ReviewStatus.APPROVED)
        exchange = await team.settled(message)
        review = await review_of(team, exchange.turns[0].turn.id)
        notices = team.notices()
    assert kinds(exchange.turns) == KINDS[:2]
    assert (review.status, review.reviewer_agent, review.attempts) == (ReviewStatus.APPROVED, "kim", 1)
    assert notices == []


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


async def turns_of(service: ServiceProcess) -> list[tuple[str, str]]:
    return [(turn["kind"], turn["state"]) for turn in (await service.conversation())["turns"]]


async def test_after_a_kill_the_reviews_go_on_where_they_were(tmp_path: Path) -> None:
    """Killed in the first review, in the rework and in the second review: each turn is there once."""

    def slow(request: ModelRequest) -> ModelReply:
        return replace(script(request), delay_seconds=0.3)

    def worker(request: ModelRequest) -> ModelReply:
        if request.tool_results:
            return ModelReply(text="`test_rates.py` is written, 4 lines.")
        path = str(next((tmp_path / "data").rglob("workspaces/*/team")) / "test_rates.py")
        return ModelReply(tool_calls=(ToolUse(name="Write", arguments={"file_path": path, "content": TEST}),))

    def reviewer(request: ModelRequest) -> ModelReply:
        if not request.tool_results:
            return runs("python3 -m unittest", "cat test_rates.py")
        again = "Review 2 of at most 3" in request.last_user_text
        return ModelReply(text=(APPROVAL if again else REJECTION.format("wrong")).replace("8 tests", "1 test"))

    script = team_of(reviewer, worker=worker)
    file = write_configuration(tmp_path, personas=READER, **SETTINGS, claude={"source": "real"})
    async with ModelServer(script=slow) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        for stage in (1, 2, 3):
            async with service_process(file, environment) as service:
                if stage == 1:
                    assert (await service.say("Add the rates")).status_code == 202
                async with asyncio.timeout(SECONDS):
                    while len(await turns_of(service)) <= stage:
                        await asyncio.sleep(0.02)
                await service.kill()
        async with service_process(file, environment) as service:
            async with asyncio.timeout(SECONDS):
                while [state for _, state in await turns_of(service)] != ["answered"] * 4:
                    await asyncio.sleep(0.05)
            assert [kind for kind, _ in await turns_of(service)] == [kind.value for kind in KINDS]
            assert await service.terminate() == 0
