"""What nodes tell each other by NOTIFY: small enough for one notification each, or in several parts.

Whoever may connect to a database may notify and listen there, with no right to any of its tables. So each notification
is signed with a key that stands in a table.
"""

import asyncio
import base64
import hmac
import math
import time
import uuid
import zlib
from typing import Annotated

import structlog
from pydantic import Field, ValidationError

from mama_bot.errors import StoreUnavailable
from mama_bot.model import NodeEvent
from mama_bot.recent import Recent
from mama_bot.store.bell import Ring
from mama_bot.store.codec import Codec
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.lane import Lane

log = structlog.get_logger(__name__)

EVENT: Codec[NodeEvent] = Codec(Annotated[NodeEvent, Field(discriminator="kind")])

_NOTIFY = Statement(f"SELECT pg_notify('{Ring.EVENTS}', :words)")
_MOST_BYTES = 7_500  # of one notification; the server takes 7,999
_MOST_PARTS = 400  # 3 MB, packed: larger is nothing that anybody shows
_WAITING_EVENTS = 2_000
_TOLD_EACH_SECONDS = 60.0
_TOGETHER = 100
_UNFINISHED = 200  # events of which parts are missing: of a node that died, or while nothing was heard
_KNOWN = 10_000  # events that were heard, and are not heard again
_SIGNATURE = 32  # hexadecimal digits

_MAKE_KEY = Statement(
    """
    INSERT INTO gateway_state (platform, name, value) VALUES ('nodes', 'events.key', :key)
    ON CONFLICT (platform, name) DO NOTHING
    """
)
_KEY = Statement("SELECT value FROM gateway_state WHERE platform = 'nodes' AND name = 'events.key'")


def events_key(connection: Connection, fresh: str) -> bytes:
    """Return the key of the events of a database; the `fresh` one where there was none."""
    connection.execute(_MAKE_KEY, {"key": fresh}).close()
    return str(connection.execute(_KEY).scalar()).encode()


class PostgresqlEvents:
    """The `NodeEvents` of a database; those whose kind is `unwanted` here are not read."""

    def __init__(self, lane: Lane, key: bytes) -> None:
        self._lane = lane
        self._key = key
        self._known: Recent[str, bool] = Recent(_KNOWN)
        self.unwanted: frozenset[str] = frozenset()
        self._dropped = 0
        self._told_at = -math.inf
        self._waiting: asyncio.Queue[NodeEvent] = asyncio.Queue(_WAITING_EVENTS)
        self._heard: asyncio.Queue[NodeEvent] = asyncio.Queue(_WAITING_EVENTS)
        self._parts: Recent[str, dict[int, str]] = Recent(_UNFINISHED)

    def publish(self, event: NodeEvent) -> None:
        """See `NodeEvents.publish`; where too many wait already it is logged and dropped."""
        try:
            self._waiting.put_nowait(event)
        except asyncio.QueueFull:
            self._drop("too many wait to be sent")

    async def heard(self) -> NodeEvent:
        return await self._heard.get()

    async def run(self) -> None:
        """See `NodeEvents.run`; what cannot be sent is logged and dropped."""
        while True:
            events = [await self._waiting.get()]
            while len(events) < _TOGETHER and not self._waiting.empty():
                events.append(self._waiting.get_nowait())
            parts = [part for event in events for part in notifications_of(event, self._key)]

            def work(connection: Connection, parts: list[str] = parts) -> None:
                for part in parts:
                    connection.execute(_NOTIFY, {"words": part}).close()

            try:
                await self._lane.run(work)
            except StoreUnavailable as error:
                log.warning("node_events_dropped", count=len(events), reason=str(error))

    def hear(self, words: str) -> None:
        """Take a notification in; what no node told, or comes while too many wait, is logged and dropped."""
        signature, _, told = words.partition("/")
        if not hmac.compare_digest(signature.encode(), _signature(told, self._key).encode()):
            self._drop("it is not signed: another user of the database sent it")
            return
        event_id, _, rest = told.partition("/")
        if event_id in self._known:
            return
        number, _, rest = rest.partition("/")
        count, _, rest = rest.partition("/")
        kind, _, body = rest.partition("/")
        if kind in self.unwanted:
            return
        parts = self._parts.setdefault(event_id, {})
        parts[int(number)] = body
        if len(parts) < int(count):
            return
        del self._parts[event_id]
        self._known[event_id] = True
        packed = "".join(parts[index] for index in range(len(parts)))
        try:
            self._heard.put_nowait(EVENT.load(zlib.decompress(base64.b64decode(packed)).decode()))
        except ValidationError as error:  # of a newer release
            log.warning("node_event_not_read", reason=str(error)[:200])
        except asyncio.QueueFull:
            self._drop("too many wait to be looked at")

    def _drop(self, reason: str) -> None:
        """Count what is dropped, and log it once a minute: there may be very many."""
        self._dropped += 1
        now = time.monotonic()
        if now - self._told_at >= _TOLD_EACH_SECONDS:
            log.warning("node_events_dropped", count=self._dropped, reason=reason)
            self._dropped, self._told_at = 0, now


def notifications_of(event: NodeEvent, key: bytes) -> list[str]:
    """Return an event as the words of signed notifications, no two the same; none where it is larger than is shown."""
    packed = base64.b64encode(zlib.compress(EVENT.dump(event).encode(), 1)).decode()
    count = -(-len(packed) // _MOST_BYTES)
    if count > _MOST_PARTS:
        log.warning("node_event_dropped", kind=event.kind, reason="it is too large")
        return []
    event_id = uuid.uuid4().hex
    told = (
        f"{event_id}/{number}/{count}/{event.kind}/{packed[number * _MOST_BYTES : (number + 1) * _MOST_BYTES]}"
        for number in range(count)
    )
    return [f"{_signature(words, key)}/{words}" for words in told]


def _signature(words: str, key: bytes) -> str:
    return hmac.new(key, words.encode(), "sha256").hexdigest()[:_SIGNATURE]
