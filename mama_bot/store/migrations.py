"""From any older shape of the database to the current one, step by numbered step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, inspect, text

from mama_bot.store.tables import metadata

# The number of the shape that tables.py describes; step N turns shape N-1 into shape N.
CURRENT_VERSION = 2


def _checklists(connection: Connection) -> None:
    connection.execute(text("ALTER TABLE reminders ADD COLUMN said_before INTEGER NOT NULL DEFAULT '0'"))
    connection.execute(text("ALTER TABLE reminders ADD COLUMN dropped INTEGER NOT NULL DEFAULT '0'"))
    metadata.tables["checklists"].create(connection)


STEPS: Mapping[int, Callable[[Connection], None]] = {2: _checklists}

_READ_VERSION = text("SELECT version FROM schema_version")
_INSERT_VERSION = text("INSERT INTO schema_version (version) VALUES (:version)")
_UPDATE_VERSION = text("UPDATE schema_version SET version = :version")


@dataclass(frozen=True, slots=True)
class Unsuitable:
    """Why a database cannot be brought to the current shape, and what to do."""

    reason: str
    remedy: str


def migrate(
    connection: Connection,
    *,
    current: int = CURRENT_VERSION,
    steps: Mapping[int, Callable[[Connection], None]] = STEPS,
) -> Unsuitable | None:
    """Create the tables in an empty database, or run the missing steps; nothing is changed when it is unsuitable."""
    names = inspect(connection).get_table_names()
    if not names:
        metadata.create_all(connection, checkfirst=False)
        connection.execute(_INSERT_VERSION, {"version": current})
        return None
    version = _version(connection, names)
    if version is None:
        return Unsuitable(
            reason="it holds the tables of another program",
            remedy="Set store.url (MAMA_STORE__URL) to a file of its own.",
        )
    if version > current:
        return Unsuitable(
            reason=f"a newer mama-bot wrote it (schema {version}, this one knows {current})",
            remedy="Update mama-bot, or set store.url (MAMA_STORE__URL) to another file.",
        )
    return _advance(connection, version, current, steps)


def _version(connection: Connection, names: Sequence[str]) -> int | None:
    return connection.execute(_READ_VERSION).scalar() if "schema_version" in names else None


def _advance(
    connection: Connection, version: int, current: int, steps: Mapping[int, Callable[[Connection], None]]
) -> Unsuitable | None:
    missing = [number for number in range(version + 1, current + 1) if number not in steps]
    if missing:
        return Unsuitable(
            reason=f"its schema {version} is too old to be brought to schema {current}",
            remedy="Open it once with the release in between, or set store.url (MAMA_STORE__URL) to another file.",
        )
    for number in range(version + 1, current + 1):
        steps[number](connection)
        connection.execute(_UPDATE_VERSION, {"version": number})
    return None
