"""Rate limits as Discord tells them: a bucket for each route and place, one limit for everything."""

import hashlib
import json
import time
from dataclasses import dataclass

from aiohttp import web

VIA = {"Via": "1.1 google"}  # without it a 429 is taken for a ban by the network in front of Discord


@dataclass(slots=True)
class _Bucket:
    used: int
    until: float


class RateLimits:
    """Counts requests; `limit` of them in `seconds` go through for each bucket."""

    def __init__(self) -> None:
        self.limit = 1000
        self.seconds = 1.0
        self.hits = 0
        self._buckets: dict[str, _Bucket] = {}

    def take(self, route: str, place: str) -> tuple[dict[str, str], float]:
        """The headers for a request, and for how many seconds it is refused (0: not at all)."""
        now = time.monotonic()
        bucket = self._buckets.get(f"{route} {place}")
        if bucket is None or now >= bucket.until:
            bucket = self._buckets[f"{route} {place}"] = _Bucket(0, now + self.seconds)
        bucket.used += 1
        left = max(0.001, bucket.until - now)
        headers = {
            **VIA,
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(max(0, self.limit - bucket.used)),
            "X-RateLimit-Reset": f"{time.time() + left:.3f}",
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": hashlib.sha256(route.encode()).hexdigest()[:32],
        }
        if bucket.used <= self.limit:
            return headers, 0.0
        self.hits += 1
        return headers, left


def too_many(retry_after: float, headers: dict[str, str], *, everywhere: bool = False) -> web.Response:
    """The answer 429."""
    scope = "global" if everywhere else "user"
    more = {"Retry-After": f"{retry_after:.3f}", "X-RateLimit-Scope": scope}
    if everywhere:
        more["X-RateLimit-Global"] = "true"
    body = {"message": "You are being rate limited.", "retry_after": round(retry_after, 3), "global": everywhere}
    return answer(body, 429, {**headers, **more})


def answer(body: object, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """JSON whose Content-Type has no charset: discord.py compares the whole header."""
    content = {"Content-Type": "application/json", **(headers or {})}
    return web.Response(status=status, body=json.dumps(body).encode(), headers=content)
