"""Calls of Slack's Web API, and what their errors mean."""

import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    AsyncRateLimitErrorRetryHandler,
)
from slack_sdk.web.async_client import AsyncWebClient

from mama_bot.errors import DeliveryError, DeliveryFailed, DeliveryUnknown
from mama_bot.gateways.slack import sentences
from mama_bot.gateways.slack.constants import PLATFORM
from mama_bot.model import words
from mama_bot.wording import Language, Said

CALL_SECONDS = 30
RATE_LIMIT_RETRIES = 2
# Everything that a call can raise; the last two are the SDK's way of saying that an answer is no object.
TROUBLE = (SlackClientError, aiohttp.ClientError, OSError, TimeoutError, ValueError, AttributeError, TypeError)

TOKEN_ERRORS = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"})
_MAYBE_DONE = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_PERMANENT = frozenset(
    words(
        "channel_not_found not_in_channel is_archived restricted_action restricted_action_read_only_channel "
        "restricted_action_thread_only_channel restricted_action_non_threadable_channel messages_tab_disabled "
        "user_disabled cannot_dm_bot no_text invalid_blocks msg_too_long missing_scope"
    )
)
_HERE = frozenset({"localhost", "127.0.0.1", "::1"})

# The SDK formats its debug lines, with the words of people, whenever its logger's own level is not set.
quiet = logging.getLogger("mama_bot.slack_sdk")
quiet.setLevel(logging.CRITICAL)


def web_client(token: str, api_url: str, *, session: aiohttp.ClientSession | None, posting: bool) -> AsyncWebClient:
    """Return a client; one for `posting` never sends a second time by itself: what became of the first is looked up."""
    retries: list[AsyncRetryHandler] = []
    if not posting:
        retries = [
            AsyncConnectionErrorRetryHandler(),
            AsyncRateLimitErrorRetryHandler(max_retry_count=RATE_LIMIT_RETRIES),
        ]
    return AsyncWebClient(
        token, base_url=api_url, timeout=CALL_SECONDS, session=session, logger=quiet, retry_handlers=retries
    )


def code_of(error: BaseException) -> str:
    """Slack's word for what went wrong; "" where it said none."""
    answer = _answer(error)
    code = answer.get("error")
    return code if isinstance(code, str) else ""


def status_of(error: BaseException) -> int:
    """Return the HTTP status of an answer; 0 when there was none."""
    response: Any = error.response if isinstance(error, SlackApiError) else None
    status = getattr(response, "status_code", None) or getattr(response, "status", 0)
    return status if isinstance(status, int) else 0


def reason_of(error: BaseException) -> str:
    """Return what went wrong and what to do, for the log and for whoever runs the service."""
    return trouble_of(error).to(Language.ENGLISH)


def trouble_of(error: BaseException) -> Said:
    """Return what went wrong and what to do, for people."""
    code, status = code_of(error), status_of(error)
    if isinstance(error, TimeoutError):
        return sentences.NO_ANSWER
    if not code:
        unnamed = sentences.OTHER_TROUBLE.of(error=f"{type(error).__name__}: {error}")
        return sentences.HTTP_STATUS.of(status=status) if status else unnamed
    needed = _answer(error).get("needed")
    about = f"{code} ({needed})" if isinstance(needed, str) and needed else code
    if code not in sentences.REMEDIES:
        return sentences.OTHER_TROUBLE.of(error=about)
    return sentences.CODE_WITH_REMEDY.of(about=about, remedy=sentences.REMEDIES[code])


def delivery_error(error: BaseException) -> DeliveryError:
    """Return whether a post certainly is not there, or perhaps is."""
    code, status = code_of(error), status_of(error)
    if (seconds := pause_asked_for(error)) is not None:
        return DeliveryFailed(platform=PLATFORM, reason="Slack asks for a slower pace", retry_after_seconds=seconds)
    if isinstance(error, aiohttp.ClientConnectorError):
        return DeliveryFailed(platform=PLATFORM, reason=reason_of(error))
    if status >= 500 or code in _MAYBE_DONE or (not code and status in {0, 200}):
        return DeliveryUnknown(platform=PLATFORM, reason=reason_of(error))
    return DeliveryFailed(platform=PLATFORM, reason=reason_of(error), permanent=code in _PERMANENT)


def pause_asked_for(error: BaseException) -> float | None:
    """Return for how many seconds Slack asks to be left alone; None where it was something else."""
    limited = status_of(error) == 429 or code_of(error) in {"ratelimited", "rate_limited"}
    return _retry_after(error) if limited else None


def is_of_slack(url: str, api_url: str) -> bool:
    """Return whether an address is Slack's own, or of the host that plays Slack: no other is sent a token."""
    try:
        parts, api = urlsplit(url), urlsplit(api_url)
    except ValueError:
        return False
    host, own = parts.hostname or "", api.hostname or ""
    if parts.scheme in {"https", api.scheme} and (host == own or {host, own} <= _HERE):
        return True
    return parts.scheme == "https" and (host == "slack.com" or host.endswith((".slack.com", ".slack-files.com")))


def scopes_of(headers: Mapping[str, object]) -> frozenset[str]:
    """Return the scopes that an answer of Slack says the token has; empty where it does not say."""
    for name, value in headers.items():
        if name.lower() == "x-oauth-scopes" and isinstance(value, str):
            return frozenset(scope.strip() for scope in value.split(",") if scope.strip())
    return frozenset()


def _answer(error: BaseException) -> Mapping[str, object]:
    response: Any = error.response if isinstance(error, SlackApiError) else None
    body = response if isinstance(response, dict) else getattr(response, "data", None)
    return body if isinstance(body, dict) else {}


def _retry_after(error: BaseException) -> float:
    response: Any = error.response if isinstance(error, SlackApiError) else None
    headers = getattr(response, "headers", None) or {}
    value = next((headers[name] for name in headers if name.lower() == "retry-after"), "1")
    try:
        return max(float(value), 0.0)
    except (TypeError, ValueError):
        return 1.0
