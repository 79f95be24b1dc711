"""The pool with real processes of the CLI."""

from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.agents.pool import AgentPool
from mama_bot.config import PoolSettings
from mama_bot.model import ConversationKey, Platform
from mama_bot.tool_policy.readers import ReadersLook
from tests.agents.conftest import PERSONA, Agents, RealAgents, SystemClock, answer, new_session_id, pid_of, runs
from tests.marks import needs_landlock

HERE = ConversationKey(Platform("web"), "a")


class EveryCommand:
    """Refuses no command."""

    def refusal(self, command: str) -> str:
        del command
        return ""


def pool_of_one(real: RealAgents) -> AgentPool:
    return AgentPool(
        backends={"claude": real.backend},
        settings=PoolSettings(size=1),
        clock=SystemClock(),
        new_session_id=new_session_id,
    )


@pytest.mark.cli
async def test_real_processes_are_reused_evicted_and_resumed(agents: Agents, workspace: Path) -> None:
    async with agents() as real, pool_of_one(real) as pool:
        sessions = []
        for name in ("a", "a", "b", "a"):
            async with pool.lease(persona=PERSONA, key=replace(HERE, channel=name), workspace=workspace) as lease:
                await answer(lease.session, f"hello from {name}")
                sessions.append(lease.session)
        assert sessions[0] is sessions[1]
        assert sessions[3] is not sessions[0]
        assert real.server.requests[-1].user_texts == ("hello from a",) * 3


@pytest.mark.cli
@needs_landlock
async def test_a_real_agent_that_worked_and_then_reviews_remembers_and_writes_nothing(
    agents: Agents, workspace: Path
) -> None:
    async with agents(guard=ReadersLook(EveryCommand())) as real:
        wrote: list[tuple[bool | None, int]] = []
        async with pool_of_one(real) as pool:
            for number, read_only in enumerate((False, True, True, False)):
                real.model.push(runs(f"echo {number} > {number}.txt"))
                async with pool.lease(persona=PERSONA, key=HERE, workspace=workspace, read_only=read_only) as lease:
                    (run,) = (await answer(lease.session, f"number {number}")).record.runs
                    wrote.append((run.ok, pid_of(lease.session)))
        asked = real.server.requests[-1].user_texts
    assert [ok for ok, _ in wrote] == [True, False, False, True]
    assert [pid == wrote[0][1] for _, pid in wrote] == [True, False, False, False]
    assert wrote[1][1] == wrote[2][1] != wrote[3][1]
    assert sorted(path.name for path in workspace.iterdir()) == ["0.txt", "3.txt"]
    assert [text for text in asked if text.startswith("number")] == [f"number {number}" for number in range(4)]
