"""Say what SQLite's failures mean to a person."""

import os
import sqlite3
from pathlib import Path

from mama_bot.errors import StoreUnavailable

_PRIMARY_CODE = 0xFF
_FAULTS = {
    sqlite3.SQLITE_BUSY: ("another program holds a lock on it", "Close the program that has the file open."),
    sqlite3.SQLITE_LOCKED: ("another program holds a lock on it", "Close the program that has the file open."),
    sqlite3.SQLITE_READONLY: (
        "it is not writable",
        "Give this user the right to write to the file and its directory.",
    ),
    sqlite3.SQLITE_PERM: ("access is denied", "Give this user the right to write to the file and its directory."),
    sqlite3.SQLITE_AUTH: ("access is denied", "Give this user the right to write to the file and its directory."),
    sqlite3.SQLITE_FULL: ("the disk is full", "Free some space, or set data_directory to another disk."),
    sqlite3.SQLITE_NOTADB: (
        "it is not a SQLite database",
        "Move the file away, or set store.url (MAMA_STORE__URL) to another file.",
    ),
    sqlite3.SQLITE_CORRUPT: ("the file is damaged", "Restore it from a backup, or move it away to start anew."),
    sqlite3.SQLITE_IOERR: ("the disk reports an error", "Check the disk and its free space."),
    sqlite3.SQLITE_NOMEM: ("there is not enough memory", "Free some memory."),
    sqlite3.SQLITE_CANTOPEN: (
        "the file cannot be opened",
        "Check that its directory exists and that this user may write to it.",
    ),
}


def store_unavailable(error: BaseException, path: Path) -> StoreUnavailable | None:
    """Return the failure as a sentence; None when it is not the database's fault but the statement's."""
    if not isinstance(error, sqlite3.Error):
        return None
    code = getattr(error, "sqlite_errorcode", None)
    fault = None if code is None else _FAULTS.get(code & _PRIMARY_CODE)
    if fault is None:
        return None
    reason, remedy = fault
    unavailable = StoreUnavailable(url=str(path), reason=reason, remedy=remedy)
    unavailable.__cause__ = error
    return unavailable


def cannot_read(path: Path) -> StoreUnavailable | None:
    """Return why nothing can be read: the file is not there."""
    if path.exists():
        return None
    return StoreUnavailable(
        url=str(path),
        reason="it does not exist",
        remedy="Start the service once, or name its configuration with --config (--demo: that of the demo).",
    )


def cannot_open(path: Path) -> StoreUnavailable | None:
    """Return why a file cannot be opened or created for writing; None where that is not plain to see."""
    directory = path.parent
    if path.is_dir():
        reason = "it is a directory, not a file"
    elif not directory.exists():
        reason = f"the directory {directory} does not exist"
    elif not directory.is_dir():
        reason = f"{directory} is not a directory"
    elif not os.access(directory, os.W_OK):
        reason = f"the directory {directory} is not writable"
    elif path.exists() and not os.access(path, os.R_OK | os.W_OK):
        reason = "it is not writable"
    else:
        return None
    remedy = (
        "Give this user the right to write there, or set data_directory (MAMA_DATA_DIRECTORY) to another directory."
    )
    return StoreUnavailable(url=str(path), reason=reason, remedy=remedy)
