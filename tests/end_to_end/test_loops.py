"""What gets nowhere ends, with a line: agents that ask each other, and a bot that answers our agents."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import Author, AuthorKind, InboundMessage, MessageId, Notice, NoticeKind
from tests.end_to_end.team import Team, key, running_team
from tests.waiting import until

pytestmark = pytest.mark.cli

LINES = ("The parser is in place.", "Nothing is open in the parser.", "The parser stands as before.")


def talk(request: ModelRequest) -> ModelReply:
    """Lead asks developer again and again, and nobody does anything."""
    if request.persona == "developer":
        return ModelReply(text=LINES[len(request.user_texts) % 3])
    return ModelReply(text=f"{LINES[len(request.user_texts) % 3]}\n\nDELEGATE::developer::State how the parser stands")


async def test_two_agents_that_only_talk_are_stopped_after_two_rounds_with_a_line(tmp_path: Path) -> None:
    async with running_team(tmp_path, script=talk) as team:
        exchange = await team.settled(await team.say("How does the parser stand?"))
    asked = [
        stored for stored in exchange.turns if stored.turn.delegation is not None and stored.turn.asker.id == "lead"
    ]
    assert [stored.turn.persona for stored in asked if stored.turn.kind == "delegation"] == ["developer", "developer"]
    lines = [post.text for post in team.notices() if post.notice is NoticeKind.LOOP]
    (line,) = lines
    assert "lead and developer asked and answered each other 2 times with no new tool call, file or figure" in line


async def bot_says(team: Team, text: str, number: int) -> None:
    message = InboundMessage(
        id=MessageId(f"bot-{number}"),
        key=key(),
        author=Author(id="other", name="Other", kind=AuthorKind.BOT),
        text=text,
        received_at=datetime.now(UTC),
    )
    assert await team.gateway.deliver(message)


async def replied(team: Team, times: int) -> None:
    await until(lambda: len(team.posts()) >= times)


async def test_a_bot_that_answers_our_agent_is_answered_until_nothing_new_comes_and_again_after_a_person(
    tmp_path: Path,
) -> None:
    loops = {"cooldown_seconds": 0}
    async with running_team(tmp_path, script=lambda _: ModelReply(text=LINES[0]), loops=loops) as team:
        for number in range(5):  # each is an answer to the reply before
            await bot_says(team, "Acknowledged, thanks!", number)
            await replied(team, min(number + 1, 3))
        await team.settled(await team.say("Go on, please"))
        await bot_says(team, "Acknowledged, thanks!", 5)
        await until(lambda: len(team.replies()) == 4)
    lines = [post.text for post in team.posts() if isinstance(post, Notice)]
    (line,) = lines
    assert line.startswith("Other is a bot, and the last 2 rounds with it brought no new tool call, file or figure")


async def test_an_agent_that_makes_one_call_again_and_again_is_told_in_the_turn(tmp_path: Path) -> None:
    requests: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        requests.append(request)
        if len(requests) <= 4:
            call = ToolUse(name="Bash", arguments={"command": "cat nowhere", "description": "look"})
            return ModelReply(tool_calls=(call,))
        return ModelReply(text="`nowhere` is not in the workspace; I need its place.")

    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}) as team:
        await team.settled(await team.say("Show me the file"))
    told = ["You are stuck. Try a completely different approach." in str(request.messages) for request in requests]
    assert told[:3] == [False] * 3
    assert told[4]
    assert str(requests[-1].messages).count("[STUCK]") == 1
