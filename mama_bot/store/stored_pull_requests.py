"""The pull requests that conversations opened, and what their threads were told of them."""

from collections.abc import Sequence

from mama_bot.model import CommitChecks, ConversationKey, WatchedPullRequest
from mama_bot.store.codec import PULL_REQUEST, conversation_of, instant
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database

_KEEP = Statement(
    """
    INSERT INTO pull_requests (repository, number, conversation, body, ended_at)
    VALUES (:repository, :number, :conversation, :body, :ended_at)
    ON CONFLICT (repository, number) DO UPDATE SET
        conversation = excluded.conversation, body = excluded.body, ended_at = excluded.ended_at
    """
)
_KNOWN = Statement("SELECT body FROM pull_requests WHERE repository = :repository AND number = :number")
_WATCHED = Statement("SELECT body FROM pull_requests WHERE ended_at IS NULL ORDER BY sequence DESC LIMIT :limit")
_LATEST = Statement("SELECT body FROM pull_requests WHERE conversation = :conversation ORDER BY sequence DESC LIMIT 1")


class StoredPullRequests:
    """The `PullRequestRecords` of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def keep(self, watched: WatchedPullRequest) -> None:
        facts = {
            "repository": watched.repository,
            "number": watched.number,
            "conversation": conversation_of(watched.key),
            "body": PULL_REQUEST.dump(watched),
            "ended_at": instant(watched.ended_at) if watched.ended_at else None,
        }
        await self._database.write(lambda connection: connection.execute(_KEEP, facts).close())

    async def known(self, repository: str, number: int) -> WatchedPullRequest | None:
        facts = {"repository": repository, "number": number}
        body = await self._database.read(lambda connection: connection.execute(_KNOWN, facts).scalar())
        return PULL_REQUEST.load(body) if body else None

    async def watched(self, limit: int) -> Sequence[WatchedPullRequest]:
        rows = await self._database.read(lambda connection: connection.execute(_WATCHED, {"limit": limit}).all())
        return [PULL_REQUEST.load(row.body) for row in rows]


def checks_of_open(connection: Connection, key: ConversationKey) -> CommitChecks | None:
    """Return what the forge said last of the pull request of a conversation; None without one that is open."""
    body = connection.execute(_LATEST, {"conversation": conversation_of(key)}).scalar()
    latest = PULL_REQUEST.load(body) if body else None
    return None if latest is None or latest.ended_at is not None or latest.trouble else latest.checks
