"""A connection to an agent that speaks the Agent Client Protocol over the standard streams of its process."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import structlog
from acp.connection import Connection
from acp.exceptions import RequestError

from mama_bot.agents.error_lines import ErrorLines

log = structlog.get_logger(__name__)

MOST_GARBAGE = 1_000  # lines on its standard output that are no message
MAX_LINE_BYTES = 64 * 2**20


class AgentRefusal(Exception):
    """An agent answered a request with an error."""

    def __init__(self, *, code: int, message: str, details: str) -> None:
        super().__init__(message)
        self.code = code
        self.details = details


class NotAnswered(Exception):
    """A request of the agent that is answered with an error: what is asked for is not there, or not allowed."""

    def __init__(self, *, reason: str, missing: bool = False) -> None:
        super().__init__(reason)
        self.missing = missing


Answer = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]
Hear = Callable[[str, Mapping[str, Any]], None]


class LineTransport:
    """Messages as lines; what is no message is kept as a line of errors, and too much of it ends the stream."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, errors: ErrorLines) -> None:
        self._reader = reader
        self._writer = writer
        self._errors = errors
        self._garbage = 0
        self._sending = asyncio.Lock()

    async def send(self, message: dict[str, Any]) -> None:
        """Write a message; raises ConnectionError where nobody reads it any more."""
        async with self._sending:
            self._writer.write(json.dumps(message, ensure_ascii=True).encode() + b"\n")
            await self._writer.drain()

    async def receive(self) -> dict[str, Any] | None:
        """Return the next message; None at the end of the stream, and of one that cannot be followed any more."""
        while self._garbage < MOST_GARBAGE:
            try:
                line = await self._reader.readline()
            except (ValueError, OSError) as error:
                self._errors.add(f"(its messages cannot be read any more: {error})")
                return None
            if not line:
                return None
            message = _message(line)
            if message is not None:
                return message
            if line.strip():
                self._garbage += 1
                self._errors.add(line.decode(errors="replace").strip())
        log.warning("agent_talks_garbage", lines=self._garbage)
        return None

    async def close(self) -> None:
        """End what is sent; never raises."""
        with suppress(Exception):
            self._writer.close()


class AcpConnection:
    """Asks an agent, and answers it: `answer` its requests, `hear` what it tells, in the order in which it does."""

    def __init__(
        self,
        *,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        errors: ErrorLines,
        answer: Answer,
        hear: Hear,
    ) -> None:
        self._answer = answer
        self._hear = hear
        self._connection = Connection(self._handle, LineTransport(reader, writer, errors))

    async def request(self, method: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer; raises AgentRefusal, or ConnectionError when the agent is gone."""
        try:
            result = await self._connection.send_request(method, dict(parameters))
        except RequestError as error:
            raise AgentRefusal(code=error.code, message=str(error), details=_details(error.data)) from error
        return result if isinstance(result, Mapping) else {}

    async def notify(self, method: str, parameters: Mapping[str, Any]) -> None:
        """Tell the agent something; raises ConnectionError when it is gone."""
        await self._connection.send_notification(method, dict(parameters))

    async def close(self) -> None:
        """Stop listening and answering; never raises."""
        with suppress(Exception):
            await self._connection.close()

    async def _handle(self, method: str, parameters: Any, is_notification: bool) -> Any:
        given = parameters if isinstance(parameters, Mapping) else {}
        if is_notification:
            self._hear(method, given)  # without a pause, so what is told keeps its order
            return None
        try:
            return await self._answer(method, given)
        except NotAnswered as error:
            if error.missing:
                raise RequestError(-32002, str(error)) from error
            raise RequestError(-32602, str(error)) from error
        except NotImplementedError:
            raise RequestError.method_not_found(method) from None
        except (OSError, ValueError, TimeoutError) as error:
            raise RequestError(-32603, f"It cannot be done: {error}") from error


def _message(line: bytes) -> dict[str, Any] | None:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def _details(told: object) -> str:
    """Return what an error says beside its message."""
    if isinstance(told, Mapping):
        return str(told.get("details") or told.get("message") or json.dumps(dict(told), default=str))
    return "" if told is None else str(told)
