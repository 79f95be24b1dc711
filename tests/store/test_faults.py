"""A database that cannot be used says so in a sentence, and nothing is stored half."""

import asyncio
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import ConfigurationError, StoreUnavailable
from mama_bot.model import MessageId, PostId
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.migrations import CURRENT_VERSION, Unsuitable, migrate
from mama_bot.store.sqlite import SqliteDatabase, open_sqlite
from tests.store.making import HERE, TickingClock, message, notice
from tests.waiting import until


def store_on(database: SqliteDatabase) -> Store:
    return Store(database=database, clock=TickingClock(), queue=QueueSettings())


async def refusal(path: Path) -> str:
    with pytest.raises(StoreUnavailable) as caught:
        async with open_sqlite(path, busy_seconds=0.05):
            pass
    assert str(path) in str(caught.value)
    return str(caught.value)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def small_disk(directory: Path) -> Iterator[Path]:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small disk needs root")
    directory.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"mounting is not allowed here: {mounted.stderr.decode().strip()}")
    try:
        yield directory
    finally:
        subprocess.run(["umount", directory], check=True)


async def test_a_file_of_garbage_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"These are my notes, not a database. " * 100)
    assert "it is not a SQLite database. Move the file away" in await refusal(path)
    assert path.read_bytes() == b"These are my notes, not a database. " * 100


async def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE messages (id)")
    assert "it holds the tables of another program" in await refusal(path)


async def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "does not exist" in await refusal(tmp_path / "missing" / "store.sqlite")
    assert "is not a directory" in await refusal(tmp_path / "file" / "store.sqlite")
    assert "it is a directory" in await refusal(tmp_path)


async def test_a_locked_file_is_refused_at_start(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE some (thing)")
    with locked(path):
        assert "another program holds a lock on it" in await refusal(path)


async def test_a_lock_in_the_middle_refuses_the_message_and_passes(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    async with open_sqlite(path, busy_seconds=0.05) as database:
        store = store_on(database)
        with locked(path), pytest.raises(StoreUnavailable, match="holds a lock on it"):
            await store.inbox.accept(message(1))
        assert await store.inbox.accept(message(1))


async def test_a_read_only_directory_is_refused(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        async with open_sqlite(disk / "store.sqlite"):
            pass
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for name in ("store.sqlite", "new.sqlite"):
            assert "disk is not writable" in await refusal(disk / name)


async def test_a_full_disk_refuses_the_message_whole_and_takes_it_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        async with open_sqlite(disk / "store.sqlite") as database:
            store = store_on(database)
            ballast = disk / "ballast"
            fill(ballast)
            with pytest.raises(StoreUnavailable, match="the disk is full"):
                await store.inbox.accept(message(1, "x" * 200_000))
            with pytest.raises(LookupError):
                await store.turns.load(MessageId("m1"))
            assert (await store.history.view(HERE, 10)).messages == ()
            assert (await store.history.queue()).waiting == 0
            ballast.unlink()
            assert await store.inbox.accept(message(1, "x" * 100_000))


async def test_an_exchange_that_meets_a_full_disk_is_done_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        async with open_sqlite(disk / "store.sqlite") as database, asyncio.TaskGroup() as group:
            store = Store(
                database=database,
                clock=TickingClock(),
                queue=QueueSettings(),
                backoff_seconds=0,
                poll_seconds=0.01,
            )
            ballast, refused = disk / "ballast", asyncio.Event()
            done: list[str] = []

            async def exchange(message_id: MessageId) -> None:
                if not refused.is_set():
                    fill(ballast)
                try:
                    await store.outbox.add(replace(notice(), id=PostId(message_id), text="x" * 100_000))
                except StoreUnavailable:
                    refused.set()
                    raise
                done.append(message_id)

            async def abandoned(message_id: MessageId, error: Exception) -> None:
                pytest.fail(f"{message_id} was given up: {error}")

            for number in (1, 2):
                await store.inbox.accept(message(number))
            group.create_task(store.engine.run(exchange, abandoned=abandoned, concurrency=2, drain_seconds=5))
            await asyncio.wait_for(refused.wait(), 10)
            ballast.unlink()
            await until(lambda: done == ["m1", "m2"])
            store.engine.stop()


def fill(file: Path) -> None:
    with file.open("wb", buffering=0) as out:
        try:
            while out.write(b"\0" * 4096):
                pass
        except OSError:
            return


async def test_a_database_at_its_size_limit_refuses_the_whole_transaction(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "store.sqlite") as database:
        store = store_on(database)
        await store.outbox.add(notice(1))
        await database.write(limit_pages)
        with pytest.raises(StoreUnavailable, match="the disk is full"):
            await store.inbox.accept(message(1, "x" * 500_000))
        assert [entry.post.id for entry in await store.outbox.pending(HERE)] == ["n1"]
        assert (await store.history.queue()).waiting == 0
        assert await store.inbox.accept(message(2, "short"))


def limit_pages(connection: Connection) -> None:
    pages = connection.execute(Statement("PRAGMA page_count")).scalar()
    connection.execute(Statement(f"PRAGMA max_page_count = {pages + 5}"))


async def test_a_newer_schema_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    async with open_sqlite(path) as database:
        await database.write(lambda connection: set_version(connection, CURRENT_VERSION + 6))
    assert f"a newer mama-bot wrote it (schema {CURRENT_VERSION + 6}" in await refusal(path)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT version FROM schema_version").fetchall() == [(CURRENT_VERSION + 6,)]


def set_version(connection: Connection, version: int) -> None:
    connection.execute(Statement("UPDATE schema_version SET version = :version"), {"version": version})


async def test_missing_steps_run_in_order_and_only_once(tmp_path: Path) -> None:
    ran: list[int] = []
    steps = {number: step(ran, number) for number in (CURRENT_VERSION + 1, CURRENT_VERSION + 2)}
    async with open_sqlite(tmp_path / "store.sqlite") as database:
        for _ in range(2):
            assert await database.write(lambda c: migrate(c, current=CURRENT_VERSION + 2, steps=steps)) is None
        assert ran == [CURRENT_VERSION + 1, CURRENT_VERSION + 2]
        assert isinstance(await database.write(migrate), Unsuitable)


async def test_a_schema_without_a_way_to_the_current_one_is_refused_unchanged(tmp_path: Path) -> None:
    ran: list[int] = []
    async with open_sqlite(tmp_path / "store.sqlite") as database:
        far = {CURRENT_VERSION + 2: step(ran, CURRENT_VERSION + 2)}
        unsuitable = await database.write(lambda c: migrate(c, current=CURRENT_VERSION + 2, steps=far))
        assert unsuitable is not None
        assert "too old" in unsuitable.reason
        assert ran == []
        assert await database.write(migrate) is None


async def test_a_step_that_fails_leaves_the_old_schema(tmp_path: Path) -> None:
    def broken(connection: Connection) -> None:
        connection.execute(Statement("ALTER TABLE outbox ADD COLUMN colour TEXT"))
        connection.execute(Statement("ALTER TABLE nowhere ADD COLUMN colour TEXT"))

    async with open_sqlite(tmp_path / "store.sqlite") as database:
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            await database.write(lambda c: migrate(c, current=CURRENT_VERSION + 1, steps={CURRENT_VERSION + 1: broken}))
        assert await database.write(migrate) is None
        with pytest.raises(sqlite3.OperationalError, match="colour"):
            await database.read(lambda c: c.execute(Statement("SELECT colour FROM outbox")).all())


def step(ran: list[int], number: int) -> Callable[[Connection], None]:
    return lambda _connection: ran.append(number)


async def test_a_url_that_names_no_database_is_a_configuration_error() -> None:
    for url in ("nonsense", "mysql://localhost/x", "sqlite://", "sqlite:///:memory:"):
        with pytest.raises(ConfigurationError, match=r"store\.url"):
            async with open_store(url, clock=TickingClock(), queue=QueueSettings()):
                pass


async def test_what_is_stored_is_there_after_opening_again(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "with space.sqlite")
    async with open_store(url, clock=TickingClock(), queue=QueueSettings()) as store:
        await store.inbox.accept(message(1))
    async with open_store(url, clock=TickingClock(), queue=QueueSettings()) as store:
        assert (await store.turns.load(MessageId("m1"))).message == message(1)
    with pytest.raises(RuntimeError, match="closed"):
        await store.history.queue()
