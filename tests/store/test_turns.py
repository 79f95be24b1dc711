"""Each step of an exchange is one transaction that may be repeated, and only cleared words become a reply."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.model import (
    Exchange,
    InboundMessage,
    MessageId,
    Notice,
    Outcome,
    PostId,
    Reminders,
    SessionId,
    TurnId,
    TurnState,
    Withheld,
)
from mama_bot.store import Store, open_store, sqlite_url
from tests.store.making import (
    ELSEWHERE,
    HERE,
    TickingClock,
    attempt,
    judgement,
    message,
    notice,
    receipt,
    reminders_of,
    reply,
    sent_back,
    turn,
)

MESSAGE = message(1)
TURN = turn(MESSAGE)
SESSION = SessionId("s1")


async def said(store: Store) -> list[str]:
    await store.inbox.accept(message(99))
    entries = await store.context.window(HERE, before=MessageId("m99"), max_entries=100, max_characters=10_000)
    return [entry.text for entry in entries]


async def begun(store: Store) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    await store.turns.begin_attempt(TURN, 0, SESSION)


async def test_turns_come_back_in_order_and_as_they_were(store: Store) -> None:
    await store.inbox.accept(MESSAGE)
    second = replace(turn(MESSAGE, "t2", "developer"), parent=TURN.id, depth=1)
    await store.turns.add_turns([TURN])
    await store.turns.add_turns([TURN, second])
    exchange = await store.turns.load(MESSAGE.id)
    assert [stored.turn for stored in exchange.turns] == [TURN, second]
    assert {stored.state for stored in exchange.turns} == {TurnState.PENDING}
    assert {stored.asked for stored in exchange.turns} == {-1}


async def test_an_attempt_that_was_asked_for_and_not_kept_shows_as_cut_off(store: Store) -> None:
    await begun(store)
    await store.turns.add_attempt(attempt(TURN, 0, outcome=sent_back()))
    await store.turns.begin_attempt(TURN, 1, SESSION)
    (stored,) = (await store.turns.load(MESSAGE.id)).turns
    assert stored.state is TurnState.RUNNING
    assert stored.asked == 1
    assert stored.attempts == (attempt(TURN, 0, outcome=sent_back()),)
    assert stored.started_at is not None
    assert stored.ended_at is None


async def test_a_draft_that_was_sent_back_is_neither_recorded_nor_posted(store: Store) -> None:
    await begun(store)
    await store.turns.add_attempt(attempt(TURN, 0, outcome=sent_back()))
    assert await store.outbox.pending(HERE) == []
    assert await said(store) == [MESSAGE.text]


async def test_finishing_records_and_queues_the_reply_and_what_follows(store: Store) -> None:
    await begun(store)
    follow_up = turn(MESSAGE, "t2", "developer")
    cleared = attempt(TURN, text="Three files changed.")
    await store.turns.finish(
        TURN, TurnState.ANSWERED, attempt=cleared, posts=[reply(TURN), notice()], turns=[follow_up], reminders=["open"]
    )
    first, second = (await store.turns.load(MESSAGE.id)).turns
    assert (first.state, first.attempts, second.turn) == (TurnState.ANSWERED, (cleared,), follow_up)
    assert first.ended_at is not None
    assert [entry.post for entry in await store.outbox.pending(HERE)] == [reply(TURN), notice()]
    assert await said(store) == [MESSAGE.text, "Three files changed."]


async def test_a_reply_may_follow_an_attempt_with_other_words_only_if_its_own_were_cleared(store: Store) -> None:
    await begun(store)
    other = replace(reply(TURN), text="Words that nobody judged.")
    with pytest.raises(ValueError, match="not the text that the chain cleared"):
        await store.turns.finish(TURN, TurnState.ANSWERED, posts=[other])
    await nothing_came_out(store)


@pytest.mark.parametrize("outcome", [sent_back(), Withheld(stage="s", rule="r", reason="why")])
async def test_a_reply_that_was_not_cleared_is_refused(store: Store, outcome: Outcome) -> None:
    await begun(store)
    uncleared = replace(reply(TURN), judgement=judgement(TURN, reply(TURN).text, outcome))
    with pytest.raises(ValueError, match="was not cleared by the chain"):
        await store.turns.finish(TURN, TurnState.ANSWERED, posts=[notice(), uncleared])
    await nothing_came_out(store)


async def test_a_reply_with_the_judgement_of_another_turn_is_refused(store: Store) -> None:
    await begun(store)
    other = turn(MESSAGE, "t2")
    foreign = replace(reply(TURN), judgement=judgement(other, reply(TURN).text))
    for post in (foreign, reply(other)):
        with pytest.raises(ValueError, match="do not both belong to turn t-m1"):
            await store.turns.finish(TURN, TurnState.ANSWERED, posts=[post])
    await nothing_came_out(store)


async def nothing_came_out(store: Store) -> None:
    assert await store.outbox.pending(HERE) == []
    assert await said(store) == [MESSAGE.text]
    (stored,) = (await store.turns.load(MESSAGE.id)).turns
    assert stored.state is TurnState.RUNNING


@pytest.mark.parametrize("state", [TurnState.PENDING, TurnState.RUNNING])
async def test_a_turn_cannot_end_in_a_state_that_is_not_final(store: Store, state: TurnState) -> None:
    await begun(store)
    with pytest.raises(ValueError, match="not a final state"):
        await store.turns.finish(TURN, state)


async def test_a_turn_that_nobody_added_cannot_be_finished(store: Store) -> None:
    await store.inbox.accept(MESSAGE)
    with pytest.raises(LookupError, match="no turn 't-m1'"):
        await store.turns.finish(TURN, TurnState.ANSWERED, posts=[reply(TURN)])
    assert await store.outbox.pending(HERE) == []


async def test_a_reply_with_a_lone_surrogate_is_posted_with_the_replacement_character(store: Store) -> None:
    await begun(store)
    await store.turns.finish(TURN, TurnState.ANSWERED, posts=[reply(TURN, "half \ud83d\x00")])
    (entry,) = await store.outbox.pending(HERE)
    assert entry.post.text == "half \ufffd\x00"
    # PostgreSQL holds no U+0000 in a text; what is posted is in JSON.
    assert (await said(store))[-1] in ("half \ufffd\x00", "half \ufffd\ufffd")


async def test_stopping_ends_what_is_unfinished_for_good(store: Store) -> None:
    await begun(store)
    done = turn(MESSAGE, "done")
    await store.turns.add_turns([done])
    await store.turns.finish(done, TurnState.WITHHELD)
    await store.turns.stop_exchange(MESSAGE.id)
    await store.turns.add_turns([turn(MESSAGE, "late")])
    await store.turns.begin_attempt(TURN, 1, SESSION)
    await store.turns.finish(TURN, TurnState.ANSWERED, posts=[reply(TURN)])
    exchange = await store.turns.load(MESSAGE.id)
    assert exchange.stopped
    states = {stored.turn.id: stored.state for stored in exchange.turns}
    assert states == {TURN.id: TurnState.STOPPED, done.id: TurnState.WITHHELD, TurnId("late"): TurnState.STOPPED}
    assert await store.outbox.pending(HERE) == []


async def test_what_waits_in_a_conversation_is_stopped_once_and_the_rest_is_left_alone(store: Store) -> None:
    mine, mine_too, other = message(1), message(2), message(3, key=ELSEWHERE)
    for waiting in (mine, mine_too, other):
        await store.inbox.accept(waiting)

    def line(of: InboundMessage) -> Notice:
        return replace(notice(), id=PostId(f"{of.id}.stopped"), key=of.key)

    stop = await store.stops.ask(HERE, "Kim", line)
    assert [exchange.message for exchange in stop.ended] == [mine, mine_too]
    assert stop.running is None
    assert not await store.stops.ask(HERE, "Kim", line)
    assert [entry.post for entry in await store.outbox.pending(HERE)] == [line(mine), line(mine_too)]
    stopped = {each.id: (await store.turns.load(each.id)).stopped for each in (mine, mine_too, other)}
    assert stopped == {mine.id: True, mine_too.id: True, other.id: False}


async def test_a_stopped_turn_may_still_say_that_it_was_stopped(store: Store) -> None:
    await begun(store)
    await store.turns.stop_exchange(MESSAGE.id)
    await store.turns.finish(TURN, TurnState.STOPPED, posts=[notice()])
    assert [entry.post for entry in await store.outbox.pending(HERE)] == [notice()]


async def test_sessions_belong_to_a_persona_in_a_conversation(store: Store, next_life: Store) -> None:
    await begun(store)
    assert await next_life.turns.session(HERE, "lead") == SESSION
    assert await next_life.turns.session(HERE, "developer") is None
    assert await next_life.turns.session(ELSEWHERE, "lead") is None
    await store.turns.begin_attempt(TURN, 1, SessionId("s2"), backend="codex")
    assert await store.turns.session(HERE, "lead") == "s2"
    assert await store.turns.session(HERE, "lead", backend="codex") == "s2"
    assert await store.turns.session(HERE, "lead", backend="claude") is None
    await store.turns.forget_session(HERE, "lead")
    await store.turns.forget_session(HERE, "lead")
    assert await store.turns.session(HERE, "lead") is None


async def test_reminders_go_to_one_turn_and_stay_with_it(store: Store) -> None:
    await begun(store)
    await store.turns.finish(TURN, TurnState.ANSWERED, reminders=["첫째", "second"])
    later, latest = turn(MESSAGE, "t2"), turn(MESSAGE, "t3")
    stranger = turn(MESSAGE, "t4", "developer")
    await store.turns.add_turns([later, latest, stranger])
    assert await reminders_of(store, stranger) == Reminders()
    assert await reminders_of(store, later) == Reminders(texts=("첫째", "second"))
    assert await reminders_of(store, latest) == Reminders()
    await store.turns.finish(latest, TurnState.ANSWERED, reminders=["third"])
    assert await reminders_of(store, later) == Reminders(texts=("첫째", "second"))


Step = Callable[[Store], Awaitable[object]]
STEPS: tuple[Step, ...] = (
    lambda store: store.inbox.accept(MESSAGE),
    lambda store: store.turns.add_turns([TURN]),
    lambda store: store.turns.begin_attempt(TURN, 0, SESSION),
    lambda store: store.turns.add_attempt(attempt(TURN, 0, outcome=sent_back())),
    lambda store: store.turns.begin_attempt(TURN, 1, SESSION),
    lambda store: store.turns.finish(
        TURN,
        TurnState.ANSWERED,
        attempt=attempt(TURN, 1, "Three files changed."),
        posts=[reply(TURN), notice()],
        turns=[turn(MESSAGE, "t2")],
        reminders=["one", "two"],
    ),
    lambda store: reminders_of(store, turn(MESSAGE, "t2")),
    lambda store: store.outbox.mark_posted(receipt(reply(TURN).id)),
    lambda store: store.turns.stop_exchange(MESSAGE.id),
)


def timeless(exchange: Exchange) -> Exchange:
    fixed = tuple(
        replace(stored, created_at=MESSAGE.received_at, started_at=None, ended_at=None) for stored in exchange.turns
    )
    return replace(exchange, turns=fixed)


async def everything(store: Store) -> tuple[Exchange, list[str], list[object], object]:
    exchange = timeless(await store.turns.load(MESSAGE.id))
    view = await store.history.view(HERE, 10)
    posts: list[object] = [(entry.post, entry.posted_at, entry.failure) for entry in view.posts]
    return exchange, await said(store), posts, await reminders_of(store, turn(MESSAGE, "t2"))


@pytest.mark.parametrize("repeats", range(len(STEPS)))
async def test_a_step_that_is_repeated_changes_nothing(store: Store, tmp_path: Path, repeats: int) -> None:
    other_url = sqlite_url(tmp_path / "other.sqlite")
    async with open_store(other_url, clock=TickingClock(), queue=QueueSettings()) as other:
        for number, step in enumerate(STEPS):
            await step(store)
            await step(other)
            if number == repeats:
                await step(other)
        assert await everything(other) == await everything(store)
