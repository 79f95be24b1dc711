"""What the open pages are told while it happens: bounded for each page, never blocking who tells."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

from starlette.types import Receive, Send

from mama_bot.gateways.web.json_views import Json
from mama_bot.recent import Recent

HEARTBEAT_SECONDS = 15.0
QUEUE_LIMIT = 256
CLIENT_LIMIT = 64
MAX_LIVE_TURNS = 64
MAX_LIVE_STEPS = 120


def encode_event(kind: str, facts: Json) -> bytes:
    """Return one server-sent event; the JSON is ASCII: no line break, no lone surrogate gets into the stream."""
    return f"event: {kind}\ndata: {json.dumps(facts)}\n\n".encode("ascii")


RELOAD = encode_event("reload", {})
HEARTBEAT = b": still here\n\n"


class Subscription:
    """One open page; when it reads too slowly, what it missed is replaced by one "reload"."""

    def __init__(self, *, limit: int) -> None:
        self._limit = limit
        self._events: deque[bytes] = deque()
        self._arrived = asyncio.Event()
        self._closed = False

    def put(self, event: bytes) -> None:
        """Add an event; never waits."""
        if len(self._events) >= self._limit:
            self._events.clear()
            event = RELOAD
        self._events.append(event)
        self._arrived.set()

    def close(self) -> None:
        """End the stream."""
        self._closed = True
        self._arrived.set()

    async def stream(self, heartbeat_seconds: float) -> AsyncIterator[bytes]:
        """Yield the events as they come, and a comment when none came for a while, until closed."""
        while not self._closed:
            try:
                async with asyncio.timeout(heartbeat_seconds):
                    await self._arrived.wait()
            except TimeoutError:
                yield HEARTBEAT
            self._arrived.clear()
            while self._events and not self._closed:
                yield self._events.popleft()


class LivePages:
    """Every open page."""

    def __init__(self, *, queue_limit: int = QUEUE_LIMIT, client_limit: int = CLIENT_LIMIT) -> None:
        self._queue_limit = queue_limit
        self._client_limit = client_limit
        self._subscriptions: set[Subscription] = set()

    def __len__(self) -> int:
        return len(self._subscriptions)

    @property
    def full(self) -> bool:
        """Whether no further page may listen."""
        return len(self._subscriptions) >= self._client_limit

    def publish(self, kind: str, facts: Json) -> None:
        """Tell every open page; never waits."""
        if self._subscriptions:
            event = encode_event(kind, facts)
            for subscription in self._subscriptions:
                subscription.put(event)

    def reload(self) -> None:
        """Let every open page read anew what there is."""
        for subscription in self._subscriptions:
            subscription.put(RELOAD)

    def close(self) -> None:
        """End every stream."""
        for subscription in self._subscriptions:
            subscription.close()

    @contextmanager
    def subscribe(self) -> Iterator[Subscription]:
        """Listen until left."""
        subscription = Subscription(limit=self._queue_limit)
        self._subscriptions.add(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.discard(subscription)


async def send_events(subscription: Subscription, receive: Receive, send: Send, heartbeat_seconds: float) -> None:
    """Send a subscription's events over one HTTP response, until it is closed or the page goes away."""
    headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(_close_on_disconnect(subscription, receive))
        with suppress(OSError):
            await send({"type": "http.response.body", "body": b"retry: 1000\n\n", "more_body": True})
            async for event in subscription.stream(heartbeat_seconds):
                await send({"type": "http.response.body", "body": event, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        watching.cancel()


async def _close_on_disconnect(subscription: Subscription, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
    subscription.close()


class LiveTurns:
    """The steps of the turns that run just now, so that a page opened in the middle of a turn shows them."""

    def __init__(self) -> None:
        self._turns: Recent[str, deque[Json]] = Recent(MAX_LIVE_TURNS)

    def add(self, turn_id: str, step: Json) -> None:
        """Keep a step; a finished turn is forgotten, since the history has it."""
        if step["kind"] == "turn_finished":
            self._turns.pop(turn_id, None)
            return
        steps = self._turns.setdefault(turn_id, deque(maxlen=MAX_LIVE_STEPS))
        if step["kind"] == "turn_started":
            steps.clear()
        steps.append(step)

    def forget(self) -> None:
        """Forget every step: which turns have ended meanwhile is not known."""
        self._turns.clear()

    def of(self, conversation: str) -> list[Json]:
        """Return the steps of a conversation's running turns, turn by turn."""
        return [step for steps in self._turns.values() for step in steps if step["conversation"] == conversation]

    def working(self) -> list[Json]:
        """Return who works where: the last step's turn of each running turn."""
        return [
            {"conversation": steps[-1]["conversation"], "turn": steps[-1]["turn"]} for steps in self._turns.values()
        ]
