"""What an agent does while it is asked: in the store before there is a draft, whatever ends the asking."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import AgentCrashed
from mama_bot.model import (
    Attempt,
    InboundMessage,
    Judgement,
    MessageId,
    ToolFinished,
    ToolRecord,
    ToolRun,
    ToolStarted,
    Turn,
    TurnState,
    Withheld,
)
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.turns.standing import Standing
from mama_bot.turns.undrafted import EVERY_CALLS, MOST_CALLS, Undrafted
from tests.agents.conftest import SystemClock
from tests.turns.test_in_turn import BACK, NOW, TURN, final

BEGUN = Standing(attempts=(), asked=0)
SECONDS = 20.0


def call(name: object) -> ToolRun:
    return ToolRun(id=str(name), tool="Bash", arguments="{}", started_at=NOW, agent="dev")


@asynccontextmanager
async def stored(directory: Path) -> AsyncIterator[Store]:
    clock = SystemClock()
    async with open_store(sqlite_url(directory / "store"), clock=clock, queue=QueueSettings()) as store:
        message = InboundMessage(id=MessageId("m"), key=TURN.key, author=TURN.asker, text="확인", received_at=NOW)
        assert await store.inbox.accept(message)
        await store.turns.add_turns([TURN])
        yield store


async def kept(store: Store) -> ToolRecord:
    (turn,) = (await store.turns.load(TURN.message_id)).turns
    return turn.turn.undrafted


async def until_kept(store: Store, count: int) -> None:
    async with asyncio.timeout(SECONDS):
        while len((await kept(store)).runs) < count:
            await asyncio.sleep(0.01)


def undrafted(store: Store, standing: Standing = BEGUN) -> Undrafted:
    return Undrafted(turn=TURN, standing=standing, turns=store.turns, clock=SystemClock())


async def asked(calls: Undrafted, runs: Sequence[ToolRun], error: BaseException) -> None:
    """An `ask` that does this and ends like that."""
    async with calls.kept():
        for run in runs:
            calls.note(ToolStarted(run=run))
            calls.note(ToolFinished(run=run))
        raise error


async def test_finished_calls_are_in_the_store_while_the_agent_is_asked(tmp_path: Path) -> None:
    async with stored(tmp_path) as store:
        calls = undrafted(store)
        async with calls.kept():
            calls.note(ToolFinished(run=call("first")))
            await until_kept(store, 1)
            for number in range(EVERY_CALLS):
                calls.note(ToolFinished(run=call(number)))
            calls.note(ToolStarted(run=call("open")))
            await until_kept(store, EVERY_CALLS + 2)
        assert (await kept(store)).runs[0].id == "first"


@pytest.mark.parametrize("error", [AgentCrashed(returncode=-9), asyncio.CancelledError()])
async def test_all_is_kept_when_the_asking_ends_without_a_draft(tmp_path: Path, error: BaseException) -> None:
    async with stored(tmp_path) as store:
        calls = undrafted(store)
        with pytest.raises(type(error)) as raised:
            await asked(calls, [call(number) for number in range(MOST_CALLS + 200)], error)
        assert raised.value is error
        record = await kept(store)
        assert (len(record.runs), record.dropped) == (MOST_CALLS, 200)


async def test_what_was_known_before_is_kept_once(tmp_path: Path) -> None:
    back = Attempt(
        draft=final("훌륭합니다!", call("drafted")),
        judgement=Judgement(turn_id=TURN.id, attempt=0, text_sha256="", outcome=BACK),
        at=NOW,
    )
    before = replace(BEGUN, attempts=(back,), undrafted=ToolRecord(runs=(call("lost"),), dropped=2))
    async with stored(tmp_path) as store:
        calls = undrafted(store, before)
        with pytest.raises(AgentCrashed):
            await asked(calls, [call(name) for name in ("drafted", "lost", "new")], AgentCrashed(returncode=1))
        record = await kept(store)
        assert [run.id for run in record.runs] == ["lost", "new"]
        assert record.dropped == 2


async def test_a_store_that_fails_does_not_end_the_asking(tmp_path: Path) -> None:
    async with stored(tmp_path) as store:
        calls = undrafted(store)
    async with calls.kept():  # closed: every write raises
        calls.note(ToolFinished(run=call("1")))
        await asyncio.sleep(0.05)
        calls.note(ToolFinished(run=call("2")))


async def test_what_the_last_draft_holds_is_not_kept_twice(tmp_path: Path) -> None:
    async with stored(tmp_path) as store:
        calls = undrafted(store)
        async with calls.kept():
            calls.note(ToolFinished(run=call("1")))
            await until_kept(store, 1)
        outcome = Withheld(stage="response_validator", rule="praise", reason="praise")
        judgement = Judgement(turn_id=TURN.id, attempt=0, text_sha256="", outcome=outcome)
        attempt = Attempt(draft=final("3건", call("1"), call("2")), judgement=judgement, at=NOW)
        await store.turns.finish(TURN, TurnState.WITHHELD, attempt=attempt)
        assert await kept(store) == ToolRecord()


def test_dropped_calls_are_counted_once() -> None:
    crashed: Turn = replace(TURN, undrafted=ToolRecord(runs=(call("1"),), dropped=200))
    draft = attempt_after(crashed)
    assert replace(BEGUN, attempts=(draft,), undrafted=crashed.undrafted).record.dropped == 200


def attempt_after(turn: Turn) -> Attempt:
    """The attempt after a crash: its record holds what was undrafted."""
    draft = replace(final("3건"), record=turn.undrafted)
    return Attempt(draft=draft, judgement=Judgement(turn_id=turn.id, attempt=0, text_sha256="", outcome=BACK), at=NOW)
