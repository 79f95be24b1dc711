"""Copy a SQLite database that may be in use, and look whether a file is one that can be used."""

import sqlite3
from contextlib import closing
from pathlib import Path

from mama_bot.errors import StoreUnavailable
from mama_bot.store.faults import store_unavailable
from mama_bot.store.migrations import CURRENT_VERSION

KNOWN_SCHEMA = CURRENT_VERSION
_TO_RESTORE = "Take another backup."


def copy_database(source: Path, target: Path) -> int:
    """Copy a database as it stands at one moment, and return the number of its shape; a service may be writing to it.

    Raises StoreUnavailable, also where the copy turns out to be damaged.
    """
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as original,
            closing(sqlite3.connect(target)) as copy,
        ):
            target.chmod(0o600)
            original.backup(copy)
    except sqlite3.Error as error:
        raise _unavailable(error, source) from error
    return check_database(target)


def check_database(path: Path) -> int:
    """Return the number of a database's shape; raises StoreUnavailable where it is damaged or not one of ours."""
    try:
        with closing(sqlite3.connect(path)) as database:
            (verdict,) = database.execute("PRAGMA quick_check(1)").fetchone()
            if verdict != "ok":
                raise StoreUnavailable(url=str(path), reason=f"the file is damaged ({verdict})", remedy=_TO_RESTORE)
            ((version,),) = database.execute("SELECT version FROM schema_version").fetchall()
            database.execute("PRAGMA journal_mode = DELETE")  # no files beside it
    except (sqlite3.Error, ValueError) as error:
        raise _unavailable(error, path) from error
    return int(version)


def _unavailable(error: BaseException, path: Path) -> StoreUnavailable:
    known = store_unavailable(error, path)
    return known or StoreUnavailable(url=str(path), reason="it is no database of mama-bot", remedy=_TO_RESTORE)


def holds_messages(path: Path) -> bool:
    """Return whether a database holds a message; True also where that cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            return database.execute("SELECT 1 FROM messages LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return True


def held_bytes(path: Path) -> int | None:
    """Return how much a database holds, without the room in it that is free; None where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
            (pages,), (free,), (size,) = (
                database.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
            )
    except sqlite3.Error:
        return None
    return int((pages - free) * size)


def compact_database(path: Path) -> None:
    """Give the room that is free in a database back to the disk; nobody else may use it. Raises StoreUnavailable."""
    try:
        with closing(sqlite3.connect(path)) as database:
            database.execute("VACUUM")
    except sqlite3.Error as error:
        raise _unavailable(error, path) from error
