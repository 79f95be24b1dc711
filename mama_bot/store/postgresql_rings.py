"""What rings in a PostgreSQL database, heard by one thread: LISTEN and NOTIFY, across connections that break.

What rang while nobody heard is looked for in the tables, once it is heard again.
"""

import asyncio
import select
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress

import psycopg
import structlog

from mama_bot.backoff import Backoff
from mama_bot.store.bell import Ring
from mama_bot.store.postgresql_driver import Driver, connected
from mama_bot.store.postgresql_faults import postgresql_unavailable

Heard = Callable[[Ring, str], None]

# What the ring of a post would have said of each conversation (`mama_ring_posts`).
_WITH_POSTS = b"SELECT DISTINCT left(conversation, 1500) FROM outbox WHERE posted_at IS NULL AND failure = ''"

log = structlog.get_logger(__name__)

_BEGIN_SECONDS = 10.0  # what comes before the first LISTEN stands is heard by nobody
_END_SECONDS = 10.0
_LOOK_SECONDS = 20.0  # a connection that is dead without a word is noticed by a statement on it


@asynccontextmanager
async def rings_heard(url: str, heard: Heard) -> AsyncIterator[None]:
    """Call `heard` in this loop for every ring with what it says, while this is open.

    It is open once it hears, or could not for a while: then whoever looks for work does so in any case.
    """
    loop, hears = asyncio.get_running_loop(), asyncio.Event()
    ear = _Ear(url, heard, loop, hears=lambda: loop.call_soon_threadsafe(hears.set))
    thread = threading.Thread(target=ear.listen, name="store-rings", daemon=True)
    thread.start()
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(_BEGIN_SECONDS):
                await hears.wait()
        yield
    finally:
        ear.stop()
        await asyncio.to_thread(thread.join, _END_SECONDS)
        if not thread.is_alive():
            ear.close()


class _Ear:
    """The thread's side: listens, and connects again where it has to."""

    def __init__(self, url: str, heard: Heard, loop: asyncio.AbstractEventLoop, *, hears: Callable[[], object]) -> None:
        self._hears = hears
        self._url = url
        self._heard = heard
        self._missed = False
        self._loop = loop
        self._pauses = Backoff(first=0.2, longest=10.0)
        self._stopped, self._stop = socket.socketpair()

    def stop(self) -> None:
        self._stop.send(b".")

    def close(self) -> None:
        self._stop.close()
        self._stopped.close()

    def listen(self) -> None:
        failures = 0
        while not self._is_stopped(self._pauses.pause(failures) if failures else 0.0):
            try:
                with closing(connected(self._url)) as driver:
                    failures = 0
                    self._hear(driver)
            except psycopg.Error as error:
                failures += 1
                self._missed = True
                if failures == 1:
                    log.warning("rings_not_heard", reason=str(postgresql_unavailable(error, self._url) or error))

    def _hear(self, driver: Driver) -> None:
        for ring in (Ring.JOBS, Ring.POSTS, Ring.EVENTS):
            driver.execute(f"LISTEN {ring}".encode())
        self._tell(Ring.ANY, "")
        for (conversation,) in driver.execute(_WITH_POSTS):
            self._tell(Ring.POSTS, conversation)
        self._hears()
        if self._missed:
            self._missed = False
            log.info("rings_heard_again")
        while True:
            stopped, came = self._wait(driver)
            if stopped:
                return
            if not came:
                driver.execute(b"SELECT 1")
            for notify in driver.notifies(timeout=0):
                self._tell(Ring(notify.channel), notify.payload)

    def _wait(self, driver: Driver) -> tuple[bool, bool]:
        stopped, came = self._stopped.fileno(), driver.fileno()
        ready, _, _ = select.select([stopped, came], [], [], _LOOK_SECONDS)
        return stopped in ready, came in ready

    def _is_stopped(self, seconds: float) -> bool:
        return bool(select.select([self._stopped], [], [], seconds)[0])

    def _tell(self, ring: Ring, words: str) -> None:
        self._loop.call_soon_threadsafe(self._heard, ring, words)
