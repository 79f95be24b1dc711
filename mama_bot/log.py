"""Logs by structlog: one line for each step of a turn, bound to turn, conversation and persona, secrets redacted."""

import logging
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

REDACTED = "[redacted]"


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


# Shapes of credentials, by the prefixes that their issuers document; bounded, so that matching stays linear.
_CREDENTIALS = re.compile(
    r"sk-ant-[A-Za-z0-9_-]{8,200}"  # Anthropic
    r"|(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{20,200}"  # OpenAI; not the end of "task-..."
    r"|AIza[A-Za-z0-9_-]{35}"  # Google
    r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}"  # GitHub
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-[A-Za-z0-9-]{10,250}"  # Slack
    r"|(?<![0-9])[0-9]{8,12}:[A-Za-z0-9_-]{35}"  # Telegram
    r"|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}"  # Discord
    r"|(?<![A-Z0-9])AKIA[A-Z0-9]{16}"  # AWS
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{0,10000}(?:-----END [A-Z ]{0,20}PRIVATE KEY-----)?"
    r"|(?<=[:/]/)[^\s/:@]{1,100}:[^\s/@]{1,200}(?=@)"  # user and password of a URL
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{16,2000}"
)
# Whatever _CREDENTIALS finds has one of these in it: RE2 says twenty times as fast that a text has none.
_PERHAPS = (
    r"sk-[A-Za-z0-9_-]{8}|AIza[A-Za-z0-9_-]{35}|gh[pousr]_[A-Za-z0-9]{20}|github_pat_[A-Za-z0-9_]{20}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10}|xapp-[A-Za-z0-9-]{10}|[0-9]{8}:[A-Za-z0-9_-]{35}"
    r"|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}|AKIA[A-Z0-9]{16}"
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY|[:/]/[^\s/:@]+:[^\s/@]+@|[Bb]earer [A-Za-z0-9._~+/=-]{16}"
)
_LONG = 2_000
_MINIMUM_SECRET = 6  # shorter configured secrets would redact ordinary words


def redactor(secrets: Sequence[str] = ()) -> Callable[[str], str]:
    """A function that replaces credentials, by their shape and by the given values, with `[redacted]`."""
    import re2  # here: `mama-bot --help` needs no expressions

    perhaps = re2.compile(_PERHAPS)
    known = sorted({secret for secret in secrets if len(secret) >= _MINIMUM_SECRET}, key=len, reverse=True)

    def redact(text: str) -> str:
        for secret in known:
            text = text.replace(secret, REDACTED)
        try:
            if len(text) > _LONG and perhaps.search(text) is None:
                return text
        except UnicodeEncodeError:  # half a surrogate pair: RE2 does not take it
            pass
        return _CREDENTIALS.sub(REDACTED, text)

    return redact


def configure_logs(
    *, style: LogFormat, level: LogLevel, redact: Callable[[str], str], stream: TextIO | None = None
) -> None:
    """Send all logs, structlog's and the standard library's, to `stream` (standard error) in the given style."""
    target = sys.stderr if stream is None else stream
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _redact_values(redact),
    ]
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if style is LogFormat.JSON
        else structlog.dev.ConsoleRenderer(colors=target.isatty(), pad_event_to=24)
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level.value),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )
    output = logging.StreamHandler(target)
    output.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [output]
    root.setLevel(level.value.upper())
    for name in ("uvicorn", "procrastinate", "sqlalchemy", "mcp", "asyncio", "claude_agent_sdk", "httpx"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _redact_values(redact: Callable[[str], str]) -> Processor:
    def clean(value: object) -> object:
        match value:
            case None | bool() | int() | float():
                return value
            case str():
                return redact(value)
            case Mapping():
                return {redact(str(key)): clean(one) for key, one in value.items()}
            case list() | tuple() | set() | frozenset():
                return [clean(one) for one in value]
            case Path() | BaseException():
                return redact(str(value))
            case _:
                return redact(repr(value))

    def processor(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {key: value if key.startswith("_") else clean(value) for key, value in event.items()}

    return processor
