"""Which repository each conversation works in, and the work trees that conversations have."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from mama_bot.model import Checkout, ConversationKey, WorkPlace, well_formed
from mama_bot.store.codec import conversation_of, instant, key_from, moment
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database
from mama_bot.store.stored_delegate_trees import open_delegate_trees

_ASSIGNED = Statement("SELECT repository FROM assignments WHERE conversation = :conversation")
_ASSIGN = Statement(
    """
    INSERT INTO assignments (conversation, repository) VALUES (:conversation, :repository)
    ON CONFLICT (conversation) DO NOTHING
    """
)
_ASSIGN_ANEW = Statement(
    """
    INSERT INTO assignments (conversation, repository) VALUES (:conversation, :repository)
    ON CONFLICT (conversation) DO UPDATE SET repository = excluded.repository
    """
)
_CHOICE = Statement("SELECT repository FROM repository_choices WHERE place = :place")
_CHOOSE = Statement(
    """
    INSERT INTO repository_choices (place, repository, chosen_by, at) VALUES (:place, :repository, :by, :at)
    ON CONFLICT (place) DO UPDATE SET
        repository = excluded.repository, chosen_by = excluded.chosen_by, at = excluded.at
    """
)
_COLUMNS = "conversation, repository, branch, base, path, made_at, used_at, put_away_at"
_OF_CONVERSATION = Statement(
    f"SELECT {_COLUMNS} FROM checkouts WHERE conversation = :conversation ORDER BY repository"  # noqa: S608 - a constant
)
_ON_DISK = Statement(f"SELECT {_COLUMNS} FROM checkouts WHERE put_away_at IS NULL ORDER BY used_at")  # noqa: S608 - a constant
_KEEP = Statement(
    f"""
    INSERT INTO checkouts ({_COLUMNS})
    VALUES (:conversation, :repository, :branch, :base, :path, :made_at, :used_at, :put_away_at)
    ON CONFLICT (conversation, repository) DO UPDATE SET
        branch = excluded.branch, base = excluded.base, path = excluded.path, made_at = excluded.made_at,
        used_at = excluded.used_at, put_away_at = excluded.put_away_at
    """  # noqa: S608 - a constant
)
_FORGET = Statement("DELETE FROM checkouts WHERE conversation = :conversation AND repository = :repository")


class StoredCheckouts:
    """The `CheckoutRecords` of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def assigned(self, key: ConversationKey) -> str | None:
        facts = {"conversation": conversation_of(key)}
        name: str | None = await self._database.read(lambda connection: connection.execute(_ASSIGNED, facts).scalar())
        return name

    async def place(self, key: ConversationKey) -> WorkPlace:
        facts = {"conversation": conversation_of(key)}

        def work(connection: Connection) -> WorkPlace:
            return WorkPlace(
                repository=connection.execute(_ASSIGNED, facts).scalar(),
                checkouts=tuple(map(_checkout, connection.execute(_OF_CONVERSATION, facts))),
                delegate_trees=tuple(stored.tree for stored in open_delegate_trees(connection, key)),
            )

        return await self._database.read(work)

    async def assign(self, key: ConversationKey, repository: str, *, anew: bool = False) -> str:
        facts = {"conversation": conversation_of(key), "repository": well_formed(repository)}

        def write(connection: Connection) -> str:
            connection.execute(_ASSIGN_ANEW if anew else _ASSIGN, facts)
            return str(connection.execute(_ASSIGNED, facts).scalar())

        return await self._database.write(write)

    async def choice(self, place: str) -> str | None:
        facts = {"place": well_formed(place)}
        name: str | None = await self._database.read(lambda connection: connection.execute(_CHOICE, facts).scalar())
        return name

    async def choose(self, place: str, repository: str, *, by: str, at: datetime) -> None:
        facts = {"place": well_formed(place), "repository": repository, "by": well_formed(by), "at": instant(at)}
        await self._database.write(lambda connection: connection.execute(_CHOOSE, facts).close())

    async def of_conversation(self, key: ConversationKey) -> Sequence[Checkout]:
        facts = {"conversation": conversation_of(key)}
        rows = await self._database.read(lambda connection: connection.execute(_OF_CONVERSATION, facts).all())
        return [_checkout(row) for row in rows]

    async def keep(self, checkout: Checkout) -> None:
        facts = {
            "conversation": conversation_of(checkout.key),
            "repository": checkout.repository,
            "branch": checkout.branch,
            "base": checkout.base,
            "path": str(checkout.path),
            "made_at": instant(checkout.made_at),
            "used_at": instant(checkout.used_at),
            "put_away_at": instant(checkout.put_away_at) if checkout.put_away_at else None,
        }
        await self._database.write(lambda connection: connection.execute(_KEEP, facts).close())

    async def forget(self, checkout: Checkout) -> None:
        facts = {"conversation": conversation_of(checkout.key), "repository": checkout.repository}
        await self._database.write(lambda connection: connection.execute(_FORGET, facts).close())

    async def on_disk(self) -> Sequence[Checkout]:
        rows = await self._database.read(lambda connection: connection.execute(_ON_DISK).all())
        return [_checkout(row) for row in rows]


def _checkout(row: Row) -> Checkout:
    return Checkout(
        key=key_from(row.conversation),
        repository=row.repository,
        branch=row.branch,
        base=row.base,
        path=Path(row.path),
        made_at=moment(row.made_at),
        used_at=moment(row.used_at),
        put_away_at=moment(row.put_away_at) if row.put_away_at else None,
    )
