"""What a CLI asks by a hook before each call, where it does not ask for permission over its protocol."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog

from mama_bot.agents.acp_events import AcpEvents
from mama_bot.agents.acp_turns import AcpTurn
from mama_bot.agents.hook_relay import NOBODY, denial
from mama_bot.model import ToolCall
from mama_bot.tool_names import codex_call

log = structlog.get_logger(__name__)

MOST_INPUT = 4_000_000


class AcpHooks:
    """Answers the hooks of one session at a socket, which its processes reach and cannot replace."""

    def __init__(self, *, path: Path, current: Callable[[], AcpTurn | None], events: AcpEvents) -> None:
        self._path = path
        self._current = current
        self._events = events
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen; raises OSError."""
        self._path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, path=self._path)

    async def close(self) -> None:
        """Answer nobody any more; never raises."""
        if self._server is not None:
            self._server.close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            pieces = [piece async for piece in _pieces(reader)]
            given = json.loads(b"".join(pieces))
            answer = await self._answer(given)
            writer.write(json.dumps(answer).encode())
            await writer.drain()
        except Exception as error:  # noqa: BLE001 - who gets no answer does not run the call
            log.warning("hook_not_answered", failure=f"{type(error).__name__}: {error}")
        finally:
            writer.close()

    async def _answer(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        turn = self._current()
        if turn is None or turn.interrupted:
            return denial(NOBODY)
        call = hooked_call(given)
        if refusal := await self._events.refusal(turn, call):
            return denial(refusal)
        turn.hooked[str(given.get("tool_use_id") or "")] = call
        return {}


async def _pieces(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    length = 0
    while piece := await reader.read(1 << 16):
        length += len(piece)
        if length > MOST_INPUT:
            raise ValueError("the input of a hook is too long")
        yield piece


def hooked_call(given: Mapping[str, Any]) -> ToolCall:
    """Return the call that a hook is about."""
    arguments = given.get("tool_input")
    call = codex_call(str(given.get("tool_name") or ""), arguments if isinstance(arguments, Mapping) else {})
    return replace(call, directory=str(given.get("cwd") or ""))
