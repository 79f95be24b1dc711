"""Boards as files in work trees, where that is configured: read before an exchange, written after it."""

import asyncio
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

import structlog

from mama_bot.boards.repository_files import read_board, write_board
from mama_bot.errors import MamaBotError
from mama_bot.model import ConversationKey, board_of
from mama_bot.protocols import Items, Topics

log = structlog.get_logger(__name__)


class PreparedPlaces(Protocol):
    """Knows where conversations work."""

    def repository(self, key: ConversationKey) -> str:
        """Return the repository that a conversation was assigned."""
        ...

    async def prepare(self, key: ConversationKey, name: str) -> Path:
        """Return where a conversation works in a repository; raises RepositoryUnavailable."""
        ...


class WrittenBoards:
    """Keeps the files of boards for the `repositories` that are named; what cannot be read or written is logged."""

    def __init__(self, *, topics: Topics, items: Items, places: PreparedPlaces, repositories: Collection[str]) -> None:
        self._topics = topics
        self._items = items
        self._places = places
        self._repositories = repositories

    async def take_in(self, key: ConversationKey) -> None:
        """Take in what the work tree of a conversation holds and the board does not: others may have written it."""
        await self._kept(key, writes=False)

    async def write(self, key: ConversationKey) -> None:
        """Write what the board holds into the work tree of a conversation; nothing is committed."""
        await self._kept(key, writes=True)

    async def _kept(self, key: ConversationKey, *, writes: bool) -> None:
        name = self._places.repository(key)
        if name not in self._repositories:
            return
        board = board_of(name, key)
        try:
            root = await self._places.prepare(key, name)
            files = await asyncio.to_thread(read_board, root)
            taken = await self._topics.take_in(board, files.posts), await self._items.take_in(board, files.items)
            if sum(each.new + each.changed for each in taken):
                log.info("board_taken_in", board=board, lines=sum(each.new + each.changed for each in taken))
            if writes:
                posts, items = await self._topics.all_posts(board), await self._items.all_items(board)
                written = await asyncio.to_thread(write_board, root, posts, items)
                log.debug("board_written", board=board, files=written)
        except (MamaBotError, OSError, ValueError) as error:  # a file must not keep anybody from working
            log.warning("board_files_unusable", board=board, reason=str(error))
