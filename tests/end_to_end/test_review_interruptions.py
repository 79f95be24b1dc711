"""A review that fails, is stopped, or is settled by a person meanwhile approves nothing; a killed one goes on."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.model import NoticeKind, ReviewMove, ReviewStatus, TurnKind, TurnState
from mama_bot.model.reviews import approval_of
from tests.end_to_end.reviewing import (
    APPROVAL,
    KINDS,
    READER,
    REJECTION,
    SETTINGS,
    approving_at,
    developer,
    kinds,
    review_of,
    runs,
    team_of,
)
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.end_to_end.team import running_team, write_configuration
from tests.waiting import SECONDS

pytestmark = pytest.mark.cli

TEST = "import unittest\n\nclass Rates(unittest.TestCase):\n    def test_rate(self): pass\n"


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


async def test_a_reviewer_that_fails_on_delegated_work_leaves_it_to_a_person(tmp_path: Path) -> None:
    def reviewer(request: ModelRequest) -> ModelReply:
        return ModelReply(status=400, error_message="no")

    def lead(request: ModelRequest) -> ModelReply:
        if "What came of your delegations" in request.last_user_text:
            return ModelReply(text="`shop/rates.py` is there, without a review.")
        return ModelReply(text="DELEGATE::developer::Add the rates\nEXPECTED OUTCOME:\n- `shop/rates.py` exists")

    settings = {**SETTINGS, "router": {"default_persona": "lead"}}
    async with running_team(tmp_path, script=team_of(reviewer, lead=lead), personas=READER, **settings) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        review = await review_of(team, exchange.turns[1].turn.id)
        notices = [notice.notice for notice in team.notices()]
    assert kinds(exchange.turns) == [TurnKind.REQUEST, TurnKind.DELEGATION, TurnKind.REVIEW, TurnKind.RESULTS]
    assert review.status is ReviewStatus.PENDING
    assert NoticeKind.NEEDS_PERSON in notices


async def test_what_the_review_found_stands_where_the_rework_fails(tmp_path: Path) -> None:
    def worker(request: ModelRequest) -> ModelReply:
        return ModelReply(status=400, error_message="no") if len(request.user_texts) > 1 else developer(request)

    script = team_of(approving_at(9), worker=worker)
    async with running_team(tmp_path, script=script, personas=READER, **SETTINGS) as team:
        exchange = await team.settled(await team.say("Add the rates"))
        asked = [notice for notice in team.notices() if notice.notice is NoticeKind.NEEDS_PERSON]
    assert kinds(exchange.turns) == KINDS[:3]
    (line,) = asked
    assert "wrong in 1 places" in line.text
    assert line.approval == approval_of(exchange.turns[0].turn.id)


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
