"""Discord's REST API with one token: discord.py's rate limits, and no request repeated behind our back."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
import discord
from discord.http import HTTPClient, Route

from mama_bot.gateways.discord.rate_limits import LimitedClient

REQUEST_SECONDS = 45.0
LIMIT_SECONDS = 30.0  # discord.py waits so long for a rate limit by itself, and no less
BANNED_SECONDS = 60.0
LONGEST_BAN_SECONDS = 3600.0


class DiscordRefused(Exception):
    """Discord said no: HTTP status, its own code (0 where it gave none), its words."""

    def __init__(self, status: int, code: int, words: str) -> None:
        super().__init__(f"{words.rstrip('.')} (HTTP {status}, code {code})")
        self.status = status
        self.code = code


class Limited(Exception):
    """A rate limit holds for longer than is worth waiting here (seconds); nothing was done."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the rate limit holds for {seconds:.1f} seconds")
        self.seconds = seconds


class Unreachable(Exception):
    """No answer, or HTTP 5xx; `sent`: what was asked may have been done."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.sent = sent


class Closed(Exception):
    """The connection was closed by us: the service is stopping."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that goes out."""

    name: str
    media_type: str
    content: bytes


class ServerFault(Exception):
    """HTTP 5xx, raised before discord.py repeats a request that may have been carried out."""

    def __init__(self, status: int) -> None:
        super().__init__(f"HTTP {status}")


async def _stop_at_faults(
    session: aiohttp.ClientSession,  # noqa: ARG001 - aiohttp's signature
    context: object,  # noqa: ARG001
    ended: aiohttp.TraceRequestEndParams,
) -> None:
    if ended.response.status >= 500:
        ended.response.close()
        raise ServerFault(ended.response.status)


def without_repeats() -> aiohttp.TraceConfig:
    """Return what keeps discord.py from repeating requests at HTTP 5xx."""
    trace = aiohttp.TraceConfig()
    trace.on_request_end.append(_stop_at_faults)
    return trace


class Rest:
    """One token's way to the API; it logs in at its first request."""

    def __init__(
        self, token: str, *, request_seconds: float = REQUEST_SECONDS, limit_seconds: float = LIMIT_SECONDS
    ) -> None:
        self._token = token
        self._request_seconds = request_seconds
        self._limit_seconds = limit_seconds
        self._http: HTTPClient | None = None
        self._login = asyncio.Lock()
        self._closed = False
        self.user = ""

    def open(self) -> None:
        """Take requests, also after `close`."""
        self._closed = False

    async def close(self) -> None:
        """End; later requests raise Closed until `open` is called."""
        self._closed = True
        client, self._http = self._http, None
        if client is not None:
            await client.close()

    async def whoami(self) -> str:
        """Return the id of the token's bot; raises as `request`."""
        await self._translated(self._client())
        return self.user

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        files: Sequence[Upload] = (),
        params: Mapping[str, str] | None = None,
        **places: str,
    ) -> Any:
        """Return what the API answers, as parsed JSON.

        `places` fill the path and are what rate limits go by. Raises DiscordRefused, Limited, Unreachable or Closed.
        """
        return _read(await self._translated(self._request(Route(method, path, **places), body, files, params)))

    async def _request(
        self, route: Route, body: object, files: Sequence[Upload], params: Mapping[str, str] | None
    ) -> Any:
        client = await self._client()
        more: dict[str, Any] = {} if params is None else {"params": dict(params)}
        if files:
            form: list[dict[str, Any]] = [
                {"name": "payload_json", "value": json.dumps(body), "content_type": "application/json"}
            ]
            form += [
                {"name": f"files[{at}]", "value": file.content, "filename": file.name, "content_type": file.media_type}
                for at, file in enumerate(files)
            ]
            return await client.request(route, form=form, **more)
        if body is not None:
            more["json"] = body
        return await client.request(route, **more)

    async def _client(self) -> HTTPClient:
        async with self._login:
            self._refuse_closed()
            if self._http is None:
                client = LimitedClient(
                    asyncio.get_running_loop(), http_trace=without_repeats(), max_ratelimit_timeout=LIMIT_SECONDS
                )
                try:
                    user = await client.static_login(self._token)
                    self._refuse_closed()  # it may be since
                except BaseException:
                    await client.close()
                    raise
                self.user = str(_read(user)["id"])
                self._http = client
        return self._http

    def _refuse_closed(self) -> None:
        if self._closed:
            raise Closed("The gateway to Discord is closed.")

    async def _in_time(self, call: Any) -> Any:
        try:
            async with asyncio.timeout(self._request_seconds):
                return await call
        except (ValueError, LookupError, TypeError) as error:
            raise Unreachable(f"Discord's answer cannot be read ({type(error).__name__} {error})", sent=True) from error
        except (asyncio.CancelledError, TimeoutError):
            # A request that waits for the global limit holds all others; discord.py frees them only when it goes on.
            held = None if self._http is None else self._http._global_over
            if held is not None and not held.is_set():
                asyncio.get_running_loop().call_later(self._limit_seconds, held.set)
            raise

    async def _translated(self, call: Any) -> Any:
        try:
            return await self._in_time(call)
        except discord.LoginFailure as error:
            raise DiscordRefused(401, 0, "The bot token is not valid") from error
        except discord.RateLimited as error:
            raise Limited(error.retry_after) from error
        except discord.HTTPException as error:
            if error.status == 429:
                raise Limited(_asked_for(error)) from error
            code, words = _reason(error)
            raise DiscordRefused(error.status, code, words) from error
        except ServerFault as error:
            raise Unreachable(str(error), sent=True) from error
        except aiohttp.ClientConnectorError as error:
            raise Unreachable(f"no connection to Discord: {error}", sent=False) from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise Unreachable(f"no answer from Discord ({type(error).__name__} {error})", sent=True) from error
        except RuntimeError as error:
            if self._closed:
                raise Closed("The gateway to Discord is closed.") from error
            raise


def _read(answer: Any) -> Any:
    """JSON that came under another name than `application/json` alone, which is the only one that discord.py reads."""
    if not isinstance(answer, str) or not answer.lstrip().startswith(("{", "[")):
        return answer
    try:
        return json.loads(answer)
    except ValueError:
        return answer


def _reason(error: discord.HTTPException) -> tuple[int, str]:
    """Discord's own code, and its words."""
    told = _read(error.text)
    if not isinstance(told, dict):
        return error.code, error.text or str(error)
    code = told.get("code")
    return code if isinstance(code, int) else 0, str(told.get("message") or error)


def _asked_for(error: discord.HTTPException) -> float:
    """For how many seconds an answer that discord.py takes for a ban wants us to wait: it reads no body of those."""
    seconds: float
    try:
        told = json.loads(getattr(error.response, "_body", None) or b"null")
        asked = told.get("retry_after") if isinstance(told, dict) else None
        seconds = float(error.response.headers.get("Retry-After", BANNED_SECONDS) if asked is None else asked)
    except (TypeError, ValueError):
        return BANNED_SECONDS
    return seconds if 0 <= seconds <= LONGEST_BAN_SECONDS else BANNED_SECONDS
