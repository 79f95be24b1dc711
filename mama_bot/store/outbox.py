"""What waits to be posted, durably and in order."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from mama_bot.model import ChangeId, ConversationKey, Notice, OutboxEntry, Post, PostId, Receipt, well_formed
from mama_bot.protocols import Clock, OutboxBell
from mama_bot.store.codec import NAMES, POST, channel_of, conversation_of, instant, key_from, moment
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database

_INSERT = Statement(
    """
    INSERT INTO outbox (id, conversation, turn_id, body, created_at)
    VALUES (:id, :conversation, :turn_id, :body, :at)
    ON CONFLICT (id) DO NOTHING
    """
)
_COLUMNS = "id, body, created_at, posted_at, failure"
_PENDING = Statement(
    f"""
    SELECT {_COLUMNS} FROM outbox
    WHERE conversation = :conversation AND posted_at IS NULL AND failure = '' ORDER BY sequence
    """  # noqa: S608 - a constant
)
_SINCE = Statement(
    f"SELECT {_COLUMNS} FROM outbox WHERE conversation = :conversation AND created_at >= :since ORDER BY sequence"  # noqa: S608 - a constant
)
_ENTRY = Statement(f"SELECT {_COLUMNS} FROM outbox WHERE id = :id")  # noqa: S608 - a constant
# Any text may hold the words of an id: whether a post tells of the change is looked at once it is read.
_TELLING = Statement(
    f"""
    SELECT {_COLUMNS} FROM outbox
    WHERE conversation = :conversation AND posted_at IS NOT NULL AND body LIKE :words ORDER BY sequence
    """  # noqa: S608 - a constant
)
_PARTS = Statement("SELECT part, platform_id FROM outbox_parts WHERE post_id = :id ORDER BY part")
_CONVERSATIONS = Statement(
    """
    SELECT conversation FROM outbox WHERE posted_at IS NULL AND failure = ''
    GROUP BY conversation ORDER BY min(sequence)
    """
)
_POSTED = Statement(
    """
    UPDATE outbox SET posted_at = :at, platform_ids = :platform_ids, failure = ''
    WHERE id = :id AND posted_at IS NULL
    """
)
_TRIED = Statement(
    """
    SELECT outbox_parts.post_id, outbox_parts.part, outbox_parts.platform_id
    FROM outbox_parts JOIN outbox ON outbox.id = outbox_parts.post_id
    WHERE outbox.conversation = :conversation AND outbox.posted_at IS NULL AND outbox.failure = ''
    """
)
_SENDING = Statement(
    "INSERT INTO outbox_parts (post_id, part, conversation) VALUES (:id, :part, :conversation) ON CONFLICT DO NOTHING"
)
_SENT = Statement(
    """
    INSERT INTO outbox_parts (post_id, part, conversation, platform_id)
    SELECT :id, :part, conversation, :platform_id FROM outbox WHERE id = :id
    ON CONFLICT (post_id, part) DO UPDATE SET platform_id = excluded.platform_id
    """
)
_UNSENT = Statement("DELETE FROM outbox_parts WHERE post_id = :id AND part = :part AND platform_id = ''")
# Ids are unique within a channel, and a reply may have gone to a thread that was opened for it.
_POST_OF = Statement(
    """
    SELECT post_id FROM outbox_parts
    WHERE platform_id = :platform_id AND substr(conversation, 1, :length) = :channel LIMIT 1
    """
)
_FAILED = Statement("UPDATE outbox SET failure = :reason WHERE id = :id AND posted_at IS NULL")

_WITHDRAWN = Statement("DELETE FROM outbox WHERE id = :id AND posted_at IS NULL")
_PARTS_WITHDRAWN = Statement("DELETE FROM outbox_parts WHERE post_id = :id")


class StoredOutbox:
    """The `Outbox` of the database, and its `Posted`."""

    def __init__(self, *, database: Database, clock: Clock, bell: OutboxBell) -> None:
        self._database = database
        self._clock = clock
        self._bell = bell

    async def add(self, post: Notice) -> None:
        """See `Outbox.add`; a post that is already there (same id) is left alone.

        Raises TypeError for a reply: replies get here by `TurnStore.finish` only.
        """
        await self.add_while(post, lambda: True)

    async def add_while(self, post: Notice, wanted: Callable[[], bool]) -> None:
        """Queue a line unless it is no longer `wanted` when the database gets to it: who waits may give up."""
        if not isinstance(post, Notice):
            raise TypeError(f"Post {post.id} is not a notice: only a turn that is finished may queue a reply.")
        at = instant(self._clock.now())

        def work(connection: Connection) -> None:
            if wanted():
                add_post(connection, post, at)

        await self._database.write(work)
        self._bell.ring(post.key)

    async def pending(self, key: ConversationKey) -> Sequence[OutboxEntry]:
        return await self._database.read(lambda connection: _pending(connection, conversation_of(key)))

    async def entry(self, post_id: PostId) -> OutboxEntry | None:
        def work(connection: Connection) -> OutboxEntry | None:
            row = connection.execute(_ENTRY, {"id": post_id}).first()
            return None if row is None else _entry(row, _ids(connection, post_id))

        return await self._database.read(work)

    async def telling(self, key: ConversationKey, change: ChangeId) -> Sequence[OutboxEntry]:
        facts = {"conversation": conversation_of(key), "words": f"%{change}%"}

        def work(connection: Connection) -> list[OutboxEntry]:
            told = [
                entry
                for row in connection.execute(_TELLING, facts).all()
                if (entry := _entry(row)).post.change == change
            ]
            return [replace(entry, tried=_ids(connection, entry.post.id)) for entry in told]

        return await self._database.read(work)

    async def conversations_with_pending(self) -> Sequence[ConversationKey]:
        """See `Outbox.conversations_with_pending`; the one that waits longest first."""
        return await self._database.read(
            lambda connection: [key_from(conversation) for (conversation,) in connection.execute(_CONVERSATIONS)]
        )

    async def mark_sending(self, post: Post, part: int, *, sent: Mapping[int, str] | None = None) -> None:
        facts = {"id": post.id, "part": part, "conversation": conversation_of(post.key)}
        known = dict(sent or {})

        def work(connection: Connection) -> None:
            _keep_ids(connection, post.id, known)
            connection.execute(_SENDING, facts)

        await self._database.write(work)

    async def mark_sent(self, post: Post, sent: Mapping[int, str]) -> None:
        known = dict(sent)
        await self._database.write(lambda connection: _keep_ids(connection, post.id, known))

    async def mark_unsent(self, post: Post, part: int) -> None:
        facts = {"id": post.id, "part": part}
        await self._database.write(lambda connection: connection.execute(_UNSENT, facts).close())

    async def mark_posted(self, receipt: Receipt) -> None:
        """See `Outbox.mark_posted`; the first receipt stays."""
        facts = {
            "id": receipt.post_id,
            "at": instant(receipt.posted_at),
            "platform_ids": NAMES.dump(receipt.platform_ids),
        }

        def work(connection: Connection) -> None:
            if connection.execute(_POSTED, facts).rowcount:
                _keep_ids(connection, receipt.post_id, dict(enumerate(receipt.platform_ids)))

        await self._database.write(work)

    async def mark_failed(self, post_id: PostId, reason: str) -> None:
        """See `Outbox.mark_failed`; a post that has a receipt stays posted."""
        facts = {"id": post_id, "reason": well_formed(reason) or "no reason was given"}
        await self._database.write(lambda connection: connection.execute(_FAILED, facts).close())

    async def withdraw(self, post_id: PostId) -> None:
        """See `Outbox.withdraw`; a post that has a receipt stays."""
        facts = {"id": post_id}

        def work(connection: Connection) -> None:
            if connection.execute(_WITHDRAWN, facts).rowcount:
                connection.execute(_PARTS_WITHDRAWN, facts).close()

        await self._database.write(work)

    async def post_of(self, key: ConversationKey, platform_id: str) -> PostId | None:
        channel = channel_of(key)
        facts = {"platform_id": well_formed(platform_id), "channel": channel, "length": len(channel)}
        post_id = await self._database.read(lambda connection: connection.execute(_POST_OF, facts).scalar())
        return None if post_id is None or not platform_id else PostId(post_id)


def add_post(connection: Connection, post: Post, at: str) -> None:
    """Queue a post, once."""
    connection.execute(
        _INSERT,
        {
            "id": post.id,
            "conversation": conversation_of(post.key),
            "turn_id": post.turn_id,
            "body": POST.dump(post),
            "at": at,
        },
    )


def posts_since(connection: Connection, conversation: str, since: str) -> tuple[OutboxEntry, ...]:
    """Return every post of a conversation from a moment on, oldest first."""
    rows = connection.execute(_SINCE, {"conversation": conversation, "since": since})
    return tuple(_entry(row) for row in rows)


def _pending(connection: Connection, conversation: str) -> list[OutboxEntry]:
    facts = {"conversation": conversation}
    rows = connection.execute(_PENDING, facts).all()
    if not rows:
        return []
    tried: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for post_id, part, platform_id in connection.execute(_TRIED, facts):
        tried[post_id][part] = platform_id
    return [_entry(row, tried[row.id]) for row in rows]


def _ids(connection: Connection, post_id: PostId) -> Mapping[int, str]:
    """Return the platform's ids of the parts of a post, by their number."""
    return {part.part: part.platform_id for part in connection.execute(_PARTS, {"id": post_id}).all()}


def _keep_ids(connection: Connection, post_id: PostId, platform_ids: Mapping[int, str]) -> None:
    for part, platform_id in platform_ids.items():
        connection.execute(_SENT, {"id": post_id, "part": part, "platform_id": well_formed(platform_id)})


def _entry(row: Row, tried: Mapping[int, str] | None = None) -> OutboxEntry:
    return OutboxEntry(
        post=POST.load(row.body),
        created_at=moment(row.created_at),
        posted_at=None if row.posted_at is None else moment(row.posted_at),
        failure=row.failure,
        tried=tried or {},
    )
