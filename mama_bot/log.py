"""Logs by structlog: one line for each step of a turn, bound to turn, conversation and persona, secrets redacted."""

import logging
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger


class LogFormat(StrEnum):
    """How log lines look."""

    CONSOLE = "console"
    JSON = "json"


class LogLevel(StrEnum):
    """The least severe event that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


_SHORT = 100  # characters of a value in a log that is likely to come again


def configure_logs(
    *, style: LogFormat, level: LogLevel, redact: Callable[[str], str], stream: TextIO | None = None
) -> None:
    """Send all logs, structlog's and the standard library's, to `stream` (standard error) in the given style."""
    target = stream or sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115 - standard error may be closed
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.format_exc_info,
        _redact_values(redact),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if style is LogFormat.JSON
        else structlog.dev.ConsoleRenderer(colors=target.isatty(), pad_event_to=24)
    )
    lines = _Lines(target)
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level.value),
        logger_factory=lambda *_name: lines,
        cache_logger_on_first_use=False,
    )
    # Those of libraries come through the standard library; ours need none of what it does for each line.
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )
    output = logging.StreamHandler(target)
    output.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [output]
    root.setLevel(level.value.upper())
    for name in ("uvicorn", "procrastinate", "mcp", "asyncio", "claude_agent_sdk", "httpx"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # It calls each end of a process fatal, a wanted one as well; `agent_lost` tells of those that nobody wanted.
    logging.getLogger("claude_agent_sdk._internal.query").setLevel(logging.CRITICAL)


class _Lines:
    """What structlog writes to; as with the standard library, a log that cannot be written ends nothing."""

    def __init__(self, target: TextIO) -> None:
        self._target = target
        self._writing = Lock()

    def msg(self, line: str) -> None:
        whole = f"{line}\n".encode(errors="backslashreplace").decode()
        with self._writing, suppress(OSError, ValueError):
            self._target.write(whole)
            self._target.flush()

    debug = info = warning = error = critical = msg


def _redact_values(redact: Callable[[str], str]) -> Processor:
    short = lru_cache(maxsize=2_000)(redact)  # names of events, of agents, of conversations: seen again and again

    def clean_text(value: str) -> str:
        return short(value) if len(value) <= _SHORT else redact(value)

    def clean(value: object) -> object:
        match value:
            case str():
                return clean_text(value)
            case None | bool() | int() | float():
                return value
            case Mapping():
                return {clean_text(str(key)): clean(item) for key, item in value.items()}
            case list() | tuple() | set() | frozenset():
                return [clean(item) for item in value]
            case Path() | BaseException():
                return redact(str(value))
            case _:
                return redact(repr(value))

    def processor(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {key: value if key.startswith("_") else clean(value) for key, value in event.items()}

    return processor
