"""Exchanges that run, and stops that somebody else asked for."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.app.configuration import DATABASE_NAME, read_configuration
from mama_bot.config import QueueSettings
from mama_bot.model import (
    AgentPersona,
    Command,
    CommandName,
    Exchange,
    InboundMessage,
    MessageId,
    Notice,
    NoticeKind,
    Origin,
    PostId,
    SessionId,
    TurnId,
    TurnState,
)
from mama_bot.orchestrator.live_exchanges import RunningExchanges
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.store.turns import StoredTurns
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply, ScriptedSession
from mama_bot.turns.new_turns import first_turn
from mama_bot.wording import Language
from tests.agents.conftest import SystemClock
from tests.end_to_end.team import key, running_team, write_configuration
from tests.turns.test_in_turn import NOW, TURN
from tests.waiting import SECONDS


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
            with here.begun(message_id) as running, running.begun(TURN) as turn:
                await owner.turns.add_turns([TURN])
                await owner.turns.begin_attempt(TURN, 0, SessionId("s"))
                try:
                    async with asyncio.timeout(SECONDS) as turn.scope:
                        await asyncio.Event().wait()
                except TimeoutError:
                    stopped_by.append(running.stopped_by)

        async def abandoned(_message_id: MessageId, error: Exception) -> None:
            raise error

        watching = group.create_task(here.watch())
        group.create_task(owner.engine.run(exchange, abandoned=abandoned, concurrency=1, drain_seconds=5))
        await owner.inbox.accept(message)
        async with asyncio.timeout(SECONDS):
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


async def cut_off_life(tmp_path: Path, *, stopped: bool) -> InboundMessage:
    """Return a message whose first turn was cut off in a life of before, maybe as somebody had asked to stop it."""
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
        if stopped:
            assert (await first.stops.ask(message.key, "Kim", line)).running == message.id
        first.engine.stop()  # before anybody acted on it
    return message


async def test_a_stop_that_was_asked_for_is_in_force_after_a_restart(tmp_path: Path) -> None:
    message = await cut_off_life(tmp_path, stopped=True)
    backend = ScriptedAgentBackend()
    async with running_team(tmp_path, backends={"claude": backend}) as team:
        exchange = await team.settled(message.id)
        (notice,) = team.notices()
    assert (exchange.stopped, [stored.state for stored in exchange.turns]) == (True, [TurnState.STOPPED])
    assert (notice.notice, "Kim" in notice.text, team.replies()) == (NoticeKind.STOPPED, True, [])
    assert backend.opened == [], "nobody is asked any more"


class SlowLook:
    """Makes the first look at an exchange take until it is let go; whoever else looks does not wait."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()
        load = StoredTurns.load

        async def slowly(turns: StoredTurns, message_id: MessageId) -> Exchange:
            exchange = await load(turns, message_id)
            if not self.begun.is_set():
                self.begun.set()
                await self.go_on.wait()
            return exchange

        monkeypatch.setattr(StoredTurns, "load", slowly)


async def test_a_stop_that_comes_while_the_exchange_is_read_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = await cut_off_life(tmp_path, stopped=False)
    look, backend = SlowLook(monkeypatch), ScriptedAgentBackend()
    async with running_team(tmp_path, backends={"claude": backend}) as team:
        await look.begun.wait()
        assert await team.stop()
        look.go_on.set()
        exchange = await team.settled(message.id)
    assert (exchange.stopped, backend.opened) == (True, [])


@pytest.mark.parametrize(
    ("language", "cancelled", "again"),
    [
        (
            Language.ENGLISH,
            "Cancelled before it began (1): “Is the token check safe?”.",
            "It is being stopped already.",
        ),
        (
            Language.KOREAN,
            "시작하기 전에 취소했습니다 (1개): “Is the token check safe?”.",
            "이미 멈추는 중입니다.",
        ),
    ],
)
async def test_what_was_taken_and_had_not_begun_is_said_to_be_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: Language, cancelled: str, again: str
) -> None:
    look, backend = SlowLook(monkeypatch), ScriptedAgentBackend()
    stop = Command(name=CommandName.STOP, key=key(), author=TURN.asker, origin=Origin(), language=language)
    async with running_team(tmp_path, backends={"claude": backend}) as team:
        await team.say("Is the token check safe?")
        await look.begun.wait()
        first, second = await team.gateway.command(stop), await team.gateway.command(stop)
        look.go_on.set()
    assert (first.done, first.text) == (True, cancelled)
    assert (second.done, second.text) == (False, again)
    assert backend.opened == []


class Deaf(ScriptedSession):
    """An agent whose process cannot be told, or does not hear for long."""

    def __init__(self, told: Callable[[], Awaitable[None]], persona: AgentPersona) -> None:
        super().__init__(
            persona=persona,
            key=TURN.key,
            workspace=Path(),
            session_id=SessionId("s"),
            script=lambda *_: ScriptedReply(text=""),
            history=deque(),
        )
        self._hear = told

    async def interrupt(self) -> None:
        await self._hear()


async def test_stops_wait_for_no_other_and_one_that_breaks_ends_nothing(tmp_path: Path) -> None:
    heard: list[str] = []

    async def never() -> None:
        await asyncio.Event().wait()

    async def breaks() -> None:
        raise ValueError("the pipe is broken")

    async def hears() -> None:
        heard.append("told")

    deeds = {"m1": never, "m2": breaks, "m3": hears}
    messages = [
        InboundMessage(
            id=MessageId(name),
            key=replace(TURN.key, channel=name),
            author=TURN.asker,
            text="확인",
            received_at=NOW,
        )
        for name in deeds
    ]
    done = asyncio.Event()
    async with process(tmp_path) as store, asyncio.TaskGroup() as group:
        running = RunningExchanges(store.stops)

        async def exchange(message_id: MessageId) -> None:
            key = replace(TURN.key, channel=message_id)
            turn = replace(TURN, id=TurnId(f"t-{message_id}"), message_id=message_id, key=key)
            with running.begun(message_id) as state, state.begun(turn) as at_work:
                at_work.session = Deaf(deeds[message_id], AgentPersona(name="lead", display_name="Lead", prompt=""))
                await store.turns.add_turns([turn])
                await done.wait()

        async def abandoned(_message_id: MessageId, error: Exception) -> None:
            raise error

        group.create_task(store.engine.run(exchange, abandoned=abandoned, concurrency=3, drain_seconds=5))
        for message in messages:
            await store.inbox.accept(message)
        async with asyncio.timeout(SECONDS):
            for message in messages:
                while not (await store.turns.load(message.id)).turns:
                    await asyncio.sleep(0.005)
                assert (await store.stops.ask(message.key, "Kim", line)).running == message.id
            watching = group.create_task(running.watch())
            while not heard:
                await asyncio.sleep(0.005)
        assert not watching.done()
        watching.cancel()
        done.set()
        store.engine.stop()
