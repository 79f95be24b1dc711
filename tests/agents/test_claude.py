"""The real CLI behind ClaudeBackend: what it is given, what is recorded, and what becomes of each of its failures."""

import asyncio
import gc
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mama_bot.agents.login import bundled_cli
from mama_bot.confinement.launcher import MARK_VARIABLE
from mama_bot.confinement.processes import alive, marked_processes
from mama_bot.demo.model_script import ModelReply, ToolUse
from mama_bot.errors import (
    AgentCrashed,
    AgentInterrupted,
    AgentTimedOut,
    AgentUnavailable,
    LoginRefused,
    ModelFailed,
    SessionLost,
)
from mama_bot.model import (
    Allow,
    ConversationKey,
    Decision,
    ModelRetried,
    Platform,
    Prompt,
    Stopping,
    ToolCall,
    ToolFinished,
    ToolStarted,
    ToolTurn,
    TurnEnded,
)
from mama_bot.model_faults import ModelFault
from mama_bot.protocols import AgentSession
from tests.agents.conftest import SECRET, Agents, RealAgents, answer, events_of, pid_of, runs
from tests.waiting import SECONDS, until

pytestmark = pytest.mark.cli


async def test_the_record_holds_what_the_tools_really_did(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        file = ToolUse(name="Write", arguments={"file_path": str(workspace / "src" / "인증.py"), "content": "가\n"})
        real.model.push(runs(f"echo {SECRET}; echo 3 failed; exit 3"), ModelReply(tool_calls=(file,)))
        real.model.push(ModelReply(text="Done."))
        events = await events_of(session, "go")
    ended = events[-1]
    assert isinstance(ended, TurnEnded)
    assert ended.text == "Done."
    bash, write = ended.record.runs
    assert (bash.tool, bash.ok, bash.exit_status) == ("Bash", False, 3)
    assert bash.output_head == "Exit code 3\n[redacted]\n3 failed"
    assert SECRET not in bash.arguments
    assert (write.tool, write.ok, write.files) == ("Write", True, ("src/인증.py",))
    assert bash.ended_at is not None
    assert bash.started_at <= bash.ended_at
    assert [event.run.tool for event in events if isinstance(event, ToolStarted)] == ["Bash", "Write"]
    assert [event.run for event in events if isinstance(event, ToolFinished)] == [bash, write]


async def test_an_output_of_two_megabytes_is_recorded_by_its_ends(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.push(runs("head -c 2000000 /dev/zero | tr '\\0' x; echo; echo '45 passed in 3.20s'"))
        (run,) = (await answer(session, "go")).record.runs
    assert run.exit_status == 0
    assert run.output_size >= 2_000_000
    assert run.output_head == "x" * 2000
    assert run.output_tail.rstrip().endswith("45 passed in 3.20s")


async def test_a_line_of_two_megabytes_from_the_cli_is_read(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.push(ModelReply(text="긴 " * 700_000))
        assert (await answer(session, "go")).text.count("긴") == 700_000


async def test_a_prompt_is_text_and_never_a_command_of_the_cli(agents: Agents, workspace: Path) -> None:
    prompts = ("hello", "/clear", "/compact now", "@/etc/hostname", "# remember", "!ls", "안녕 \ud800 끝", "\0")
    async with agents() as real:
        session = await real.open(workspace=workspace)
        for prompt in prompts:
            await answer(session, prompt)
        seen = real.server.requests[-1]
    assert seen.user_texts == (*prompts[:-2], "안녕 \N{REPLACEMENT CHARACTER} 끝", "\N{REPLACEMENT CHARACTER}")
    assert seen.persona == "dev"
    assert len(real.server.requests) == len(prompts)


async def test_a_long_prompt_arrives_whole_and_a_short_one_too(agents: Agents, workspace: Path) -> None:
    odd = workspace / "작업 공간 '1'"
    odd.mkdir()
    long = "가나다 " * 50_000
    async with agents() as real:
        session = await real.open(workspace=odd)
        for prompt in (long, "🙂", "\u200b"):
            await answer(session, prompt)
        assert real.server.requests[-1].user_texts == (long, "🙂", "\u200b")


@pytest.mark.parametrize("prompt", ["", " ", "\n"])
async def test_an_empty_prompt_is_answered_too(agents: Agents, workspace: Path, prompt: str) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        await answer(session, prompt)


async def test_a_model_that_fails_for_ever_is_reported_and_never_an_answer(agents: Agents, workspace: Path) -> None:
    async with agents(api_retries=1) as real:
        session = await real.open(workspace=workspace)
        real.model.stick(ModelReply(status=529))
        seen = []
        with pytest.raises(ModelFailed) as caught:  # noqa: PT012 - what came before the failure matters
            async for event in session.ask(Prompt(text="go")):
                seen.append(event)
        real.model.stick(None)
        assert (caught.value.status, caught.value.fault) == (529, ModelFault.OVERLOADED)
        assert [(event.attempt, event.status) for event in seen if isinstance(event, ModelRetried)] == [(1, 529)]
        assert (await answer(session, "next")).text == "echo: next"


@pytest.mark.parametrize(
    "reply", [ModelReply(text="half of it", drop=True), ModelReply(text="h", stream_error="overloaded_error")]
)
async def test_a_broken_stream_is_asked_for_again(agents: Agents, workspace: Path, reply: ModelReply) -> None:
    async with agents(api_retries=2) as real:
        session = await real.open(workspace=workspace)
        real.model.push(reply)
        real.model.stick(ModelReply(text="whole"))
        assert (await answer(session, "go")).text == "whole"


async def test_too_many_steps_are_a_failure_with_a_reason(agents: Agents, workspace: Path) -> None:
    async with agents(max_turns=1) as real:
        session = await real.open(workspace=workspace)
        real.model.push(runs("echo one"))
        with pytest.raises(ModelFailed, match=r"claude\.max_turns"):
            await answer(session, "go")
        assert session.usable
        assert (await answer(session, "next")).text == "echo: next"


async def test_a_spent_budget_ends_the_process_but_not_the_conversation(agents: Agents, workspace: Path) -> None:
    async with agents(max_budget_usd=0.005) as real:
        session = await real.open(workspace=workspace)
        await answer(session, "one")
        with pytest.raises(ModelFailed, match=r"claude\.max_budget_usd"):
            await answer(session, "two")
        assert not session.usable
        await session.aclose()
        again = await real.open(session.session_id, resume=True, workspace=workspace)
        assert (await answer(again, "three")).text == "echo: three"


async def test_each_turn_costs_only_its_own(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        costs = [(await answer(session, text)).usage.cost_usd for text in ("one", "two")]
        await session.aclose()
        for _ in range(2):
            session = await real.open(session.session_id, resume=True, workspace=workspace)
            costs += [(await answer(session, text)).usage.cost_usd for text in ("three", "four")]
            os.kill(pid_of(session), signal.SIGKILL)
            await session.aclose()
    assert costs == pytest.approx([costs[0]] * 6)
    assert costs[0] > 0


async def test_a_killed_process_raises_and_its_session_resumes(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        await answer(session, "remember 42")
        real.model.push(ModelReply(hang=True))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_kill_when_asked(session, lambda: len(real.server.requests) == 2))
            with pytest.raises(AgentCrashed) as caught:
                await answer(session, "and now?")
        assert caught.value.returncode == -signal.SIGKILL
        assert not session.usable
        await session.aclose()
        resumed = await real.open(session.session_id, resume=True, workspace=workspace)
        await answer(resumed, "what was it?")
        assert "remember 42" in real.server.requests[-1].user_texts


class _Waiting:
    """A guard that decides once it is let."""

    def __init__(self) -> None:
        self.asked, self.let = asyncio.Event(), asyncio.Event()

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        self.asked.set()
        await self.let.wait()
        return Allow()


async def test_an_answer_to_a_process_that_was_killed_meanwhile_leaves_no_exception(
    agents: Agents, workspace: Path
) -> None:
    guard, unretrieved = _Waiting(), list[dict[str, Any]]()
    asyncio.get_running_loop().set_exception_handler(lambda _, failure: unretrieved.append(failure))
    async with agents(guard=guard) as real:
        session = await real.open(workspace=workspace)
        real.model.push(ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": "ls", "description": "x"}),)))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_crashes(session))
            await guard.asked.wait()
            process = pid_of(session)
            os.kill(process, signal.SIGKILL)
            while alive(process):
                time.sleep(0.01)  # the loop shall not hear of it before the answer
            guard.let.set()
        await session.aclose()
    gc.collect()
    assert not unretrieved


async def test_a_killed_process_leaves_no_tool_running(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        pid = pid_of(session)
        real.model.push(runs("echo $$ > shell.pid; python3 -c 'import time; time.sleep(300)'"))
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_kill_when_asked(session, (workspace / "shell.pid").exists))
            with pytest.raises(AgentCrashed):
                await answer(session, "go")
        shell = int((workspace / "shell.pid").read_text(encoding="utf-8"))
        await session.aclose()
        assert marked_processes(MARK_VARIABLE, real.mark) == ()
        assert not alive(pid)
        assert not alive(shell)


async def test_a_silent_agent_is_given_up_and_one_that_is_judged_is_not_silent(agents: Agents, workspace: Path) -> None:
    async def judged(_: Stopping) -> str:
        await asyncio.sleep(3.0)
        return ""

    async with agents(silence_seconds=2.5) as real:
        session = await real.open(workspace=workspace)
        assert [event async for event in session.ask(Prompt(text="go"), at_stop=judged)]
        real.model.push(ModelReply(hang=True))
        with pytest.raises(AgentTimedOut) as caught:
            assert [event async for event in session.ask(Prompt(text="go"), at_stop=judged)]
        assert caught.value.seconds == 2.5
        assert not session.usable
        await session.aclose()
        assert marked_processes(MARK_VARIABLE, real.mark) == ()


async def test_a_command_may_be_silent_for_longer_than_the_model(agents: Agents, workspace: Path) -> None:
    # The CLI itself may be silent for a second, where it is run for the first time or among many.
    async with agents(silence_seconds=2.5) as real:
        session = await real.open(workspace=workspace)
        real.model.push(runs("python3 -c 'import time; time.sleep(3)'"))
        assert (await answer(session, "go")).text == "echo: go"


async def test_an_interrupt_in_the_first_moment_is_not_lost(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        real.model.stick(ModelReply(hang=True))
        for pause in (0.0, 0.001, 0.01):
            await _ask_and_interrupt(session, pause)
        real.model.stick(None)
        assert (await answer(session, "next")).text == "echo: next"


async def test_a_megabyte_of_complaints_does_not_block(agents: Agents, workspace: Path, tmp_path: Path) -> None:
    noisy = tmp_path / "noisy"
    noisy.write_text(f'#!/bin/sh\nhead -c 1000000 /dev/zero | tr "\\0" e >&2\nexec {bundled_cli()} "$@"\n')
    noisy.chmod(0o755)
    async with agents(cli_path=noisy) as real:
        session = await real.open(workspace=workspace)
        assert (await answer(session, "hello")).text == "echo: hello"


async def test_a_missing_or_unusable_cli_is_unavailable_with_a_remedy(
    agents: Agents, workspace: Path, tmp_path: Path
) -> None:
    plain = tmp_path / "plain"
    plain.write_text("not a program")
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF nonsense")
    broken.chmod(0o755)
    for cli in (tmp_path / "nowhere", plain, broken):
        async with agents(cli_path=cli) as real:
            with pytest.raises(AgentUnavailable) as caught:
                await real.open(workspace=workspace)
            assert caught.value.remedy


async def test_without_a_login_the_agent_is_unavailable(agents: Agents, workspace: Path) -> None:
    async with agents(environment={"ANTHROPIC_API_KEY": ""}) as real:
        session = await real.open(workspace=workspace)
        with pytest.raises(LoginRefused):
            await answer(session, "hello")
        assert real.server.requests == ()


async def test_a_cli_that_never_becomes_ready_is_given_up(agents: Agents, workspace: Path, tmp_path: Path) -> None:
    stuck = tmp_path / "stuck"
    stuck.write_text("#!/bin/sh\nexec sleep 300\n")
    stuck.chmod(0o755)
    async with agents(cli_path=stuck, start_seconds=0.5) as real:
        with pytest.raises(AgentTimedOut):
            await real.open(workspace=workspace)
        assert marked_processes(MARK_VARIABLE, real.mark) == ()


async def test_an_opening_that_is_cancelled_leaves_no_process(agents: Agents, workspace: Path, tmp_path: Path) -> None:
    stuck = tmp_path / "stuck"
    stuck.write_text("#!/bin/sh\nexec sleep 300\n")
    stuck.chmod(0o755)
    async with agents(cli_path=stuck) as real:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await real.open(workspace=workspace)
        assert marked_processes(MARK_VARIABLE, real.mark) == ()


async def test_a_cli_that_dies_at_once_says_why(agents: Agents, workspace: Path, tmp_path: Path) -> None:
    dying = tmp_path / "dying"
    dying.write_text("#!/bin/sh\necho out of luck >&2\nexit 9\n")
    dying.chmod(0o755)
    async with agents(cli_path=dying) as real:
        with pytest.raises(AgentCrashed, match="out of luck") as caught:
            await real.open(workspace=workspace)
        assert caught.value.returncode == 9


async def test_a_new_session_under_a_taken_id_is_lost(agents: Agents, workspace: Path) -> None:
    async with agents() as real:
        session = await real.open(workspace=workspace)
        await answer(session, "hello")
        await session.aclose()
        with pytest.raises(SessionLost):
            await real.open(session.session_id, workspace=workspace)


async def test_agents_start_and_work_at_the_same_time(agents: Agents, workspace: Path) -> None:
    async def converse(real: RealAgents, name: str) -> str:
        session = await real.open(workspace=workspace, key=ConversationKey(Platform("web"), name))
        return (await answer(session, f"{name} 안녕")).text

    async with agents() as real:
        async with asyncio.TaskGroup() as tasks:
            talks = [tasks.create_task(converse(real, str(number))) for number in range(4)]
        assert [talk.result() for talk in talks] == [f"echo: {number} 안녕" for number in range(4)]


async def _crashes(session: AgentSession) -> None:
    with pytest.raises(AgentCrashed):
        await answer(session, "look")


async def _kill_when_asked(session: AgentSession, condition: Callable[[], bool]) -> None:
    await until(condition)
    os.kill(pid_of(session), signal.SIGKILL)


async def _ask_and_interrupt(session: AgentSession, pause: float) -> None:
    async def interrupt() -> None:
        await until(lambda: not session.usable)
        await asyncio.sleep(pause)
        await session.interrupt()

    async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as tasks:
        tasks.create_task(interrupt())
        with pytest.raises(AgentInterrupted):
            await answer(session, "wait")
