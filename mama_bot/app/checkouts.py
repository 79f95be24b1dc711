"""The work trees of conversations, put together from the configuration."""

import uuid

from mama_bot.app.configuration import Configuration
from mama_bot.checkouts import Checkouts
from mama_bot.protocols import CheckoutRecords, Clock


def checkouts_of(configuration: Configuration, records: CheckoutRecords, clock: Clock) -> Checkouts:
    """Return what gives conversations their repositories and work trees."""
    settings = configuration.settings
    return Checkouts(
        directory=configuration.directory,
        repositories=settings.repositories,
        settings=settings.work_trees,
        default=settings.default_repository,
        records=records,
        clock=clock,
        new_id=lambda: uuid.uuid4().hex[:8],
    )
