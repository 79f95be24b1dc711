"""A way to a server of ours for one node alone, which can be cut."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from urllib.parse import urlsplit


class CutRelay:
    """Hands bytes on in both directions; once it is `cut` no connection lasts."""

    def __init__(self, url: str) -> None:
        self._url = urlsplit(url)
        self._open: set[asyncio.StreamWriter] = set()
        self._is_cut = False
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            if self._is_cut:
                return
            there, back = await asyncio.open_connection(self._url.hostname, self._url.port)
            with closing(back):
                self._open |= {writer, back}
                async with asyncio.TaskGroup() as group:
                    for source, target in ((reader, back), (there, writer)):
                        group.create_task(self._pass(source, target))

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError), closing(target):
            while words := await source.read(65536):
                target.write(words)

    def cut(self) -> None:
        self._is_cut = True
        for writer in self._open:
            writer.close()
        self._open.clear()

    def mend(self) -> None:
        self._is_cut = False


@asynccontextmanager
async def cut_relay(url: str) -> AsyncIterator[CutRelay]:
    """Listen on a port of this machine for connections to the server at a URL."""
    relay = CutRelay(url)
    async with await asyncio.start_server(relay.serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        relay.url = urlsplit(url)._replace(netloc=f"127.0.0.1:{port}").geturl()
        yield relay
        relay.cut()
