"""What was finished long ago goes with all that came of it; what is new, waits, runs or was not posted stays."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from mama_bot.app.old_conversations import OldConversations
from mama_bot.config import QueueSettings, RetentionSettings
from mama_bot.model import Account, BudgetScope, Spending, TurnState, Usage
from mama_bot.store import Store, open_store, retention, sqlite_url
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database_copies import held_bytes
from mama_bot.store.sqlite import open_sqlite
from tests.store.exchanges import Exchanges, engine
from tests.store.making import ELSEWHERE, HERE, START, TickingClock, attempt, message, receipt, reply, turn
from tests.waiting import until

DAY = 24 * 3600


async def answered(store: Store, number: int, *, text: str = "Three files changed.", posted: bool = True) -> None:
    asked = message(number, key=HERE if number % 2 else ELSEWHERE)
    await store.inbox.accept(asked)
    work = turn(asked)
    await store.turns.begin_exchange(asked.id, [work])
    given = reply(work, text)
    await store.turns.finish(
        work, TurnState.ANSWERED, attempt=attempt(work, text=text, outcome=given.judgement.outcome), posts=[given]
    )
    if posted:
        await store.outbox.mark_posted(receipt(given.id))


async def settled(file: Path, count: int) -> None:
    """Run what waits; an engine that was stopped runs no more, so each time has a store of its own."""
    ran = Exchanges()
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store, engine(store, ran):
        await until(lambda: len(ran.ended) >= count)


def sweeper(store: Store, clock: TickingClock, file: Path, *, days: int = 0, megabytes: int = 0) -> OldConversations:
    return OldConversations(
        retention=store.retention,
        settings=RetentionSettings(days=days, megabytes=megabytes),
        held_bytes=lambda: held_bytes(file),
        clock=clock,
    )


async def test_what_is_old_goes_and_its_figures_stay(tmp_path: Path) -> None:
    clock, file = TickingClock(), tmp_path / "store.sqlite"
    async with open_store(sqlite_url(file), clock=clock, queue=QueueSettings()) as store:
        for number in range(1, 121):
            await answered(store, number)
        await settled(file, 120)
        clock.advance(40 * DAY)
        await answered(store, 121)
        await settled(file, 1)
        accounts = [
            Account(turn_id=turn(asked).id, message_id=asked.id, key=asked.key, agent="developer", person="kim")
            for asked in (message(2), message(121))
        ]
        for account in accounts:
            await store.spendings.enter(Spending(account=account, run="1", at=clock.now(), usage=Usage(input_tokens=7)))
        measured = await store.measures.measure(since=START, until=datetime(2027, 1, 1, tzinfo=UTC))
        gone = await sweeper(store, clock, file, days=30).sweep()
        assert gone.messages == 120
        here, elsewhere = await store.history.view(HERE, 500), await store.history.view(ELSEWHERE, 500)
        assert [kept.id for kept in here.messages] == ["m121"]
        assert [entry.post.id for entry in here.posts] == ["p-t-m121"]
        assert (elsewhere.messages, elsewhere.posts) == ((), ())
        assert [summary.key for summary in await store.history.conversations(HERE.platform, 9)] == [HERE]
        window = await store.context.window(HERE, before=None, max_entries=500, max_characters=10**6)
        assert len(window) == 2
        after = await store.measures.measure(since=START, until=datetime(2027, 1, 1, tzinfo=UTC))
        since = clock.now() + timedelta(days=1)
        days = [await store.spendings.day(account, since=since, scopes=[BudgetScope.TASK]) for account in accounts]
        assert [dict(day.by_scope)[BudgetScope.TASK].tokens for day in days] == [0, 7]
        assert (after.total.drafts, after.total.tokens) == (measured.total.drafts, measured.total.tokens) == (121, 605)
        assert (await sweeper(store, clock, file, days=30).sweep()).messages == 0
        # What was forgotten is not refused, nor taken for known.
        assert await store.inbox.accept(message(1))


async def test_where_something_waits_or_was_not_posted_everything_stays(tmp_path: Path) -> None:
    clock, file = TickingClock(), tmp_path / "store.sqlite"
    async with open_store(sqlite_url(file), clock=clock, queue=QueueSettings()) as store:
        await answered(store, 1, posted=False)
        await answered(store, 2)
        await settled(file, 2)
        await store.inbox.accept(message(4, key=ELSEWHERE))
        clock.advance(400 * DAY)
        assert (await sweeper(store, clock, file, days=30).sweep()).messages == 0
        assert len((await store.history.view(HERE, 9)).messages) == 1
        assert len((await store.history.view(ELSEWHERE, 9)).messages) == 2


async def test_the_oldest_go_until_the_database_is_small_enough_and_its_file_grows_no_more(tmp_path: Path) -> None:
    clock, file = TickingClock(), tmp_path / "store.sqlite"
    async with open_store(sqlite_url(file), clock=clock, queue=QueueSettings()) as store:
        sizes = []
        for week in range(3):
            for number in range(20):
                await answered(store, 100 * week + number, text="A long reply. " * 3_000)
            await settled(file, 20)
            clock.advance(7 * DAY)
            await sweeper(store, clock, file, megabytes=5).sweep()
            assert (held_bytes(file) or 0) <= 5 * 2**20
            sizes.append(file.stat().st_size)
        oldest = await store.retention.oldest()
    assert oldest is not None
    assert oldest > START + timedelta(days=6)
    assert sizes[2] < 1.1 * sizes[1]


async def test_each_message_is_removed_without_a_look_at_every_row_of_a_table(tmp_path: Path) -> None:
    file, ran = tmp_path / "store.sqlite", list[str]()
    async with open_sqlite(file) as database:

        def planned(connection: Connection) -> list[str]:
            steps = []
            for deletion in retention.DELETIONS:
                plan = Statement(f"EXPLAIN QUERY PLAN {deletion}")
                ran.append(deletion)
                steps += [row.detail for row in connection.execute(plan, {"id": "m1", "sequence": 1})]
            return steps

        steps = await database.read(planned)
    assert len(ran) > 10
    assert [step for step in steps if step.startswith("SCAN")] == []
