"""A way to a server that can fall silent: what is sent is taken, and nothing comes back."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path


class SilentProxy:
    """Hands bytes on in both directions, but for those of connections that met `silent`."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self.silent = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(str(self._socket))
        async with asyncio.TaskGroup() as group:
            for source, target in ((reader, back), (there, writer)):
                group.create_task(self._pass(source, target, (writer, back)))

    async def _pass(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, both: tuple[asyncio.StreamWriter, ...]
    ) -> None:
        with suppress(ConnectionError), closing(both[0]), closing(both[1]):
            while words := await source.read(65536):
                if not self.silent:
                    target.write(words)


@asynccontextmanager
async def silent_proxy(socket: Path, port: int) -> AsyncIterator[SilentProxy]:
    """Listen on a port of this machine for connections to a server behind a socket."""
    proxy = SilentProxy(socket)
    async with await asyncio.start_server(proxy.serve, "127.0.0.1", port):
        yield proxy
