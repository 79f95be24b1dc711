"""Logs by structlog: one line for each step of a turn, bound to turn, conversation and persona, secrets redacted."""

import logging
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from threading import Lock
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
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{5,8000}\.[A-Za-z0-9_-]{10,2000}"  # JSON Web Token
    r"|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{16,2000}"
)
# Whatever _CREDENTIALS finds has one of these in it: RE2 says twenty times as fast that a text has none.
_PERHAPS = (
    r"sk-[A-Za-z0-9_-]{8}|AIza[A-Za-z0-9_-]{35}|gh[pousr]_[A-Za-z0-9]{20}|github_pat_[A-Za-z0-9_]{20}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10}|xapp-[A-Za-z0-9-]{10}|[0-9]{8}:[A-Za-z0-9_-]{35}"
    r"|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}|AKIA[A-Z0-9]{16}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{10}"
    r"|-----BEGIN [A-Z ]{0,20}PRIVATE KEY|[:/]/[^\s/:@]+:[^\s/@]+@|[Bb]earer [A-Za-z0-9._~+/=-]{16}"
)
# A name that ends like that of a secret, and what stands after it: environment, flags, JSON, YAML, INI.
_ASSIGNED = r"(?i:key|token|secret|passw(?:or)?d)(?:\\?[\"'])?[ \t]{0,3}(?::=|=>|[:=])"
_NAMED = re.compile(
    r"(?P<word>(?i:key|token|secret|passw(?:or)?d))(?:\\?[\"'])?(?P<space>[ \t]{0,3})(?P<sign>:=|=>|[:=])[ \t]{0,3}"
    r"(?:\\?(?P<quote>[\"'])(?P<quoted>[^\s\"'\\]{6,4000})|(?P<bare>[A-Za-z0-9_+/.~!@#%^*=:?$-]{6,4000}))"
)
_NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_NAME_LENGTH = 60
_KEYS = ("api", "access", "account", "auth", "encryption", "master", "private", "secret", "service", "signing")
_PATH = re.compile(r"[~.]{0,2}(?:/[\w.@-]{1,30}){1,40}/?")
_RANDOM = 16  # no variable has so long a name with capitals and digits
_SHORT = 100  # characters of a value in a log that is likely to come again
_MINIMUM_SECRET = 6  # shorter configured secrets would redact ordinary words


def redactor(secrets: Sequence[str] = ()) -> Callable[[str], str]:
    """A function that replaces credentials, by their shape and by the given values, with `[redacted]`."""
    import re2  # here: `mama-bot --help` needs no expressions

    perhaps, assigned = re2.compile(_PERHAPS), re2.compile(_ASSIGNED)
    known = sorted({secret for secret in secrets if len(secret) >= _MINIMUM_SECRET}, key=len, reverse=True)

    def redact(text: str) -> str:
        for secret in known:
            text = text.replace(secret, REDACTED)
        shapes = names = True
        with suppress(UnicodeEncodeError):  # half a surrogate pair: RE2 does not take it
            shapes, names = perhaps.search(text) is not None, assigned.search(text) is not None
        if shapes:
            text = _CREDENTIALS.sub(REDACTED, text)
        return _NAMED.sub(_without_value, text) if names else text

    return redact


def _without_value(match: re.Match[str]) -> str:
    """A named value, redacted where it is a secret rather than code or prose."""
    group = "bare" if match["quoted"] is None else "quoted"
    whole, value = match[0], match[group]
    if not _names_secret(match) or value[0] in "$%<{[*" or _PATH.fullmatch(value):
        return whole
    if not (_is_bare_secret(match, value) if group == "bare" else _is_closed(match)):
        return whole
    return f"{whole[: match.start(group) - match.start()]}{REDACTED}"


def _names_secret(match: re.Match[str]) -> bool:
    """Whether the whole name is that of a secret: any key is too much (`key=len`, `sort_key: name`)."""
    if match["word"].lower() != "key":
        return True
    prefix = _prefix(match)
    if match["word"].isupper() and prefix.endswith("_"):
        return True
    return prefix.rstrip("_-").lower().endswith(_KEYS)


def _prefix(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - _NAME_LENGTH) : match.start()]
    return before[len(before.rstrip(_NAME_CHARACTERS)) :]


def _is_closed(match: re.Match[str]) -> bool:
    """Whether the quotes hold one word that is no name; a text that was cut off in it counts."""
    value = match["quoted"]
    if value.isidentifier() and value.isupper() and "_" in value:
        return False
    after = match.string[match.end() : match.end() + 2]
    return not after or after.lstrip("\\").startswith(match["quote"])


def _is_bare_secret(match: re.Match[str], value: str) -> bool:
    """Whether a value without quotes is a value at all, and no call, attribute, variable, type, number or word."""
    after = match.string[match.end() : match.end() + 1]
    plain = value.rstrip(".:!?")
    parts = plain.split(".")
    if (
        len(plain) < _MINIMUM_SECRET
        or (after and after in "([{")
        or (len(parts) > 1 and all(map(str.isidentifier, parts)))
    ):
        return False
    password = match["word"].lower().startswith("pass")
    if plain.replace(".", "").isdigit():
        return password
    spaced = bool(match["space"]) and match["sign"] == "="
    if f"{_prefix(match)}{match['word']}".isupper() and match["sign"] == "=" and not spaced:
        return True  # an environment variable
    if not any(character.isdigit() for character in plain):
        return False
    if not plain.isidentifier():
        return True
    if after in {")", ","} or "_" in plain:
        return len(plain) >= _RANDOM and not plain.islower()
    return not spaced or password or (len(plain) >= _RANDOM and not plain.islower())


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
    for name in ("uvicorn", "procrastinate", "sqlalchemy", "mcp", "asyncio", "claude_agent_sdk", "httpx"):
        logging.getLogger(name).setLevel(logging.WARNING)


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
