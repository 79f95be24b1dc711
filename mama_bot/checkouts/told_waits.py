"""A conversation is told that its work tree takes long: at once where that is known, else when it has."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from mama_bot.errors import MamaBotError
from mama_bot.model import ConversationKey

R = TypeVar("R")
log = structlog.get_logger(__name__)

TOLD_SECONDS = 4.0  # a conversation that waits longer for its work tree is told so
# Tells a conversation how many seconds more the work tree of a repository takes; 0: nobody knows.
TellWait = Callable[[ConversationKey, str, float], Awaitable[None]]


class ToldWaits:
    """Tells each wait of at least so many seconds, once; how long one is to be is `expected` of its repository."""

    def __init__(
        self, *, tell: TellWait | None, expected: Callable[[str], float], seconds: float = TOLD_SECONDS
    ) -> None:
        self._tell = tell
        self._expected = expected
        self._seconds = seconds

    async def told_of(self, key: ConversationKey, name: str, made: Awaitable[R]) -> R:
        """Return what is made, and raise what its making does; whether the wait could be told changes nothing."""
        expected = self._expected(name)
        if self._tell is None:
            return await made
        if expected >= self._seconds:
            await self._told(self._tell, key, name, expected)
            return await made
        failure: Exception
        async with asyncio.TaskGroup() as group:
            telling = group.create_task(self._told_later(self._tell, key, name))
            try:
                return await made
            except Exception as error:  # noqa: BLE001 - raised below as it is: nobody knows it in a group
                failure = error
            finally:
                telling.cancel()
        raise failure

    async def _told_later(self, tell: TellWait, key: ConversationKey, name: str) -> None:
        """The first burst of a life finds no figure: after a while one may be known, and that it takes long is."""
        await asyncio.sleep(self._seconds)
        await self._told(tell, key, name, self._expected(name))

    async def _told(self, tell: TellWait, key: ConversationKey, name: str, seconds: float) -> None:
        try:
            await tell(key, name, seconds)
        except MamaBotError as error:
            log.warning("wait_not_told", conversation=str(key), reason=str(error))
