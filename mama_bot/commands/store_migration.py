"""`mama-bot migrate`: from the SQLite file to PostgreSQL."""

from collections.abc import Sequence

from mama_bot.app.configuration import DATABASE_NAME, Configuration
from mama_bot.app.instance import owner_of
from mama_bot.commands import sentences as says
from mama_bot.errors import ConfigurationError
from mama_bot.wording import Language


async def migration_answer(configuration: Configuration, url: str | None, *, language: Language) -> Sequence[str]:
    """Copy what the service keeps in its file to a PostgreSQL database, and say so.

    The database is the one at the URL, or at `store.url`. Raises ConfigurationError, StoreUnavailable.
    """
    from mama_bot.store.transfer import transfer

    given = configuration.settings.store.url
    target = url or (given.get_secret_value() if given else "")
    if not target.startswith(("postgresql", "postgres")):
        raise ConfigurationError(problem=says.NO_TARGET)
    file = configuration.directory / DATABASE_NAME
    if not file.exists():
        raise ConfigurationError(problem=says.NO_FILE.of(file=file))
    counts = await transfer(file, target)
    lines = [f"{name}: {count}" for name, count in counts.items() if count]
    lines.append(says.MIGRATED.to(language, rows=sum(counts.values()), file=file))
    if owner_of(configuration.directory) is not None:
        lines.append(says.STILL_WRITES.to(language))
    return lines
