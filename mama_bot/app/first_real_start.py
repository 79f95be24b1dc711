"""The step from the scripted to a real model: conversations and pairings come along."""

import asyncio

import structlog

from mama_bot.app.configuration import Configuration, scripted
from mama_bot.errors import StoreUnavailable
from mama_bot.store import take_over

log = structlog.get_logger(__name__)


async def take_over_from_scripted(configuration: Configuration, database: str) -> None:
    """Begin a real model's database with what the scripted one's holds, where there is none yet.

    Agents know nothing of what the script said. What cannot be taken over is logged, and the service starts without.
    """
    if configuration.scripted or configuration.settings.store.url is not None:
        return
    source, target = scripted(configuration).directory / database, configuration.directory / database
    if target.exists() or not source.exists():
        return
    try:
        await asyncio.to_thread(take_over, source, target)
    except StoreUnavailable as error:
        log.warning("not_taken_over", source=str(source), reason=str(error))
    else:
        log.info("taken_over", source=str(source))
