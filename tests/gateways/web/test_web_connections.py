"""Whoever holds connections open, the page answers whoever says what it wants."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from mama_bot.gateways.web.connections import ConnectionBounds
from tests.gateways.web.harness import KEY, Served, serve
from tests.waiting import SECONDS

HALF = b"GET / HTTP/1.1\r\nHost: x\r\nA: "
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connection(served: Served, sent: bytes = HALF) -> AsyncIterator[Streams]:
    host, port = served.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(sent)
    try:
        yield reader, writer
    finally:
        writer.close()


async def closed(reader: asyncio.StreamReader) -> bytes:
    """What comes until the server ends the connection."""
    async with asyncio.timeout(SECONDS):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


@pytest.mark.parametrize(
    "bounds", [ConnectionBounds(in_all=20, head_seconds=600), ConnectionBounds(of_one_address=20, head_seconds=600)]
)
async def test_half_sent_requests_shut_nobody_out(bounds: ConnectionBounds) -> None:
    async with serve(bounds=bounds) as served, AsyncExitStack() as held:
        first, _ = await held.enter_async_context(connection(served))
        for _ in range(60):
            await held.enter_async_context(connection(served))
        async with served.stranger() as stranger, served.client() as client:
            assert (await stranger.get("/healthz")).status_code == 200
            assert (await client.get("/api/state")).status_code == 200
        assert await closed(first) == b""


async def test_bodies_that_do_not_come_shut_nobody_out() -> None:
    asked = b"POST /api/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"
    async with serve(bounds=ConnectionBounds(in_all=20)) as served, AsyncExitStack() as held:
        for _ in range(20):
            reader, _ = await held.enter_async_context(connection(served, asked))
            async with served.stranger() as stranger:
                assert (await stranger.get("/healthz")).status_code == 200
        async with served.client() as client:
            assert (await client.get("/api/state")).status_code == 200
        assert not reader.at_eof()  # the last one has had no time yet


async def test_who_works_is_not_sent_away_for_who_comes() -> None:
    stream = f"GET /api/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {KEY}\r\n\r\n".encode()
    async with (
        serve(bounds=ConnectionBounds(in_all=2, head_seconds=600)) as served,
        connection(served, stream) as (reader, _),
        connection(served, stream) as (other, _writer),
    ):
        assert await reader.readline() == await other.readline() == b"HTTP/1.1 200 OK\r\n"
        async with connection(served) as (late, _late_writer):
            assert await closed(late) == b""
        await served.write("c1", "still here")
        assert not reader.at_eof()
        assert not other.at_eof()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        HALF,
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + HALF,
        b"POST /api/state HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc",
    ],
    ids=["silent", "half", "second half", "body for nobody"],
)
async def test_a_head_that_does_not_come_ends_its_connection(sent: bytes) -> None:
    async with serve(bounds=ConnectionBounds(head_seconds=0.2)) as served, connection(served, sent) as (reader, writer):
        async with asyncio.TaskGroup() as group:
            ending = group.create_task(closed(reader))
            while not ending.done():  # each byte is no new deadline
                if not writer.is_closing():
                    writer.write(b"a")
                await asyncio.sleep(0.02)
        async with served.stranger() as stranger:
            assert (await stranger.get("/healthz")).status_code == 200
