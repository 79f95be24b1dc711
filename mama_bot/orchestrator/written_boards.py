"""Boards as files of a repository, where that is configured: read from its branch, written into work trees."""

import asyncio
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

import structlog

from mama_bot.boards.repository_files import ITEMS, MOST_BYTES, TOPICS, board_of_files, write_board
from mama_bot.errors import MamaBotError
from mama_bot.model import BoardId, ConversationKey, board_of
from mama_bot.protocols import Items, Topics

log = structlog.get_logger(__name__)

UNUSABLE = (MamaBotError, OSError, ValueError)  # a file must not keep anybody from working


class CommittedFiles(Protocol):
    """What the branch holds on which work begins."""

    async def files(self, *paths: str, most_bytes: int) -> Mapping[str, str]:
        """Return files of it by their paths; raises RepositoryUnavailable, GitFailed."""
        ...


class PreparedPlaces(Protocol):
    """Knows where conversations work."""

    def repository(self, key: ConversationKey) -> str:
        """Return the repository that a conversation was assigned."""
        ...

    async def prepare(self, key: ConversationKey, name: str) -> Path:
        """Return where a conversation works in a repository; raises RepositoryUnavailable."""
        ...

    def store(self, name: str) -> CommittedFiles | None:
        """Return where the files of a repository are read; None where it is worked on in place."""
        ...


class WrittenBoards:
    """Keeps the files of boards for the `repositories` that are named; what cannot be read or written is logged."""

    def __init__(self, *, topics: Topics, items: Items, places: PreparedPlaces, repositories: Collection[str]) -> None:
        self._topics = topics
        self._items = items
        self._places = places
        self._repositories = repositories

    async def take_in(self, key: ConversationKey) -> None:
        """Take in what the branch holds on which work begins, and the board does not.

        Nothing is read of a work tree: an agent writes there, and would write on the board past all judgement.
        """
        board, name = self._board(key)
        if not board:
            return
        try:
            await self._places.prepare(key, name)
            if (store := self._places.store(name)) is None:
                return
            texts = await store.files(TOPICS, ITEMS, most_bytes=MOST_BYTES)
            files = await asyncio.to_thread(board_of_files, texts)
            for taken in (
                await self._topics.take_in(board, files.posts),
                await self._items.take_in(board, files.items),
            ):
                if taken.new + taken.changed:
                    log.info("board_taken_in", board=board, lines=taken.new + taken.changed)
        except UNUSABLE as error:
            log.warning("board_files_unusable", board=board, reason=str(error))

    async def write(self, key: ConversationKey) -> None:
        """Write what the board holds into the work tree of a conversation; nothing is committed."""
        board, name = self._board(key)
        if not board:
            return
        try:
            root = await self._places.prepare(key, name)
            posts, items = await self._topics.all_posts(board), await self._items.all_items(board)
            written = await asyncio.to_thread(write_board, root, posts, items)
            log.debug("board_written", board=board, files=written)
        except UNUSABLE as error:
            log.warning("board_files_unusable", board=board, reason=str(error))

    def _board(self, key: ConversationKey) -> tuple[BoardId | None, str]:
        """Return the board of a conversation that is kept as files, None for none, and its repository."""
        name = self._places.repository(key)
        return (board_of(name, key) if name in self._repositories else None), name
