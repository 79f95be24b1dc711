"""Where other services deliver: no key of the page opens it, and none is needed; each hook has a secret of its own."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import assert_never

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from mama_bot.gateways.web.refusals import refusal
from mama_bot.gateways.web.request_bodies import read_body
from mama_bot.model import (
    HookDelivery,
    HookIgnored,
    HookOutcome,
    HookRefusal,
    HookRefused,
    HookRepeated,
    HookStored,
)
from mama_bot.protocols import HookDesk, Inlet

HOOKS = "/hooks/"
READ_AT_ONCE = 32  # of whoever only claims to know a secret: each may be large
BUSY_SECONDS = 5

_REFUSALS: Mapping[HookRefusal, tuple[int, str]] = {
    HookRefusal.UNKNOWN: (401, "There is no such hook, or the delivery does not show that it knows its secret."),
    HookRefusal.UNPROVEN: (401, "There is no such hook, or the delivery does not show that it knows its secret."),
    HookRefusal.NO_JSON: (400, "The delivery is not a JSON object."),
    HookRefusal.TOO_OFTEN: (429, "This hook asked as often as it may in an hour. Send the delivery again later."),
    HookRefusal.NO_ROOM: (429, "Too many messages wait for the team. Send the delivery again later."),
    HookRefusal.STOPPING: (503, "The service cannot take it now. Send the delivery again in a moment."),
}


class NoHooks:
    """A `HookDesk` without hooks."""

    def most_bytes(self, hook: str, headers: Mapping[str, str]) -> int:
        """Return 0: there is none of this name."""
        return 0

    async def take(self, delivery: HookDelivery, inlet: Inlet) -> HookOutcome:
        """Refuse a delivery."""
        return HookRefused(why=HookRefusal.UNKNOWN)


class HookEndpoint:
    """Answers deliveries: 202 once one is stored, 200 for one that leads to nothing, else what was wrong."""

    def __init__(self, *, desk: HookDesk, inlet: Inlet) -> None:
        self._desk = desk
        self._inlet = inlet
        self._reading = asyncio.Semaphore(READ_AT_ONCE)

    async def __call__(self, request: Request) -> Response:
        """Answer one delivery."""
        hook = request.path_params["name"]
        headers = _single(request.headers.items())
        most = self._desk.most_bytes(hook, headers)
        if not most:
            return _answer(HookRefused(why=HookRefusal.UNKNOWN))
        if self._reading.locked():
            return _answer(HookRefused(why=HookRefusal.STOPPING, retry_seconds=BUSY_SECONDS))
        async with self._reading:
            body = await read_body(request, limit=most)
        return _answer(await self._desk.take(HookDelivery(hook=hook, headers=headers, body=body), self._inlet))


def _single(headers: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """The headers by name; of one that comes twice nothing is known."""
    single: dict[str, str] = {}
    for name, value in headers:
        single[name] = "" if name in single else value
    return single


def _answer(outcome: HookOutcome) -> Response:
    match outcome:
        case HookStored(message_id=message_id):
            return JSONResponse({"stored": True, "id": message_id}, status_code=202)
        case HookRepeated():
            return JSONResponse({"stored": False, "reason": "repeated"})
        case HookIgnored(why=why):
            return JSONResponse({"stored": False, "reason": why.value})
        case HookRefused(why=why, retry_seconds=seconds):
            status, sentence = _REFUSALS[why]
            code = "unproven" if status == 401 else why.value
            answer = refusal(status, code, sentence)
            if seconds:
                answer.headers["retry-after"] = str(seconds)
            return answer
        case unexpected:
            assert_never(unexpected)
