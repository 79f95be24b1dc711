"""Calls to the Bot API: the real client, with refusals and breaks told apart as exactly as the wire tells them."""

import json
import logging
import ssl
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from telegram import Bot
from telegram.error import TelegramError
from telegram.request import HTTPXRequest

POOL = 64
CONNECT_SECONDS = 10.0
_PRESUMED: Mapping[str, dict[str, Any]] = {  # what the client insists on, and nobody uses
    "getMe": {"is_bot": True, "first_name": ""},
    "createForumTopic": {"name": "", "icon_color": 0},
    "getWebhookInfo": {"url": "", "has_custom_certificate": False, "pending_update_count": 0},
}
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol, httpx.ProxyError)


class TelegramRefused(TelegramError):
    """The Bot API answered with an error; `retry_after` in seconds and `migrate_to` are 0 where it does not say."""

    def __init__(self, status: int, description: str, *, retry_after: float = 0.0, migrate_to: int = 0) -> None:
        super().__init__(f"{status} {description}")
        self.status = status
        self.description = description
        self.retry_after = retry_after
        self.migrate_to = migrate_to


class Unreached(TelegramError):
    """No answer came; `sent` says whether the request may have arrived all the same."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.sent = sent


class _Request(HTTPXRequest):
    """Raises our own errors: the client's own hide the status, and warn of themselves."""

    __slots__ = ()

    async def do_request(self, *args: Any, **named: Any) -> tuple[int, bytes]:
        try:
            status, payload = await super().do_request(*args, **named)
        except TelegramError as error:
            cause = error.__cause__ or error
            raise Unreached(f"{type(cause).__name__}: {cause}", sent=not isinstance(cause, _NEVER_SENT)) from error
        except (RuntimeError, UnicodeError, httpx.InvalidURL) as error:  # closed at the end, or not to be encoded
            raise Unreached(str(error), sent=False) from error
        if not 200 <= status < 300 or _says_no(payload):
            raise _refused(status, payload)
        return status, payload

    @staticmethod
    def parse_json_payload(payload: bytes) -> Any:
        try:
            body = json.loads(payload.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict) or "result" not in body:
            raise Unreached("the answer is none of the Bot API", sent=True)
        return body


class BotClient(Bot):
    """One bot's calls, with time limits in seconds."""

    __slots__ = ()

    def __init__(self, token: str, *, api_url: str, files_url: str, call_seconds: float) -> None:
        for name in ("telegram", "httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)  # below that they log addresses: the token is in them
        super().__init__(
            token,
            base_url=api_url,
            base_file_url=files_url,
            request=_Request(
                connection_pool_size=POOL,
                read_timeout=call_seconds,
                write_timeout=call_seconds,
                media_write_timeout=2 * call_seconds,
                connect_timeout=CONNECT_SECONDS,
                pool_timeout=call_seconds,
                httpx_kwargs={"verify": _certificates()},
            ),
            get_updates_request=_Request(
                connection_pool_size=2,
                connect_timeout=CONNECT_SECONDS,
                pool_timeout=call_seconds,
                httpx_kwargs={"verify": _certificates()},
            ),
        )

    async def connect(self) -> None:
        """Be ready for calls, also after `disconnect`."""
        for request in self._request:
            await request.initialize()

    async def disconnect(self) -> None:
        """Let go of all connections."""
        for request in self._request:
            await request.shutdown()

    async def file_address(self, file_id: str) -> str:
        """Return where a file is: a web address, or its path where a Bot API server keeps it on this machine.

        Raises ValueError where the server does not say.
        """
        result = await self._post("getFile", {"file_id": file_id})
        path = result.get("file_path") if isinstance(result, dict) else None
        if not isinstance(path, str) or not path:
            raise ValueError("no address of the file")
        if path.startswith(("http://", "https://")) or is_local_file(path):
            return path
        return f"{self.base_file_url}/{quote(path)}"

    async def _post(self, endpoint: str, *args: Any, **named: Any) -> Any:
        """Return the result, with no more than is used of it, so that nothing else in it can make it unreadable."""
        result = await super()._post(endpoint, *args, **named)
        if not isinstance(result, dict):
            return result
        if endpoint.startswith(("send", "edit")):
            return {"message_id": result["message_id"], "date": 0, "chat": {"id": 0, "type": "private"}}
        return _PRESUMED.get(endpoint, {}) | result

    async def raw_updates(
        self, *, offset: int, seconds: int, silence_seconds: float, allowed: Sequence[str]
    ) -> list[object]:
        """Return one long poll, as it came: each update is read by itself, and one that is broken spoils no other."""
        result = await self._post(
            "getUpdates",
            {"offset": offset or None, "timeout": seconds, "allowed_updates": list(allowed)},
            read_timeout=seconds + silence_seconds,
        )
        if not isinstance(result, list):
            raise Unreached("the answer to a poll is no list of updates", sent=True)
        return result


def is_local_file(path: str) -> bool:
    """Return whether a path that a Bot API server named is a file here."""
    return path.startswith("/") and Path(path).is_file()


@cache
def _certificates() -> ssl.SSLContext:
    """Read once for all bots: that takes longer than everything else of a start."""
    return httpx.create_ssl_context()


def _says_no(payload: bytes) -> bool:
    """Some servers and proxies refuse with status 200."""
    return b'"ok":false' in payload[:80].replace(b" ", b"")


def _refused(status: int, payload: bytes) -> TelegramRefused:
    try:
        body = json.loads(payload)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        return TelegramRefused(status, "an answer without a description")
    parameters = body.get("parameters")
    parameters = parameters if isinstance(parameters, dict) else {}
    code = body.get("error_code")
    return TelegramRefused(
        code if status < 300 and isinstance(code, int) else status,
        str(body.get("description", ""))[:500],
        retry_after=_number(parameters.get("retry_after")),
        migrate_to=int(_number(parameters.get("migrate_to_chat_id"))),
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
