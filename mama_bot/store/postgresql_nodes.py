"""The nodes that work side by side on a PostgreSQL database: who lives, who was taken for dead, who has which duty.

A node has a number that only grows, and names it with every transaction that writes. A number that is gone refuses
that transaction, so who was taken over writes nothing. Time is that of the database.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from mama_bot.boot_clock import since_boot
from mama_bot.errors import StoreUnavailable
from mama_bot.model import ConversationKey, Platform
from mama_bot.store.codec import conversation_of
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
from mama_bot.store.jobs import restore_orphans
from mama_bot.store.nodes import Node, NodeLease

log = structlog.get_logger(__name__)

TAKEN_OVER = "MB001"  # the state of the error of a transaction of a node that was taken over

# Its locks are told from others by the first of two numbers; the second is that of the node.
LOCKS = 7165069
_NOW = "extract(epoch FROM clock_timestamp())"

# A node says that it lives several times in the time after which it is taken over (`NodeLease`).
FUNCTION = f"""
    CREATE OR REPLACE FUNCTION mama_node(me bigint, silence double precision, renewed double precision)
    RETURNS void LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE nodes SET until = {_NOW} + silence
            WHERE nodes.number = me AND until < {_NOW} + silence - renewed;
            IF NOT FOUND THEN
                PERFORM 1 FROM nodes WHERE nodes.number = me;
                IF NOT FOUND THEN RAISE EXCEPTION 'node taken over' USING ERRCODE = '{TAKEN_OVER}'; END IF;
            END IF;
        END
    $$
"""  # noqa: S608 - numbers of ours

_JOIN = Statement(
    f"""
    INSERT INTO nodes (id, role, number, until, platforms)
    VALUES (:id, :role, :number, {_NOW} + :seconds, :platforms)
    ON CONFLICT (id) DO UPDATE SET
        role = excluded.role, number = excluded.number, until = excluded.until, platforms = excluded.platforms
    """  # noqa: S608 - words of ours
)
_LEAVE = Statement(f"UPDATE nodes SET number = 0, until = {_NOW} + :seconds WHERE number = :number")  # noqa: S608
_FORGET = Statement("DELETE FROM nodes")
_TAKE_OVER = Statement(
    f"""
    DELETE FROM nodes
    WHERE until < {_NOW} OR (
        number > 0 AND until < {_NOW} + :left AND NOT EXISTS (
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
_HOME = Statement(
    """
    SELECT homes.node FROM homes JOIN nodes ON nodes.id = homes.node
    WHERE homes.conversation = :conversation AND nodes.role = 'worker'
    """
)
_LIVES = Statement("SELECT 1 FROM nodes WHERE id = :node")
_WORKER = Statement("SELECT min(id) FROM nodes WHERE number > 0 AND role = 'worker'")
_RELEASE_DUTY = Statement("DELETE FROM duties WHERE name = :name AND number = :number")
_OTHERS = Statement(
    """
    SELECT count(*) FROM nodes
    WHERE number > 0 AND id <> :node AND role = :role AND position(:platform in platforms) > 0
    """
)
_TABLE = Statement("SELECT to_regclass('nodes') IS NOT NULL")
_LIVING = Statement(f"SELECT 1 FROM nodes WHERE number > 0 AND until > {_NOW} AND id <> :node LIMIT 1")  # noqa: S608
_HAS_DUTY = Statement("SELECT 1 FROM duties WHERE name = :name AND number = :number")


def lives_another(connection: Connection, node: Node) -> bool:
    """Return whether another node lives, whatever release it is of; False where there were no nodes yet."""
    there = connection.execute(_TABLE).scalar()
    return bool(there and connection.execute(_LIVING, {"node": node.id}).first())


def join(connection: Connection, node: Node, number: int) -> None:
    """Begin the life of a node; an earlier one of the same id is over, and wrote its last."""
    seconds = node.lease.silence_seconds
    platforms = f" {' '.join(node.platforms)} "
    facts = {"id": node.id, "role": node.role, "number": number, "seconds": seconds, "platforms": platforms}
    connection.execute(_JOIN, facts).close()


def forget_nodes(connection: Connection) -> None:
    """Forget every node: a service that does all itself has the database."""
    connection.execute(_FORGET).close()


def leave(connection: Connection, node: Node, number: int) -> None:
    """End the life of a node by itself: its duties are free, its conversations wait for its return a little."""
    connection.execute(_LEAVE, {"number": number, "seconds": node.lease.return_seconds}).close()


def take_duty(connection: Connection, name: str, number: int) -> bool:
    """Take what one node alone does; returns False while another one that lives has it."""
    facts = {"name": name, "number": number}
    connection.execute(_TAKE_DUTY, facts).close()
    return connection.execute(_HAS_DUTY, facts).first() is not None


@dataclass(slots=True)
class Watch:
    """Takes over nodes that were not heard of, as one that looks every few seconds.

    Who was away itself, or whose database was, judges nobody before everybody had the time to come back.
    """

    lease: NodeLease
    _since: float | None = None
    _last: float = field(default=0.0)

    def look(self, connection: Connection) -> int:
        """Take over who is dead, and queue what it ran; returns how many messages that were."""
        now = since_boot()
        if self._since is None or now - self._last > self.lease.cut_off_seconds:
            self._since = now
        self._last = now
        if now - self._since < self.lease.silence_seconds:
            return 0
        left = self.lease.silence_seconds - self.lease.cut_off_seconds
        dead = connection.execute(_TAKE_OVER, {"left": left}).all()
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

    def __init__(self, *, database: Database, node: Node, number: int, last_written: Callable[[], float]) -> None:
        self._last_written = last_written
        self._database = database
        self._number = number
        self._lease = node.lease
        self.id = node.id
        self._role = node.role
        self.place = node.place

    def may_post(self) -> bool:
        """See `Nodes.may_post`: whoever stood still for long does not know who works by now."""
        return since_boot() - self._last_written() < self._lease.posting_seconds

    async def home(self, key: ConversationKey) -> str | None:
        facts = {"conversation": conversation_of(key)}
        node: str | None = await self._database.read(lambda connection: connection.execute(_HOME, facts).scalar())
        return node

    async def lives(self, node: str) -> bool:
        row = await self._database.read(lambda connection: connection.execute(_LIVES, {"node": node}).first())
        return row is not None

    async def worker(self) -> str | None:
        node: str | None = await self._database.read(lambda connection: connection.execute(_WORKER).scalar())
        return node

    async def duty(self, name: str) -> None:
        """See `Nodes.duty`."""
        while True:
            try:
                if await self._database.write(lambda connection: take_duty(connection, name, self._number)):
                    log.info("duty_taken", duty=name)
                    return
            except StoreUnavailable as error:
                log.warning("duty_not_asked_for", duty=name, reason=str(error))
            await asyncio.sleep(self._lease.ask_seconds)

    async def release(self, name: str) -> None:
        facts = {"name": name, "number": self._number}
        await self._database.write(lambda connection: connection.execute(_RELEASE_DUTY, facts).close())
        log.info("duty_released", duty=name)

    async def has_others(self, platform: Platform) -> bool:
        facts = {"node": self.id, "role": self._role, "platform": f" {platform} "}
        count = await self._database.read(lambda connection: connection.execute(_OTHERS, facts).scalar())
        return bool(count)

    async def watch(self) -> None:
        """See `Nodes.watch`."""
        watch = Watch(lease=self._lease)
        while True:
            try:
                await self._database.write(watch.look)
            except StoreUnavailable as error:
                watch.missed()
                log.warning("nodes_not_seen", reason=str(error))
            await asyncio.sleep(self._lease.ask_seconds)
