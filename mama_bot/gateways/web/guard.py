"""Who may talk to the page's server: hosts, origins, sizes and the key."""

import asyncio
import hmac
import re
from collections.abc import Mapping
from hashlib import sha256
from ipaddress import ip_address
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mama_bot.config import WebSettings
from mama_bot.errors import ConfigurationError
from mama_bot.protocols import Clock

log = structlog.get_logger(__name__)

COOKIE = "mama_session"
SESSION_SECONDS = 30 * 24 * 3600
MIN_KEY_CHARACTERS = 12
FAILURE_DELAY_SECONDS = 1.0
MAX_WAITING_FAILURES = 8
OPEN_PATHS = frozenset({"/healthz", "/sign-in", "/api/session"})
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
SAFE_METHODS = frozenset({"GET", "HEAD"})
UPLOADS = "/files"
UPLOAD_TYPE = "application/octet-stream"

SECURITY_HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address; a name other than localhost counts as reachable."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def checked_key(settings: WebSettings) -> str | None:
    """The key that opens the page, or None when none is needed.

    Raises ConfigurationError when the host is reachable from other machines and there is no usable key.
    """
    key = settings.key.get_secret_value().strip() if settings.key else ""
    if key and len(key) < MIN_KEY_CHARACTERS:
        raise ConfigurationError(
            problem=f"web.key is too short to protect the page: give it at least {MIN_KEY_CHARACTERS} characters."
        )
    if not key and not is_loopback(settings.host):
        raise ConfigurationError(
            problem=(
                f"web.host is {settings.host}, which other machines can reach, and there is no web.key. "
                "Set MAMA_WEB__KEY to a long random text, or set web.host to 127.0.0.1."
            )
        )
    return key or None


def refusal(status: int, code: str, sentence: str) -> JSONResponse:
    """An answer that says what was wrong, in a sentence that the page can show."""
    return JSONResponse({"error": code, "message": sentence}, status_code=status)


class Sessions:
    """Signed cookies for the people who know the key."""

    def __init__(self, *, key: str, clock: Clock, failure_delay_seconds: float = FAILURE_DELAY_SECONDS) -> None:
        self._key = key.encode("utf-8", "surrogatepass")
        self._secret = sha256(b"mama-bot page session\0" + self._key).digest()
        self._clock = clock
        self._failure_delay_seconds = failure_delay_seconds
        self._failing = asyncio.Lock()
        self._waiting_failures = 0

    def issue(self) -> str:
        """A new session: when it ends, and a signature."""
        expiry = str(int(self._clock.now().timestamp()) + SESSION_SECONDS)
        return f"{expiry}.{self._sign(expiry)}"

    def valid(self, session: str) -> bool:
        """Whether this session is ours and has not ended."""
        expiry, _, signature = session.partition(".")
        if not re.fullmatch(r"[0-9]{1,12}", expiry):
            return False
        ours = hmac.compare_digest(self._sign(expiry).encode(), signature.encode("utf-8", "replace"))
        return ours and int(expiry) > self._clock.now().timestamp()

    def opens(self, key: str) -> bool:
        """Whether this is the key; takes as long for every wrong one."""
        return hmac.compare_digest(self._key, key.encode("utf-8", "surrogatepass"))

    async def slow_down(self, client: str) -> bool:
        """Make a failed try take its time, one after the other; False when too many wait already."""
        log.warning("page_key_wrong", client=client)
        if self._waiting_failures >= MAX_WAITING_FAILURES:
            return False
        self._waiting_failures += 1
        try:
            async with self._failing:
                await asyncio.sleep(self._failure_delay_seconds)
        finally:
            self._waiting_failures -= 1
        return True

    def _sign(self, expiry: str) -> str:
        return hmac.new(self._secret, expiry.encode(), sha256).hexdigest()


class Guard:
    """The outermost layer: refuses foreign hosts and origins, asks for the key, adds the security headers."""

    def __init__(self, app: ASGIApp, *, settings: WebSettings, sessions: Sessions | None) -> None:
        self._app = app
        self._sessions = sessions
        # With a key, a rebound name brings no cookie along; without one, the name is all that guards the page.
        self._any_host = sessions is not None
        self._hosts = LOOPBACK_NAMES | {settings.host.lower()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        if scope["type"] != "http":
            return
        connection = HTTPConnection(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message))
            await send(message)

        answer = self._refuse_origin(scope, connection.headers) or await self._refuse_stranger(connection)
        await (answer or self._app)(scope, receive, send_guarded)

    def _refuse_origin(self, scope: Scope, headers: Headers) -> Response | None:
        host = headers.get("host", "")
        if not self._any_host and _hostname(host) not in self._hosts:
            return refusal(421, "wrong_host", f"This server does not answer to the name {host[:100]!r}.")
        if scope["method"] in SAFE_METHODS:
            return None
        origin = headers.get("origin")
        foreign = origin is not None and origin.lower().partition("://")[2] != host.lower()
        if foreign or headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return refusal(403, "foreign_origin", "Requests from other sites are not accepted.")
        # Both types are none that a form of another site can send.
        wanted = UPLOAD_TYPE if scope["path"].endswith(UPLOADS) else "application/json"
        if headers.get("content-type", "").partition(";")[0].strip().lower() != wanted:
            return refusal(415, "not_json", f"Send the request as {wanted}.")
        return None

    async def _refuse_stranger(self, connection: HTTPConnection) -> Response | None:
        sessions, path = self._sessions, connection.scope["path"]
        if path in OPEN_PATHS or path.startswith("/assets/") or is_signed_in(connection, sessions):
            return None
        assert sessions is not None
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            if sessions.opens(token.strip()):
                return None
            return await wrong_key(sessions, connection)
        if path == "/":
            return RedirectResponse("/sign-in", status_code=303)
        return refusal(401, "key_needed", "Sign in with the key of this page first.")


def is_signed_in(connection: HTTPConnection, sessions: Sessions | None) -> bool:
    """Whether a request brings a session along, or needs none since only this machine can reach the page."""
    return sessions is None or sessions.valid(connection.cookies.get(COOKIE, ""))


async def wrong_key(sessions: Sessions, connection: HTTPConnection) -> Response:
    """The answer to a wrong key, after a while."""
    client = connection.client.host if connection.client else "unknown"
    if await sessions.slow_down(client):
        return refusal(401, "wrong_key", "This is not the key of this page.")
    return refusal(429, "too_many_tries", "Too many wrong keys were tried. Wait a little, then try again.")


def _hostname(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _add_headers(headers: MutableHeaders) -> None:
    for name, text in SECURITY_HEADERS.items():
        headers[name] = text
    headers.setdefault("cache-control", "no-store")
