"""The nodes that work side by side on a PostgreSQL database: who lives, who was taken for dead, who has which duty.

A node has a number that only grows, and names it with every transaction that writes. A number that is gone refuses
that transaction, so who was taken over writes nothing. Time is that of the database.
"""

import asyncio
import time
from dataclasses import dataclass, field

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
from mama_bot.store.jobs import restore_orphans
from mama_bot.store.nodes import Node

log = structlog.get_logger(__name__)

TAKEN_OVER = "MB001"  # the state of the error of a transaction of a node that was taken over

# A node says that it lives each 4 s, and is taken over after 20 without a word; sooner where its connection is gone.
SILENCE_SECONDS = 20
CUT_OFF_SECONDS = 10
# Who left by itself is waited for so long by the conversations whose files it has: a restart, a new release.
RETURN_SECONDS = 30
# Who was away itself, or whose database was, judges nobody before everybody had the time to come back.
_LOOKS_APART_SECONDS = 10.0

_ASK_SECONDS = 2.0

# Its locks are told from others by the first of two numbers; the second is that of the node.
LOCKS = 7165069
_NOW = "extract(epoch FROM clock_timestamp())"

FUNCTION = f"""
    CREATE OR REPLACE FUNCTION mama_node(me bigint) RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE nodes SET until = {_NOW} + {SILENCE_SECONDS}
            WHERE nodes.number = me AND until < {_NOW} + {SILENCE_SECONDS - 3};
            IF NOT FOUND THEN
                PERFORM 1 FROM nodes WHERE nodes.number = me;
                IF NOT FOUND THEN RAISE EXCEPTION 'node taken over' USING ERRCODE = '{TAKEN_OVER}'; END IF;
            END IF;
        END
    $$
"""  # noqa: S608 - numbers of ours

_JOIN = Statement(
    f"""
    INSERT INTO nodes (id, role, number, until) VALUES (:id, :role, :number, {_NOW} + {SILENCE_SECONDS})
    ON CONFLICT (id) DO UPDATE SET role = excluded.role, number = excluded.number, until = excluded.until
    """  # noqa: S608
)
_LEAVE = Statement(f"UPDATE nodes SET number = 0, until = {_NOW} + {RETURN_SECONDS} WHERE number = :number")  # noqa: S608
_FORGET = Statement("DELETE FROM nodes")
_TAKE_OVER = Statement(
    f"""
    DELETE FROM nodes
    WHERE until < {_NOW} OR (
        number > 0 AND until < {_NOW} + {SILENCE_SECONDS - CUT_OFF_SECONDS} AND NOT EXISTS (
            SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted
            AND classid::bigint = {LOCKS} AND objid::bigint = nodes.number
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        )
    )
    RETURNING id, number
    """  # noqa: S608
)
_TAKE_DUTY = Statement(
    """
    INSERT INTO duties (name, number) VALUES (:name, :number)
    ON CONFLICT (name) DO UPDATE SET number = excluded.number
    WHERE duties.number NOT IN (SELECT number FROM nodes WHERE number > 0)
    """
)
_HAS_DUTY = Statement("SELECT 1 FROM duties WHERE name = :name AND number = :number")


def join(connection: Connection, node: Node, number: int) -> None:
    """Begin the life of a node; an earlier one of the same id is over, and wrote its last."""
    connection.execute(_JOIN, {"id": node.id, "role": node.role, "number": number}).close()


def forget_nodes(connection: Connection) -> None:
    """Forget every node: a service that does all itself has the database."""
    connection.execute(_FORGET).close()


def leave(connection: Connection, number: int) -> None:
    """End the life of a node by itself: its duties are free."""
    connection.execute(_LEAVE, {"number": number}).close()


def take_duty(connection: Connection, name: str, number: int) -> bool:
    """Take what one node alone does; returns False while another one that lives has it."""
    facts = {"name": name, "number": number}
    connection.execute(_TAKE_DUTY, facts).close()
    return connection.execute(_HAS_DUTY, facts).first() is not None


@dataclass(slots=True)
class Watch:
    """Takes over nodes that were not heard of, as one that looks every few seconds."""

    _since: float | None = None
    _last: float = field(default=0.0)

    def look(self, connection: Connection) -> int:
        """Take over who is dead, and queue what it ran; returns how many messages that were."""
        now = time.monotonic()
        if self._since is None or now - self._last > _LOOKS_APART_SECONDS:
            self._since = now
        self._last = now
        if now - self._since < SILENCE_SECONDS:
            return 0
        dead = connection.execute(_TAKE_OVER).all()
        if not dead:
            return 0
        restored = restore_orphans(connection)
        log.warning("nodes_taken_over", nodes=[row.id for row in dead], restored=restored)
        return restored

    def missed(self) -> None:
        """Judge nobody for a while: the database was away."""
        self._since = None


class StoredNodes:
    """The `Nodes` of the database, as one of them sees them."""

    def __init__(self, *, database: Database, node: Node, number: int) -> None:
        self._database = database
        self._number = number
        self.place = node.place

    async def duty(self, name: str) -> None:
        """See `Nodes.duty`."""
        while True:
            try:
                if await self._database.write(lambda connection: take_duty(connection, name, self._number)):
                    log.info("duty_taken", duty=name)
                    return
            except StoreUnavailable as error:
                log.warning("duty_not_asked_for", duty=name, reason=str(error))
            await asyncio.sleep(_ASK_SECONDS)

    async def watch(self) -> None:
        """See `Nodes.watch`."""
        watch = Watch()
        while True:
            try:
                await self._database.write(watch.look)
            except StoreUnavailable as error:
                watch.missed()
                log.warning("nodes_not_seen", reason=str(error))
            await asyncio.sleep(_ASK_SECONDS)
