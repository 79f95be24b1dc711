"""Uvicorn inside a process of ours: it starts and stops as it is told, at once, and handles no signals."""

import asyncio
import socket
from collections.abc import Generator
from contextlib import contextmanager

import uvicorn

_TICK_SECONDS = 1.0  # how old the date in an answer may be
_LOOK_SECONDS = 0.005  # how often it looks whether the last answers went out


class EmbeddedServer(uvicorn.Server):
    """Serves from `ready` until `stop()`; `stopped` is set when nothing of it runs any more.

    Uvicorn's own loop looks ten times a second whether it shall stop; this one is told. `backlog`, where it is given,
    is how many connections may wait to be accepted.
    """

    def __init__(
        self, config: uvicorn.Config, *, ready: asyncio.Event | None = None, backlog: int | None = None
    ) -> None:
        super().__init__(config)
        self._backlog = backlog
        self.ready = ready or asyncio.Event()
        self.stopped = asyncio.Event()
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Take nothing new, and end when what began is answered, or its time (`timeout_graceful_shutdown`) is over."""
        self.should_exit = True
        self._stopping.set()

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve, and say when it ended."""
        try:
            await super().serve(sockets)
        finally:
            self.stopped.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say when it answers."""
        await super().startup(sockets)
        if self._backlog is not None:
            for listener in sockets or ():
                listener.listen(self._backlog)
        self.ready.set()

    async def main_loop(self) -> None:
        """Keep the date of the answers until told to stop."""
        while not await self.on_tick(0):
            try:
                async with asyncio.timeout(_TICK_SECONDS):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close what listens and what is idle, and wait for what is being answered."""
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                while self.server_state.connections or self.server_state.tasks:  # noqa: ASYNC110 - uvicorn's sets
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            for task in self.server_state.tasks:
                task.cancel()

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signals to whoever owns the process."""
        yield
