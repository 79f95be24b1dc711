"""Units of work: each whole or not at all, whoever shares its transaction."""

import asyncio
import sqlite3
import threading

import psycopg
import pytest

from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
from tests.waiting import until

TAKEN = (sqlite3.IntegrityError, psycopg.IntegrityError)


def insert(connection: Connection, name: str) -> str:
    connection.execute(
        Statement("INSERT INTO topic_posts (id, board, topic, body) VALUES (:name, '', :name, '')"), {"name": name}
    )
    return name


def names(connection: Connection) -> list[str]:
    return [name for (name,) in connection.execute(Statement("SELECT topic FROM topic_posts ORDER BY sequence"))]


async def together(database: Database, *units: object) -> list[object]:
    """Run units that wait while the writer is busy, so that they share a transaction; errors are returned."""
    entered, gate = threading.Event(), threading.Event()
    results: list[object] = [None] * len(units)

    def hold(_connection: Connection) -> None:
        entered.set()
        gate.wait(10)

    async def one(position: int, unit: object) -> None:
        try:
            results[position] = await database.write(unit)  # type: ignore[arg-type]
        except (*TAKEN, ZeroDivisionError) as error:
            results[position] = "taken" if isinstance(error, TAKEN) else "raised"

    async with asyncio.TaskGroup() as group:
        group.create_task(database.write(hold))
        await until(entered.is_set)
        for position, unit in enumerate(units):
            group.create_task(one(position, unit))
        await asyncio.sleep(0)
        gate.set()
    return results


async def test_units_run_in_the_order_of_their_arrival(database: Database) -> None:
    expected = [f"n{number}" for number in range(200)]
    results = await together(database, *(lambda c, name=name: insert(c, name) for name in expected))
    assert results == expected
    assert await database.read(names) == expected


async def test_a_unit_that_raises_undoes_itself_and_no_neighbour(database: Database) -> None:
    def half(connection: Connection) -> None:
        insert(connection, "half")
        raise ZeroDivisionError

    results = await together(
        database,
        lambda c: insert(c, "a"),
        half,
        lambda c: insert(c, "a"),
        lambda c: insert(c, "b"),
    )
    assert results == ["a", "raised", "taken", "b"]
    assert await database.read(names) == ["a", "b"]


async def test_a_lone_unit_that_raises_leaves_nothing(database: Database) -> None:
    def half(connection: Connection) -> None:
        insert(connection, "half")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await database.write(half)
    assert await database.read(names) == []
    await database.write(lambda c: insert(c, "next"))
    assert await database.read(names) == ["next"]


async def test_a_cancelled_caller_does_not_disturb_the_next(database: Database) -> None:
    entered, gate = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        entered.set()
        gate.wait(10)
        insert(connection, "slow")

    async with asyncio.TaskGroup() as group:
        caller = group.create_task(database.write(slow))
        await until(entered.is_set)
        caller.cancel()
    assert caller.cancelled()
    gate.set()
    await database.write(lambda c: insert(c, "next"))
    assert await database.read(names) == ["slow", "next"]


async def test_a_read_sees_every_write_that_returned(database: Database) -> None:
    for number in range(50):
        name = f"n{number}"
        await database.write(lambda c, name=name: insert(c, name))  # type: ignore[misc]
        assert name in await database.read(names)


async def test_more_callers_than_may_wait_are_all_served(database: Database) -> None:
    counted = 0

    async def one(number: int) -> None:
        nonlocal counted
        await database.write(lambda c: insert(c, f"n{number}"))
        counted += 1

    async with asyncio.TaskGroup() as group:
        for number in range(1500):
            group.create_task(one(number))
    assert counted == 1500
