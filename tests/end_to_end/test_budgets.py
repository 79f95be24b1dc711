"""Caps are held before anybody is asked, and while they work: with the real CLI, from the gateway to the line."""

import re
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, TokenCount, ToolUse
from mama_bot.model import (
    Author,
    Command,
    CommandName,
    Exchange,
    MessageId,
    Notice,
    NoticeKind,
    Origin,
    Platform,
    TurnState,
)
from mama_bot.testing.memory_gateway import MemoryGateway
from mama_bot.wording import Language
from tests.end_to_end.team import Team, key, running_team
from tests.scripted_queue import ScriptedQueue
from tests.waiting import until

pytestmark = pytest.mark.cli

CLEAN = "`src/auth.py:42` compares tokens with `==`; `hmac.compare_digest` avoids the timing leak."
PRAISE = "What an excellent question! This is truly brilliant work, absolutely outstanding."


def costs(tokens: int, text: str = CLEAN) -> ModelReply:
    return ModelReply(text=text, usage=TokenCount(input=tokens - 10, output=10))


async def command(team: Team, name: CommandName, words: str = "", language: Language = Language.ENGLISH) -> str:
    author = Author(id="kim", name="Kim")
    asked = Command(name=name, key=key(), author=author, origin=Origin(direct=True), argument=words, language=language)
    return (await team.gateway.command(asked)).text


def lines(team: Team, exchange: Exchange) -> list[str]:
    own = (post for post in team.posts() if isinstance(post, Notice) and post.answers == exchange.message.id)
    return [post.text for post in own if post.notice is NoticeKind.FAILED]


async def test_a_cap_of_a_person_is_held_said_shown_and_raised(tmp_path: Path) -> None:
    budgets = {"person": {"tokens": 4_000}, "reserve": {"tokens": 5_000}}
    async with running_team(tmp_path, script=lambda _: costs(2_000), budgets=budgets) as team:
        first = await team.settled(await team.say("Is the token check safe?"))
        second = await team.settled(await team.say("And the other one?"))
        third = await team.settled(await team.say("세 번째도 봐 주세요"))
        other = await team.settled(await team.say("And for me?", name="Lee"))
        shown = await command(team, CommandName.USAGE)
        raised = await command(team, CommandName.BUDGET, "person memory:kim 10000")
        fourth = await team.settled(await team.say("And now?"))
    assert [exchange.turns[0].state for exchange in (first, second)] == [TurnState.ANSWERED] * 2
    assert third.turns[0].state is TurnState.FAILED
    assert third.turns[0].asked == -1
    (line,) = lines(team, third)
    assert "4,000토큰" in line
    assert "`/budget person memory:kim 8000`" in line
    assert other.turns[0].state is TurnState.ANSWERED
    assert "whoever asked, today" in shown
    assert "10,000 tokens" in raised
    assert fourth.turns[0].state is TurnState.ANSWERED


async def test_a_turn_that_takes_more_than_is_left_is_stopped_where_it_is_and_its_session_stays(tmp_path: Path) -> None:
    budgets = {"turn": {"tokens": 5_000}, "reserve": {"tokens": 1_000}}
    call = ToolUse(name="Bash", arguments={"command": "echo one >> log", "description": "run"})
    looping = True

    def script(_: ModelRequest) -> ModelReply:
        calls = (call,) if looping else ()
        return ModelReply(text=CLEAN, tool_calls=calls, usage=TokenCount(input=990, output=10))

    async with running_team(tmp_path, script=script, budgets=budgets, router={"default_persona": "developer"}) as team:
        first = await team.settled(await team.say("Is the token check safe?"))
        looping = False
        second = await team.settled(await team.say("Again"))
        spent = await command(team, CommandName.BUDGET)
    assert first.turns[0].state is TurnState.FAILED
    assert first.turns[0].attempts == ()
    (line,) = lines(team, first)
    assert "the budget of this turn is spent" in line
    assert "What was changed so far stays." in line
    assert second.turns[0].state is TurnState.ANSWERED
    assert "- this turn: 1,000 tokens of 5,000 tokens, 4,000 tokens left" in spent
    # Five calls, what the sixth had taken when it was stopped (if it had begun), and one more turn.
    assert re.search(r"the whole service today: 6,(000|9\d\d) tokens", spent)


async def test_a_turn_that_works_longer_than_its_task_may_is_stopped_at_its_next_step(tmp_path: Path) -> None:
    call = ToolUse(name="Bash", arguments={"command": "sleep 1.2; echo one >> log", "description": "run"})
    steps = ScriptedQueue()
    steps.stick(ModelReply(text=CLEAN, tool_calls=(call,)))
    budgets = {"task": {"seconds": 1}}
    async with running_team(tmp_path, script=steps, budgets=budgets, router={"default_persona": "developer"}) as team:
        stopped = await team.settled(await team.say("Is the token check safe?"))
    assert stopped.turns[0].state is TurnState.FAILED
    (line,) = lines(team, stopped)
    assert "the budget of this task is spent" in line


async def test_ten_at_once_do_not_overrun_one_cap_and_owners_are_told_once_it_is_spent_and_once_it_is_raised(
    tmp_path: Path,
) -> None:
    budgets = {"day": {"tokens": 4_000}, "reserve": {"tokens": 1_000}}

    def script(_: ModelRequest) -> ModelReply:
        return ModelReply(text=CLEAN, usage=TokenCount(input=900, output=10), delay_seconds=0.5)

    telegram = MemoryGateway(platform=Platform("telegram"))
    async with running_team(
        tmp_path,
        script=script,
        others=[telegram],
        budgets=budgets,
        pool={"size": 8},
        turns={"concurrency": 8},
        telegram={"access": {"owners": ["7"]}},
        alarms={"look_seconds": 0.1, "well_seconds": 0.1},
    ) as team:
        ids: list[MessageId] = [await team.say("Is it safe?", channel=f"c{n}") for n in range(10)]
        exchanges = [await team.settled(message_id) for message_id in ids]
        assert telegram.posts == []
        await team.settled(await team.say("And this one?"))  # it takes the rest
        await until(lambda: telegram.posts)
        await command(team, CommandName.BUDGET, "day 100k")
        await until(lambda: len(telegram.posts) > 1)
    spent, raised = (post.text for post in telegram.posts)
    assert "the budget of the whole service today is spent" in spent
    assert "오늘 서비스 전체의 예산을 다 썼습니다" in spent
    assert raised.startswith("✅ mama-bot has a budget again.")
    states = [exchange.turns[0].state for exchange in exchanges]
    answered = states.count(TurnState.ANSWERED)
    assert states.count(TurnState.FAILED) == 10 - answered
    assert answered * 910 <= 4_000
    assert answered >= 4
