"""The files of the page, and how a person gets in: with the key, or by a link."""

from collections.abc import Awaitable, Callable, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from mama_bot.gateways.web.page_files import ICON, VIEWS, media_type_of, read_page
from mama_bot.gateways.web.request_bodies import SignIn, body_of
from mama_bot.gateways.web.sessions import ENTRANCE, Sessions

Endpoint = Callable[[Request], Awaitable[Response]]


class Entrance:
    """Serves the files, and gives a session to whoever brings the key or a fresh link."""

    def __init__(self, *, sessions: Sessions) -> None:
        self._sessions = sessions
        self._page_files = read_page()

    def routes(self) -> Sequence[Route]:
        """Return where it answers."""
        return [
            Route("/", self._page("index.html")),
            Route("/sign-in", self._page("sign-in.html")),
            Route(ENTRANCE, self._enter),
            # Browsers ask for it beside every answer that is no page of ours.
            Route(ICON, self._page("icon.svg")),
            *(Route(path, _view) for path in VIEWS),
            Route("/assets/{name}", self._asset),
            Route("/api/session", self._sign_in, methods=["POST"]),
        ]

    def _page(self, name: str) -> Endpoint:
        async def page(_request: Request) -> Response:
            return self._file(name)

        return page

    async def _asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._page_files or name.endswith(".html"):
            raise HTTPException(404)
        return self._file(name)

    def _file(self, name: str) -> Response:
        headers = {"cache-control": "no-cache"}
        return Response(self._page_files[name], media_type=media_type_of(name), headers=headers)

    async def _sign_in(self, request: Request) -> Response:
        form = await body_of(request, SignIn, max_characters=1_000)
        if not self._sessions.opens(form.key.strip()):
            return await self._sessions.wrong_key(request)
        return self._sessions.give(JSONResponse({"signed_in": True}))

    async def _enter(self, request: Request) -> Response:
        """Let in whoever comes by a link; a link that was used or is too old leads to where it says how to get one."""
        if self._sessions.take(request.query_params.get("with", "")):
            return self._sessions.give(self._file("enter.html"))
        return RedirectResponse("/" if self._sessions.signed_in(request) else "/sign-in", status_code=303)


async def _view(request: Request) -> Response:
    """Show a part of the page to whoever writes its name into the address."""
    return RedirectResponse(f"/#{request.url.path}", status_code=303)
