"""Exchanges that run, and stops that somebody else asked for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mama_bot.app import read_configuration
from mama_bot.app.service import DATABASE_NAME
from mama_bot.config import QueueSettings
from mama_bot.model import InboundMessage, MessageId, Notice, NoticeKind, PostId, SessionId, TurnState
from mama_bot.orchestrator.live_exchanges import RunningExchanges
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.testing.scripted_agent import ScriptedAgentBackend
from mama_bot.turns.new_turns import first_turn
from tests.agents.conftest import SystemClock
from tests.end_to_end.team import key, running_team, write_configuration
from tests.turns.test_in_turn import NOW, TURN


@asynccontextmanager
async def process(directory: Path) -> AsyncIterator[Store]:
    """The store as one of several processes has it open."""
    async with open_store(sqlite_url(directory / "store"), clock=SystemClock(), queue=QueueSettings()) as store:
        yield store


def line(message: InboundMessage) -> Notice:
    return Notice(id=PostId("stopped"), key=message.key, notice=NoticeKind.STOPPED, text="Stopped.")


async def test_the_exchange_of_another_process_is_stopped(tmp_path: Path) -> None:
    message = InboundMessage(id=TURN.message_id, key=TURN.key, author=TURN.asker, text="확인", received_at=NOW)
    async with process(tmp_path) as owner, process(tmp_path) as asker, asyncio.TaskGroup() as group:
        here, there = RunningExchanges(owner.stops), RunningExchanges(asker.stops)
        stopped_by: list[str | None] = []

        async def exchange(message_id: MessageId) -> None:
            with here.begun(message_id) as running:
                await owner.turns.add_turns([TURN])
                await owner.turns.begin_attempt(TURN, 0, SessionId("s"))
                try:
                    async with asyncio.timeout(20) as running.scope:
                        await asyncio.Event().wait()
                except TimeoutError:
                    stopped_by.append(running.stopped_by)

        async def abandoned(_message_id: MessageId, error: Exception) -> None:
            raise error

        watching = group.create_task(here.watch())
        group.create_task(owner.engine.run(exchange, abandoned=abandoned, concurrency=1, drain_seconds=5))
        await owner.inbox.accept(message)
        async with asyncio.timeout(20):
            while not (await asker.turns.load(message.id)).turns:
                await asyncio.sleep(0.005)
            stop = await asker.stops.ask(TURN.key, "Kim", line)
            assert stop.running == message.id
            await there.stop(message.id, "Kim")  # it does not run there: its owner learns it from the store
            while not stopped_by:
                await asyncio.sleep(0.005)
        watching.cancel()
        owner.engine.stop()
    assert stopped_by == ["Kim"]


async def test_a_stop_that_was_asked_for_is_in_force_after_a_restart(tmp_path: Path) -> None:
    configuration = read_configuration(write_configuration(tmp_path), environment={"PATH": "/usr/bin:/bin"})
    configuration.directory.mkdir(parents=True, exist_ok=True)
    url = sqlite_url(configuration.directory / DATABASE_NAME)
    message = InboundMessage(
        id=MessageId("m"), key=key("general"), author=TURN.asker, text="Is the token check safe?", received_at=NOW
    )
    turn = first_turn(message, configuration.personas["lead"], 0)

    async def cut_off(_message_id: MessageId) -> None:
        await first.turns.add_turns([turn])
        await first.turns.begin_attempt(turn, 0, SessionId("s"))
        begun.set()
        await asyncio.Event().wait()

    async def abandoned(_message_id: MessageId, error: Exception) -> None:
        raise error

    begun = asyncio.Event()
    async with open_store(url, clock=SystemClock(), queue=QueueSettings()) as first, asyncio.TaskGroup() as group:
        group.create_task(first.engine.run(cut_off, abandoned=abandoned, concurrency=1, drain_seconds=0))
        await first.inbox.accept(message)
        await begun.wait()
        assert (await first.stops.ask(message.key, "Kim", line)).running == message.id
        first.engine.stop()  # before anybody acted on it
    backend = ScriptedAgentBackend()
    async with running_team(tmp_path, backends={"claude": backend}) as team:
        exchange = await team.settled(message.id)
        (notice,) = team.notices()
    assert (exchange.stopped, [stored.state for stored in exchange.turns]) == (True, [TurnState.STOPPED])
    assert (notice.notice, "Kim" in notice.text, team.replies()) == (NoticeKind.STOPPED, True, [])
    assert backend.opened == [], "nobody is asked any more"
