"""Topics of boards: posts are added and read, nothing of them is changed."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from mama_bot.boards import sentences as says
from mama_bot.boards.topic_steps import refuse_name, refuse_unusable
from mama_bot.boards.ulids import RANDOM_BYTES, ulid
from mama_bot.errors import BoardRefused
from mama_bot.model import BoardId, NewTopicPost, TakenIn, TopicPost, TopicPostId, TopicSummary, text_hash
from mama_bot.protocols import Clock
from mama_bot.store.codec import TOPIC_POST, moment
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
from mama_bot.wording import one_line

MOST_POSTS = 50_000

_ADD = Statement(
    """
    INSERT INTO topic_posts (id, board, topic, body, once) VALUES (:id, :board, :topic, :body, :once)
    ON CONFLICT DO NOTHING
    """
)
_ONCE = Statement("SELECT body FROM topic_posts WHERE once = :once")
_KNOWN = Statement("SELECT body FROM topic_posts WHERE board = :board AND id = :id")
_COUNT = Statement("SELECT COUNT(*) FROM topic_posts WHERE board = :board")
_LATEST_ID = Statement("SELECT MAX(id) FROM topic_posts WHERE board = :board")
_SINCE = Statement(
    """
    SELECT body FROM topic_posts
    WHERE board = :board AND topic = :topic
      AND sequence > (SELECT sequence FROM topic_posts WHERE board = :board AND id = :since)
    ORDER BY sequence LIMIT :limit
    """
)
_NEWEST = Statement(
    "SELECT body FROM topic_posts WHERE board = :board AND topic = :topic ORDER BY sequence DESC LIMIT :limit"
)
_ALL = Statement("SELECT body FROM topic_posts WHERE board = :board ORDER BY id")
_TOPICS = Statement(
    """
    SELECT board, topic, COUNT(*) AS posts, MAX(json_extract(body, '$.at')) AS last_at FROM topic_posts
    WHERE CAST(:board AS TEXT) IS NULL OR board = :board GROUP BY board, topic ORDER BY MAX(sequence) DESC LIMIT :limit
    """
)


class StoredTopics:
    """The `Topics` of the database."""

    def __init__(
        self,
        *,
        database: Database,
        clock: Clock,
        randomness: Callable[[int], bytes] = os.urandom,
        most: int = MOST_POSTS,
    ) -> None:
        self._database = database
        self._clock = clock
        self._randomness = randomness
        self._most = most

    async def add(self, board: BoardId, new: NewTopicPost) -> TopicPost:
        refuse_unusable(new)
        at, randomness, once = self._clock.now(), self._randomness(RANDOM_BYTES), _once(board, new)

        def work(connection: Connection) -> TopicPost:
            if once is not None and (body := connection.execute(_ONCE, {"once": once}).scalar()):
                return TOPIC_POST.load(body)
            if connection.execute(_COUNT, {"board": board}).scalar() >= self._most:
                raise BoardRefused(says.FULL.of(most=self._most))
            if new.in_reply_to is not None:
                refuse_unknown(connection, board, new.in_reply_to)
            latest = connection.execute(_LATEST_ID, {"board": board}).scalar() or ""
            post = TopicPost(
                id=TopicPostId(ulid(at, randomness, after=latest)),
                topic=new.topic,
                text=new.text,
                by=new.by,
                at=at,
                in_reply_to=new.in_reply_to,
                metadata=new.metadata,
                turn_id=new.turn_id,
                verdict=new.verdict,
            )
            _add(connection, board, post, once)
            return post

        return await self._database.write(work)

    async def find(self, board: BoardId, post_id: TopicPostId) -> TopicPost | None:
        facts = {"board": board, "id": post_id}
        body = await self._database.read(lambda connection: connection.execute(_KNOWN, facts).scalar())
        return None if body is None else TOPIC_POST.load(body)

    async def read(
        self, board: BoardId, topic: str, *, since: TopicPostId | None = None, limit: int = 50
    ) -> Sequence[TopicPost]:
        refuse_name(topic)
        facts = {"board": board, "topic": topic, "since": since, "limit": limit}

        def work(connection: Connection) -> Sequence[TopicPost]:
            if since is None:
                bodies = list(connection.execute(_NEWEST, facts).scalars())[::-1]
            else:
                refuse_unknown(connection, board, since)
                bodies = list(connection.execute(_SINCE, facts).scalars())
            return [TOPIC_POST.load(body) for body in bodies]

        return await self._database.read(work)

    async def topics(self, board: BoardId | None = None, *, limit: int = 100) -> Sequence[TopicSummary]:
        facts = {"board": board, "limit": limit}
        rows = await self._database.read(lambda connection: connection.execute(_TOPICS, facts).all())
        return [
            TopicSummary(board=BoardId(row.board), topic=row.topic, posts=row.posts, last_at=moment(row.last_at))
            for row in rows
        ]

    async def all_posts(self, board: BoardId) -> Sequence[TopicPost]:
        def work(connection: Connection) -> Sequence[TopicPost]:
            return [TOPIC_POST.load(body) for body in connection.execute(_ALL, {"board": board}).scalars()]

        return await self._database.read(work)

    async def take_in(self, board: BoardId, posts: Sequence[TopicPost]) -> TakenIn:
        def work(connection: Connection) -> TakenIn:
            room = self._most - connection.execute(_COUNT, {"board": board}).scalar()
            new = 0
            for post in posts:
                if new >= room:
                    raise BoardRefused(says.FULL.of(most=self._most))
                new += _add(connection, board, replace(post, imported=True), None)
            return TakenIn(new=new, known=len(posts) - new)

        return await self._database.write(work)


def refuse_unknown(connection: Connection, board: BoardId, post_id: TopicPostId) -> None:
    """Raise BoardRefused where a board has no such post."""
    if connection.execute(_KNOWN, {"board": board, "id": post_id}).scalar() is None:
        raise BoardRefused(says.NO_POST.of(id=one_line(post_id, 40)))


def _add(connection: Connection, board: BoardId, post: TopicPost, once: str | None) -> int:
    facts = {"id": post.id, "board": board, "topic": post.topic, "body": TOPIC_POST.dump(post), "once": once}
    return connection.execute(_ADD, facts).rowcount


def _once(board: BoardId, new: NewTopicPost) -> str | None:
    """Return what a turn posts once; None for a person, who may say the same again."""
    if new.turn_id is None:
        return None
    return text_hash("\0".join((board, new.turn_id, new.topic, new.in_reply_to or "", new.text)))
