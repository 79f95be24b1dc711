"""What the SDK's client needs to be told more than once, or in another form."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeSDKClient

INTERRUPT_AGAIN_SECONDS = 0.5
ANSWER = '{"type": "control_response"'


async def interrupt_until(ended: asyncio.Event, client: "ClaudeSDKClient") -> None:
    """Interrupt until it works: before the CLI has begun the turn it acknowledges an interrupt and does nothing."""
    while not ended.is_set():
        await client.interrupt()
        with suppress(TimeoutError):
            async with asyncio.timeout(INTERRUPT_AGAIN_SECONDS):
                await ended.wait()


def answer_nobody_in_silence(client: "ClaudeSDKClient") -> None:
    """Drop an answer to a CLI that has ended: the SDK would leave it as an exception that nobody retrieves."""
    from claude_agent_sdk import CLIConnectionError

    transport: Any = client._transport
    write = transport.write

    async def write_or_drop(data: str) -> None:
        try:
            await write(data)
        except CLIConnectionError:
            if not data.startswith(ANSWER):
                raise

    transport.write = write_or_drop


async def disconnect(client: "ClaudeSDKClient") -> None:
    """Disconnect, and read what the SDK left unread of a process that said too much: its pipe stays open until then."""
    output: Any = getattr(getattr(client, "_transport", None), "_stdout_stream", None)
    await client.disconnect()
    if output is not None:
        with suppress(Exception):
            async for _ in output:
                pass


async def stream_of(message: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    """Yield one message, as the client takes them."""
    yield message
