"""Exchanges that run, and conversations that are held."""

import asyncio

from mama_bot.model import ConversationKey, Platform
from mama_bot.orchestrator.running_exchanges import RunningExchanges

HERE, THERE = ConversationKey(Platform("memory"), "here"), ConversationKey(Platform("memory"), "there")


async def test_an_exchange_waits_while_its_conversation_is_held() -> None:
    exchanges, begun = RunningExchanges(), asyncio.Event()

    async def run(key: ConversationKey) -> None:
        async with exchanges.begun(key):
            begun.set()

    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        with exchanges.hold(HERE) as held:
            assert held
            waiting = group.create_task(run(HERE))
            await run(THERE)
            begun.clear()
            await asyncio.sleep(0)
            assert not begun.is_set()
        await waiting
        assert begun.is_set()


async def test_a_conversation_in_which_an_exchange_runs_cannot_be_held() -> None:
    exchanges = RunningExchanges()
    async with exchanges.begun(HERE):
        with exchanges.hold(HERE) as held:
            assert not held
    with exchanges.hold(HERE) as held, exchanges.hold(HERE) as again:
        assert (held, again) == (True, False)
    assert exchanges.of(HERE) is None
