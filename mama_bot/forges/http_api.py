"""Ask the API of a forge over HTTP: bounded, polite, and the token goes to no other server."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import structlog
from yarl import URL

from mama_bot.backoff import Backoff
from mama_bot.errors import ForgeRefused, ForgeUnavailable
from mama_bot.forges import sentences as says
from mama_bot.protocols import Clock
from mama_bot.recent import Recent
from mama_bot.wording import Said, one_line

log = structlog.get_logger(__name__)

REQUEST_SECONDS = 20.0
MOST_BYTES = 4 * 2**20
MOST_PAGES = 10
PAGE = 100
MOST_REDIRECTS = 3
TRIES = 3
REMEMBERED, REMEMBERED_BYTES = 200, 256 * 1024
LONGEST_REST, SHORTEST_REST, USUAL_REST = 3600.0, 1.0, 60.0
REASON_CHARACTERS = 300
MOST_REASONS = 5
OK = range(200, 300)
MOVED = frozenset((301, 302, 307, 308))
TROUBLE = range(500, 600)
REMAINING = ("X-RateLimit-Remaining", "RateLimit-Remaining")
RESET = ("X-RateLimit-Reset", "RateLimit-Reset")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeAnswer:
    """What a forge answered: the value of its JSON, and the address of the next page ("": none).

    `clipped` says that the next page is said to be on another server, where nothing is asked.
    """

    status: int
    value: Any
    headers: Mapping[str, str]
    next: str = ""
    clipped: bool = False
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeToken:
    """A token, and the name of the variable that holds it: that one alone is ever told."""

    variable: str
    value: str = field(repr=False)


class ForgeApi:
    """Asks one API with one token; what was asked before is asked as "has it changed?".

    `headers` are sent with every request, the token among them. What is refused is told with `facts`. While the forge
    asks for a pause nothing is sent. `pauses` are the seconds between tries of what failed by the network.
    """

    def __init__(
        self,
        *,
        base_url: str,
        headers: Mapping[str, str],
        facts: Mapping[str, str],
        clock: Clock,
        pauses: Backoff | None = None,
        seconds: float = REQUEST_SECONDS,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._headers = {"User-Agent": "mama-bot", **headers}
        self._facts = facts
        self._clock = clock
        self._pauses = pauses or Backoff(first=0.5, longest=4.0)
        self._seconds = seconds
        self._known: Recent[str, tuple[str, ForgeAnswer]] = Recent(REMEMBERED)
        self._rests_until = 0.0
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """End the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def get(self, path: str, **parameters: str) -> ForgeAnswer:
        """Return what stands at a path; raises ForgeRefused, ForgeUnavailable."""
        query = "&".join(f"{name}={_quoted(value)}" for name, value in parameters.items())
        url = f"{self._base}/{path}{'?' if query else ''}{query}"
        for failures in range(1, TRIES + 1):
            try:
                return await self._asked("GET", url)
            except ForgeUnavailable as error:
                if failures == TRIES or error.retry_after_seconds is not None:
                    raise
            await asyncio.sleep(self._pauses.pause(failures))
        raise AssertionError("the last try raises")

    async def items(self, path: str, key: str = "", **parameters: str) -> tuple[list[dict[str, Any]], bool]:
        """Return the items of all pages of a list (in its `key`), and whether there are more than are read."""
        items: list[dict[str, Any]] = []
        answer = await self.get(path, **{"per_page": str(PAGE), **parameters})
        for _ in range(MOST_PAGES):
            page = answer.value.get(key) if key and isinstance(answer.value, dict) else answer.value
            if not isinstance(page, list):
                raise self.no_api()
            items += [item for item in page if isinstance(item, dict)]
            if not answer.next:
                return items, answer.clipped
            answer = await self._asked("GET", answer.next)
        return items, True

    async def send(self, path: str, body: Mapping[str, object]) -> ForgeAnswer:
        """Return what came of a request that changes something: it is sent once."""
        return await self._asked("POST", f"{self._base}/{path}", body)

    def no_api(self) -> ForgeRefused:
        """Return the error for an answer that the API never gives."""
        return ForgeRefused(says.NO_API.of(**self._facts))

    # --- one request ----------------------------------------------------------------------------------

    async def _asked(self, method: str, url: str, body: Mapping[str, object] | None = None) -> ForgeAnswer:
        rest = self._rests_until - self._clock.monotonic()
        if rest > 0:
            raise self._resting(rest)
        known = self._known.get(url) if method == "GET" else None
        extra = {"If-None-Match": known[0]} if known else {}
        answer = await self._followed(method, url, extra, body)
        self._heed(answer)
        if answer.status == HTTPStatus.NOT_MODIFIED and known is not None:
            return known[1]
        if answer.status in OK:
            return answer
        raise self._refusal(answer)

    async def _followed(
        self, method: str, url: str, extra: Mapping[str, str], body: Mapping[str, object] | None
    ) -> ForgeAnswer:
        """Return the answer, wherever on the same server it is."""
        asked = url
        for _ in range(MOST_REDIRECTS + 1):
            answer = await self._sent(method, asked, extra, body)
            if answer.status not in MOVED:
                self._remember(method, url, answer)
                return answer
            target = _target(asked, answer)
            if not self._is_ours(target):
                raise ForgeRefused(says.ELSEWHERE.of(**self._facts, other=_host(target)), status=answer.status)
            asked = target
        raise self.no_api()

    async def _sent(
        self, method: str, url: str, extra: Mapping[str, str], body: Mapping[str, object] | None
    ) -> ForgeAnswer:
        try:
            async with asyncio.timeout(self._seconds), self._open(method, url, extra, body) as response:
                content = await _bounded(response)
                headers = response.headers.copy()
                link = response.links.get("next")
                status = response.status
        except TimeoutError as error:
            slow = says.TOO_SLOW.of(seconds=self._seconds)
            raise ForgeUnavailable(says.NO_ANSWER.of(**self._facts, reason=slow)) from error
        except (aiohttp.ClientError, OSError) as error:
            reason = one_line(str(error) or type(error).__name__, REASON_CHARACTERS).rstrip(".")
            raise ForgeUnavailable(says.NO_ANSWER.of(**self._facts, reason=reason)) from error
        following = str(link.get("url") or "") if link is not None else ""
        ours = self._is_ours(following)
        return ForgeAnswer(
            status=status,
            value=self._value(status, content),
            headers=headers,
            next=following if ours else "",
            clipped=bool(following) and not ours,
            size=len(content or b""),
        )

    @asynccontextmanager
    async def _open(
        self, method: str, url: str, extra: Mapping[str, str], body: Mapping[str, object] | None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        if self._session is None:
            self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())
        async with self._session.request(
            method,
            URL(url, encoded=True),  # as it is: a project's path holds quoted slashes
            headers={**self._headers, **extra},
            json=body,
            allow_redirects=False,
            proxy=_proxy(url),
        ) as response:
            yield response

    def _value(self, status: int, content: bytes | None) -> Any:
        if content is None:
            raise self.no_api()
        try:
            return json.loads(content) if content.strip() else None
        except (ValueError, RecursionError) as error:
            if status in OK:
                raise self.no_api() from error
            return None

    def _remember(self, method: str, url: str, answer: ForgeAnswer) -> None:
        tag = answer.headers.get("ETag", "")
        small = answer.size <= REMEMBERED_BYTES  # the header is not there where an answer is compressed
        if method == "GET" and tag and small and answer.status == HTTPStatus.OK:
            self._known[url] = (tag, answer)

    def _is_ours(self, url: str) -> bool:
        try:
            target, base = urlsplit(url), urlsplit(self._base)
            places = [(parts.scheme, parts.hostname, parts.port) for parts in (target, base)]
        except ValueError:
            return False
        return places[0] == places[1]

    # --- pauses and refusals --------------------------------------------------------------------------

    def _heed(self, answer: ForgeAnswer) -> None:
        """Rest for as long as the forge asks; raises ForgeUnavailable where this request was one too many."""
        spent = next((answer.headers[name] == "0" for name in REMAINING if name in answer.headers), False)
        refused = answer.status in (HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
        seconds = _seconds_asked(answer, self._clock.now()) if spent or refused else None
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS or _is_second_limit(answer):
            seconds = seconds if seconds is not None else USUAL_REST
        elif refused and not spent and "Retry-After" not in answer.headers:
            seconds = None
        if seconds is None:
            return
        seconds = min(max(seconds, SHORTEST_REST), LONGEST_REST)
        self._rests_until = self._clock.monotonic() + seconds
        log.warning("forge_rests", host=self._facts.get("host"), seconds=round(seconds))
        if refused:
            raise self._resting(seconds)

    def _resting(self, seconds: float) -> ForgeUnavailable:
        minutes = max(1, round(seconds / 60))
        return ForgeUnavailable(says.TOO_OFTEN.of(**self._facts, minutes=minutes), retry_after_seconds=seconds)

    def _refusal(self, answer: ForgeAnswer) -> ForgeRefused | ForgeUnavailable:
        if answer.status in TROUBLE:
            return ForgeUnavailable(says.IN_TROUBLE.of(**self._facts, status=answer.status))
        reasons = reasons_of(answer.value)
        sentence = self._refusal_sentence(answer, "; ".join(reasons).rstrip("."))
        return ForgeRefused(sentence, status=answer.status, reasons=reasons)

    def _refusal_sentence(self, answer: ForgeAnswer, reason: str) -> Said:
        match answer.status:
            case HTTPStatus.UNAUTHORIZED:
                return says.WRONG_TOKEN.of(**self._facts)
            case HTTPStatus.FORBIDDEN if "X-GitHub-SSO" in answer.headers:
                return says.NOT_AUTHORIZED.of(**self._facts)
            case HTTPStatus.FORBIDDEN:
                named = answer.headers.get("X-Accepted-GitHub-Permissions", "")
                return says.NO_RIGHT.of(**{**self._facts, "right": one_line(named, 100) or self._facts["right"]})
            case HTTPStatus.NOT_FOUND:
                return says.NOT_THERE.of(**self._facts)
            case status:
                return says.REFUSED.of(**self._facts, status=status, reason=reason or says.NO_REASON)


def reasons_of(value: Any) -> tuple[str, ...]:
    """Return what an answer says of why, in the words of the forge, bounded and each on one line."""
    listed: list[str] = []
    _gather(value, listed)
    return tuple(dict.fromkeys(one_line(text, REASON_CHARACTERS) for text in listed))[:MOST_REASONS]


def _gather(value: Any, listed: list[str]) -> None:
    """Add the texts of `{"message": ..., "errors": [{"message": ...}, ...], "error": ...}` in any of their forms."""
    if isinstance(value, str):
        listed.append(value)
    elif isinstance(value, list):
        for item in value[:MOST_REASONS]:
            _gather(item, listed)
    elif isinstance(value, dict):
        for key in ("errors", "message", "error", "error_description", "base"):
            _gather(value.get(key), listed)


def _seconds_asked(answer: ForgeAnswer, now: datetime) -> float | None:
    after = answer.headers.get("Retry-After", "")
    if after.isascii() and after.isdecimal():
        return float(after)
    if after:
        try:
            return (parsedate_to_datetime(after) - now).total_seconds()
        except (ValueError, TypeError):
            return None
    reset = next((answer.headers[name] for name in RESET if name in answer.headers), "")
    return float(reset) - now.timestamp() if reset.isascii() and reset.isdecimal() else None


def _is_second_limit(answer: ForgeAnswer) -> bool:
    """Return whether a refusal is GitHub's limit on how fast one asks, which may come without a header."""
    if answer.status != HTTPStatus.FORBIDDEN:
        return False
    return any("rate limit" in reason.lower() for reason in reasons_of(answer.value))


async def _bounded(response: aiohttp.ClientResponse) -> bytes | None:
    """Return the body of an answer; None where it is larger than any that is meant."""
    content = bytearray()
    async for chunk in response.content.iter_chunked(64 * 1024):
        content += chunk
        if len(content) > MOST_BYTES:
            return None
    return bytes(content)


def _proxy(url: str) -> str | None:
    """Return the proxy that the service's environment names for a server; no netrc is read, as aiohttp would."""
    parts = urlsplit(url)
    if proxy_bypass(parts.hostname or "") or parts.hostname in ("127.0.0.1", "localhost", "::1"):
        return None
    return getproxies().get(parts.scheme)


def _quoted(value: str) -> str:
    return quote(value, safe="")


def _target(asked: str, answer: ForgeAnswer) -> str:
    """Return where a redirection leads, "" where that is no address."""
    try:
        return urljoin(asked, answer.headers.get("Location", ""))
    except ValueError:
        return ""


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "?"
    except ValueError:
        return "?"
