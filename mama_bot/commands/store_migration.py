"""`mama-bot migrate`: from the SQLite file to PostgreSQL."""

from collections.abc import Sequence
from pathlib import Path

from mama_bot.app.configuration import DATABASE_NAME, Configuration, data_places
from mama_bot.app.instance import owner_of
from mama_bot.commands import sentences as says
from mama_bot.errors import ConfigurationError
from mama_bot.store.database_copies import holds_messages
from mama_bot.wording import Language


async def migration_answer(
    configuration: Configuration, url: str | None, *, source: Path | None = None, language: Language
) -> Sequence[str]:
    """Copy what the service keeps in its file, or what `source` holds, to a PostgreSQL database, and say so.

    The database is the one at the URL, or at `store.url`. Raises ConfigurationError, StoreUnavailable.
    """
    from mama_bot.store.transfer import transfer

    given = configuration.settings.store.url
    target = url or (given.get_secret_value() if given else "")
    if not target.startswith(("postgresql", "postgres")):
        raise ConfigurationError(problem=says.NO_TARGET)
    file = source or _file_of_the_service(configuration)
    if not file.is_file():
        raise ConfigurationError(problem=says.NO_FILE.of(file=file))
    counts = await transfer(file, target)
    lines = [f"{name}: {count}" for name, count in counts.items() if count]
    lines.append(says.MIGRATED.to(language, rows=sum(counts.values()), file=file))
    if owner_of(file.parent) is not None:
        lines.append(says.STILL_WRITES.to(language))
    return lines


def _file_of_the_service(configuration: Configuration) -> Path:
    """Return the file with the real conversations where there is one, whatever login this command has.

    Raises ConfigurationError where the demonstration's holds messages as well: which one is meant is a person's choice.
    """
    files = [place.directory / DATABASE_NAME for place in data_places(configuration)]
    there = [file for file in files if file.exists()]
    if len(there) > 1 and all(holds_messages(file) for file in there):
        raise ConfigurationError(problem=says.TWO_FILES.of(first=there[0], second=there[1]))
    return next(iter(there), files[0])
