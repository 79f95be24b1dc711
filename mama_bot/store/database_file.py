"""The file of a SQLite database while it is in use: it may be removed, or another put in its place."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import structlog

from mama_bot.errors import StoreUnavailable

log = structlog.get_logger(__name__)

Identity = tuple[int, int]


class DatabaseFile:
    """Knows which file its connections write to, and puts it back where somebody removed it.

    Without that the kernel keeps a removed file for as long as the service runs: everything would go well, and be gone
    with the next start.
    """

    def __init__(self, path: Path, *, busy_seconds: float, statements: int) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._statements = statements
        self._identity: Identity | None = None  # None: nobody has connected yet
        self._connected: dict[int, Identity | None] = {}

    def connect(self) -> sqlite3.Connection:
        """Return a new connection; raises sqlite3.Error, or StoreUnavailable where another file lies there."""
        if self._identity is not None and self._at_path() not in (self._identity, None):
            raise self._replaced()
        # The driver shall not begin or commit anything by itself: the lane does.
        driver = sqlite3.connect(
            self._path, timeout=self._busy_seconds, isolation_level=None, cached_statements=self._statements
        )
        try:
            if sqlite3.sqlite_version_info < (3, 43):
                driver.create_function("octet_length", 1, lambda text: len(text.encode()), deterministic=True)
            for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "temp_store = MEMORY"):
                driver.execute(f"PRAGMA {pragma}")
        except sqlite3.Error:
            driver.close()
            raise
        self._identity = self._connected[id(driver)] = self._at_path()
        return driver

    def to_write(self, driver: sqlite3.Connection) -> sqlite3.Connection:
        """Return the connection to write with: this one, or a new one once the removed file is back.

        Raises StoreUnavailable where it cannot be put back, or another file lies in its place.
        """
        there = self._at_path()
        if there is not None:
            if there != self._connected[id(driver)]:
                raise self._replaced()
            return driver
        self._put_back(driver)
        self._identity = self._at_path()
        return self._anew(driver)

    def to_read(self, driver: sqlite3.Connection) -> sqlite3.Connection:
        """Return the connection to read with: a new one once the file was put back."""
        return driver if self._connected[id(driver)] == self._identity else self._anew(driver)

    def _anew(self, driver: sqlite3.Connection) -> sqlite3.Connection:
        self._connected.pop(id(driver), None)
        driver.close()
        return self.connect()

    def _at_path(self) -> Identity | None:
        try:
            status = os.stat(self._path)  # noqa: PTH116 - before each transaction: a path object costs as much again
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unavailable(error.strerror or "it cannot be seen") from error
        return status.st_dev, status.st_ino

    def _put_back(self, driver: sqlite3.Connection) -> None:
        """Write what the connection still sees to a file of the old name, never over another."""
        draft = self._path.with_name(f"{self._path.name}.put-back")
        try:
            draft.unlink(missing_ok=True)
            with closing(sqlite3.connect(draft)) as copy:
                driver.backup(copy)
            for ending in ("-wal", "-shm"):  # of the removed file: with the new one they would be read as its own
                self._path.with_name(f"{self._path.name}{ending}").unlink(missing_ok=True)
            draft.chmod(0o600)
            os.link(draft, self._path)
        except (OSError, sqlite3.Error) as error:
            raise self._unavailable(f"its file was removed and cannot be put back ({error})") from error
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
        log.error("database_put_back", path=str(self._path), reason="Its file was removed while the service runs.")

    def _replaced(self) -> StoreUnavailable:
        return self._unavailable("another file was put in its place while the service runs")

    def _unavailable(self, reason: str) -> StoreUnavailable:
        remedy = "Stop the service before you move, remove or restore its files, and start it then."
        return StoreUnavailable(url=str(self._path), reason=reason, remedy=remedy)
