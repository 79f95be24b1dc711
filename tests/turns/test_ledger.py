"""The ledger of a turn: what an agent does while it is asked is stored before there is a draft, and adds up."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import AgentCrashed
from mama_bot.model import (
    Attempt,
    ClaimKind,
    Declaration,
    DeclaredOutcome,
    InboundMessage,
    Judgement,
    MessageId,
    SessionId,
    StoredTurn,
    ToolFinished,
    ToolKind,
    ToolRecord,
    ToolRun,
    ToolStarted,
    Turn,
    TurnState,
    Usage,
    Withheld,
)
from mama_bot.protocols import TurnStore
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.turns.ledger import EVERY_CALLS, MOST_CALLS, TurnLedger, record_of
from tests.agents.conftest import SystemClock
from tests.turns.test_in_turn import BACK, NOW, TURN, final
from tests.waiting import SECONDS

BEGUN = StoredTurn(turn=TURN, state=TurnState.RUNNING, created_at=NOW, started_at=NOW, asked=0)


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


def opened(store: Store, turn: StoredTurn = BEGUN) -> TurnLedger:
    return TurnLedger(turn, turns=store.turns, clock=SystemClock())


async def asked(ledger: TurnLedger, runs: Sequence[ToolRun], error: BaseException) -> None:
    """An `ask` that does this and ends like that."""
    async with ledger.asked():
        for run in runs:
            ledger.note(ToolStarted(run=run))
            ledger.note(ToolFinished(run=run))
        raise error


async def test_finished_calls_are_in_the_store_while_the_agent_is_asked(tmp_path: Path) -> None:
    async with stored(tmp_path) as store:
        ledger = opened(store)
        async with ledger.asked():
            ledger.note(ToolFinished(run=call("first")))
            await until_kept(store, 1)
            for number in range(EVERY_CALLS):
                ledger.note(ToolFinished(run=call(number)))
            ledger.note(ToolStarted(run=call("open")))
            await until_kept(store, EVERY_CALLS + 2)
        assert (await kept(store)).runs[0].id == "first"


@pytest.mark.parametrize("error", [AgentCrashed(returncode=-9), asyncio.CancelledError()])
async def test_all_is_kept_when_the_asking_ends_without_a_draft(tmp_path: Path, error: BaseException) -> None:
    async with stored(tmp_path) as store:
        ledger = opened(store)
        with pytest.raises(type(error)) as raised:
            await asked(ledger, [call(number) for number in range(MOST_CALLS + 200)], error)
        assert raised.value is error
        record = await kept(store)
        assert (len(record.runs), record.dropped) == (MOST_CALLS, 200)


async def test_what_was_known_before_is_kept_once(tmp_path: Path) -> None:
    back = Attempt(
        draft=final("훌륭합니다!", call("drafted")),
        judgement=Judgement(turn_id=TURN.id, attempt=0, text_sha256="", outcome=BACK),
        at=NOW,
    )
    lost = replace(TURN, undrafted=ToolRecord(runs=(call("lost"),), dropped=2))
    before = replace(BEGUN, turn=lost, attempts=(back,))
    async with stored(tmp_path) as store:
        ledger = opened(store, before)
        with pytest.raises(AgentCrashed):
            await asked(ledger, [call(name) for name in ("drafted", "lost", "new")], AgentCrashed(returncode=1))
        record = await kept(store)
        assert [run.id for run in record.runs] == ["lost", "new"]
        assert record.dropped == 2


async def test_a_store_that_fails_does_not_end_the_asking(tmp_path: Path) -> None:
    async with stored(tmp_path) as store:
        ledger = opened(store)
    async with ledger.asked():  # closed: every write raises
        ledger.note(ToolFinished(run=call("1")))
        await asyncio.sleep(0.05)
        ledger.note(ToolFinished(run=call("2")))


async def test_what_the_last_draft_holds_is_not_kept_twice(tmp_path: Path) -> None:
    async with stored(tmp_path) as store:
        ledger = opened(store)
        async with ledger.asked():
            ledger.note(ToolFinished(run=call("1")))
            await until_kept(store, 1)
        outcome = Withheld(stage="response_validator", rule="praise", reason="praise")
        judgement = Judgement(turn_id=TURN.id, attempt=0, text_sha256="", outcome=outcome)
        attempt = Attempt(draft=final("3건", call("1"), call("2")), judgement=judgement, at=NOW)
        await store.turns.finish(TURN, TurnState.WITHHELD, attempt=attempt)
        assert await kept(store) == ToolRecord()


def test_dropped_calls_are_counted_once() -> None:
    crashed: Turn = replace(TURN, undrafted=ToolRecord(runs=(call("1"),), dropped=200))
    draft = attempt_after(crashed)
    assert record_of(replace(BEGUN, turn=crashed, attempts=(draft,))).dropped == 200


def attempt_after(turn: Turn) -> Attempt:
    """The attempt after a crash: its record holds what was undrafted."""
    draft = replace(final("3건"), record=turn.undrafted)
    return Attempt(draft=draft, judgement=Judgement(turn_id=turn.id, attempt=0, text_sha256="", outcome=BACK), at=NOW)


async def test_the_ledger_tells_attempts_tokens_and_time(tmp_path: Path) -> None:
    async with stored(tmp_path) as store:
        ledger = opened(store, replace(BEGUN, started_at=SystemClock().now() - timedelta(seconds=90)))
        for number in range(2):
            draft = ledger.draft(
                f"훌륭합니다 {number}",
                ToolRecord(),
                session_id=SessionId("s"),
                usage=Usage(input_tokens=100, output_tokens=7),
            )
            judgement = Judgement(turn_id=TURN.id, attempt=number, text_sha256="", outcome=BACK, rejections=number + 1)
            await ledger.add(Attempt(draft=draft, judgement=judgement, at=NOW))
        assert (ledger.next_attempt, ledger.rejections) == (2, 2)
        assert (ledger.usage.input_tokens, ledger.usage.output_tokens) == (200, 14)
        assert ledger.seconds >= 90
        assert (await store.turns.load(TURN.message_id)).turns[0].attempts == ledger.attempts


async def test_an_attempt_is_entered_once(tmp_path: Path) -> None:
    async with stored(tmp_path) as store:
        ledger = opened(store)
        judgement = Judgement(turn_id=TURN.id, attempt=0, text_sha256="", outcome=BACK)
        attempt = Attempt(draft=final("훌륭합니다!"), judgement=judgement, at=NOW)
        await ledger.add(attempt)
        await ledger.add(attempt)
        assert ledger.attempts == (attempt,)


async def test_an_attempt_that_the_store_did_not_take_is_stored_at_the_end_of_the_asking(tmp_path: Path) -> None:
    class FailsOnce:
        def __init__(self, turns: TurnStore) -> None:
            self.turns, self.failed = turns, False

        async def add_attempt(self, attempt: Attempt) -> None:
            if not self.failed:
                self.failed = True
                raise OSError("The disk is full.")
            await self.turns.add_attempt(attempt)

    async with stored(tmp_path) as store:
        ledger = TurnLedger(BEGUN, turns=cast("TurnStore", FailsOnce(store.turns)), clock=SystemClock())
        judgement = Judgement(turn_id=TURN.id, attempt=0, text_sha256="", outcome=BACK)
        attempt = Attempt(draft=final("훌륭합니다!"), judgement=judgement, at=NOW)
        async with ledger.asked():
            with pytest.raises(OSError, match="full"):
                await ledger.add(attempt)
            assert (await store.turns.load(TURN.message_id)).turns[0].attempts == ()
        assert (await store.turns.load(TURN.message_id)).turns[0].attempts == (attempt,)


async def test_what_was_declared_before_the_service_was_killed_counts_until_something_else_is(tmp_path: Path) -> None:
    tests, lint = (DeclaredOutcome(kind=kind) for kind in (ClaimKind.TESTS, ClaimKind.LINT))
    report = replace(
        call("report"), tool="mcp__mama__report", kind=ToolKind.REPORT, declared=Declaration(outcomes=(tests,))
    )
    async with stored(tmp_path) as store:
        with pytest.raises(AgentCrashed):
            await asked(opened(store), [call("work"), report], AgentCrashed(returncode=None))
        (turn,) = (await store.turns.load(TURN.message_id)).turns
        ledger = opened(store, turn)
        drafted = ledger.draft("The guard is in.", ToolRecord(), session_id=SessionId("s"))
        assert drafted.declaration == Declaration(outcomes=(tests,))
        block = "The guard is in.\n```report\n- kind: lint\n```"
        again = ledger.draft(block, ToolRecord(), session_id=SessionId("s"))
        assert (again.text, again.declaration) == ("The guard is in.", Declaration(outcomes=(lint,)))


async def test_the_secrets_of_a_long_draft_are_taken_out_beside_the_event_loop(tmp_path: Path) -> None:
    long, beside = "a secret of 5 MB " * 5_000, []

    def redact(text: str) -> str:
        beside.append(threading.current_thread() is not threading.main_thread())
        return text.replace("secret", "[redacted]")

    async with stored(tmp_path) as store:
        ledger = TurnLedger(BEGUN, turns=store.turns, clock=SystemClock(), redact=redact)
        await ledger.clean(long)
        drafts = [ledger.draft(text, ToolRecord(), session_id=SessionId("s")) for text in (long, "a secret")]
    assert [draft.text.count("secret") for draft in drafts] == [0, 0]
    assert beside == [True, False]
