"""A rejection goes on in the same turn of the real CLI: what is stored, posted and asked, and what if that fails."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.demo.story import story
from mama_bot.model import Cleared, SentBack, TurnState, Verdict
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import Team, attempts, running_team, write_configuration
from tests.scripted_queue import ScriptedQueue
from tests.waiting import SECONDS, until

PERSONAS = Path(__file__).parents[2] / "personas"
pytestmark = pytest.mark.cli

CLEAN = "`src/auth.py:42` compares tokens with `==`; `hmac.compare_digest` avoids the timing leak."
CLEAN_KO = "`src/auth.py:42`에서 토큰을 `==`로 비교합니다. `hmac.compare_digest`를 쓰면 시간 차 공격을 막습니다."
PRAISE = "What an excellent question! This is truly brilliant work, absolutely outstanding."
PRAISE_KO = "정말 훌륭한 질문입니다! 완벽한 구조이고 최고의 코드입니다!"
IN_TURN = "Stop hook feedback"


class Heard:
    """A script that keeps what the model was asked."""

    def __init__(self, script: ModelScript) -> None:
        self._script = script
        self.requests: list[ModelRequest] = []

    def __call__(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        return self._script(request)

    @property
    def told_in_turn(self) -> bool:
        return any(IN_TURN in str(message) for request in self.requests for message in request.messages)


def bash(command: str, text: str = "") -> ModelReply:
    call = ToolUse(name="Bash", arguments={"command": command, "description": "run"})
    return ModelReply(text=text, tool_calls=(call,))


def count(team: Team, name: str) -> int:
    return sum(amount for (known, _), amount in team.running.metrics.snapshot().items() if known == name)


@pytest.mark.parametrize(
    ("asked", "praise", "clean"),
    [("Is the token check safe?", PRAISE, CLEAN), ("토큰 검사가 안전한가요?", PRAISE_KO, CLEAN_KO)],
)
async def test_a_rejected_draft_goes_on_in_the_same_turn(tmp_path: Path, asked: str, praise: str, clean: str) -> None:
    script = Heard(ScriptedQueue(ModelReply(text=praise), ModelReply(text=clean)))
    async with running_team(tmp_path, script=script) as team:
        exchange = await team.settled(await team.say(asked))
        assert count(team, "in_turn_rejections") == 1
        assert count(team, "drafts") == 2
        context = await team.context()
    assert len(script.requests) == 2
    assert script.told_in_turn
    (turn,) = exchange.turns
    assert turn.asked == 1
    first, second = turn.attempts
    assert (first.draft.attempt, second.draft.attempt) == (0, 1)
    assert isinstance(first.judgement.outcome, SentBack)
    assert second.judgement.outcome == Cleared()
    assert first.judgement.outcome.feedback in script.requests[1].last_user_text
    assert [attempt.draft.usage.output_tokens for attempt in turn.attempts] == [50, 50]
    assert [post.text for post in team.posts()] == [clean]
    assert praise not in [entry.text for entry in context]


async def test_the_one_process_is_asked_once(tmp_path: Path) -> None:
    with capture_logs(
        processors=[merge_contextvars]
    ) as events:  # the story: developer and reviewer are sent back once each
        async with running_team(tmp_path, script=story(), personas_directory=str(PERSONAS)) as team:
            await team.settled(await team.say("Refactor these 3 files"))
        assert len(team.replies()) == 5
    names = [event["event"] for event in events]
    assert names.count("sent_back_in_turn") == 2
    assert names.count("agent_asked") == names.count("agent_answered") == 5
    assert {event["turn"] for event in events if event["event"] == "draft_judged"}


async def test_the_second_attempt_has_the_whole_record_once(tmp_path: Path) -> None:
    script = ScriptedQueue(bash("echo one"), ModelReply(text=PRAISE), bash("echo two; exit 3"), ModelReply(text=CLEAN))
    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}) as team:
        exchange = await team.settled(await team.say("Is the token check safe?"))
    first, second = exchange.turns[0].attempts
    assert [run.output_head for run in first.draft.record.runs] == ["one"]
    assert [run.output_head for run in second.draft.record.runs] == ["one", "Exit code 3\ntwo"]


async def test_what_is_said_between_tool_calls_is_never_posted(tmp_path: Path) -> None:
    script = ScriptedQueue(
        bash("echo one", text="What an excellent task, let me look!"),
        ModelReply(text=PRAISE),
        bash("echo two", text="You are absolutely right, what a brilliant point!"),
        ModelReply(text=CLEAN),
    )
    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}) as team:
        await team.settled(await team.say("Is the token check safe?"))
        context = await team.context()
    assert [post.text for post in team.posts()] == [CLEAN]
    assert [entry.text for entry in context] == ["Is the token check safe?", CLEAN]


async def test_without_retries_in_the_turn_the_agent_is_asked_again(tmp_path: Path) -> None:
    script = Heard(ScriptedQueue(ModelReply(text=PRAISE), ModelReply(text=CLEAN)))
    async with running_team(tmp_path, script=script, claude={"in_turn_retries": 0}) as team:
        exchange = await team.settled(await team.say("Is the token check safe?"))
        assert count(team, "in_turn_rejections") == 0
    assert not script.told_in_turn
    assert attempts(exchange.turns[0]) == ["sent_back", "cleared"]
    assert all(attempt.draft.usage.output_tokens for attempt in exchange.turns[0].attempts)


async def test_what_the_turn_has_no_retries_for_the_host_sends_back(tmp_path: Path) -> None:
    queue = ScriptedQueue()
    queue.push(ModelReply(text="DELEGATE::developer::Look at `src/auth.py`"), when="persona: lead")
    for _ in range(2):
        queue.push(ModelReply(text=PRAISE), when="persona: developer")
    queue.push(ModelReply(text=CLEAN), when="persona: developer")
    queue.push(ModelReply(text=CLEAN), when="persona: lead")
    async with running_team(tmp_path, script=queue, claude={"in_turn_retries": 1}) as team:
        exchange = await team.settled(await team.say("Is the token check safe?"))
        assert count(team, "in_turn_rejections") == 1
    developer = exchange.turns[1]
    assert attempts(developer) == ["sent_back", "sent_back", "cleared"]
    assert [attempt.draft.attempt for attempt in developer.attempts] == [0, 1, 2]


async def test_an_agent_that_never_learns_is_judged_as_often_as_its_budget_says(tmp_path: Path) -> None:
    queue = ScriptedQueue()
    queue.stick(ModelReply(text=PRAISE))
    script = Heard(queue)
    async with running_team(tmp_path, script=script, claude={"in_turn_retries": 6}) as team:
        exchange = await team.settled(await team.say("Is the token check safe?"))
    assert attempts(exchange.turns[0]) == ["sent_back", "cleared"]
    assert len(script.requests) == 2
    (reply,) = team.replies()
    assert reply.verdict is Verdict.NOTED


async def test_a_judgement_that_comes_too_late_for_the_turn_comes_after_it(tmp_path: Path) -> None:
    script = Heard(ScriptedQueue(ModelReply(text=PRAISE), ModelReply(text=CLEAN)))
    async with running_team(tmp_path, script=script, claude={"in_turn_seconds": 0.001}) as team:
        exchange = await team.settled(await team.say("Is the token check safe?"))
    assert not script.told_in_turn
    (turn,) = exchange.turns
    assert turn.state is TurnState.ANSWERED
    assert [attempt.draft.attempt for attempt in turn.attempts] == list(range(len(turn.attempts)))
    assert isinstance(turn.attempts[0].judgement.outcome, SentBack)
    assert isinstance(turn.attempts[-1].judgement.outcome, Cleared)
    assert len(team.replies()) == 1


async def test_a_stop_while_the_turn_goes_on_stops_it(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if "And now?" in request.last_user_text:
            return ModelReply(text=CLEAN)
        return ModelReply(hang=True) if "[SENT BACK" in request.last_user_text else ModelReply(text=PRAISE)

    async with running_team(tmp_path, script=script) as team:
        message = await team.say("Is the token check safe?")
        await until(lambda: count(team, "in_turn_rejections") or None)
        assert await team.stop()
        exchange = await team.settled(message)
        (turn,) = exchange.turns
        assert turn.state is TurnState.STOPPED
        assert attempts(turn) == ["sent_back"]
        assert not team.replies()
        exchange = await team.settled(await team.say("And now?"))
        assert exchange.turns[0].state is TurnState.ANSWERED


async def test_a_service_that_dies_after_a_rejection_in_the_turn_goes_on_there(tmp_path: Path) -> None:
    file = write_configuration(tmp_path, claude={"source": "real"})
    script = ScriptedQueue(ModelReply(text=PRAISE), ModelReply(hang=True))
    async with ModelServer(script=script) as server:
        environment: Mapping[str, str] = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            await service.say("Is the token check safe?")
            await service.logged("sent_back_in_turn")
            async with asyncio.timeout(SECONDS):
                while len(server.requests) < 2:
                    await asyncio.sleep(0.01)
            await service.kill()
        script.push(ModelReply(text=CLEAN))
        async with service_process(file, environment) as service:
            (reply,) = await service.replies(1)
            (turn,) = (await service.conversation())["turns"]
            last = server.requests[-1].last_user_text
            assert await service.terminate() == 0
    assert reply["text"] == CLEAN
    assert [attempt["outcome"]["kind"] for attempt in turn["attempts"]] == ["sent_back", "cleared"]
    assert "[RESUMED]" in last
    assert "[SENT BACK by" in last


async def test_a_subagent_is_sent_back_once_and_its_tools_are_in_the_record(tmp_path: Path) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if any("SUBTASK" in text for text in request.user_texts[:3]):
            if request.last_user_text.startswith("[SENT BACK"):
                return ModelReply(text=PRAISE + " Again!") if not request.tool_results else ModelReply(text=CLEAN)
            return ModelReply(text=PRAISE) if request.tool_results else bash("echo inside; exit 5")
        if request.tool_results:
            return ModelReply(text=CLEAN)
        arguments = {"description": "look", "prompt": "SUBTASK: look", "subagent_type": "general-purpose"}
        return ModelReply(tool_calls=(ToolUse(name="Agent", arguments=arguments),))

    heard = Heard(script)
    async with running_team(
        tmp_path, script=heard, router={"default_persona": "developer"}, tools={"developer": "Task, "}
    ) as team:
        exchange = await team.settled(await team.say("Is the token check safe?"))
        assert count(team, "subagent_rejections") == 1
    (turn,) = exchange.turns
    assert attempts(turn) == ["cleared"]
    task, inside = turn.attempts[0].draft.record.runs
    assert (task.tool, task.agent) == ("Agent", "developer")
    assert (inside.tool, inside.exit_status) == ("Bash", 5)
    assert inside.agent.startswith("developer/")
    assert [post.text for post in team.posts()] == [CLEAN]
