"""What failed can be asked again, or goes on; a stop stops what is meant, and says what it was."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.app.system_clock import SystemClock
from mama_bot.errors import AgentTimedOut, ModelFailed
from mama_bot.intake.resumption import Resumption
from mama_bot.model import (
    AgentPersona,
    Answer,
    Author,
    Command,
    CommandName,
    Exchange,
    InboundMessage,
    MessageId,
    Notice,
    NoticeKind,
    Origin,
    OutboxEntry,
    Platform,
    PostId,
    repeated_id,
    written_id,
)
from mama_bot.testing.memory_core import MemoryHistory
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from mama_bot.wording import Language
from tests.end_to_end.team import Team, key, running_team
from tests.people import HERE
from tests.waiting import SECONDS, until

KIM = Author(id="kim", name="Kim")
LEE = Author(id="lee", name="Lee")


class OnceBroken:
    """The first prompt meets a model that fails; later ones are answered with how they begin."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def __call__(self, persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
        self.prompts.append(prompt)
        if len(self.prompts) == 1:
            return ScriptedReply(error=ModelFailed(status=500, reason="away"))
        if "Think long" in prompt and "And then this" not in prompt:  # the later message is told of the earlier one
            return ScriptedReply(text="Thought.", delay_seconds=60)
        return ScriptedReply(text=f"`{persona.name}.py:3` was looked at; prompt {len(history) + 1}.")


async def give(
    team: Team,
    name: CommandName,
    argument: str = "",
    *,
    post: PostId | None = None,
    language: Language = Language.ENGLISH,
) -> Answer:
    command = Command(
        name=name, key=key(), author=KIM, origin=Origin(), argument=argument, post_id=post, language=language
    )
    async with asyncio.timeout(SECONDS):
        return await team.gateway.command(command)


async def failed(team: Team) -> Notice:
    """A message that an agent could not answer."""
    await team.settled(await team.say("Is the token check safe?"))
    [notice] = team.notices()
    assert notice.notice is NoticeKind.FAILED
    return notice


@pytest.mark.parametrize("by_button", [True, False])
async def test_what_failed_is_asked_again_from_the_beginning_once(tmp_path: Path, *, by_button: bool) -> None:
    script = OnceBroken()
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend(script=script)}) as team:
        notice = await failed(team)
        post = notice.id if by_button else None
        assert notice.answers is not None
        assert await give(team, CommandName.RETRY, post=post) == Answer(text="Asked again, from the beginning.")
        exchange = await team.settled(repeated_id(notice.answers))
        again = await give(team, CommandName.RETRY, post=notice.id, language=Language.KOREAN)
        assert again == Answer(text="이미 다시 요청했습니다.", done=False)
        [reply] = team.replies()
    assert reply.answers == exchange.message.id
    assert exchange.message.text == "Is the token check safe?"
    assert written_id(exchange.message.id) == notice.answers
    assert "CONTINUE" not in script.prompts[-1]


async def test_what_was_cut_off_goes_on_in_the_session_of_its_agent(tmp_path: Path) -> None:
    script = OnceBroken()
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend(script=script)}) as team:
        await team.settled(await team.say("@developer Is the token check safe?"))
        [notice] = team.notices()
        assert notice.answers is not None
        answer = await give(team, CommandName.CONTINUE, post=notice.id)
        assert answer == Answer(text="developer goes on where it was cut off.")
        await team.settled(repeated_id(notice.answers))
        [reply] = team.replies()
    assert (reply.persona, reply.text) == ("developer", "`developer.py:3` was looked at; prompt 2.")
    assert "[CONTINUE]" in script.prompts[-1]
    assert "Is the token check safe?" in script.prompts[-1]


async def test_where_nothing_failed_there_is_nothing_to_go_on_with(tmp_path: Path) -> None:
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend()}) as team:
        for name in (CommandName.RETRY, CommandName.CONTINUE):
            answer = await give(team, name)
            assert (answer.done, bool(answer.text)) == (False, True)


async def test_stop_all_stops_both_and_names_them_and_cancel_leaves_what_runs(tmp_path: Path) -> None:
    script = OnceBroken()
    script.prompts.append("the one that would fail")
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend(script=script)}) as team:
        await team.say("Think long about it")
        await until(lambda: len(script.prompts) > 1)
        nothing = await give(team, CommandName.CANCEL)
        assert nothing == Answer(text="Nothing waits here.", done=False)
        await team.say("And then this")
        cancelled = await give(team, CommandName.CANCEL)
        assert cancelled == Answer(text="Cancelled before it began (1): “And then this”.")
        await team.say("And then that")
        stopped = await give(team, CommandName.STOP, "all")
        assert stopped == Answer(
            text="Stopping “Think long about it”.\nCancelled before it began (1): “And then that”."
        )
        notices = await until(lambda: team.notices() if len(team.notices()) == 3 else None)
    assert {notice.notice for notice in notices} == {NoticeKind.STOPPED}


async def test_a_stop_of_what_runs_says_what_still_waits(tmp_path: Path) -> None:
    script = OnceBroken()
    script.prompts.append("the one that would fail")
    async with running_team(tmp_path, backends={"claude": ScriptedAgentBackend(script=script)}) as team:
        await team.say("Think long about it")
        await until(lambda: len(script.prompts) > 1)
        last = await team.say("And then this")
        stopped = await give(team, CommandName.STOP)
        assert stopped.text.splitlines() == [
            "Stopping “Think long about it”.",
            "Messages that still wait behind it: 1. /cancel cancels them.",
        ]
        await team.settled(last)
        assert len(team.replies()) == 1


@pytest.mark.parametrize(("author", "owner", "may"), [(KIM, False, True), (LEE, False, False), (LEE, True, True)])
async def test_only_who_asked_or_an_owner_asks_again(author: Author, *, owner: bool, may: bool) -> None:
    message = InboundMessage(id=MessageId("m"), key=HERE, author=KIM, text="확인해 줘", received_at=datetime.now(UTC))
    notice = Notice(id=PostId("n"), key=HERE, notice=NoticeKind.FAILED, text="", answers=message.id)
    history = MemoryHistory()
    history.messages.append(message)
    history.posts.append(OutboxEntry(post=notice, created_at=message.received_at))
    queued: list[InboundMessage] = []

    async def exchange_of(_message_id: MessageId) -> Exchange:
        return Exchange(message=message)

    async def accept(again: InboundMessage) -> bool:
        queued.append(again)
        return True

    def is_owner(_platform: Platform, _author: Author) -> bool:
        return owner

    resumption = Resumption(
        accept=accept, history=history, exchange_of=exchange_of, is_owner=is_owner, clock=SystemClock()
    )
    command = Command(name=CommandName.RETRY, key=HERE, author=author, origin=Origin())
    answer = await resumption.retry(command, notice.id, Language.KOREAN)
    assert answer.done == may
    assert [replace(again, received_at=message.received_at) for again in queued] == (
        [replace(message, id=MessageId("m+1"), repeat=queued[0].repeat)] if may else []
    )


async def test_a_deadline_names_what_kept_the_agent_from_answering_until_then(tmp_path: Path) -> None:
    def silent(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
        del persona, history
        lost = "[RESUMED]" not in prompt
        return ScriptedReply(error=AgentTimedOut(seconds=77)) if lost else ScriptedReply(text="Late.", delay_seconds=60)

    agents = {"claude": ScriptedAgentBackend(script=silent)}
    async with running_team(tmp_path, backends=agents, turns={"deadline_seconds": 1}) as team:
        notice = await failed(team)
    assert "1 seconds" in notice.text
    assert "77 seconds" in notice.text
    assert "deadline_seconds" not in notice.text
