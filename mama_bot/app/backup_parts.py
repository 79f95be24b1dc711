"""Backups of this service: what belongs to them, and where they lie."""

from datetime import datetime, timedelta
from pathlib import Path

from mama_bot import __version__
from mama_bot.app.configuration import DATABASE_NAME, Configuration, stored_places
from mama_bot.app.instance import LOCK_NAME, owner_of
from mama_bot.app.old_conversations import OldConversations
from mama_bot.backups import sentences as says
from mama_bot.backups.archive import Backup, write_backup
from mama_bot.backups.due_backups import BackupSchedule
from mama_bot.backups.restoration import restore_backup
from mama_bot.config import RetentionSettings
from mama_bot.errors import ConfigurationError
from mama_bot.model import Trouble, TroubleKind
from mama_bot.protocols import Clock
from mama_bot.store import Store
from mama_bot.store.database_copies import KNOWN_SCHEMA, check_database, copy_database, held_bytes
from mama_bot.vitality.sentences import BACKUP_FAILED
from mama_bot.vitality.signs import Sign

BACKUPS = "backups"


def backup_directory(configuration: Configuration) -> Path:
    """Return where the service keeps its backups."""
    settings = configuration.settings
    return settings.backups.directory or settings.data_directory / BACKUPS


def make_backup(configuration: Configuration, target: Path, at: datetime, *, databases_only: bool) -> Backup:
    """Write a backup of what the service keeps; raises ConfigurationError, StoreUnavailable."""
    settings = configuration.settings
    if settings.store.url is not None:
        raise ConfigurationError(problem=says.ELSEWHERE)
    data = settings.data_directory.absolute()
    return write_backup(
        data,
        target.absolute(),
        database_name=DATABASE_NAME,
        copy_database=copy_database,
        at=at,
        release=__version__,
        databases_only=databases_only,
        leave_out=(backup_directory(configuration).absolute(), *data.glob("before-restore-*")),
    )


def restore_here(configuration: Configuration, file: Path, at: datetime, *, replace: bool) -> Path | None:
    """Put a backup in the place of what the service keeps, and return where that lies now; it must not run.

    Raises ConfigurationError, StoreUnavailable: nothing was changed.
    """
    settings = configuration.settings
    if settings.store.url is not None:
        raise ConfigurationError(problem=says.ELSEWHERE)
    for place in stored_places(configuration):
        owner = owner_of(place.directory)
        if owner is not None:
            raise ConfigurationError(problem=says.STILL_RUNS.of(pid=owner))
    data = settings.data_directory.absolute()
    return restore_backup(
        file,
        data,
        database_name=DATABASE_NAME,
        check_database=check_database,
        known_schema=KNOWN_SCHEMA,
        at=at,
        replace=replace,
        keep=frozenset({backup_directory(configuration).absolute(), file.absolute(), data / LOCK_NAME}),
    )


def old_conversations(
    configuration: Configuration, store: Store, clock: Clock, settings: RetentionSettings | None = None
) -> OldConversations:
    """Return what forgets what was said long ago; by other `settings` than the configured ones where they are given."""
    own = configuration.settings.store.url is None
    database = configuration.directory / DATABASE_NAME
    return OldConversations(
        retention=store.retention,
        settings=settings or configuration.settings.retention,
        held_bytes=lambda: held_bytes(database) if own else None,
        clock=clock,
    )


def backup_schedule(configuration: Configuration, clock: Clock) -> BackupSchedule:
    """Return what makes backups by itself."""
    settings = configuration.settings.backups
    return BackupSchedule(
        directory=backup_directory(configuration),
        every=timedelta(hours=settings.every_hours),
        keep=settings.keep,
        write=lambda target, at: make_backup(configuration, target, at, databases_only=not settings.everything),
        clock=clock,
    )


def backup_sign(schedule: BackupSchedule) -> Sign:
    """Return the sign that tells whether the last backup failed."""

    async def look() -> list[Trouble]:
        if schedule.failure is None:
            return []
        sentence = BACKUP_FAILED.of(reason=str(schedule.failure))
        return [Trouble(kind=TroubleKind.BACKUP, sentence=sentence, stops_work=False)]

    return look
