"""The thread of a database outlives whatever goes wrong in it."""

import sqlite3

import pytest

from mama_bot.errors import StoreUnavailable
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.lane import Lane
from mama_bot.store.sqlite import SqliteSession


async def test_units_are_answered_after_an_error_that_nobody_could_put_into_words() -> None:
    def translate(error: BaseException) -> StoreUnavailable | None:
        raise LookupError(type(error).__name__)

    def broken(connection: Connection) -> None:
        connection.execute(Statement("SELECT nothing"))

    lane = Lane(
        name="lane",
        connect=lambda: SqliteSession(sqlite3.connect(":memory:", isolation_level=None)),
        translate=translate,
    )
    await lane.open()
    try:
        with pytest.raises(LookupError, match="OperationalError"):
            await lane.run(broken)
        assert await lane.run(lambda connection: connection.execute(Statement("SELECT 7")).scalar()) == 7
    finally:
        await lane.close()
