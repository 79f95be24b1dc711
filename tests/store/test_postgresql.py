"""What PostgreSQL adds: statements that it understands, rings over processes, one service for one database."""

import ast
import asyncio
from contextlib import AsyncExitStack, closing, suppress
from importlib import import_module
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

import mama_bot.store
from mama_bot.config import QueueSettings
from mama_bot.errors import StoreInUse, StoreUnavailable, StoreUnsuitable
from mama_bot.model import MessageId
from mama_bot.store import open_store
from mama_bot.store.address_check import examined_url
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.dialects import POSTGRESQL
from mama_bot.store.postgresql import open_postgresql
from mama_bot.store.postgresql_driver import connected, in_its_words
from mama_bot.store.tables import metadata
from tests.postgresql_server import postgresql_server, run_in
from tests.store.exchanges import Exchanges, engine
from tests.store.making import HERE, TickingClock, message, notice
from tests.store.silent_proxy import silent_proxy
from tests.store.test_migrations import AS_VERSION_22
from tests.waiting import until, until_stored

ROOM = Path(mama_bot.store.__file__).parent
VERBS = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")
QUEUE = QueueSettings()
TYPES = {"text": POSTGRESQL.text, "integer": POSTGRESQL.integer, "float": POSTGRESQL.float}
OBJECTS = """
    SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1
"""
WHO_LISTENS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'SELECT DISTINCT left(conversation%'
"""
END_WHO_LISTENS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND query LIKE 'SELECT DISTINCT left(conversation%'
"""
END_WHO_WORKS = """
    SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7165068 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def statements() -> list[str]:
    """The texts of SQL that stand in the modules of the store, but for what makes a database."""
    found: list[str] = []
    for file in sorted(ROOM.glob("*.py")):
        if file.stem in {
            "dialects",
            "postgresql_driver",
            "postgresql_schema",
            "postgresql_tenure",
            "takeover",
            "transfer",
            "sqlite",
        }:
            continue
        module = import_module(f"mama_bot.store.{file.stem}")
        names = [name.id for name in ast.walk(ast.parse(file.read_text())) if isinstance(name, ast.Name)]
        values = [getattr(module, name, None) for name in dict.fromkeys(names) if name.isupper()]
        texts = [text for value in values for text in (value if isinstance(value, tuple) else (value,))]
        found += [text for text in texts if isinstance(text, str) and text.strip().startswith(VERBS)]
    return list(dict.fromkeys(found))


async def test_every_statement_and_column_of_the_store_is_understood(postgresql_url: str) -> None:
    async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE):
        pass
    with closing(connected(postgresql_url)) as driver:
        refused = {}
        for statement in (known := statements()):
            try:
                driver.execute(b"PREPARE tried AS " + numbered(statement))
                driver.execute(b"DEALLOCATE tried")
            except psycopg.Error as error:
                refused[statement] = str(error)
    assert len(known) > 150
    assert refused == {}


def numbered(statement: str) -> bytes:
    """A statement as PREPARE takes it: each value has a number."""
    written = in_its_words(statement).decode().replace("%%", "%")
    names = list(dict.fromkeys(word.partition(")s")[0] for word in written.split("%(")[1:]))
    for number, name in enumerate(names, start=1):
        written = written.replace(f"%({name})s", f"${number}")
    return written.encode()


async def test_each_column_is_what_its_table_says_also_after_every_step_from_the_first_shape_here(
    postgresql_url: str,
) -> None:
    """Texts are compared byte by byte: a column that was added must say so as well (`_add_column`)."""
    for change in ("", AS_VERSION_22):
        run_in(postgresql_url, change)
        async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE):
            pass
        assert columns_of(postgresql_url) == {
            (table.name, column.name): TYPES[column.type]
            for table in metadata.tables.values()
            for column in table.columns.values()
        }


def columns_of(url: str) -> dict[tuple[str, str], str]:
    rows = run_in(
        url,
        """
        SELECT table_name, column_name, upper(data_type) || coalesce(' COLLATE "' || collation_name || '"', '')
        FROM information_schema.columns WHERE table_schema = 'public'
        """,
    )
    return {(table, column): kind for table, column, kind in rows}


async def test_what_another_process_puts_there_is_heard_at_once(postgresql_url: str) -> None:
    async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE) as store:
        exchanges = Exchanges()
        async with (
            engine(store, exchanges),
            open_store(postgresql_url, clock=TickingClock(), queue=QUEUE, migrates=False) as other,
        ):
            await other.inbox.accept(message(1))
            await until(lambda: exchanges.ended == ["m1"])
            await other.outbox.add(notice(1))
            assert HERE in await asyncio.wait_for(store.post_bell.heard(), 10)


async def test_what_rang_while_nobody_heard_is_heard_once_somebody_does_again(postgresql_url: str) -> None:
    async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE) as store:
        missed: list[str] = []
        store.missed = lambda: missed.append("missed")
        run_in(postgresql_url, "ALTER TABLE outbox DISABLE TRIGGER mama_posts_come")  # as if nobody had heard it
        async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE, migrates=False) as other:
            await other.outbox.add(notice(1))
        assert missed == []
        await until(lambda: bool(run_in(postgresql_url, END_WHO_LISTENS)))
        assert HERE in await asyncio.wait_for(store.post_bell.heard(), 30)
        await until(lambda: missed)


async def test_a_store_is_open_once_it_hears_what_others_put_there(postgresql_url: str) -> None:
    for _ in range(5):
        async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE):
            assert run_in(postgresql_url, WHO_LISTENS) == [(1,)]


async def test_a_second_service_waits_and_takes_over_and_the_first_one_writes_nothing_any_more(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mama_bot.store.postgresql_tenure._GRACE_SECONDS", 0.1)
    stop = asyncio.Event()
    async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE) as first:
        with pytest.raises(StoreInUse, match="another mama-bot works on it"):
            async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE):
                pass
        async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE, migrates=False) as command:
            assert (await command.history.queue()).waiting == 0
        await first.inbox.accept(message(1))
        async with asyncio.TaskGroup() as group:
            waits = group.create_task(taken_over(postgresql_url, stop))
            # What the server does with the connection of a process that stands still, once it was silent for long.
            await until(lambda: bool(run_in(postgresql_url, END_WHO_WORKS)))
            assert await asyncio.wait_for(waits, 30) == ["m1", "m2"]
            with pytest.raises(StoreInUse, match="another mama-bot has taken it over"):
                await first.inbox.accept(message(3))
            with pytest.raises(StoreInUse):
                await asyncio.wait_for(first.watch_owner(), 10)
        assert (await first.turns.load(MessageId("m2"))).message == message(2)
        stop.set()
        with pytest.raises(LookupError):
            await first.turns.load(MessageId("m3"))


async def taken_over(url: str, stop: asyncio.Event) -> list[str]:
    """What the next service answers, of what the one before it had and of what it is told itself."""
    exchanges = Exchanges()
    async with open_store(url, clock=TickingClock(), queue=QUEUE, standby=stop) as store, engine(store, exchanges):
        await store.inbox.accept(message(2))
        await until(lambda: len(exchanges.ended) == 2)
    return exchanges.ended


async def test_a_server_that_is_away_says_so_and_nothing_is_lost_when_it_is_back() -> None:
    with postgresql_server() as server:
        url = server.url("postgres").replace("postgres@", "postgres:secret@")
        async with open_store(url, clock=TickingClock(), queue=QUEUE) as store:
            await store.inbox.accept(message(1))
            server.stop()
            async with asyncio.TaskGroup() as group:
                group.create_task(store.inbox.accept(message(2)))
                server.start()
            exchanges = Exchanges()
            async with engine(store, exchanges):
                await until(lambda: exchanges.ended == ["m1", "m2"])
        server.stop()
        with pytest.raises(StoreUnavailable) as caught:
            async with open_store(url, clock=TickingClock(), queue=QUEUE):
                pass
        answer, remedy = examined_url(url)
    for told in (str(caught.value), answer):
        assert "it cannot be reached" in told
        assert "secret" not in told
    assert remedy


async def test_a_store_whose_server_answers_no_more_is_closed_within_the_time_of_one_connection(
    postgresql_url: str, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mama_bot.store.lane._CLOSE_SECONDS", 4.0)
    parts = conninfo_to_dict(postgresql_url)
    url = f"postgresql://postgres@127.0.0.1:{unused_tcp_port}/{parts['dbname']}"
    async with (
        silent_proxy(Path(str(parts["host"])) / ".s.PGSQL.5432", unused_tcp_port) as proxy,
        AsyncExitStack() as at,
    ):
        store = await at.enter_async_context(open_store(url, clock=TickingClock(), queue=QUEUE))
        async with asyncio.TaskGroup() as group:
            proxy.silent = True
            works = (store.inbox.accept(message(1)), store.history.queue(), store.history.queue())
            waiting = [group.create_task(work) for work in works]
            await asyncio.sleep(0.2)  # each of the three connections waits for an answer now
            for task in waiting:
                task.cancel()
        await asyncio.wait_for(at.aclose(), 10)


async def test_a_server_that_falls_silent_fails_within_a_time_and_is_found_again(
    postgresql_url: str, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mama_bot.store.postgresql_driver._ANSWER_SECONDS", 1.0)
    monkeypatch.setattr("mama_bot.store.postgresql._ANSWER_SECONDS", 2.0)
    parts = conninfo_to_dict(postgresql_url)
    url = f"postgresql://postgres@127.0.0.1:{unused_tcp_port}/{parts['dbname']}"
    async with silent_proxy(Path(str(parts["host"])) / ".s.PGSQL.5432", unused_tcp_port) as proxy:
        async with open_store(url, clock=TickingClock(), queue=QUEUE) as store:
            await store.inbox.accept(message(1))
            proxy.silent = True
            with pytest.raises(StoreUnavailable, match=r"no answer for|does not answer"):
                await asyncio.wait_for(store.inbox.accept(message(2)), 30)
            with pytest.raises(StoreUnavailable):
                await asyncio.wait_for(store.history.queue(), 30)
            proxy.silent = False

            async def accepted() -> bool:
                with suppress(StoreUnavailable):
                    await store.inbox.accept(message(3))
                    return True
                return False

            await until_stored(accepted)
            assert {("m1",), ("m3",)} <= set(run_in(postgresql_url, "SELECT id FROM messages"))
        proxy.silent = True
        with pytest.raises(StoreUnavailable):
            async with open_store(url, clock=TickingClock(), queue=QUEUE):
                pass


def test_the_doctor_tells_which_server_it_is_and_whether_tables_can_be_made(postgresql_url: str) -> None:
    answer, remedy = examined_url(postgresql_url)
    assert answer.startswith("PostgreSQL 1")
    assert not remedy
    run_in(postgresql_url, "CREATE ROLE looker LOGIN")
    try:
        answer, remedy = examined_url(postgresql_url.replace("postgres@", "looker@"))
    finally:
        run_in(postgresql_url, "DROP ROLE looker")
    assert "may make no tables" in answer
    assert "GRANT CREATE" in remedy


async def test_a_unit_that_runs_at_length_is_ended_by_no_deadline_and_the_next_one_has_them_again(
    postgresql_url: str,
) -> None:
    def deadlines(connection: Connection) -> tuple[str, ...]:
        names = ("statement_timeout", "idle_in_transaction_session_timeout")
        return tuple(connection.execute(Statement(f"SHOW {name}")).scalar() for name in names)

    async with open_postgresql(postgresql_url) as database:
        assert await database.write_at_length(deadlines) == ("0", "0")
        assert "0" not in await database.write(deadlines)


@pytest.mark.parametrize(
    ("there", "reason"),
    [
        ("CREATE TABLE schema_version (installed TEXT)", "it holds the tables of another program. Name a database of"),
        (
            "CREATE TABLE schema_version AS SELECT 1000 AS version; CREATE TABLE messages (); CREATE TABLE jobs ()",
            "a newer mama-bot wrote it .* a database of its own",
        ),
    ],
)
async def test_a_database_that_is_refused_stays_as_it_is(postgresql_url: str, there: str, reason: str) -> None:
    run_in(postgresql_url, there)
    before = run_in(postgresql_url, OBJECTS)
    for migrates in (True, False):
        with pytest.raises(StoreUnsuitable, match=reason):
            async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE, migrates=migrates):
                pass
    assert run_in(postgresql_url, OBJECTS) == before


async def test_a_server_that_is_too_old_is_refused_in_a_sentence(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mama_bot.store.postgresql_driver.OLDEST", 99)
    with pytest.raises(StoreUnavailable, match=r"it is PostgreSQL \d+\. Use PostgreSQL 99 or newer"):
        async with open_store(postgresql_url, clock=TickingClock(), queue=QUEUE):
            pass


@pytest.mark.parametrize("password", ["sec#ret", "sec?ret", "sec/ret", "sec[ret", "sec@ret", "sec%ret", "sec%2Fret"])
async def test_nothing_of_a_password_is_said_where_a_database_cannot_be_reached(password: str) -> None:
    url = f"postgresql://mama:{password}@127.0.0.1:1/mama"
    with pytest.raises(StoreUnavailable) as refused:
        async with open_store(url, clock=TickingClock(), queue=QUEUE):
            pass
    reason, _ = examined_url(url)
    for sentence in (str(refused.value), str(refused.value.__cause__), reason):
        assert "sec" not in sentence
        assert "ret" not in sentence
