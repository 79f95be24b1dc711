"""The pool where something fails: a crash, a cancelled wait, a process that does not start or close."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mama_bot.agents.pool import AgentPool, PoolState
from mama_bot.config import PoolSettings
from mama_bot.errors import AgentCrashed, AgentError, AgentUnavailable, ModelFailed, SessionLost
from mama_bot.model import AgentPersona, ConversationKey, SessionId
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply, ScriptedSession, agent_echo
from tests.agents.conftest import PERSONA, SystemClock, answer, new_session_id
from tests.agents.test_pool import HERE, key, pool_of, stored, use
from tests.waiting import SECONDS, until


async def test_a_crash_raises_frees_the_slot_and_the_next_lease_gets_a_new_process() -> None:
    def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
        return ScriptedReply(text="ok") if history else ScriptedReply(error=AgentCrashed(returncode=-9))

    async with pool_of(ScriptedAgentBackend(script=script), size=1) as pool:
        with pytest.raises(AgentCrashed):
            await use(pool, "a")
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.resumed
            assert (await answer(lease.session, "again")).text == "ok"


class Stubborn(ScriptedAgentBackend):
    """A backend that does not take up a session, for the reasons that are given, one after the other."""

    def __init__(self, *reasons: AgentError) -> None:
        super().__init__()
        self._reasons = deque(reasons)

    async def open(self, *, resume: bool, **given: Any) -> ScriptedSession:
        if resume:
            raise self._reasons.popleft()
        return await super().open(resume=resume, **given)


@pytest.mark.parametrize(
    ("reasons", "lost"),
    [
        ([AgentCrashed(returncode=1), AgentCrashed(returncode=1)], False),
        ([SessionLost(session_id="known", kept=False)], False),
        ([SessionLost(session_id="known")], True),
    ],
    ids=["it is there, and does not start", "it ended with its process", "it is not there"],
)
async def test_a_session_is_lost_only_where_it_was_kept_and_is_not_there(reasons: list[AgentError], lost: bool) -> None:
    async with pool_of(Stubborn(*reasons)) as pool:
        for _ in reasons[1:]:
            with pytest.raises(AgentCrashed):
                await use(pool, "a", session=SessionId("known"))
        remembered = stored(SessionId("known"))
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE, stored=remembered) as lease:
            assert (lease.fresh, lease.lost) == (True, lost)


async def test_a_process_that_died_while_idle_is_replaced_and_resumed() -> None:
    async with pool_of(ScriptedAgentBackend(), size=1) as pool:
        first = await use(pool, "a")
        await first.aclose()
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.session is not first
            assert lease.resumed
            await answer(lease.session, "again")


async def test_a_failure_of_the_model_keeps_the_process() -> None:
    replies = iter((ScriptedReply(error=ModelFailed(status=529, reason="x")), ScriptedReply(text="ok")))
    backend = ScriptedAgentBackend(script=lambda *_: next(replies))
    async with pool_of(backend) as pool:
        with pytest.raises(ModelFailed):
            await use(pool, "a")
        assert await use(pool, "a") is backend.opened[0]


async def test_after_a_cancelled_turn_the_conversation_gets_a_new_process() -> None:
    backend = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text="late", delay_seconds=60))
    async with pool_of(backend, size=1) as pool:
        async with asyncio.TaskGroup() as tasks:
            turn = tasks.create_task(use(pool, "a"))
            await until(lambda: backend.opened)
            turn.cancel()
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.session is not backend.opened[0]
        assert backend.opened[0].closed


async def test_a_cancelled_wait_blocks_nobody() -> None:
    async with pool_of(ScriptedAgentBackend(), size=1) as pool, asyncio.TaskGroup() as tasks:
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE):
            waiters = [tasks.create_task(use(pool, str(number))) for number in range(3)]
            await until(lambda: pool.state().waiting == 3)
            waiters[0].cancel()
            await until(lambda: pool.state().waiting == 2)
        await waiters[1]
        await waiters[2]


async def test_a_wait_that_is_cancelled_in_the_moment_of_its_grant_gives_the_slot_back() -> None:
    async with pool_of(ScriptedAgentBackend(), size=1) as pool, asyncio.TaskGroup() as tasks:
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE):
            waiter = tasks.create_task(use(pool, "b"))
            await until(lambda: pool.state().waiting == 1)
        await until(lambda: pool.state().waiting == 0)
        waiter.cancel()
        await use(pool, "c")


async def test_a_backend_that_cannot_open_frees_the_slot() -> None:
    async with pool_of(ScriptedAgentBackend(), size=1) as pool:
        with pytest.raises(AgentUnavailable, match="no such backend"):
            await use(pool, "a", replace(PERSONA, backend="nobody"))
        assert pool.state() == PoolState(size=1, busy=0, idle=0, waiting=0)
        await use(pool, "a")


class BackendOf(ScriptedAgentBackend):
    """A backend whose sessions are of another kind."""

    def __init__(self, session: type[ScriptedSession]) -> None:
        super().__init__()
        self._session = session

    async def open(
        self,
        *,
        persona: AgentPersona,
        key: ConversationKey,
        workspace: Path,
        session_id: SessionId,
        resume: bool,
        read_only: bool = False,
        apart: str = "",
    ) -> ScriptedSession:
        return self._session(
            persona=persona, key=key, workspace=workspace, session_id=session_id, script=agent_echo, history=deque()
        )


async def test_a_session_that_does_not_close_is_given_up_and_keeps_no_place() -> None:
    class Stubborn(ScriptedSession):
        async def aclose(self) -> None:
            await asyncio.sleep(3600)

    pool = AgentPool(
        backends={"claude": BackendOf(Stubborn)},
        settings=PoolSettings(size=1),
        clock=SystemClock(),
        new_session_id=new_session_id,
        drain_seconds=0.05,
        close_seconds=0.05,
    )
    async with asyncio.timeout(SECONDS), pool:
        await use(pool, "a")
        await use(pool, "b")


@pytest.mark.parametrize("in_use", [False, True])
async def test_the_sessions_in_the_work_tree_of_a_delegation_are_over_when_their_end_was_awaited(in_use: bool) -> None:
    class Slow(ScriptedSession):
        async def aclose(self) -> None:
            await asyncio.sleep(0.05)
            await super().aclose()

    async with pool_of(BackendOf(Slow)) as pool, asyncio.TaskGroup() as tasks:
        used, leased = asyncio.Event(), asyncio.Event()
        sessions: list[ScriptedSession] = []

        async def work() -> None:
            async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE, apart="m1.0.1") as lease:
                assert isinstance(lease.session, ScriptedSession)
                sessions.append(lease.session)
                leased.set()
                if in_use:
                    await used.wait()

        working = tasks.create_task(work())
        beside = await use(pool, "a")
        await (leased.wait() if in_use else working)
        ending = tasks.create_task(pool.end(key("a"), "m1.0.1"))
        used.set()
        await ending
        assert sessions[0].closed
        assert beside.usable, "the persona's own session in the conversation goes on"


async def test_a_session_whose_process_does_not_start_is_tried_once_more_and_then_begun_anew() -> None:
    class Resuming(ScriptedAgentBackend):
        async def open(
            self,
            *,
            persona: AgentPersona,
            key: ConversationKey,
            workspace: Path,
            session_id: SessionId,
            resume: bool,
            read_only: bool = False,
            apart: str = "",
        ) -> ScriptedSession:
            if resume:
                raise AgentCrashed(returncode=1)
            return await super().open(
                persona=persona, key=key, workspace=workspace, session_id=session_id, resume=False, apart=apart
            )

    async with pool_of(Resuming()) as pool:
        with pytest.raises(AgentCrashed):
            await use(pool, "a", session=SessionId("spoilt"))
        async with pool.lease(
            persona=PERSONA, key=key("a"), workspace=HERE, stored=stored(SessionId("spoilt"))
        ) as lease:
            assert lease.fresh


async def test_many_conversations_with_crashes_and_cancels_wedge_nothing() -> None:
    numbers = count()

    def script(persona: AgentPersona, prompt: str, history: Sequence[str]) -> ScriptedReply:
        number = next(numbers)
        if number % 5 == 0:
            return ScriptedReply(error=AgentCrashed(returncode=1))
        return ScriptedReply(text="ok", delay_seconds=0.002 if number % 3 else 0.0)

    async def turn(pool: AgentPool, number: int) -> None:
        try:
            async with asyncio.timeout(0.001 if number % 7 == 0 else 30):
                await use(pool, str(number % 9))
        except (AgentCrashed, TimeoutError):
            return

    backend = ScriptedAgentBackend(script=script)
    async with pool_of(backend, size=3, wait_seconds=30) as pool:
        async with asyncio.TaskGroup() as tasks:
            for number in range(200):
                tasks.create_task(turn(pool, number))
        await until(lambda: pool.state().busy == 0)
        assert pool.state().waiting == 0
        await use(pool, "last")
    assert all(session.closed for session in backend.opened)
