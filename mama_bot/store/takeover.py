"""What a database takes over from another: who is served and what was said, without what agents know of it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from mama_bot.errors import StoreUnavailable

# Agents begin anew: their sessions, what they read of the conversation, and where they worked stay with the other one.
FORGOTTEN = (
    "context",
    "sessions",
    "earlier_facts",
    "reminders",
    "checklists",
    "assignments",
    "checkouts",
    "work_changes",
    "deeds",
    "delegate_trees",
    "pull_requests",
    "holds",
    "homes",
    "transcripts",
    "nodes",
    "duties",
    "topic_posts",
    "work_items",
)
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"


def take_over(source: Path, target: Path) -> None:
    """Make a database of another, which may be in use, whole or not at all; the other one stays as it is.

    Raises StoreUnavailable where it cannot be done.
    """
    draft = target.with_name(f"{target.name}.taken-over")
    try:
        draft.unlink(missing_ok=True)
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as other,
            closing(sqlite3.connect(draft)) as own,
        ):
            other.backup(own)
            _forget(own)
        draft.replace(target)
    except (OSError, sqlite3.Error) as error:
        draft.unlink(missing_ok=True)
        remedy = f"Nothing is lost: it is in {source}. Stop the service and copy that file to {target}, if you need it."
        raise StoreUnavailable(url=str(source), reason=str(error), remedy=remedy) from error


def _forget(database: sqlite3.Connection) -> None:
    tables = {name for (name,) in database.execute(_TABLES)}
    with database:
        for table in FORGOTTEN:
            if table in tables:  # an older release lacks some
                database.execute(f"DELETE FROM {table}")  # noqa: S608 - a constant
