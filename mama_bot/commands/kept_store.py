"""What a service stored, for commands that read it, also while the service runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mama_bot.app.configuration import DATABASE_NAME, Configuration
from mama_bot.app.system_clock import SystemClock
from mama_bot.store import Store, open_store, sqlite_url


@asynccontextmanager
async def opened(configuration: Configuration) -> AsyncIterator[Store | None]:
    """Open the store of a configuration, beside a service that may be using it; None when there is none yet."""
    if configuration.settings.store.url is None and not (configuration.directory / DATABASE_NAME).exists():
        yield None
        return
    async with existing(configuration) as store:
        yield store


@asynccontextmanager
async def existing(configuration: Configuration) -> AsyncIterator[Store]:
    """Open the store; raises StoreUnavailable when there is none, or one that the service has to bring up to date."""
    settings = configuration.settings
    given = settings.store.url
    async with open_store(
        given.get_secret_value() if given else sqlite_url(configuration.directory / DATABASE_NAME),
        clock=SystemClock(),
        queue=settings.queue,
        migrates=False,
    ) as store:
        yield store
