"""What every agent backend promises, over the scripted one, an agent over the protocol and the real CLIs.

What one cannot keep is named with the reason in `contract_stages.EXCEPTIONS`, and in the matrix of `docs/agents.md`.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.agents.acp_agents import CLIS
from mama_bot.errors import AgentCrashed, AgentError, AgentInterrupted, ModelFailed, SessionLost
from mama_bot.model import Prompt, SessionId, Stopping, ToolRun, TurnEnded
from mama_bot.protocols import AgentSession
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply
from mama_bot.tool_names import with_kind
from tests.agents.acp_making import MODELS, acp_agents, real_agents
from tests.agents.conftest import KEY, PERSONA, Agents, answer, events_of, new_session_id
from tests.agents.contract_stages import EXCEPTIONS, OtherCli, OverProtocol, Real, Scripted, Stage, Stages
from tests.agents.played_model import played_model
from tests.session_hooks.cli_sessions import program_of
from tests.waiting import until


@pytest.fixture(
    params=["scripted", "acp", *(pytest.param(cli, marks=pytest.mark.cli) for cli in ("claude", *MODELS))],
)
def stages(request: pytest.FixtureRequest, agents: Agents, tmp_path: Path) -> Stages:
    if request.param in MODELS:
        program_of(CLIS[request.param].program)
        if reason := EXCEPTIONS.get((request.param, request.function.__name__)):
            pytest.skip(reason)

    @asynccontextmanager
    async def make() -> AsyncIterator[Stage]:
        if request.param == "scripted":
            yield Scripted()
            return
        if request.param == "acp":
            async with acp_agents(tmp_path) as (backend, steps):
                yield OverProtocol(backend, steps)
            return
        if request.param in MODELS:
            async with played_model(tmp_path) as model, real_agents(tmp_path, request.param, model.url) as backend:
                yield OtherCli(backend, model)
            return
        async with agents() as real:
            yield Real(real.backend, real.model)

    return make


async def opened(
    stage: Stage, workspace: Path, session_id: SessionId | None = None, resume: bool = False
) -> AgentSession:
    return await stage.backend.open(
        persona=PERSONA, key=KEY, workspace=workspace, session_id=session_id or new_session_id(), resume=resume
    )


async def test_an_answer_is_the_last_event_and_bears_the_session(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session_id = new_session_id()
        session = await opened(stage, workspace, session_id)
        stage.says("안녕하세요, 반갑습니다 🙂")
        ended = await answer(session, "인사해 줘")
        assert ended.text == "안녕하세요, 반갑습니다 🙂"
        assert ended.session_id == session.session_id == session_id
        assert ended.usage.output_tokens > 0
        assert ended.usage.cost_usd > 0 or isinstance(stage, OverProtocol | OtherCli), "this one does not tell"
        await session.aclose()


async def test_one_session_answers_many_prompts(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        assert [(await answer(session, text)).text for text in ("one", "two")] == ["echo: one", "echo: two"]
        assert session.usable
        await session.aclose()


async def test_a_failure_of_the_model_is_no_answer_and_leaves_the_session_usable(
    stages: Stages, workspace: Path
) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        stage.fails(stage.failure)
        with pytest.raises(ModelFailed) as caught:
            await answer(session, "hello")
        assert caught.value.status == stage.failure
        assert session.usable
        stage.recovers()
        assert (await answer(session, "again")).text == "echo: again"
        await session.aclose()


async def test_an_empty_reply_is_a_failure_of_the_model(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        stage.says("")
        with pytest.raises(ModelFailed, match="empty"):
            await answer(session, "hello")
        assert session.usable
        await session.aclose()


async def test_an_interrupted_turn_raises_and_leaves_the_session_usable(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        stage.hangs()
        async with asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(_failure_of(session, "wait"))
            await until(lambda: not session.usable)
            await session.interrupt()
        assert isinstance(asking.result(), AgentInterrupted)
        assert session.usable
        stage.recovers()
        assert (await answer(session, "next")).text == "echo: next"
        await session.aclose()


async def test_whoever_leaves_at_the_last_event_may_ask_again(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        left = []
        for text in ("one", "two"):
            asking = session.ask(Prompt(text=text))
            left.append(asking)
            async for event in asking:
                if isinstance(event, TurnEnded):
                    assert event.text == f"echo: {text}"
                    break
            assert session.usable
        for asking in left:
            await asking.aclose()
        assert session.usable
        await session.aclose()


async def test_an_interrupt_without_a_turn_does_nothing(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        await session.interrupt()
        assert (await answer(session, "hello")).text == "echo: hello"
        await session.interrupt()
        assert (await answer(session, "again")).text == "echo: again"
        await session.aclose()


async def test_a_session_that_is_being_asked_cannot_be_asked(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        stage.hangs()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_failure_of(session, "wait"))
            await until(lambda: not session.usable)
            with pytest.raises(RuntimeError, match="one ask at a time"):
                await answer(session, "me too")
            await session.interrupt()
        await session.aclose()


async def test_a_cancelled_ask_makes_the_session_unusable(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        stage.hangs()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await answer(session, "wait")
        assert not session.usable
        await session.aclose()


async def test_a_closed_session_is_unusable_and_says_so(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        await session.aclose()
        await session.aclose()
        assert not session.usable
        with pytest.raises(AgentCrashed):
            await answer(session, "hello")


async def test_closing_ends_the_running_ask(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        stage.hangs()
        async with asyncio.TaskGroup() as tasks:
            asking = tasks.create_task(_failure_of(session, "wait"))
            await until(lambda: not session.usable)
            await session.aclose()
        assert isinstance(asking.result(), AgentCrashed)


async def test_a_resumed_session_answers_under_its_old_id(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        first = await opened(stage, workspace)
        await answer(first, "remember 42")
        await first.aclose()
        second = await opened(stage, workspace, first.session_id, resume=True)
        assert (await answer(second, "what was it?")).session_id == first.session_id
        await second.aclose()


async def test_an_unknown_session_is_lost(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        with pytest.raises(SessionLost):
            await opened(stage, workspace, resume=True)


async def test_the_events_of_a_turn_end_with_its_end(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        events = await events_of(session, "hello")
        assert [isinstance(event, TurnEnded) for event in events] == [False] * (len(events) - 1) + [True]
        await session.aclose()


async def test_what_it_is_told_as_it_is_about_to_stop_goes_on_in_the_same_turn(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        stage.says("초안")
        stage.says("다시 쓴 답")
        asked = Stops("다시 쓰세요", "")
        events = [event async for event in session.ask(Prompt(text="go"), at_stop=asked)]
        assert [stopping.text for stopping in asked.stops] == ["초안", "다시 쓴 답"]
        assert [event.text for event in events if isinstance(event, TurnEnded)] == ["다시 쓴 답"]
        assert session.usable
        assert (await answer(session, "next")).text == "echo: next"
        await session.aclose()


async def test_it_is_asked_at_its_stop_about_the_very_words_that_its_turn_ends_with(
    stages: Stages, workspace: Path
) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        stage.says("Line 42 compares tokens.\n\nNothing was changed.\n")
        asked = Stops("")
        events = [event async for event in session.ask(Prompt(text="go"), at_stop=asked)]
        assert [event.text for event in events if isinstance(event, TurnEnded)] == [stop.text for stop in asked.stops]
        await session.aclose()


async def test_an_agent_that_is_told_to_go_on_for_ever_comes_to_an_end(stages: Stages, workspace: Path) -> None:
    async with stages() as stage:
        session = await opened(stage, workspace)
        for number in range(12):
            stage.says(f"draft {number}")
        asked = Stops(*["again"] * 12)
        with suppress(ModelFailed):  # the real CLI ends such a turn without a text
            async for _ in session.ask(Prompt(text="go"), at_stop=asked):
                pass
        assert len(asked.stops) < 12
        assert session.usable
        await session.aclose()


async def test_a_question_at_the_stop_that_fails_lets_it_stop(stages: Stages, workspace: Path) -> None:
    async def fails(stopping: Stopping) -> str:
        raise RuntimeError("no judgement today")

    async with stages() as stage:
        session = await opened(stage, workspace)
        stage.says("the draft")
        events = [event async for event in session.ask(Prompt(text="go"), at_stop=fails)]
        assert [event.text for event in events if isinstance(event, TurnEnded)] == ["the draft"]
        await session.aclose()


async def test_an_agent_that_tells_no_tools_has_a_record_that_is_not_complete(workspace: Path) -> None:
    run = with_kind(ToolRun(id="1", tool="Bash", arguments="{}", started_at=datetime(2026, 1, 1, tzinfo=UTC)))
    for tells in (True, False):
        backend = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text="done", runs=(run,)), tells_tools=tells)
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        ended = await answer(session, "go")
        assert (ended.record.complete, ended.record.runs) == (tells, (run,) if tells else ())


class Stops:
    """Answers to an agent that is about to stop, in order, and what it was about to stop with."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.stops: list[Stopping] = []

    async def __call__(self, stopping: Stopping) -> str:
        self.stops.append(stopping)
        return self._answers.pop(0) if self._answers else ""


async def _failure_of(session: AgentSession, text: str) -> AgentError | None:
    try:
        await answer(session, text)
    except AgentError as error:
        return error
    return None
