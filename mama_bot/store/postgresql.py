"""PostgreSQL: one thread writes and commits in groups, others read beside it; one transaction writes at a time."""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from itertools import cycle
from typing import TypeVar

import psycopg
import structlog

from mama_bot.errors import StoreInUse, StoreUnavailable, StoreUnsuitable
from mama_bot.store import postgresql_driver
from mama_bot.store.connection import Connection
from mama_bot.store.lane import Lane
from mama_bot.store.migrations import Unsuitable, is_older, migrate, not_ours, unsuitable_database
from mama_bot.store.nodes import Node
from mama_bot.store.postgresql_driver import READING, WRITING, Driver, PostgresqlSession, connected
from mama_bot.store.postgresql_events import PostgresqlEvents, events_key
from mama_bot.store.postgresql_faults import in_use_by_older, postgresql_unavailable, shown, taken_over, too_old
from mama_bot.store.postgresql_nodes import TAKEN_OVER, StoredNodes, forget_nodes, join, leave, lives_another
from mama_bot.store.postgresql_schema import make_functions, make_rings
from mama_bot.store.postgresql_tenure import Right, SharedTenure, Tenure

T = TypeVar("T")

log = structlog.get_logger(__name__)


def _nothing(_: float) -> None:
    return None


_READERS = 2
# How long a connection that was there is sought again before units are told that there is none: a server's restart.
_PATIENCE_SECONDS = 8.0
_PAUSE_SECONDS = 0.1
_STANDBY_SECONDS = 1.0
# Whoever asked is told after so long that there is no answer: later than the driver gives a statement up.
_ANSWER_SECONDS = 60.0
_LEAVE_SECONDS = 5.0


class PostgresqlDatabase:
    """A `Database` in PostgreSQL; made by `open_postgresql`."""

    def __init__(
        self,
        *,
        url: str,
        writer: Lane,
        readers: Sequence[Lane],
        lost: asyncio.Event,
        number: int = 0,
        events: PostgresqlEvents | None = None,
    ) -> None:
        self.number = number
        self.events = events
        self._url = url
        self._writer = writer
        self._readers = cycle(readers)
        self._lost = lost

    async def write(self, work: Callable[[Connection], T]) -> T:
        return await self._writer.run(work)

    def last_written(self) -> float:
        """Return when the database last took a transaction of this process, by the clock of `since_boot`."""
        return self._writer.committed_at

    async def write_at_length(self, work: Callable[[Connection], T]) -> T:
        """Run a unit that may take long, such as a copy of everything: nothing of it has a deadline."""
        return await self._writer.run(work, at_length=True)

    async def read(self, work: Callable[[Connection], T]) -> T:
        return await next(self._readers).run(work)

    async def read_at_length(self, work: Callable[[Connection], T]) -> T:
        """Run a unit that reads one moment's state and may take long: nothing of it has a deadline."""
        return await next(self._readers).run(work, at_length=True)

    async def superseded(self) -> StoreInUse:
        """Return why nothing can be written any more, once another service has taken the database over."""
        await self._lost.wait()
        return taken_over(self._url)

    def nodes(self, node: Node) -> StoredNodes:
        """Return the nodes of the database as this one of them sees them."""
        return StoredNodes(database=self, node=node, number=self.number, last_written=self.last_written)


@asynccontextmanager
async def open_postgresql(
    url: str, *, migrates: bool = True, standby: asyncio.Event | None = None, node: Node | None = None
) -> AsyncIterator[PostgresqlDatabase]:
    """Open the database and bring its tables up to date.

    Raises StoreUnavailable when it cannot be reached or used, or a newer release wrote it; without `migrates`, which
    never makes or changes a table, also when there are none or an older release wrote them. With it one service at a
    time has the database, or several that are each a `node`: another one is waited for until `standby` is set; then, or
    without it, StoreInUse is raised. So are the nodes of an older release where tables have to change: nothing is,
    while one lives.
    """
    lost, loop = asyncio.Event(), asyncio.get_running_loop()
    async with AsyncExitStack() as opened:
        lanes: list[Lane] = []
        opened.push_async_callback(_closed, lanes)
        if migrates:
            losing = partial(loop.call_soon_threadsafe, lost.set)
            wrote = _nothing if node is None else node.wrote
            right: Right = Tenure(url, losing) if node is None else (shared := SharedTenure(url, node.lease, losing))
            writer = await _in_its_turn(lambda: _opened(lanes, "store-writer", right.begin, url, right, wrote), standby)
        else:
            writer = await _opened(lanes, "store-writer", lambda: WRITING, url)
        if migrates:
            work = partial(_bring_up_to_date, url, node)
            await _in_its_turn(lambda: writer.run(work, at_length=True), standby)
        else:
            await writer.run(partial(_refuse_unsuitable, url), at_length=True)
        if migrates and node is None:
            await writer.run(forget_nodes)
        if node is not None:
            await writer.run(partial(join, node=node, number=shared.number))
            shared.joined()
            opened.push_async_callback(_left, writer, node, shared.number)
        readers = [await _opened(lanes, f"store-reader-{n}", lambda: READING, url) for n in range(_READERS)]
        if node is None:
            yield PostgresqlDatabase(url=url, writer=writer, readers=readers, lost=lost)
        else:
            # Not behind the lock of those that write: who only tells something waits for nobody.
            key = await writer.run(partial(events_key, fresh=secrets.token_hex(32)))
            events = PostgresqlEvents(await _opened(lanes, "store-events", lambda: b"BEGIN", url), key)
            yield PostgresqlDatabase(
                url=url, writer=writer, readers=readers, lost=lost, number=shared.number, events=events
            )


async def _left(writer: Lane, node: Node, number: int) -> None:
    with suppress(StoreUnavailable, TimeoutError):  # then it is taken over
        async with asyncio.timeout(_LEAVE_SECONDS):
            await writer.run(partial(leave, node=node, number=number))


async def _closed(lanes: Sequence[Lane]) -> None:
    """Close connections side by side: of a server that answers no more each takes its whole time."""
    async with asyncio.TaskGroup() as group:
        for lane in lanes:
            group.create_task(lane.close())


async def _in_its_turn(opened: Callable[[], Awaitable[T]], standby: asyncio.Event | None) -> T:
    told = False
    while True:
        try:
            return await opened()
        except StoreUnavailable as error:
            # Who stands by waits for a server that is away as well.
            waits = isinstance(error, StoreInUse) or (told and not isinstance(error, StoreUnsuitable))
            if standby is None or standby.is_set() or not waits:
                raise
            if not told:
                log.info("standing_by", reason=str(error))
            told = True
        with suppress(TimeoutError):
            await asyncio.wait_for(standby.wait(), _STANDBY_SECONDS)


def _bring_up_to_date(url: str, node: Node | None, connection: Connection) -> None:
    if node is not None and is_older(connection) and lives_another(connection, node):
        raise in_use_by_older(url)
    make_functions(connection)
    _refuse(url, migrate(connection))
    make_rings(connection)


def _refuse_unsuitable(url: str, connection: Connection) -> None:
    _refuse(url, unsuitable_database(connection))


def _refuse(url: str, unsuitable: Unsuitable | None) -> None:
    """Raise StoreUnsuitable: raised by a unit, it takes back what the unit did."""
    if unsuitable is not None:
        raise StoreUnsuitable(url=shown(url), reason=unsuitable.reason, remedy=unsuitable.remedy)


async def _opened(
    lanes: list[Lane],
    name: str,
    begin: Callable[[], bytes],
    url: str,
    right: Right | None = None,
    wrote: Callable[[float], object] = _nothing,
) -> Lane:
    def translated(error: BaseException) -> StoreUnavailable | None:
        if right is not None and isinstance(error, psycopg.Error) and error.sqlstate == TAKEN_OVER:
            right.lose()
            return taken_over(url)
        return postgresql_unavailable(error, url)

    lane = Lane(
        name=name,
        connect=_Connector(url, begin=begin, right=right),
        translate=translated,
        rest_seconds=None if right is None else right.sign_seconds,
        answer_seconds=_ANSWER_SECONDS,
        committed=wrote,
    )
    await lane.open()
    lanes.append(lane)
    return lane


class _Connector:
    """Connects a lane, and waits a little for a server that was there and is away."""

    def __init__(self, url: str, *, begin: Callable[[], bytes], right: Right | None) -> None:
        self._url = url
        self._begin = begin
        self._right = right
        self._was_there = False
        self._was_ours = False

    def __call__(self) -> PostgresqlSession:
        driver = self._reached()
        try:
            self._refuse_old(driver)
            if self._right is not None:
                if not self._was_ours:
                    self._refuse_others(driver)
                self._right.take(driver)
                self._was_ours = True
        except BaseException:
            driver.close()
            raise
        return PostgresqlSession(driver, begin=self._begin)

    def _refuse_old(self, driver: Driver) -> None:
        version = driver.info.server_version // 10_000
        if version < postgresql_driver.OLDEST:
            raise too_old(self._url, version, postgresql_driver.OLDEST)

    def _refuse_others(self, driver: Driver) -> None:
        # Before anything is written there: the count of services is a write, too.
        _refuse(self._url, not_ours(PostgresqlSession(driver, begin=self._begin).connection))

    def _reached(self) -> Driver:
        until = time.monotonic() + (_PATIENCE_SECONDS if self._was_there else 0.0)
        while True:
            try:
                driver = connected(self._url)
            except psycopg.OperationalError:
                if time.monotonic() >= until:
                    self._was_there = False  # whoever asks next is told at once
                    raise
                time.sleep(_PAUSE_SECONDS)
            else:
                self._was_there = True
                return driver
