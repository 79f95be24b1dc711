"""The pool: who gets which session, and what becomes of it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from mama_bot.agents.pool import AgentPool, PoolState
from mama_bot.config import PoolSettings
from mama_bot.errors import AgentCrashed, AgentUnavailable, PoolExhausted
from mama_bot.model import AgentPersona, ConversationKey, Platform, SessionId
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply, ScriptedSession
from tests.agents.conftest import PERSONA, SystemClock, answer
from tests.waiting import until

HERE = Path()


OTHER = replace(PERSONA, name="reviewer")


def key(name: str) -> ConversationKey:
    return ConversationKey(Platform("web"), name)


def pool_of(backend: ScriptedAgentBackend, **settings: float) -> AgentPool:
    numbers = count(1)
    return AgentPool(
        backends={"claude": backend},
        settings=PoolSettings.model_validate({"size": 2, "wait_seconds": 5, **settings}),
        clock=SystemClock(),
        new_session_id=lambda: SessionId(f"session-{next(numbers)}"),
    )


def stored(session: SessionId | None) -> Callable[[], Awaitable[SessionId | None]]:
    async def remembered() -> SessionId | None:
        return session

    return remembered


async def use(
    pool: AgentPool,
    name: str,
    persona: AgentPersona = PERSONA,
    session: SessionId | None = None,
    workspace: Path = HERE,
) -> ScriptedSession:
    """Take a lease, ask once, give it back."""
    async with pool.lease(persona=persona, key=key(name), workspace=workspace, stored=stored(session)) as lease:
        await answer(lease.session, "hello")
        assert isinstance(lease.session, ScriptedSession)
        return lease.session


async def test_the_same_conversation_gets_the_same_process_again() -> None:
    async with pool_of(ScriptedAgentBackend()) as pool:
        first = await use(pool, "a")
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.session is first
            assert not lease.fresh
            assert not lease.resumed


async def test_another_conversation_or_persona_never_gets_it() -> None:
    async with pool_of(ScriptedAgentBackend(), size=3) as pool:
        sessions = {id(await use(pool, "a")), id(await use(pool, "b")), id(await use(pool, "a", OTHER))}
        assert len(sessions) == 3


async def test_the_first_lease_is_fresh_and_a_stored_session_is_resumed() -> None:
    backend = ScriptedAgentBackend()
    async with pool_of(backend) as pool, pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
        assert lease.fresh
        known = lease.session.session_id
    async with (
        pool_of(backend) as restarted,
        restarted.lease(persona=PERSONA, key=key("a"), workspace=HERE, stored=stored(known)) as lease,
    ):
        assert lease.resumed
        assert lease.session.session_id == known


async def test_a_lost_session_is_replaced_by_a_new_one() -> None:
    gone = SessionId("gone")
    async with (
        pool_of(ScriptedAgentBackend()) as pool,
        pool.lease(persona=PERSONA, key=key("a"), workspace=HERE, stored=stored(gone)) as lease,
    ):
        assert lease.fresh
        assert lease.lost
        assert lease.session.session_id != gone


async def test_the_longest_idle_session_makes_room_and_is_resumed_later() -> None:
    backend = ScriptedAgentBackend()
    async with pool_of(backend, size=2) as pool:
        first = await use(pool, "a")
        second = await use(pool, "b")
        await use(pool, "c")
        assert first.closed
        assert not second.closed
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.resumed
            assert lease.session.session_id == first.session_id


async def test_who_works_and_then_only_looks_has_another_process_and_the_same_session() -> None:
    async with pool_of(ScriptedAgentBackend()) as pool:
        worker = await use(pool, "a")
        for _ in range(2):
            async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE, read_only=True) as lease:
                assert isinstance(lease.session, ScriptedSession)
                looker = lease.session
                await answer(looker, "look")
        again = await use(pool, "a")
    assert (worker.read_only, looker.read_only, again.read_only) == (False, True, False)
    assert worker.closed
    assert worker.session_id == looker.session_id == again.session_id
    assert len({id(worker), id(looker), id(again)}) == 3


async def test_no_more_sessions_live_than_the_size() -> None:
    backend = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text="ok", delay_seconds=0.005))
    async with pool_of(backend, size=2) as pool, asyncio.TaskGroup() as tasks:
        for number in range(12):
            tasks.create_task(use(pool, str(number)))
        while pool.state().waiting:
            assert sum(not session.closed for session in backend.opened) <= 2
            await asyncio.sleep(0)


async def test_who_waits_is_served_in_order_of_arrival() -> None:
    served: list[str] = []

    async def turn(pool: AgentPool, name: str) -> None:
        async with pool.lease(persona=PERSONA, key=key(name), workspace=HERE):
            served.append(name)

    async with pool_of(ScriptedAgentBackend(), size=1) as pool:
        async with asyncio.TaskGroup() as tasks, pool.lease(persona=PERSONA, key=key("first"), workspace=HERE):
            for number in range(5):
                tasks.create_task(turn(pool, str(number)))
            await until(lambda: pool.state().waiting == 5)
        assert served == ["0", "1", "2", "3", "4"]


async def test_the_same_conversation_waits_for_its_own_turn() -> None:
    async with pool_of(ScriptedAgentBackend(), size=2) as pool, asyncio.TaskGroup() as tasks:
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            second = tasks.create_task(use(pool, "a"))
            await use(pool, "b")
            assert not second.done()
        assert await second is lease.session


async def test_waiting_too_long_says_so_and_leaves_the_queue() -> None:
    async with (
        pool_of(ScriptedAgentBackend(), size=1, wait_seconds=0.02) as pool,
        pool.lease(persona=PERSONA, key=key("a"), workspace=HERE),
    ):
        with pytest.raises(PoolExhausted):
            await use(pool, "b")
        assert pool.state() == PoolState(size=1, busy=1, idle=0, waiting=0)


async def test_an_idle_session_is_ended_after_its_time() -> None:
    async with pool_of(ScriptedAgentBackend(), idle_seconds=0.02) as pool:
        session = await use(pool, "a")
        await until(lambda: session.closed)
        assert pool.state() == PoolState(size=2, busy=0, idle=0, waiting=0)


async def test_a_process_is_replaced_after_its_turns() -> None:
    async with pool_of(ScriptedAgentBackend(), max_turns_per_process=2) as pool:
        first = await use(pool, "a")
        assert await use(pool, "a") is first
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.session is not first
            assert lease.resumed
        assert first.closed


async def test_a_process_that_grew_too_large_is_replaced() -> None:
    async with pool_of(ScriptedAgentBackend(), max_memory_megabytes=300) as pool:
        first = await use(pool, "a")
        first.megabytes = 301
        assert await use(pool, "a") is first
        assert await use(pool, "a") is not first


async def test_a_process_that_is_too_old_is_replaced_and_a_session_to_be_forgotten_is_not_resumed() -> None:
    async with pool_of(ScriptedAgentBackend(), max_age_seconds=1e-9) as pool:
        first = await use(pool, "a")
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.session is not first
            assert lease.resumed
            lease.forget()
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.fresh


async def test_a_changed_persona_or_workspace_gets_a_new_process_in_the_same_session(tmp_path: Path) -> None:
    async with pool_of(ScriptedAgentBackend()) as pool:
        first = await use(pool, "a")
        second = await use(pool, "a", replace(PERSONA, tools=("Read",)))
        third = await use(pool, "a", replace(PERSONA, tools=("Read",)), workspace=tmp_path)
        assert len({id(first), id(second), id(third)}) == 3
        assert first.session_id == second.session_id == third.session_id
        assert first.closed


async def test_the_end_of_the_pool_closes_every_session() -> None:
    backend = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text="late", delay_seconds=60))
    crashed = []
    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(asyncio.TaskGroup())
        pool = await stack.enter_async_context(pool_of(backend, size=1))

        async def turn(name: str, error: type[Exception]) -> None:
            with pytest.raises(error):
                await use(pool, name)
            crashed.append(name)

        tasks.create_task(turn("a", AgentCrashed))
        await until(lambda: pool.state().busy == 1)
        tasks.create_task(turn("waiting", AgentUnavailable))
        await until(lambda: pool.state().waiting == 1)
    assert sorted(crashed) == ["a", "waiting"]
    assert all(session.closed for session in backend.opened)


async def test_a_forgotten_conversation_begins_with_a_fresh_session_and_others_keep_theirs() -> None:
    async with pool_of(ScriptedAgentBackend(), size=4) as pool:
        first, second = await use(pool, "a"), await use(pool, "a", persona=OTHER)
        other = await use(pool, "b")
        assert pool.forget(key("a")) == 2
        await until(lambda: first.closed and second.closed)
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.fresh
            assert lease.session.session_id != first.session_id
        assert await use(pool, "b") is other


async def test_a_session_that_is_forgotten_while_it_is_used_is_ended_afterwards() -> None:
    async with pool_of(ScriptedAgentBackend()) as pool:
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            used = lease.session
            assert isinstance(used, ScriptedSession)
            pool.forget(key("a"))
            await answer(used, "hello")
            assert not used.closed
        await until(lambda: used.closed)
        async with pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease:
            assert lease.fresh


async def test_there_may_be_nothing_to_forget() -> None:
    async with pool_of(ScriptedAgentBackend()) as pool:
        assert pool.forget(key("nobody")) == 0


async def test_who_waits_for_another_lends_its_place_and_a_pool_of_one_goes_on() -> None:
    async with (
        pool_of(ScriptedAgentBackend(), size=1) as pool,
        pool.lease(persona=PERSONA, key=key("a"), workspace=HERE) as lease,
    ):
        with lease.lent():
            helper = await use(pool, "a", OTHER)
            assert not helper.closed
        await until(lambda: helper.closed)  # the place is taken back, and there is one
        assert lease.session.usable
        assert pool.state().busy == 1


async def test_what_can_be_served_later_waits_behind_who_came_after_it() -> None:
    served: list[str] = []
    async with pool_of(ScriptedAgentBackend(), size=1) as pool, asyncio.TaskGroup() as group:

        async def asks(name: str, *, later: bool) -> None:
            async with pool.lease(persona=PERSONA, key=key(name), workspace=HERE, later=later):
                served.append(name)

        async with pool.lease(persona=PERSONA, key=key("first"), workspace=HERE):
            group.create_task(asks("background", later=True))
            await until(lambda: pool.state().waiting == 1)
            group.create_task(asks("person", later=False))
            await until(lambda: pool.state().waiting == 2)
    assert served == ["person", "background"]
