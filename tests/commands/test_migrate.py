"""`mama-bot migrate`: the service's own conversations are moved, whatever login the command has."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.commands.store_migration import migration_answer
from mama_bot.config import QueueSettings
from mama_bot.errors import ConfigurationError
from mama_bot.store import open_store, sqlite_url
from mama_bot.wording import Language
from tests.commands.places import Place
from tests.postgresql_server import run_in
from tests.store.making import TickingClock, message


async def kept(directory: Path, number: int) -> Path:
    directory.mkdir(parents=True)
    file = directory / "mama-bot.sqlite"
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.inbox.accept(message(number))
    return file


async def test_the_real_conversations_are_moved_and_two_that_hold_messages_are_asked_about(
    place: Place, postgresql_url: str
) -> None:
    # Without a login of its own, this command is a demonstration: the service beside it need not be one.
    environment = {"MAMA_CLAUDE__SOURCE": "auto", "HOME": str(place.file.parent), "MAMA_STORE__URL": postgresql_url}
    configuration = read_configuration(place.file, environment=environment)
    data = place.file.parent / "data"
    real, demonstration = await kept(data / "real", 1), await kept(data / "scripted", 2)
    with pytest.raises(ConfigurationError, match="--from"):
        await migration_answer(configuration, None, language=Language.ENGLISH)
    with closing(sqlite3.connect(demonstration)) as database:
        database.executescript("DELETE FROM messages")
    lines = await migration_answer(configuration, None, language=Language.ENGLISH)
    assert str(real) in lines[-1]
    assert run_in(postgresql_url, "SELECT id FROM messages") == [("m1",)]
    file = place.file.parent / "back.sqlite"
    lines = await migration_answer(configuration, f"sqlite:///{file}", language=Language.KOREAN)
    assert "messages: 1" in lines
    assert str(file) in lines[-1]
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT id FROM messages").fetchall() == [("m1",)]
    alone = read_configuration(place.file, environment={**environment, "MAMA_STORE__URL": f"sqlite:///{file}"})
    with pytest.raises(ConfigurationError, match="move from"):
        await migration_answer(alone, "sqlite:///other.sqlite", language=Language.ENGLISH)
