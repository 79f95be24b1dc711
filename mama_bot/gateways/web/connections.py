"""Who may keep a connection to a server of ours: so many in all and of one address, and a deadline for each head."""

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar

import h11
import structlog
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

log = structlog.get_logger(__name__)

LOGGED_ONCE_IN = 60.0
SHUTDOWN_SECONDS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionBounds:
    """How many connections there are at once, and how long one may take to say what it wants."""

    in_all: int = 512
    of_one_address: int = 384
    head_seconds: float = 10.0


def bounded_config(application: ASGIApp, bounds: ConnectionBounds, *, backlog: int) -> uvicorn.Config:
    """Return how uvicorn serves an application within bounds; it tells nothing of itself, and believes no proxy."""
    return uvicorn.Config(
        application,
        http=bounded_protocol(bounds),
        backlog=backlog,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )


def bounded_protocol(bounds: ConnectionBounds) -> type[H11Protocol]:
    """Return uvicorn's protocol within bounds.

    Where there is no room, the connection goes that has waited longest for a head, and when there is none the one that
    is slowest with its body; the new one only when all others are being answered. So who says at once what it wants is
    heard, whatever others hold open.
    """
    return type("BoundedProtocol", (_Bounded,), {"bounds": bounds, "told_at": float("-inf")})


class _Bounded(H11Protocol):
    bounds: ClassVar[ConnectionBounds]
    told_at: ClassVar[float]
    _deadline: asyncio.TimerHandle | None = None
    _since = 0.0
    _asked = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._since = self.loop.time()
        self._wait_for_head()
        every = [other for other in self.connections if isinstance(other, _Bounded)]
        near = [other for other in every if other.address == self.address]
        if len(near) > self.bounds.of_one_address:
            self._make_room(near)
        elif len(every) > self.bounds.in_all:
            self._make_room(every)

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.working:
            if self._deadline is not None:
                self._asked = self.loop.time()
            self._head_came()
        else:  # half a head, or the rest of a body that nobody reads
            self._wait_for_head()

    @property
    def address(self) -> str:
        return self.client[0] if self.client else ""

    @property
    def working(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # None before the first request
        return cycle is not None and not cycle.response_complete

    @property
    def unheard(self) -> bool:
        """Whether a body is still to come."""
        return bool(self.conn.their_state is h11.SEND_BODY)

    def _wait_for_head(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(self.bounds.head_seconds, self.transport.abort)

    def _head_came(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _make_room(self, crowd: list["_Bounded"]) -> None:
        silent = [other for other in crowd if not other.working and other is not self]
        slow = [other for other in crowd if other.working and other.unheard]
        slowest = min(slow, key=lambda other: other._asked, default=self)
        oldest = min(silent, key=lambda other: other._since, default=slowest)
        oldest.transport.abort()
        self.connections.discard(oldest)
        now, kind = self.loop.time(), type(self)
        if now - kind.told_at >= LOGGED_ONCE_IN:
            kind.told_at = now
            log.warning("page_connections_full", address=self.address, connections=len(self.connections))
