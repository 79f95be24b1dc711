"""`mama-bot backup`, `mama-bot restore` and `mama-bot prune`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from mama_bot.app.backup_parts import backup_directory, make_backup, old_conversations, restore_here
from mama_bot.app.configuration import DATABASE_NAME, Configuration
from mama_bot.app.instance import owner_of
from mama_bot.app.system_clock import SystemClock
from mama_bot.backups import sentences as backups_say
from mama_bot.backups.due_backups import backup_name, backups_in
from mama_bot.commands import sentences as says
from mama_bot.commands.kept_store import existing
from mama_bot.config import RetentionSettings
from mama_bot.errors import ConfigurationError
from mama_bot.store.database_copies import compact_database
from mama_bot.wording import Language, Said

MOST_UNREAD = 5
MOST_NAMED = 5


def backup_answer(
    configuration: Configuration, file: Path | None, *, only: bool, replace: bool, language: Language
) -> Sequence[str]:
    """Write a backup, of the databases `only` or of everything, and say so.

    Raises ConfigurationError, StoreUnavailable; also where the file is there already and `replace` is not said.
    """
    at = SystemClock().now()
    target = file or backup_directory(configuration) / backup_name(at)
    if target.is_dir():
        target /= backup_name(at)
    if target.exists() and not replace:
        raise ConfigurationError(problem=backups_say.BACKUP_THERE.of(file=target))
    made = make_backup(configuration, target, at, databases_only=only)
    size = f"{made.file.stat().st_size / 2**20:.1f}"
    lines = [says.BACKED_UP.to(language, file=made.file, size=size, databases=made.databases, files=made.files)]
    lines += [says.NOT_READ.to(language, path=path) for path in made.unread[:MOST_UNREAD]]
    if len(made.unread) > MOST_UNREAD:
        lines.append(says.NEITHER_READ.to(language, count=len(made.unread) - MOST_UNREAD))
    return lines


def restore_answer(configuration: Configuration, file: Path, *, replace: bool, language: Language) -> Sequence[str]:
    """Put a backup back and say so; raises ConfigurationError, StoreUnavailable."""
    if not file.is_file():
        raise ConfigurationError(problem=_no_such_backup(configuration, file))
    aside = restore_here(configuration, file, SystemClock().now(), replace=replace)
    lines = [says.RESTORED.to(language, file=file)]
    return lines if aside is None else [*lines, says.PUT_ASIDE.to(language, directory=aside)]


def _no_such_backup(configuration: Configuration, file: Path) -> Said:
    directory = backup_directory(configuration).absolute()
    kept = [path.name for path in backups_in(directory)]
    looked_for = backups_say.NO_SUCH_BACKUP.of(file=file.absolute())
    if not kept:
        return backups_say.NO_BACKUPS_KEPT.of(looked_for=looked_for, directory=directory)
    return backups_say.BACKUPS_KEPT.of(
        looked_for=looked_for, directory=directory, files=", ".join(reversed(kept[-MOST_NAMED:]))
    )


async def prune_answer(configuration: Configuration, options: argparse.Namespace, language: Language) -> Sequence[str]:
    """Forget what is old and say so; raises ConfigurationError, StoreUnavailable."""
    configured = configuration.settings.retention
    days = configured.days if options.days is None else options.days
    megabytes = configured.megabytes if options.megabytes is None else max(0, options.megabytes)
    if not days and not megabytes and not options.compact:
        raise ConfigurationError(problem=says.SAY_HOW_OLD)
    if options.compact and (owner := owner_of(configuration.directory)) is not None:
        raise ConfigurationError(problem=says.NOT_WHILE_RUNNING.of(pid=owner))
    async with existing(configuration) as store:
        settings = RetentionSettings(days=days, megabytes=megabytes)
        gone = await old_conversations(configuration, store, SystemClock(), settings).sweep()
    lines = [says.FORGOTTEN.to(language, messages=gone.messages, lines=gone.lines)]
    if options.compact and configuration.settings.store.url is None:
        database = configuration.directory / DATABASE_NAME
        compact_database(database)
        lines.append(says.COMPACTED.to(language, size=f"{database.stat().st_size / 2**20:.1f}"))
    return lines
