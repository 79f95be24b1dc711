"""A message into a turn that runs becomes part of it; what was cut off goes on: the real CLI and a scripted model."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import (
    AgentPersona,
    Attachment,
    Author,
    Command,
    CommandName,
    NoticeKind,
    Origin,
    PostId,
    StandingState,
    TurnWorking,
    repeated_id,
)
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from tests.end_to_end.team import Team, key, running_team
from tests.end_to_end.test_story import PERSONAS
from tests.waiting import SECONDS, until

KIM = Author(id="kim", name="Kim")
BOTH = "`a.py:3` has 3 functions; `b.py:1` has 120 lines."
BOTH_KO = "`a.py:3`에 함수가 3개, `b.py:1`에 줄이 120개 있습니다."


async def give(team: Team, name: CommandName, *, post: PostId | None = None) -> str:
    command = Command(name=name, key=key(), author=KIM, origin=Origin(), post_id=post)
    async with asyncio.timeout(SECONDS):
        return (await team.gateway.command(command)).text


def wait(seconds: int) -> ModelReply:
    call = ToolUse(name="Bash", arguments={"command": f"sleep {seconds}; echo waited", "description": "wait"})
    return ModelReply(tool_calls=(call,))


def tool_runs(team: Team) -> bool:
    return any(isinstance(step, TurnWorking) for step in team.gateway.shown)


@pytest.mark.cli
@pytest.mark.parametrize(
    ("asked", "also", "reply"),
    [
        ("How many functions has a.py?", "And how long is b.py?", BOTH),
        ("a.py에 함수가 몇 개 있나요?", "b.py는 몇 줄인지도 알려 주세요.", BOTH_KO),
    ],
)
async def test_what_is_written_while_the_agent_works_reaches_it_and_is_answered_with_the_rest(
    tmp_path: Path, asked: str, also: str, reply: str
) -> None:
    requests: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        requests.append(request)
        return wait(6) if len(requests) == 1 else ModelReply(text=reply)

    notes = tmp_path / "notes.txt"
    notes.write_text("b.py\n", encoding="utf-8")
    file = Attachment(name="notes.txt", media_type="text/plain", size=5, path=notes)
    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}) as team:
        first = await team.say(asked)
        await until(lambda: tool_runs(team))
        second = await team.say(also, attachments=(file,))
        exchange = await team.settled(first)
        later = await team.store.turns.load(second)
        view = await team.store.history.view(key(), 10)
        context = await team.context()
    assert [post.text for post in team.posts()] == [reply]
    assert (later.turns, [message.id for message in exchange.added]) == ((), [second])
    assert also in exchange.turns[0].turn.prompt, "it is judged as part of the request"
    told = str([request.messages for request in requests[1:]])
    assert "[MESSAGE]" in told
    assert also in told
    assert "notes.txt" in told
    assert view.added == (second,)
    assert [entry.text for entry in context] == [asked, f"{also}\n[attached: notes.txt]", reply]
    states = {mark.state for mark in team.gateway.marked if mark.message_id == second}
    assert {StandingState.ADDED, StandingState.DONE} <= states


@pytest.mark.cli
async def test_a_file_of_an_earlier_message_is_there_for_whoever_works_later(tmp_path: Path) -> None:
    requests: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        requests.append(request)
        place = re.search(r"file: notes.txt .* at (\S+)", request.last_user_text)
        if place is not None and not request.tool_results:
            return ModelReply(tool_calls=(ToolUse(name="Read", arguments={"file_path": place[1]}),))
        return ModelReply(text=BOTH)

    notes = tmp_path / "notes.txt"
    notes.write_text("the word is zebra\n", encoding="utf-8")
    file = Attachment(name="notes.txt", media_type="text/plain", size=18, path=notes)
    async with running_team(tmp_path, script=script) as team:
        await team.settled(await team.say("@developer How many functions has a.py?", attachments=(file,)))
        del requests[:]
        await team.settled(await team.say("@reviewer 그 파일에 무엇이 적혀 있나요?"))
    assert "Came earlier in this conversation" in requests[0].last_user_text
    assert "zebra" in requests[-1].tool_results[0].text


@pytest.mark.cli
async def test_what_is_for_somebody_else_or_by_somebody_else_waits(tmp_path: Path) -> None:
    requests: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        requests.append(request)
        return wait(4) if len(requests) == 1 else ModelReply(text=BOTH)

    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}) as team:
        await team.say("How many functions has a.py?")
        await until(lambda: tool_runs(team))
        await team.say("And how long is b.py?", name="Lee")
        last = await team.say("@reviewer Is a.py in order?")
        line = await team.store.inbox.line(key(), most=10)
        assert (line.running, len(line.waiting)) == (1, 2)
        exchange = await team.settled(last)
    assert (len(team.replies()), exchange.added) == (3, ())
    ahead = [(mark.ahead, mark.state) for mark in team.gateway.marked if mark.message_id == last]
    assert (2, StandingState.WAITING) in ahead
    assert (1, StandingState.WAITING) in ahead, "it moves up"


@pytest.mark.cli
async def test_what_ran_into_its_deadline_goes_on_in_its_session(tmp_path: Path) -> None:
    requests: list[ModelRequest] = []

    def script(request: ModelRequest) -> ModelReply:
        requests.append(request)
        return ModelReply(text=BOTH) if "[CONTINUE]" in request.last_user_text else wait(60)

    turns = {"deadline_seconds": 6, "drain_seconds": 0}
    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}, turns=turns) as team:
        await team.settled(await team.say("How many functions has a.py?"))
        [notice] = team.notices()
        assert (notice.notice, notice.answers is not None) == (NoticeKind.FAILED, True)
        assert notice.answers is not None
        assert "developer" in await give(team, CommandName.CONTINUE, post=notice.id)
        await team.settled(repeated_id(notice.answers))
    assert [reply.text for reply in team.replies()] == [BOTH]
    assert "How many functions has a.py?" in requests[-1].last_user_text
    assert any("How many functions" in text for text in requests[-1].user_texts[:-1]), "the session remembers"


class Slow:
    """An agent that cannot be told anything while it works, and takes a while for the first prompt."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def __call__(self, persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
        self.prompts.append(prompt)
        return ScriptedReply(text=f"`{persona.name}.py:3` answers {len(history) + 1}.", delay_seconds=2.0)


async def test_an_agent_that_cannot_be_told_meanwhile_is_told_before_its_reply_is_judged(tmp_path: Path) -> None:
    script = Slow()
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend(script=script)}) as team:
        first = await team.say("How many functions has a.py?")
        await until(lambda: script.prompts)
        await team.say("And how long is b.py?")
        assert (await team.store.inbox.line(key(), most=10)).waiting, "it waits until somebody tells it"
        assert "is told (1)" in await give(team, CommandName.TELL)
        assert await give(team, CommandName.TELL) == "Nothing waits here."
        exchange = await team.settled(first)
    assert [reply.text for reply in team.replies()] == ["`lead.py:3` answers 2."]
    assert [attempt.draft.attempt for attempt in exchange.turns[0].attempts] == [0]
    assert "And how long is b.py?" in script.prompts[1]


async def test_what_was_added_outlives_a_restart(tmp_path: Path) -> None:
    script = Slow()
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend(script=script)}) as team:
        first = await team.say("a.py에 함수가 몇 개 있나요?")
        await until(lambda: script.prompts)
        await team.say("b.py는 몇 줄인지도 알려 주세요.")
        assert "(1)" in await give(team, CommandName.TELL)
    again = Slow()
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend(script=again)}) as team:
        exchange = await team.settled(first)
        assert len(team.replies()) == 1
    assert again.prompts[0].count("b.py는 몇 줄인지도") == 1
    assert len(exchange.added) == 1


@pytest.mark.cli
async def test_in_the_demonstration_a_question_that_comes_while_a_turn_runs_has_a_reply_of_its_own(
    tmp_path: Path,
) -> None:
    async with running_team(tmp_path, personas_directory=str(PERSONAS)) as team:  # the story plays the model
        first = await team.say("Which files are there?")
        await until(lambda: tool_runs(team))
        second = await team.say("안녕하세요")
        for message in (first, second):
            await team.settled(message)
        files, greeting = team.replies()
    assert "shop/prices.py" in files.text
    assert greeting.text.startswith("안녕하세요")
