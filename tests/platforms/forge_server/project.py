"""The project on a forge, whatever its API: branches, requests, checks, comments, and the weather."""

import hashlib
import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self

from aiohttp import web
from aiohttp.test_utils import TestServer

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(kw_only=True)
class Request:
    """A pull or merge request as the forge holds it."""

    number: int
    title: str
    body: str
    branch: str
    target: str
    draft: bool = False
    state: str = "open"
    conflicts: bool = False
    mergeable: str = ""


@dataclass(kw_only=True)
class Check:
    """A check of a commit: `state` is pending, passed, failed or skipped; `kind` is how the forge keeps it."""

    name: str
    state: str
    kind: str = "run"
    may_fail: bool = False


@dataclass(kw_only=True)
class Comment:
    id: int
    author: str
    text: str
    at: datetime
    path: str = ""
    line: int | None = None
    opinion: str = ""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What is answered in place of what was asked."""

    status: int
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: str | None = None


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A request over HTTP that came in, and what it was answered with."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    status: int


async def _nobody(_moment: str) -> None:
    """Let a request pass."""


class ForgeServer(ABC):
    """One project, `team/app`, with one token that may do everything; `heads` are the commits of its branches.

    `meets` is told of each request before anything is done ("asked POST") and before it is answered ("did POST").
    """

    prefix = ""

    def __init__(self, *, token: str = "forge-token-of-the-test", project: str = "team/app", port: int = 0) -> None:
        self.port = port
        self.token = token
        self.project = project
        self.heads: dict[str, str] = {"main": "0" * 40}
        self.head_of: Callable[[str], str] = lambda branch: self.heads.get(branch, "")
        self.requests: dict[int, Request] = {}
        self.checks: dict[str, list[Check]] = {}
        self.comments: dict[int, list[Comment]] = {}
        self.asked: list[Asked] = []
        self.faults: list[tuple[str, Fault]] = []
        self.forbidden: set[str] = set()
        self.meets: Callable[[str], Awaitable[None]] = _nobody
        self.page_size: int | None = None
        self.may_push = True
        self._ids = itertools.count(1000)
        self._numbers = itertools.count(7)
        self._server: TestServer | None = None
        self.origin = ""

    async def __aenter__(self) -> Self:
        application = web.Application(middlewares=[self._weather])
        application.router.add_route("*", "/{path:.*}", self._route)
        self._server = TestServer(application, host="127.0.0.1", port=self.port or None)
        await self._server.start_server()
        self.port = self._server.port or 0
        self.origin = str(self._server.make_url("")).rstrip("/")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        await self._server.close()

    @property
    def base_url(self) -> str:
        return f"{self.origin}{self.prefix}"

    # What people and their machines do there.

    def push(self, branch: str, commit: str = "") -> str:
        self.heads[branch] = commit or hashlib.sha1(f"{branch}{next(self._ids)}".encode()).hexdigest()
        return self.heads[branch]

    def check(self, commit: str, name: str, state: str, *, kind: str = "run", may_fail: bool = False) -> None:
        others = [check for check in self.checks.get(commit, []) if check.name != name]
        self.checks[commit] = [*others, Check(name=name, state=state, kind=kind, may_fail=may_fail)]

    def comment(
        self, number: int, author: str, text: str, *, path: str = "", line: int | None = None, opinion: str = ""
    ) -> Comment:
        identity = next(self._ids)
        made = Comment(
            id=identity,
            author=author,
            text=text,
            at=datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1),
            path=path,
            line=line,
            opinion=opinion,
        )
        self.comments.setdefault(number, []).append(made)
        return made

    def fail(self, path: str, status: int, *, times: int = 1, **fault: Any) -> None:
        """The next requests whose path holds these words are answered like this."""
        self.faults += [(path, Fault(status=status, **fault))] * times

    def requests_of(self, method: str, words: str = "") -> list[Asked]:
        return [asked for asked in self.asked if asked.method == method and words in asked.path]

    # The wire.

    @abstractmethod
    def authorized(self, request: web.Request) -> bool: ...

    @abstractmethod
    async def answer(self, request: web.Request, path: str, body: Any) -> web.Response | None: ...

    @abstractmethod
    def error(self, status: int, message: str) -> web.Response: ...

    def new_request(self, **values: Any) -> Request:
        number = next(self._numbers)
        self.requests[number] = Request(number=number, **values)
        return self.requests[number]

    def paged(self, request: web.Request, items: list[Any], key: str = "") -> web.Response:
        """One page of a list, with the address of the next one in the header that both forges use."""
        size = min(int(request.query.get("per_page", "30")), self.page_size or 100)
        page = int(request.query.get("page", "1"))
        part = items[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(items):
            following = request.url.update_query(page=str(page + 1))
            headers["Link"] = f'<{following}>; rel="next", <{following}>; rel="last"'
        return self.tagged(request, {key: part, "total_count": len(items)} if key else part, headers)

    def tagged(self, request: web.Request, value: object, headers: dict[str, str] | None = None) -> web.Response:
        """A value with its ETag, or that it has not changed."""
        text = json.dumps(value)
        tag = f'W/"{hashlib.sha256(text.encode()).hexdigest()}"'
        if request.headers.get("If-None-Match") == tag:
            return web.Response(status=304, headers={"ETag": tag})
        return web.Response(text=text, content_type="application/json", headers={"ETag": tag, **(headers or {})})

    @web.middleware
    async def _weather(self, request: web.Request, handler: Callable[..., Any]) -> web.StreamResponse:
        raw = await request.read()
        body = json.loads(raw) if raw else None
        await self.meets(f"asked {request.method}")
        response: web.StreamResponse = self._fault(request) or await handler(request)
        await self.meets(f"did {request.method}")
        self.asked.append(
            Asked(
                method=request.method,
                path=request.raw_path.partition("?")[0],
                query=dict(request.query),
                headers=dict(request.headers),
                body=body,
                status=response.status,
            )
        )
        return response

    def _fault(self, request: web.Request) -> web.Response | None:
        for place, (words, fault) in enumerate(self.faults):
            if words in request.raw_path:
                del self.faults[place]
                text = fault.raw if fault.raw is not None else json.dumps(fault.body)
                kind = "text/html" if fault.raw is not None else "application/json"
                return web.Response(status=fault.status, text=text, content_type=kind, headers=fault.headers)
        return None

    async def _route(self, request: web.Request) -> web.Response:
        path = request.raw_path.partition("?")[0]
        if not path.startswith(self.prefix):
            return web.Response(status=404, text="<html>no API here</html>", content_type="text/html")
        if not self.authorized(request):
            return self.error(401, "Bad credentials")
        path = path.removeprefix(self.prefix).strip("/")
        if any(words in path for words in self.forbidden):
            return self.error(403, "Resource not accessible by personal access token")
        response = await self.answer(request, path, json.loads(await request.read() or b"null"))
        return response if response is not None else self.error(404, "Not Found")
