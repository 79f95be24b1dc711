"""What the server answers on its addresses."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aiohttp import web

from tests.platforms.pickiness import Pickiness
from tests.platforms.slack_server.faults import Fault, Faults, Manner
from tests.platforms.slack_server.sockets import Sockets
from tests.platforms.slack_server.web_api import WebApi
from tests.platforms.slack_server.workspace import JsonObject, Refused, SlackApp, Workspace
from tests.platforms.standstill import Standstill

RESPONSE_URL_USES = 5
_JSON_ARGUMENTS = frozenset({"blocks", "files", "metadata", "view", "attachments"})


@dataclass(slots=True, kw_only=True)
class ResponseUrl:
    """Where one answer to a command or a button goes, and how often it still may."""

    channel: str
    user: str
    thread: str
    left: int = RESPONSE_URL_USES


class Routes:
    """The addresses of the server; `calls` and `downloads` tell what was asked of them."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        api: WebApi,
        faults: Faults,
        sockets: Sockets,
        urls: Mapping[str, ResponseUrl],
    ) -> None:
        self._workspace = workspace
        self._api = api
        self._faults = faults
        self._sockets = sockets
        self._urls = urls
        self.calls: list[tuple[str, JsonObject]] = []
        self.downloads: list[str] = []
        self.standstill = Standstill()
        self.pickiness = Pickiness()

    def application(self) -> web.Application:
        """All of them."""
        application = web.Application(client_max_size=2**26)
        application.router.add_route("*", "/api/{method}", self._call)
        application.router.add_get("/link/{app_id}", self._link)
        application.router.add_post("/upload/{file_id}", self._upload)
        application.router.add_get("/files/{file_id}", self._download)
        application.router.add_get("/login", self._login)
        application.router.add_post("/response/{key}", self._respond)
        return application

    async def _call(self, request: web.Request) -> web.StreamResponse:
        method, arguments = request.match_info["method"], await _arguments(request)
        self.calls.append((method, arguments))
        await self.standstill.over()
        if self.pickiness.refuses(f"{arguments.get('text')} {arguments.get('blocks')}"):
            raise web.HTTPInternalServerError
        fault = self._faults.next(method)
        if fault is not None and fault.manner is Manner.SILENT:
            await asyncio.sleep(3600)
        if fault is not None and fault.manner is Manner.GARBAGE:
            return web.json_response(["what", {"is": "this"}])
        if fault is not None and fault.manner is Manner.REFUSED:
            return _refusal(fault)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        answer, scopes = self._answer(method, token, arguments)
        if fault is not None:
            if request.transport is not None:
                request.transport.abort()
            raise web.HTTPServiceUnavailable
        return web.json_response(answer, headers={"X-OAuth-Scopes": ",".join(scopes)} if scopes else None)

    def _answer(self, method: str, token: str, arguments: JsonObject) -> tuple[JsonObject, Sequence[str]]:
        try:
            if method == "apps.connections.open":
                app = self._app_of(token, "app_token")
                return {"ok": True, "url": f"{self._api.address.replace('http', 'ws', 1)}/link/{app.app_id}"}, ()
            app = self._app_of(token, "bot_token")
            return {"ok": True} | self._api.call(method, app, arguments), app.scopes
        except Refused as refused:
            return {"ok": False, "error": refused.error} | refused.facts, ()

    def _app_of(self, token: str, kind: str) -> SlackApp:
        for app in self._workspace.apps.values():
            if getattr(app, kind) == token:
                if app.app_token_revoked if kind == "app_token" else app.revoked:
                    raise Refused("token_revoked" if kind == "bot_token" else "invalid_auth")
                return app
        known = [value for app in self._workspace.apps.values() for value in (app.bot_token, app.app_token)]
        raise Refused("not_allowed_token_type" if token in known else "invalid_auth")

    async def _link(self, request: web.Request) -> web.StreamResponse:
        return await self._sockets.serve(request, self._workspace.apps[request.match_info["app_id"]])

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        if self.pickiness.refuses("", with_file=True):
            raise web.HTTPInternalServerError
        upload = self._api.uploads[request.match_info["file_id"]]
        upload["content"] = await request.read()
        return web.Response(text=f"OK - {len(upload['content'])}")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        self.downloads.append(token)
        try:
            app = self._app_of(token, "bot_token")
        except Refused:
            raise web.HTTPFound("/login") from None
        if "files:read" not in app.scopes:
            raise web.HTTPFound("/login")
        return web.Response(body=self._api.uploads[request.match_info["file_id"]]["content"])

    async def _login(self, request: web.Request) -> web.StreamResponse:
        return web.Response(text="<html>Sign in to Slack</html>", content_type="text/html")

    async def _respond(self, request: web.Request) -> web.StreamResponse:
        url, body = self._urls.get(request.match_info["key"]), await request.json()
        if url is None or url.left <= 0:
            raise web.HTTPNotFound(text="used_url" if url is not None else "expired_url")
        url.left -= 1
        blocks = body.get("blocks") or ()
        self._workspace.show_to(url.user, url.channel, body.get("text", ""), thread=url.thread, blocks=blocks)
        return web.Response(text="ok")


async def _arguments(request: web.Request) -> JsonObject:
    """What a call says: in the query, a form or as JSON."""
    arguments: JsonObject = dict(request.query)
    if request.can_read_body:
        if request.content_type == "application/json":
            arguments |= await request.json()
        else:
            arguments |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    for name in _JSON_ARGUMENTS & arguments.keys():
        if isinstance(arguments[name], str):
            arguments[name] = json.loads(arguments[name])
    return arguments


def _refusal(fault: Fault) -> web.Response:
    headers = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    if fault.status >= 500:
        return web.Response(status=fault.status, text="<html>Server error</html>", content_type="text/html")
    error = fault.error or ("ratelimited" if fault.status == 429 else "access_denied")
    return web.json_response({"ok": False, "error": error}, status=fault.status, headers=headers)
