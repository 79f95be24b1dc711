"""What a persona is reminded of, and how far it is with a task: kept, dropped, and there after a restart."""

import sqlite3
from contextlib import closing
from dataclasses import replace

from mama_bot.model import (
    Checklist,
    Delegation,
    DelegationForm,
    MessageId,
    Reminders,
    SessionId,
    Turn,
    TurnKind,
    TurnState,
)
from mama_bot.store import Store
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.migrations import CURRENT_VERSION, migrate
from mama_bot.store.sqlite import SqliteSession
from mama_bot.store.tables import metadata
from tests.store.making import ELSEWHERE, message, reminders_of, turn

MESSAGE = message(1)
TURN = turn(MESSAGE)


async def begun(store: Store) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    await store.turns.begin_attempt(TURN, 0, SessionId("s1"))


async def test_reminders_are_dropped_when_a_person_spoke_after_they_were_left(store: Store) -> None:
    await begun(store)
    await store.inbox.accept(message(2, key=ELSEWHERE))
    await store.turns.finish(TURN, TurnState.ANSWERED, reminders=["left while nobody else spoke"])
    second = turn(MESSAGE, "t2")
    await store.turns.add_turns([second])
    assert await reminders_of(store, second) == Reminders(texts=("left while nobody else spoke",))
    await store.turns.finish(second, TurnState.ANSWERED, reminders=["one", "two"])
    await store.inbox.accept(message(4))
    third = turn(message(4), "t3")
    await store.turns.add_turns([third])
    assert await reminders_of(store, third) == Reminders(dropped=2)
    assert await reminders_of(store, third) == Reminders(dropped=2)
    fourth = turn(message(4), "t4")
    await store.turns.add_turns([fourth])
    assert await reminders_of(store, fourth) == Reminders()


async def test_reminders_are_dropped_when_a_person_spoke_while_the_turn_ran(store: Store) -> None:
    await begun(store)
    await store.inbox.accept(message(3))
    await store.turns.finish(TURN, TurnState.ANSWERED, reminders=["left after message 3 came"])
    for number, of in enumerate((MESSAGE, message(3))):
        later = turn(of, f"t{number + 2}")
        await store.turns.add_turns([later])
        assert await reminders_of(store, later) == Reminders(dropped=1 - number)


async def test_reminders_of_an_exchange_that_was_stopped_reach_nobody(store: Store) -> None:
    await begun(store)
    waiting = message(2)
    await store.inbox.accept(waiting)
    await store.turns.finish(TURN, TurnState.ANSWERED, reminders=["open"])
    await store.turns.stop_exchange(MESSAGE.id)
    later = turn(waiting, "t2")
    await store.turns.add_turns([later])
    assert await reminders_of(store, later) == Reminders()


def delegated(turn_id: str, task: str, outcome: str = "") -> Turn:
    asked = Delegation(
        sender="lead", recipient="lead", task=task, form=DelegationForm.DIRECTIVE, expected_outcome=outcome
    )
    return replace(turn(MESSAGE, turn_id), kind=TurnKind.DELEGATION, delegation=asked)


async def test_the_checklist_of_a_task_is_there_when_the_task_comes_again(store: Store, next_life: Store) -> None:
    await begun(store)
    first = delegated("t2", "Fix the bug", "- a\n- b")
    assert first.delegation is not None
    left = Checklist(task=first.delegation.task_key, asked="- a\n- b", done=("a",), open_items=1, idle_turns=2)
    await store.turns.add_turns([first])
    await store.turns.finish(first, TurnState.ANSWERED, checklist=left)
    look = next_life.turns.checklist
    assert await look(delegated("t3", " fix  THE bug", "- b")) == left
    assert await look(delegated("t4", "Something else", "- c")) is None
    assert await look(delegated("t5", "Go on"), goes_on=True) == left
    assert await look(delegated("t6", "How many lines?")) is None
    assert await look(replace(delegated("t7", "Fix the bug"), persona="developer"), goes_on=True) is None
    for task in ("Fix the bug", "Go on"):
        elsewhere = replace(delegated("t8", task), message_id=MessageId("m9"))
        assert await look(elsewhere, goes_on=True) is None, "a checklist belongs to one exchange"
    assert await look(TURN, goes_on=True) is None


async def test_what_goes_on_goes_on_with_the_task_that_was_worked_on_last(store: Store) -> None:
    await begun(store)
    for number, task in enumerate(("one", "two", "one")):
        asked = delegated(f"t{number + 2}", task, "- a")
        assert asked.delegation is not None
        await store.turns.add_turns([asked])
        kept = Checklist(task=asked.delegation.task_key, asked=f"- {task}", open_items=1, idle_turns=number)
        await store.turns.finish(asked, TurnState.ANSWERED, checklist=kept)
    found = await store.turns.checklist(delegated("t9", "Go on"), goes_on=True)
    assert found is not None
    assert (found.asked, found.idle_turns) == ("- one", 2)


async def test_a_checklist_of_a_turn_that_was_stopped_is_not_kept(store: Store) -> None:
    await begun(store)
    asked = delegated("t2", "Fix the bug", "- a")
    assert asked.delegation is not None
    await store.turns.add_turns([asked])
    await store.turns.stop_exchange(MESSAGE.id)
    await store.turns.finish(
        asked, TurnState.ANSWERED, checklist=Checklist(task=asked.delegation.task_key, asked="- a", open_items=1)
    )
    assert await store.turns.checklist(asked) is None


def shape(connection: Connection) -> dict[str, set[str]]:
    names = connection.execute(Statement("SELECT name FROM sqlite_master WHERE type = 'table'")).scalars()
    columns = Statement("SELECT name FROM pragma_table_info(:name)")
    return {name: set(connection.execute(columns, {"name": name}).scalars()) for name in names}


# What the second shape had; every other table came later.
OF_THE_SECOND_SHAPE = frozenset(
    [
        "schema_version",
        "conversations",
        "messages",
        "turns",
        "attempts",
        "measured_attempts",
        "objections",
        "reports",
        "context",
        "outbox",
        "sessions",
        "reminders",
        "jobs",
    ]
)
LATER_FIGURES = ("claims", "claims_confirmed", "claims_unsupported", "claims_contradicted", "scope_violated")


def test_a_database_of_the_second_shape_gets_what_it_lacks_and_keeps_its_reminders() -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as driver:
        connection = SqliteSession(driver).connection
        migrate(connection)
        fresh = shape(connection)
        for statement in (
            *(f"DROP TABLE {name}" for name in metadata.tables if name not in OF_THE_SECOND_SHAPE),
            "ALTER TABLE outbox ADD COLUMN life TEXT NOT NULL DEFAULT ''",
            "ALTER TABLE messages DROP COLUMN stop_asked_by",
            "DROP INDEX messages_added_to",
            "ALTER TABLE messages DROP COLUMN added_to",
            "ALTER TABLE messages DROP COLUMN taken_by",
            *(f"ALTER TABLE measured_attempts DROP COLUMN {name}" for name in LATER_FIGURES),
            "ALTER TABLE reminders DROP COLUMN said_before",
            "ALTER TABLE reminders DROP COLUMN dropped",
            "ALTER TABLE jobs DROP COLUMN node",
            "ALTER TABLE sessions DROP COLUMN backend",
            "UPDATE schema_version SET version = 2",
            "INSERT INTO reminders (origin, position, conversation, persona, body) VALUES ('t', 0, 'c', 'p', 'open')",
        ):
            connection.execute(Statement(statement))
        assert migrate(connection) is None
        assert shape(connection) == fresh
        assert connection.execute(Statement("SELECT version FROM schema_version")).scalar() == CURRENT_VERSION
        assert connection.execute(Statement("SELECT body, dropped FROM reminders")).all() == [("open", 0)]
