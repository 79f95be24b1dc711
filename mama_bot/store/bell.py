"""A bell that wakes a loop which looks for work."""

import asyncio
from enum import StrEnum

from mama_bot.model import ConversationKey


class Ring(StrEnum):
    """What came into the database: work, a post, or a node's event; ANY where it is not known what was missed."""

    JOBS = "mama_jobs"
    POSTS = "mama_posts"
    EVENTS = "mama_events"
    ANY = ""


class Bell:
    """Rung when a job may have become ready; a loop that counts the rings misses none."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._rings = 0

    @property
    def rings(self) -> int:
        """How often it was rung so far."""
        return self._rings

    def ring(self) -> None:
        """Ring: there may be work."""
        self._rings += 1
        self._rung.set()

    async def heard(self) -> None:
        """Wait until it was rung since the last call that returned."""
        await self._rung.wait()
        self._rung.clear()


class PostBell:
    """The `OutboxBell` of one process."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()
        self._keys: set[ConversationKey] = set()

    def ring(self, key: ConversationKey) -> None:
        self._keys.add(key)
        self._rung.set()

    async def heard(self) -> frozenset[ConversationKey]:
        await self._rung.wait()
        self._rung.clear()
        keys, self._keys = frozenset(self._keys), set()
        return keys
