"""One thread with one connection, which runs the waiting units of work in as few transactions as possible."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from mama_bot.boot_clock import since_boot
from mama_bot.errors import StoreUnavailable
from mama_bot.store.connection import Connection, Session

T = TypeVar("T")

_WAITING_UNITS = 1000
_UNITS_IN_ONE_TRANSACTION = 64
_CLOSE_SECONDS = 20.0


@dataclass(slots=True)
class _Unit(Generic[T]):
    """A unit of work on its way: filled by the thread, read by the loop."""

    work: Callable[[Connection], T]
    done: asyncio.Future[T]
    at_length: bool
    late: bool = False
    """Whether its caller was told that the database does not answer: it is not begun any more."""

    result: T | None = None
    error: BaseException | None = None

    def resolve(self) -> None:
        if self.done.done():
            return
        if self.error is None:
            self.done.set_result(self.result)  # type: ignore[arg-type]  # T may itself be None
        else:
            self.done.set_exception(self.error)


class Lane:
    """Runs units in the order of their arrival; those that wait share one transaction and one commit.

    When a unit of a shared transaction raises, all is undone and each runs again in a transaction of its own, so one
    that raises undoes only itself (savepoints would cost two statements for each unit, and units rarely raise).
    `translate` turns a driver's error into StoreUnavailable, which fails the whole transaction, or returns None. With
    `rest_seconds` a lane without work runs an empty transaction every so often: a sign of life, which connects again.
    With `answer_seconds` a caller is told after so long that the database does not answer. `committed` is told in the
    thread when each transaction that was committed began, by the clock of `since_boot`.
    """

    def __init__(
        self,
        *,
        name: str,
        connect: Callable[[], Session],
        translate: Callable[[BaseException], StoreUnavailable | None],
        rest_seconds: float | None = None,
        answer_seconds: float | None = None,
        committed: Callable[[float], object] = lambda _: None,
    ) -> None:
        self._committed = committed
        self._connect = connect
        self._translate = translate
        self._rest_seconds = rest_seconds
        self._answer_seconds = answer_seconds
        self._units: SimpleQueue[_Unit[Any] | None] = SimpleQueue()
        self._room = asyncio.Semaphore(_WAITING_UNITS)
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False
        self.committed_at = 0.0  # when the last transaction that was committed began, by the clock of `since_boot`

    async def open(self) -> None:
        """Start the thread and connect; raises StoreUnavailable."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        try:
            await self.run(lambda _connection: None)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Run what waits, disconnect, end the thread; one that still waits for the database then is left behind."""
        self._closed = True
        self._units.put(None)
        await asyncio.to_thread(self._thread.join, _CLOSE_SECONDS)

    async def run(self, work: Callable[[Connection], T], *, at_length: bool = False) -> T:
        """Run one unit in a transaction of its own or a shared one; waits while too many wait.

        One that runs `at_length` (an upgrade, a copy of everything) has no deadline, nor has any statement of it.
        """
        if self._loop is None or self._closed:
            raise RuntimeError("The store is closed.")
        unit: _Unit[T] = _Unit(work, self._loop.create_future(), at_length)
        answered = nullcontext() if at_length or self._answer_seconds is None else asyncio.timeout(self._answer_seconds)
        try:
            async with answered:
                await self._room.acquire()
                self._units.put(unit)
                # The unit runs even when its caller is cancelled, so its place is taken until then.
                return await unit.done
        except TimeoutError as error:
            unit.late = isinstance(answered, asyncio.Timeout) and answered.expired()
            raise self._translated(error) or error from None

    # --- in the thread ----------------------------------------------------------------------------

    def _serve(self) -> None:
        session: Session | None = None
        while (batch := self._next_batch()) is not None:
            try:
                session = self._run_batch(session, batch)
            except BaseException as error:  # noqa: BLE001 - whoever waits is told, and the thread goes on
                session = None
                for unit in batch:
                    unit.error = error
            if batch:
                self._report(batch)
        if session is not None:
            session.close()

    def _run_batch(self, session: Session | None, batch: list[_Unit[Any]]) -> Session | None:
        """Run units in one transaction and return the connection to go on with."""
        began = since_boot()
        try:
            session = self._begun(session)
            self._transact(session, batch)
            self.committed_at = began
            self._committed(began)
        except BaseException as error:  # noqa: BLE001 - it is handed to those who wait for it
            session = _recovered(session)
            unavailable = self._translated(error)
            if unavailable is None and len(batch) > 1:
                # One of them is to blame: each gets a transaction of its own.
                for unit in batch:
                    session = self._run_batch(session, [unit])
                return session
            for unit in batch:
                unit.error = unavailable or error
        return session

    def _translated(self, error: BaseException) -> StoreUnavailable | None:
        return error if isinstance(error, StoreUnavailable) else self._translate(error)

    def _begun(self, session: Session | None) -> Session:
        """Return a connection with a transaction: the one that there is, or a new one where that was cut off."""
        if session is not None:
            try:
                session.begin()
            except BaseException:
                if _recovered(session) is not None:
                    raise
            else:
                return session
        session = self._connect()
        try:
            session.begin()
        except BaseException:
            session.close()
            raise
        return session

    def _next_batch(self) -> list[_Unit[Any]] | None:
        """Return what waits; nothing after a rest, and None at the end."""
        try:
            first = self._units.get(timeout=self._rest_seconds)
        except Empty:
            return []
        if first is None:
            return None
        batch = [first]
        while len(batch) < _UNITS_IN_ONE_TRANSACTION:
            try:
                unit = self._units.get_nowait()
            except Empty:
                break
            if unit is None:
                self._units.put(None)
                break
            batch.append(unit)
        return batch

    def _transact(self, session: Session, batch: list[_Unit[Any]]) -> None:
        if any(unit.at_length for unit in batch):
            session.at_length()
        for unit in batch:
            if unit.late:
                continue
            unit.result = unit.work(session.connection)
        session.commit()

    def _report(self, batch: list[_Unit[Any]]) -> None:
        assert self._loop is not None
        with suppress(RuntimeError):  # the loop is closed: this thread was left behind, and nobody waits any more
            self._loop.call_soon_threadsafe(self._resolve, batch)

    # --- in the loop again ------------------------------------------------------------------------

    def _resolve(self, batch: list[_Unit[Any]]) -> None:
        for unit in batch:
            unit.resolve()
            self._room.release()


def _recovered(session: Session | None) -> Session | None:
    """Return the connection outside any transaction; None (connect again) when that fails."""
    if session is None or session.recover():
        return session
    session.close()
    return None
