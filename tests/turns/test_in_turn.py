"""The chain at an agent's stop, with a scripted agent: what is judged once, what a failure leaves, what ends it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from mama_bot.config import QueueSettings
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Attempt,
    Audience,
    Author,
    Cleared,
    ConversationKey,
    Draft,
    InboundMessage,
    Judgement,
    MessageId,
    Outcome,
    Platform,
    Progress,
    SentBack,
    SessionId,
    Stopping,
    ToolKind,
    ToolRecord,
    ToolRun,
    Turn,
    TurnId,
    TurnKind,
    TurnState,
    text_hash,
)
from mama_bot.protocols import TurnStore
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.turns.in_turn import InTurn
from mama_bot.turns.ledger import TurnLedger
from mama_bot.turns.reported import ReportedAttempts
from tests.agents.conftest import SystemClock

NOW = datetime(2026, 1, 1, tzinfo=UTC)
KEY = ConversationKey(Platform("memory"), "one")
TURN = Turn(
    id=TurnId("m.0"),
    message_id=MessageId("m"),
    key=KEY,
    persona="dev",
    kind=TurnKind.REQUEST,
    audience=Audience.PERSON,
    asker=Author(id="kim", name="Kim"),
    prompt="확인해 주세요",
)
BACK = SentBack(stage="response_validator", rule="praise", reason="praise", feedback="결과를 쓰세요.")
RUN = ToolRun(id="1", tool="Bash", kind=ToolKind.SHELL, arguments="{}", started_at=NOW, agent="dev")
INNER = ToolRun(id="2", tool="Bash", kind=ToolKind.SHELL, arguments="{}", started_at=NOW, agent="dev/a1")


@dataclass
class Verdicts:
    """A judge that decides by the words, and counts how often it is asked."""

    before: Callable[[], Awaitable[None]] | None = None
    asked: list[tuple[Draft, Turn]] = field(default_factory=list)

    async def judge(
        self, draft: Draft, turn: Turn, *, rejections: int = 0, last: Callable[[], bool] | None = None
    ) -> Judgement:
        self.asked.append((draft, turn))
        if self.before is not None:
            await self.before()
        outcome: Outcome = BACK if "훌륭" in draft.text else Cleared()
        return Judgement(turn_id=turn.id, attempt=draft.attempt, text_sha256=text_hash(draft.text), outcome=outcome)


@dataclass
class Asking:
    in_turn: InTurn
    ledger: TurnLedger
    judge: Verdicts
    store: Store
    metrics: Metrics

    async def attempts(self) -> Sequence[Attempt]:
        (turn,) = (await self.store.turns.load(TURN.message_id)).turns
        return turn.attempts


@asynccontextmanager
async def asking(
    directory: Path,
    *,
    retries: int = 2,
    judge: Verdicts | None = None,
    shown: Callable[[], Awaitable[None]] | None = None,
    fails: str = "",
) -> AsyncIterator[Asking]:
    judge, metrics, clock = judge or Verdicts(), Metrics(), SystemClock()
    async with open_store(sqlite_url(directory / "store"), clock=clock, queue=QueueSettings()) as store:
        message = InboundMessage(id=MessageId("m"), key=KEY, author=TURN.asker, text="확인", received_at=NOW)
        assert await store.inbox.accept(message)
        await store.turns.add_turns([TURN])
        await store.turns.begin_attempt(TURN, 0, SessionId("s"))

        async def show(_progress: Progress) -> None:
            if shown is not None:
                await shown()

        (stored,) = (await store.turns.load(TURN.message_id)).turns
        ledger = TurnLedger(stored, turns=cast("TurnStore", Failing(store.turns, fails)), clock=clock)
        in_turn = InTurn(
            ledger=ledger,
            session_id=SessionId("s"),
            retries=retries,
            chain=judge,
            reported=ReportedAttempts(show=show, clock=clock, metrics=Metrics()),
            metrics=metrics,
        )
        async with ledger.asked():
            yield Asking(in_turn=in_turn, ledger=ledger, judge=judge, store=store, metrics=metrics)


def stopping(text: str, *runs: ToolRun, agent: str = "") -> Stopping:
    return Stopping(text=text, record=ToolRecord(runs=runs), agent=agent)


def final(text: str, *runs: ToolRun, attempt: int = 0, cut_short: bool = False) -> Draft:
    return Draft(turn_id=TURN.id, attempt=attempt, text=text, record=ToolRecord(runs=runs), cut_short=cut_short)


async def test_a_rejection_is_an_attempt_and_the_next_one_is_begun(tmp_path: Path) -> None:
    async with asking(tmp_path) as it:
        told = await it.in_turn.at_stop(stopping("훌륭합니다!", RUN))
        assert BACK.feedback in told
        (attempt,) = await it.attempts()
        assert attempt.draft.record.runs == (RUN,)
        (turn,) = (await it.store.turns.load(TURN.message_id)).turns
        assert (turn.asked, turn.state) == (1, TurnState.RUNNING)
        assert it.ledger.next_attempt == 1


async def test_the_very_text_that_was_judged_is_not_judged_again(tmp_path: Path) -> None:
    async with asking(tmp_path) as it:
        assert await it.in_turn.at_stop(stopping("3건 통과", RUN)) == ""
        assert it.ledger.judgement_of(final("3건 통과", RUN)) is not None
        for other in (
            final("3건 통과 ", RUN),
            final("3건 통과"),
            final("3건 통과", RUN, attempt=1),
            final("3건 통과", RUN, cut_short=True),
        ):
            assert it.ledger.judgement_of(other) is None


async def test_no_more_is_sent_back_than_the_retries_of_one_turn(tmp_path: Path) -> None:
    async with asking(tmp_path, retries=2) as it:
        told = [bool(await it.in_turn.at_stop(stopping(f"훌륭합니다 {number}"))) for number in range(4)]
        assert told == [True, True, False, False]
        assert [attempt.draft.attempt for attempt in await it.attempts()] == [0, 1]
        assert len(it.judge.asked) == 2


async def test_a_judge_that_fails_lets_the_agent_stop_and_is_counted(tmp_path: Path) -> None:
    async def fails() -> None:
        raise RuntimeError("broken")

    async with asking(tmp_path, judge=Verdicts(before=fails)) as it:
        assert await it.in_turn.at_stop(stopping("훌륭합니다!")) == ""
        assert it.ledger.judgement_of(final("훌륭합니다!")) is None
        assert not await it.attempts()
        assert it.metrics.snapshot() == {("in_turn_failures", (("persona", "dev"),)): 1}


async def test_a_judgement_that_comes_after_the_end_changes_nothing(tmp_path: Path) -> None:
    judging, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        judging.set()
        await go_on.wait()

    async with asking(tmp_path, judge=Verdicts(before=slow)) as it, asyncio.TaskGroup() as tasks:
        late = tasks.create_task(it.in_turn.at_stop(stopping("훌륭합니다!")))
        await judging.wait()
        it.in_turn.end()
        go_on.set()
        assert await late == ""
        assert it.ledger.attempts == ()
        assert not await it.attempts()


async def test_a_draft_that_is_shown_when_the_end_comes_is_not_stored_under_the_final_ones_number(
    tmp_path: Path,
) -> None:
    showing, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        showing.set()
        await go_on.wait()

    async with asking(tmp_path, shown=slow) as it, asyncio.TaskGroup() as tasks:
        late = tasks.create_task(it.in_turn.at_stop(stopping("훌륭합니다!", RUN)))
        await showing.wait()
        it.in_turn.end()
        go_on.set()
        assert await late == ""
        assert it.ledger.next_attempt == 0
        assert not await it.attempts()


@dataclass
class Failing:
    """The store, with one method that fails."""

    turns: TurnStore
    name: str

    def __getattr__(self, name: str) -> Any:
        return self.fails if name == self.name else getattr(self.turns, name)

    async def fails(self, *_: object) -> None:
        raise OSError("The disk is full.")


async def test_a_rejection_that_the_agent_was_not_told_is_not_judged_again(tmp_path: Path) -> None:
    async with asking(tmp_path, fails="begin_attempt") as it:
        assert await it.in_turn.at_stop(stopping("훌륭합니다!", RUN)) == ""
        it.in_turn.end()
        assert it.ledger.untold("훌륭합니다!", ToolRecord(runs=(RUN,))) == it.ledger.attempts[-1]
        assert it.ledger.untold("훌륭합니다!", ToolRecord()) is None
        assert it.ledger.untold("3건 통과", ToolRecord(runs=(RUN,))) is None
        assert len(await it.attempts()) == 1


async def test_a_rejection_that_the_agent_was_told_is_judged_again_when_nothing_changed(tmp_path: Path) -> None:
    async with asking(tmp_path) as it:
        assert await it.in_turn.at_stop(stopping("훌륭합니다!", RUN))
        it.in_turn.end()
        assert it.ledger.untold("훌륭합니다!", ToolRecord(runs=(RUN,))) is None


async def test_a_subagent_is_judged_as_one_agent_to_another_and_nothing_is_stored(tmp_path: Path) -> None:
    async with asking(tmp_path) as it:
        told = await it.in_turn.at_stop(stopping("훌륭합니다!", RUN, INNER, agent="dev/a1"))
        assert BACK.feedback in told
        ((draft, turn),) = it.judge.asked
        assert draft.record.runs == (INNER,)
        assert (turn.agent_to_agent, turn.delegation) == (True, None)
        assert not await it.attempts()
        assert it.ledger.next_attempt == 0
        assert ("subagent_rejections", (("persona", "dev"), ("stage", BACK.stage))) in it.metrics.snapshot()
