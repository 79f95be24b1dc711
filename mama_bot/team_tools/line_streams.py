"""The protocol in lines of JSON, over any pair of streams."""

import asyncio
from contextlib import suppress
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage, jsonrpc_message_adapter


async def served_lines(server: Server[Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve one connection until its other side ends it; what is no message of the protocol is answered so."""
    incoming, taken = anyio.create_memory_object_stream[SessionMessage | Exception](16)
    outgoing, sending = anyio.create_memory_object_stream[SessionMessage](16)

    async def read() -> None:
        async with incoming:
            while line := await reader.readline():
                try:
                    message: JSONRPCMessage = jsonrpc_message_adapter.validate_json(line)
                except ValueError as error:
                    await incoming.send(error)
                else:
                    await incoming.send(SessionMessage(message))

    async def write() -> None:
        async with sending:
            async for message in sending:
                text = message.message.model_dump_json(by_alias=True, exclude_none=True)
                writer.write(text.encode("utf-8", "replace") + b"\n")
                await writer.drain()

    async with asyncio.TaskGroup() as tasks:
        reading, writing = tasks.create_task(read()), tasks.create_task(write())
        try:
            await server.run(taken, outgoing, server.create_initialization_options())
        finally:
            reading.cancel()
            with suppress(anyio.ClosedResourceError):
                await outgoing.aclose()
            await asyncio.wait([writing], timeout=1.0)
            writing.cancel()
