"""Receipts: what the posted replies rest on."""

from dataclasses import replace

from mama_bot.errors import NoSuchReceipt
from mama_bot.model import Attempt, ClaimReceipt, ConversationKey, PostId, Reply, Turn, receipt_of, well_formed
from mama_bot.store.codec import RECEIPT, conversation_of, instant
from mama_bot.store.connection import Connection, Row, Statement
from mama_bot.store.database import Database

_ADD = Statement(
    """
    INSERT INTO receipts (turn_id, conversation, body, at) VALUES (:turn_id, :conversation, :body, :at)
    ON CONFLICT (turn_id) DO NOTHING
    """
)
_BY_NUMBER = Statement("SELECT sequence, body FROM receipts WHERE sequence = :number")
_BY_TURN = Statement("SELECT sequence, body FROM receipts WHERE turn_id = :turn_id")
_BY_POST = Statement(
    """
    SELECT receipts.sequence, receipts.body FROM receipts JOIN outbox ON outbox.turn_id = receipts.turn_id
    WHERE outbox.id = :post_id AND outbox.conversation = :conversation
    """
)
_LATEST = Statement(
    "SELECT sequence, body FROM receipts WHERE conversation = :conversation ORDER BY sequence DESC LIMIT :limit"
)
_SINCE = Statement(
    "SELECT sequence, body FROM receipts WHERE conversation = :conversation AND at >= :since ORDER BY sequence"
)


class StoredReceipts:
    """The `Receipts` of the database."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def receipt(self, reference: str) -> ClaimReceipt:
        """Return a receipt by its number or by the id of its turn; raises NoSuchReceipt."""
        number = reference.removeprefix("#")
        by_number = number.isascii() and number.isdigit() and len(number) < 18
        query, facts = (
            (_BY_NUMBER, {"number": int(number)}) if by_number else (_BY_TURN, {"turn_id": well_formed(reference)})
        )
        row = await self._database.read(lambda connection: connection.execute(query, facts).first())
        if row is None:
            raise NoSuchReceipt(reference)
        return _receipt(row)

    async def of_post(self, key: ConversationKey, post_id: PostId) -> ClaimReceipt | None:
        facts = {"post_id": well_formed(post_id), "conversation": conversation_of(key)}
        row = await self._database.read(lambda connection: connection.execute(_BY_POST, facts).first())
        return None if row is None else _receipt(row)

    async def numbered(self, key: ConversationKey, number: int) -> ClaimReceipt | None:
        row = await self._database.read(lambda connection: connection.execute(_BY_NUMBER, {"number": number}).first())
        receipt = None if row is None else _receipt(row)
        return receipt if receipt is not None and receipt.key == key else None

    async def latest(self, key: ConversationKey, limit: int) -> tuple[ClaimReceipt, ...]:
        facts = {"conversation": conversation_of(key), "limit": limit}
        rows = await self._database.read(lambda connection: connection.execute(_LATEST, facts).all())
        return tuple(_receipt(row) for row in rows)


def add_receipt(connection: Connection, turn: Turn, attempt: Attempt, reply: Reply) -> None:
    """Store the receipt of a turn's reply, if it has one; the first one stays."""
    receipt = receipt_of(turn, attempt, record_line=reply.record_line)
    if receipt is not None:
        facts = {"turn_id": turn.id, "conversation": conversation_of(turn.key), "at": instant(receipt.at)}
        connection.execute(_ADD, facts | {"body": RECEIPT.dump(receipt)})


def receipts_since(connection: Connection, conversation: str, since: str) -> tuple[ClaimReceipt, ...]:
    """Return the receipts of a conversation from a moment on, oldest first."""
    facts = {"conversation": conversation, "since": since}
    return tuple(_receipt(row) for row in connection.execute(_SINCE, facts))


def _receipt(row: Row) -> ClaimReceipt:
    return replace(RECEIPT.load(row.body), number=row.sequence)
