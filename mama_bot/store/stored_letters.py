"""What was given up, as the outbox has it: lines that an answer failed, and posts that no platform took."""

from collections.abc import Sequence

from mama_bot.model import DeadLetter, InboundMessage, LetterKind, Notice, NoticeKind, Platform, PostId, repeated_id
from mama_bot.store.codec import MESSAGE, POST, moment
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database

DROPPED = Platform("dropped")  # beside the state of gateways: the posts whose letters nobody wants to see any more
_LETTERS = Statement(
    """
    SELECT sequence, id, body, created_at, posted_at, failure FROM outbox
    WHERE (failure <> '' OR body LIKE '%"notice":"failed"%')
      AND NOT EXISTS (SELECT 1 FROM gateway_state AS kept WHERE kept.platform = :dropped AND kept.name = outbox.id)
    ORDER BY sequence
    """
)
_MESSAGE = Statement("SELECT body FROM messages WHERE id = :id")
_REVIVE = Statement("UPDATE outbox SET failure = '' WHERE id = :id AND posted_at IS NULL AND failure <> ''")
_DROP = Statement(
    """
    INSERT INTO gateway_state (platform, name, value) VALUES (:dropped, :id, '')
    ON CONFLICT (platform, name) DO NOTHING
    """
)


class StoredDeadLetters:
    """The dead letters of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def all(self) -> Sequence[DeadLetter]:
        """Return every letter that was neither dropped nor asked again, the oldest first."""
        return await self._database.read(_letters)

    async def letter(self, number: int) -> DeadLetter | None:
        """Return the letter of a number; None where there is none."""
        return next((letter for letter in await self.all() if letter.number == number), None)

    async def message(self, letter: DeadLetter) -> InboundMessage | None:
        """Return the message that a letter is about; None where it is about none, or that is gone."""
        if letter.message_id is None:
            return None
        facts = {"id": letter.message_id}
        body = await self._database.read(lambda connection: connection.execute(_MESSAGE, facts).scalar())
        return None if body is None else MESSAGE.load(body)

    async def revive(self, post_id: PostId) -> bool:
        """Let a post that was given up be posted again; False where it is not, or arrived meanwhile."""
        facts = {"id": post_id}
        return await self._database.write(lambda connection: connection.execute(_REVIVE, facts).rowcount > 0)

    async def drop(self, post_id: PostId) -> None:
        """Let a letter be listed no more; what was said stays in its conversation."""
        facts = {"id": post_id, "dropped": DROPPED}
        await self._database.write(lambda connection: connection.execute(_DROP, facts).close())


def _letters(connection: Connection) -> list[DeadLetter]:
    letters = []
    for row in connection.execute(_LETTERS, {"dropped": DROPPED}).all():
        letter = _letter(row)
        if letter is not None and not (letter.kind is LetterKind.ANSWER and _is_asked_again(connection, letter)):
            letters.append(letter)
    return letters


def _letter(row: Row) -> DeadLetter | None:
    post = POST.load(row.body)
    is_failure = isinstance(post, Notice) and post.notice is NoticeKind.FAILED
    if not row.failure and not is_failure:
        return None  # somebody's words only look like it
    return DeadLetter(
        number=row.sequence,
        kind=LetterKind.POST if row.failure else LetterKind.ANSWER,
        key=post.key,
        at=moment(row.created_at),
        reason=row.failure or post.text,
        post_id=post.id,
        message_id=post.answers,
    )


def _is_asked_again(connection: Connection, letter: DeadLetter) -> bool:
    if letter.message_id is None:
        return False
    return connection.execute(_MESSAGE, {"id": repeated_id(letter.message_id)}).first() is not None
