"""What the page is answered where a request fails: each kind of error as a status, a code and a sentence."""

from collections.abc import Awaitable, Callable, Mapping

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from mama_bot.errors import (
    MamaBotError,
    MessageRefused,
    PairingRefused,
    QueueFull,
    ReportRefused,
    StoreError,
    TextRefused,
)
from mama_bot.gateways.web.refusals import refusal
from mama_bot.gateways.web.request_bodies import RequestRefused
from mama_bot.wording import Language

log = structlog.get_logger(__name__)

NOT_JUDGED: Mapping[str, int] = {"judge_busy": 429, "judge_late": 503}  # any other text is at fault itself

Answering = Callable[[Request, Exception], Awaitable[Response]]


async def _answer_refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestRefused)
    return refusal(error.status, error.code, error.sentence)


async def _answer_http(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, "not_found" if error.status_code == 404 else "not_allowed", error.detail)


def _telling(status: int, code: str) -> Answering:
    """Return the function that answers with an error's own sentence, in the language of what was asked."""

    async def answer(request: Request, error: Exception) -> Response:
        return refusal(status, code, _told(request, error))

    return answer


async def _answer_report_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ReportRefused)
    return refusal(409, error.code, _told(request, error))


async def _answer_text_refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, TextRefused)
    return refusal(NOT_JUDGED.get(error.code, 422), error.code, _told(request, error))


async def _answer_store(request: Request, error: Exception) -> Response:
    log.error("page_store_unavailable", error=str(error))
    return refusal(503, "store_unavailable", _told(request, error))


def _told(request: Request, error: Exception) -> str:
    """Return the sentence of an error in the language of what was asked."""
    assert isinstance(error, MamaBotError)
    return error.to(getattr(request.state, "language", Language.ENGLISH))


async def _answer_nobody(_request: Request, _error: Exception) -> Response:
    return Response(status_code=400)  # the page went away before its request was complete


async def _answer_unexpected(request: Request, error: Exception) -> Response:
    log.error("page_request_failed", path=request.url.path, exc_info=error)
    return refusal(500, "failed", "Something went wrong inside the service; its log says what. Try again.")


ANSWERS: Mapping[type[Exception], Answering] = {
    RequestRefused: _answer_refused,
    HTTPException: _answer_http,
    MessageRefused: _telling(422, "refused"),
    QueueFull: _telling(429, "queue_full"),
    ReportRefused: _answer_report_refused,
    TextRefused: _answer_text_refused,
    PairingRefused: _telling(409, "pairing_refused"),
    StoreError: _answer_store,
    ClientDisconnect: _answer_nobody,
    Exception: _answer_unexpected,
}
