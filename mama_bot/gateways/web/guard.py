"""Who may talk to the page's server: origins, types of bodies, and the key."""

from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mama_bot.gateways.web.hook_endpoint import HOOKS
from mama_bot.gateways.web.page_files import ICON, VIEWS
from mama_bot.gateways.web.refusals import refusal
from mama_bot.gateways.web.sessions import ENTRANCE, Sessions

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/sign-in", "/api/session", ENTRANCE, ICON})
OPEN_BELOW = ("/assets/", HOOKS)
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


class Guard:
    """The outermost layer: refuses foreign origins, asks for the key, adds the security headers.

    The name by which a request calls the server does not matter: a rebound name brings no session along.
    """

    def __init__(self, app: ASGIApp, *, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or pass on one request."""
        if scope["type"] != "http":
            return
        connection = HTTPConnection(scope)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message))
            await send(message)

        answer = _refuse_origin(scope, connection.headers) or await self._refuse_stranger(connection)
        await (answer or self._app)(scope, receive, send_guarded)

    async def _refuse_stranger(self, connection: HTTPConnection) -> Response | None:
        sessions, path = self._sessions, connection.scope["path"]
        if path in OPEN_PATHS or path.startswith(OPEN_BELOW) or sessions.signed_in(connection):
            return None
        scheme, _, token = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            if sessions.opens(token.strip()):
                return None
            return await sessions.wrong_key(connection)
        if path == "/":
            return RedirectResponse("/sign-in", status_code=303)
        if path in VIEWS:
            return RedirectResponse(f"/sign-in#{path}", status_code=303)
        return refusal(401, "key_needed", "Open the page by its link, or sign in with its key first.")


def _refuse_origin(scope: Scope, headers: Headers) -> Response | None:
    if scope["method"] in SAFE_METHODS:
        return None
    origin = headers.get("origin")
    foreign = origin is not None and origin.lower().partition("://")[2] != headers.get("host", "").lower()
    if foreign or headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
        return refusal(403, "foreign_origin", "Requests from other sites are not accepted.")
    # Both types are none that a form of another site can send.
    wanted = UPLOAD_TYPE if scope["path"].endswith(UPLOADS) else "application/json"
    if headers.get("content-type", "").partition(";")[0].strip().lower() != wanted:
        return refusal(415, "not_json", f"Send the request as {wanted}.")
    return None


def _add_headers(headers: MutableHeaders) -> None:
    for name, text in SECURITY_HEADERS.items():
        headers[name] = text
    headers.setdefault("cache-control", "no-store")
