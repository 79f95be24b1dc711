"""`mama-bot migrate`: from the SQLite file to PostgreSQL, and back."""

from collections.abc import Sequence
from pathlib import Path

from mama_bot.app.configuration import DATABASE_NAME, Configuration, data_places
from mama_bot.app.instance import owner_of
from mama_bot.commands import sentences as says
from mama_bot.errors import ConfigurationError
from mama_bot.store.database_copies import holds_messages
from mama_bot.wording import Language

SQLITE = "sqlite:///"


async def migration_answer(
    configuration: Configuration, url: str | None, *, source: str | None = None, language: Language
) -> Sequence[str]:
    """Copy what the service keeps in its file, or what `source` holds, to a PostgreSQL database, and say so.

    The database is the one at the URL, or at `store.url`. With the URL of a SQLite file it goes the other way: from the
    database at `source`, or at `store.url`. Raises ConfigurationError, StoreUnavailable.
    """
    from mama_bot.store.transfer import transfer

    given = configuration.settings.store.url
    own = given.get_secret_value() if given else ""
    if url is not None and url.startswith(SQLITE):
        return await _copied_back(source or own, Path(url.removeprefix(SQLITE)), language)
    target = url or own
    if not _is_postgresql(target):
        raise ConfigurationError(problem=says.NO_TARGET)
    file = Path(source) if source else _file_of_the_service(configuration)
    if not file.is_file():
        raise ConfigurationError(problem=says.NO_FILE.of(file=file))
    counts = await transfer(file, target)
    lines = [f"{name}: {count}" for name, count in counts.items() if count]
    lines.append(says.MIGRATED.to(language, rows=sum(counts.values()), file=file))
    if owner_of(file.parent) is not None:
        lines.append(says.STILL_WRITES.to(language))
    return lines


async def _copied_back(url: str, file: Path, language: Language) -> Sequence[str]:
    from mama_bot.store.transfer_back import transfer_back

    if not _is_postgresql(url):
        raise ConfigurationError(problem=says.NO_SOURCE)
    copied = await transfer_back(url, file)
    lines = [f"{name}: {count}" for name, count in copied.counts.items() if count]
    lines.append(says.MIGRATED_BACK.to(language, rows=sum(copied.counts.values()), file=file))
    if copied.in_use:
        lines.append(says.STILL_WRITES_THERE.to(language, file=file))
    return lines


def _is_postgresql(url: str) -> bool:
    return url.startswith(("postgresql", "postgres"))


def _file_of_the_service(configuration: Configuration) -> Path:
    """Return the file with the real conversations where there is one, whatever login this command has.

    Raises ConfigurationError where the demonstration's holds messages as well: which one is meant is a person's choice.
    """
    files = [place.directory / DATABASE_NAME for place in data_places(configuration)]
    there = [file for file in files if file.exists()]
    if len(there) > 1 and all(holds_messages(file) for file in there):
        raise ConfigurationError(problem=says.TWO_FILES.of(first=there[0], second=there[1]))
    return next(iter(there), files[0])
