"""What waits to be posted, durably and in order."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from mama_bot.model import ConversationKey, Notice, OutboxEntry, Post, PostId, Receipt
from mama_bot.protocols import Clock
from mama_bot.store.codec import NAMES, POST, conversation_of, instant, key_of, moment, storable
from mama_bot.store.database import Database

_INSERT = text(
    """
    INSERT INTO outbox (id, conversation, turn_id, life, body, created_at)
    VALUES (:id, :conversation, :turn_id, :life, :body, :at)
    ON CONFLICT (id) DO NOTHING
    """
)
_COLUMNS = "body, life, created_at, posted_at, failure"
_PENDING = text(
    f"""
    SELECT {_COLUMNS} FROM outbox
    WHERE conversation = :conversation AND posted_at IS NULL AND failure = '' ORDER BY sequence
    """  # noqa: S608 - a constant
)
_SINCE = text(
    f"SELECT {_COLUMNS} FROM outbox WHERE conversation = :conversation AND created_at >= :since ORDER BY sequence"  # noqa: S608 - a constant
)
_CONVERSATIONS = text(
    """
    SELECT conversation FROM outbox WHERE posted_at IS NULL AND failure = ''
    GROUP BY conversation ORDER BY min(sequence)
    """
)
_POSTED = text(
    """
    UPDATE outbox SET posted_at = :at, platform_ids = :platform_ids, failure = ''
    WHERE id = :id AND posted_at IS NULL
    """
)
_FAILED = text("UPDATE outbox SET failure = :reason WHERE id = :id AND posted_at IS NULL")


class StoredOutbox:
    """The `Outbox` of the database; `life` is the id of this process, unlike that of every earlier one."""

    def __init__(self, *, database: Database, clock: Clock, life: str) -> None:
        self._database = database
        self._clock = clock
        self._life = life

    async def add(self, post: Notice) -> None:
        """See `Outbox.add`; a post that is already there (same id) is left alone.

        Raises TypeError for a reply: replies get here by `TurnStore.finish` only.
        """
        if not isinstance(post, Notice):
            raise TypeError(f"Post {post.id} is not a notice: only a turn that is finished may queue a reply.")
        at = instant(self._clock.now())
        await self._database.write(lambda connection: add_post(connection, post, self._life, at))

    async def pending(self, key: ConversationKey) -> Sequence[OutboxEntry]:
        """See `Outbox.pending`."""
        facts = {"conversation": conversation_of(key)}
        return await self._database.read(
            lambda connection: [entry_of(row, self._life) for row in connection.execute(_PENDING, facts)]
        )

    async def conversations_with_pending(self) -> Sequence[ConversationKey]:
        """See `Outbox.conversations_with_pending`; the one that waits longest first."""
        return await self._database.read(
            lambda connection: [key_of(conversation) for (conversation,) in connection.execute(_CONVERSATIONS)]
        )

    async def mark_posted(self, receipt: Receipt) -> None:
        """See `Outbox.mark_posted`; the first receipt stays."""
        facts = {
            "id": receipt.post_id,
            "at": instant(receipt.posted_at),
            "platform_ids": NAMES.dump(receipt.platform_ids),
        }
        await self._database.write(lambda connection: _update(connection, _POSTED, **facts))

    async def mark_failed(self, post_id: PostId, reason: str) -> None:
        """See `Outbox.mark_failed`; a post that has a receipt stays posted."""
        facts = {"id": post_id, "reason": storable(reason) or "no reason was given"}
        await self._database.write(lambda connection: _update(connection, _FAILED, **facts))


def add_post(connection: Connection, post: Post, life: str, at: str) -> None:
    """Queue a post, once."""
    connection.execute(
        _INSERT,
        {
            "id": post.id,
            "conversation": conversation_of(post.key),
            "turn_id": post.turn_id,
            "life": life,
            "body": POST.dump(post),
            "at": at,
        },
    )


def posts_since(connection: Connection, conversation: str, since: str, life: str) -> tuple[OutboxEntry, ...]:
    """Every post of a conversation from a moment on, oldest first."""
    rows = connection.execute(_SINCE, {"conversation": conversation, "since": since})
    return tuple(entry_of(row, life) for row in rows)


def entry_of(row: Row[Any], life: str) -> OutboxEntry:
    """A row of the outbox as this life sees it."""
    return OutboxEntry(
        post=POST.load(row.body),
        attempted=row.life != life,
        created_at=moment(row.created_at),
        posted_at=None if row.posted_at is None else moment(row.posted_at),
        failure=row.failure,
    )


def _update(connection: Connection, statement: Any, **facts: str) -> None:
    connection.execute(statement, facts)
