"""Who is asked, how often, and what becomes of questions that nobody waits for any more."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest

from mama_bot.consent.approval_desk import ApprovalDesk, AskingTurn
from mama_bot.gateways.chat.command_forms import buttons_under
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Approval,
    Ask,
    MessageId,
    Notice,
    QuestionAnswer,
    QuestionState,
    StoredQuestion,
    ToolCall,
    ToolTurn,
    TurnState,
)
from mama_bot.store import Store
from mama_bot.tool_names import claude_call
from mama_bot.wording import Language
from tests.delivery.platform import FakeTime, a_life
from tests.people import HERE, PERSON, message, persona, turn
from tests.waiting import until_stored

T = TypeVar("T")

PAID = Ask(rule="paid", reason="It costs.", question="May it?", also=("dear",))
WORK = turn("developer")
TURN = ToolTurn(persona=persona("developer"), workspace=Path("/work"), read_only=False, key=HERE)


def call(command: str = "make deploy") -> ToolCall:
    return claude_call("Bash", {"command": command})


class Office:
    """A desk over a store; a second one over the same store is the next life of the service."""

    def __init__(self, store: Store, time: FakeTime, *, seconds: float = 600.0) -> None:
        self.store = store
        self.metrics = Metrics()
        self.desk = ApprovalDesk(
            questions=store.tool_questions,
            turn_of=self._turn,
            paused=lambda _: nullcontext(),
            seconds=seconds,
            redact=str,
            clock=time,
            metrics=self.metrics,
        )

    async def _turn(self, _: object) -> AskingTurn:
        return AskingTurn(message_id=MessageId("m1"), asker="u1", language=Language.ENGLISH)

    async def ask(self, asked: ToolCall, question: Ask = PAID, stopped: asyncio.Event | None = None) -> Approval:
        return await self.desk.answer(question, asked, TURN, stopped=stopped or asyncio.Event())

    async def question(self, number: int) -> StoredQuestion:
        async def known() -> StoredQuestion | None:
            return await self.desk.find(HERE, number)

        return await until_stored(known)

    async def settle(self, number: int, state: QuestionState) -> tuple[StoredQuestion, bool]:
        return await self.desk.settle(await self.question(number), QuestionAnswer(state=state, by="Kim"))

    def counted(self, outcome: str) -> int:
        return self.metrics.snapshot().get(("approvals", (("outcome", outcome), ("rule", "paid"))), 0)


class Place:
    """A store with the lives of a service at it."""

    def __init__(self, store: Store, time: FakeTime, group: asyncio.TaskGroup) -> None:
        self.store = store
        self.time = time
        self._group = group

    def life(self, *, seconds: float = 600.0) -> Office:
        return Office(self.store, self.time, seconds=seconds)

    async def posts(self) -> list[str]:
        return [str(entry.post.id) for entry in await self.store.outbox.pending(HERE)]

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        return self._group.create_task(work)


@asynccontextmanager
async def opened(directory: Path, *, works: bool = True) -> AsyncIterator[Place]:
    time = FakeTime()
    async with a_life(directory / "store.sqlite", time) as store, asyncio.TaskGroup() as group:
        if works:
            await store.inbox.accept(message("Deploy it."))
            await store.turns.begin_exchange(WORK.message_id, [WORK])
        yield Place(store, time, group)


async def ended(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.wait([task])


async def test_two_calls_that_are_the_same_need_an_answer_each(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        async with asyncio.TaskGroup() as group:
            both = [group.create_task(office.ask(call())) for _ in range(2)]
            await office.question(2)
            await office.settle(1, QuestionState.APPROVED)
            await office.settle(2, QuestionState.DENIED)
        again = place.begin(office.ask(call()))
        await office.question(3)  # an approval is used up by one call
        await office.settle(3, QuestionState.DENIED)
        await again
    assert sorted(task.result().granted for task in both) == [False, True]
    assert (office.counted("approved"), office.counted("denied")) == (1, 2)


@pytest.mark.parametrize("state", [QuestionState.APPROVED, QuestionState.DENIED])
async def test_what_was_answered_while_the_service_was_away_counts_once(tmp_path: Path, state: QuestionState) -> None:
    async with opened(tmp_path) as place:
        first = place.begin(place.life().ask(call()))
        office = place.life()
        await office.question(1)
        await ended(first)
        assert (await office.settle(1, state))[1]
        assert (await office.ask(call())).granted is (state is QuestionState.APPROVED)
        second = place.begin(office.ask(call()))
        await office.question(2)
        await ended(second)


async def test_always_here_is_about_each_rule_that_asked(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        asked = place.begin(office.ask(call()))
        await office.settle(1, QuestionState.ALWAYS)
        assert (await asked).granted
        assert (await office.ask(call("make something else"))).granted
        withdrawn, counts = await office.settle(1, QuestionState.DENIED)
        assert (withdrawn.state, counts) == (QuestionState.WITHDRAWN, True)
        once_more = place.begin(office.ask(call("make a third thing")))
        await office.settle(2, QuestionState.DENIED)
        assert not (await once_more).granted


async def test_a_call_that_nobody_could_read_is_not_even_asked(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        refused = await office.ask(call("true " * 10_000))
        assert await office.desk.find(HERE, 1) is None
    assert not refused.granted
    assert "too long for anybody to read" in refused.feedback
    assert office.counted("too_long") == 1


@pytest.mark.parametrize(("later", "state"), [(0, QuestionState.STOPPED), (601, QuestionState.EXPIRED)])
async def test_a_question_of_an_earlier_life_whose_work_is_over_is_settled(
    tmp_path: Path, later: int, state: QuestionState
) -> None:
    async with opened(tmp_path) as place:
        left = place.begin(place.life().ask(call()))
        office = place.life()
        await office.question(1)
        await ended(left)
        await place.store.turns.finish(WORK, TurnState.STOPPED)
        place.time.seconds += later
        watching = place.begin(office.desk.watch())

        async def settled() -> StoredQuestion | None:
            stored = await office.question(1)
            return stored if stored.state is not QuestionState.OPEN else None

        assert (await until_stored(settled)).state is state
        assert not (await office.settle(1, QuestionState.APPROVED))[1]
        await ended(watching)
        lines = [entry.post for entry in await place.store.outbox.pending(HERE)]
    assert [post.id for post in lines] == ["question.1", f"question.1.{state.value}"]


async def test_an_answer_that_comes_when_the_work_is_over_is_none_though_whoever_asked_waits_still(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        asked = place.begin(office.ask(call()))
        await office.question(1)
        await place.store.turns.finish(WORK, TurnState.STOPPED)
        after, counts = await office.settle(1, QuestionState.APPROVED)
        assert not (await asked).granted
    assert (after.state, counts) == (QuestionState.STOPPED, False)


async def test_what_is_waited_for_is_left_alone_by_the_watch(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        asked = place.begin(office.ask(call()))
        await office.question(1)
        watching = place.begin(office.desk.watch())
        second = place.begin(office.ask(call("make other")))
        await office.question(2)
        assert (await office.settle(1, QuestionState.APPROVED))[1]
        await office.settle(2, QuestionState.DENIED)
        assert ((await asked).granted, (await second).granted) == (True, False)
        await ended(watching)


async def test_an_answer_to_a_question_that_was_deleted_with_its_conversation_counts_for_nothing(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, works=False) as place:
        left = place.begin(place.life().ask(call()))
        office = place.life()
        known = await office.question(1)
        await ended(left)
        assert await place.store.conversations.delete(HERE)
        assert await office.desk.find(HERE, 1) is None
        after, counts = await office.desk.settle(known, QuestionAnswer(state=QuestionState.APPROVED, by="Kim"))
    assert (after.state, counts) == (QuestionState.STOPPED, False)


async def test_an_answer_that_comes_after_its_time_is_none(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        asked = place.begin(office.ask(call()))
        known = await office.question(1)
        place.time.seconds += timedelta(minutes=11).total_seconds()
        late, counts = await office.desk.settle(known, QuestionAnswer(state=QuestionState.APPROVED, by="Kim"))
        assert (late.state, counts) == (QuestionState.EXPIRED, False)
        assert not (await asked).granted


PLANNED = Ask(rule="planned", reason="A plan comes first.", question="Is it approved?", checkpoint="plan_approved")


async def test_a_checkpoint_is_asked_once_for_a_conversation_until_that_begins_anew(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        both = [place.begin(office.ask(call(command), PLANNED)) for command in ("make a", "make b")]
        await office.settle(1, QuestionState.ALWAYS)
        assert [(await each).granted for each in both] == [True, True]
        assert (await place.life().ask(call("make c"), PLANNED)).granted  # in a later life too
        plain = place.begin(office.ask(call("make d"), replace(PLANNED, checkpoint="")))
        await office.settle(2, QuestionState.DENIED)  # what the rule asks of a call is another matter
        assert not (await plain).granted
        await place.store.context.begin_anew(HERE, by=PERSON, at=place.time.now())
        closed = await office.question(1)
        assert (closed.state, closed.by) == (QuestionState.WITHDRAWN, PERSON.name)  # not whoever had approved it
        once_more = place.begin(office.ask(call("make e"), PLANNED))
        await office.settle(3, QuestionState.DENIED)
        denied = await once_more
    assert not denied.granted
    assert "asked to let the checkpoint plan_approved pass, and denied it" in denied.feedback


async def test_a_call_comes_to_its_checkpoint_before_it_is_asked_about_itself(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        asked = replace(PAID, before=(PLANNED,))
        first = place.begin(office.ask(call(), asked))
        await office.settle(1, QuestionState.DENIED)
        assert not (await first).granted
        second = place.begin(office.ask(call(), asked))
        await office.settle(2, QuestionState.ALWAYS)
        await office.settle(3, QuestionState.APPROVED)
        assert (await second).granted
        posts = [entry.post for entry in await place.store.outbox.pending(HERE)]
    kinds = [post.notice.value for post in posts if isinstance(post, Notice) and post.approval]
    assert kinds == ["checkpoint", "checkpoint", "question"]
    assert [button.name.value for button in buttons_under(posts[0])] == ["approve", "deny"]


async def test_calls_that_waited_behind_a_denied_checkpoint_are_told_the_same_no(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        calls = [place.begin(office.ask(call(command), PLANNED)) for command in ("make a", "make b", "make c")]
        await office.settle(1, QuestionState.DENIED)
        answers = [await each for each in calls]
        assert await place.posts() == ["question.1", "question.1.denied"]
        later = place.begin(office.ask(call("make d"), PLANNED))  # whoever comes later asks anew
        await office.settle(2, QuestionState.ALWAYS)
        assert (await later).granted
    assert [answer.granted for answer in answers] == [False] * 3
    assert len({answer.feedback for answer in answers}) == 1


async def test_a_stop_ends_every_call_that_waits_with_one_question_for_a_checkpoint(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office, stopped = place.life(), asyncio.Event()
        calls = [place.begin(office.ask(call(f"make {n}"), PLANNED, stopped)) for n in range(4)]
        await office.question(1)
        stopped.set()
        answers = [await each for each in calls]
        late = await office.ask(call(), PAID, stopped)
        assert await place.posts() == ["question.1", "question.1.stopped"]
    assert [answer.granted for answer in (*answers, late)] == [False] * 5
    assert "stopped" in late.feedback


async def test_one_deadline_covers_all_that_a_call_waits_for(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life(seconds=100.0)
        asked = place.begin(office.ask(call(), replace(PAID, before=(PLANNED,))))
        first = await office.question(1)
        place.time.seconds += 40
        await office.settle(1, QuestionState.ALWAYS)
        second = await office.question(2)
        assert second.question.expires_at == first.question.expires_at
        posts = [entry.post for entry in await place.store.outbox.pending(HERE)]
        endings = [post.ending for post in posts if isinstance(post, Notice) and post.approval]
        await office.settle(2, QuestionState.DENIED)
        await asked
        nobody = await place.life(seconds=0.0).ask(call())
        assert await office.desk.find(HERE, 3) is None
    assert [ending.split(",")[0] for ending in endings] == ["Answer within 1.7 min", "Answer within 1 min"]
    assert (nobody.granted, "the time for that passed" in nobody.feedback) == (False, True)


async def test_what_one_call_waited_for_is_no_longer_left_for_the_next_checkpoint_that_it_waits_behind(
    tmp_path: Path,
) -> None:
    designed = Ask(rule="designed", reason="A design comes first.", question="Is it?", checkpoint="design_approved")
    async with opened(tmp_path) as place:
        office = place.life(seconds=100.0)
        waiting = place.begin(office.ask(call("make a"), replace(designed, before=(PLANNED,))))
        await office.question(1)
        place.time.seconds += 99.9
        ahead = place.begin(office.ask(call("make b"), designed))
        await office.question(2)
        await office.settle(1, QuestionState.ALWAYS)
        late = await waiting
        assert await office.desk.find(HERE, 3) is None
        await office.settle(2, QuestionState.ALWAYS)
        assert (await ahead).granted
    assert (late.granted, "the time for that passed" in late.feedback) == (False, True)


async def test_nobody_in_time_is_asked_once_for_all_calls_at_a_checkpoint(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life(seconds=0.2)
        calls = [place.begin(office.ask(call(command), PLANNED)) for command in ("make a", "make b")]
        answers = [await each for each in calls]
        assert await place.posts() == ["question.1", "question.1.expired"]
    assert [answer.granted for answer in answers] == [False, False]


async def test_always_here_settles_what_else_waits_for_the_same_rules_and_nothing_more(tmp_path: Path) -> None:
    async with opened(tmp_path) as place:
        office = place.life()
        first = place.begin(office.ask(call("make a")))
        await office.question(1)
        second = place.begin(office.ask(call("make b"), replace(PAID, also=())))
        await office.question(2)
        third = place.begin(office.ask(call("make c"), replace(PAID, also=("third",))))
        await office.question(3)
        await office.settle(1, QuestionState.ALWAYS)
        assert [(await each).granted for each in (first, second)] == [True, True]
        states = [(await office.question(number)).state for number in (2, 3)]
        assert states == [QuestionState.APPROVED, QuestionState.OPEN]
        await office.settle(3, QuestionState.DENIED)
        assert not (await third).granted
        assert (await office.question(2)).by == "Kim"
