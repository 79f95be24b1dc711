"""The pages of a channel's history and of its threads: few calls at once, at the pace that Slack asks for."""

import asyncio
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from mama_bot.backoff import Backoff
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.calls import CALL_SECONDS, TROUBLE, pause_asked_for, reason_of
from mama_bot.gateways.slack.places import mark_of, ts_at
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock

log = structlog.get_logger(__name__)

PAGE, PAGES = 200, 50
ATTEMPTS = 3
PAUSES = Backoff(first=1.0, longest=10.0)
SHORT_SECONDS = 1.0
# Slack allows fifty: the rest is for whoever looks for a post.
CALLS_A_MINUTE = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """Messages (or conversations) as Slack tells them, and whether there were more than are read."""

    messages: Sequence[Mapping[str, Any]]
    cut: bool = False


class MissedPages:
    """Reads what stands after a mark; a refusal for the pace is waited for, however often it comes."""

    def __init__(
        self,
        *,
        accounts: SlackAccounts,
        clock: Clock,
        metrics: Metrics,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._accounts = accounts
        self._clock = clock
        self._metrics = metrics
        self._sleep = sleep
        self._not_before: defaultdict[str, float] = defaultdict(float)
        self._made: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=CALLS_A_MINUTE))

    async def read(
        self, method: str, channel: str, after: int, *, before_pause: Callable[[], Awaitable[None]], thread: str = ""
    ) -> Pages:
        """Return what was written after a mark; `before_pause` is called where Slack has it take longer.

        Raises what a call raises (TROUBLE), after a few tries.
        """
        asked: dict[str, Any] = {"channel": channel, "oldest": ts_at(after), "limit": PAGE}
        asked |= {"ts": thread} if thread else {}
        pages = await self._read(method, asked, "messages", before_pause, most=PAGES)
        later = [message for message in pages.messages if mark_of(message.get("ts")) > after]
        return Pages(messages=later, cut=pages.cut)

    async def before(
        self, channel: str, latest: int, *, oldest: int, most: int, before_pause: Callable[[], Awaitable[None]]
    ) -> Pages:
        """Return what was written in a channel up to a mark, the latest first: `most` pages, none behind `oldest`.

        Raises as `read`.
        """
        asked = {
            "channel": channel,
            "latest": ts_at(latest),
            "inclusive": "true",
            "limit": PAGE,
        }
        return await self._read("conversations.history", asked, "messages", before_pause, most=most, until=oldest)

    async def conversations(self, kinds: Sequence[str]) -> Pages:
        """Return the conversations of these kinds that the bot is in; raises as `read`."""
        asked = {"types": ",".join(kinds), "exclude_archived": "true", "limit": PAGE}
        return await self._read("users.conversations", asked, "channels", _nothing, most=PAGES)

    async def _read(
        self,
        method: str,
        asked: dict[str, Any],
        what: str,
        before_pause: Callable[[], Awaitable[None]],
        *,
        most: int,
        until: int = -1,
    ) -> Pages:
        read: list[Mapping[str, Any]] = []
        for _ in range(most):
            answer = await self._called(method, asked, before_pause)
            told = answer.get(what)
            read += [entry for entry in (told if isinstance(told, list) else ()) if isinstance(entry, Mapping)]
            following = answer.get("response_metadata")
            cursor = following.get("next_cursor") if isinstance(following, Mapping) else None
            if not cursor or (read and mark_of(read[-1].get("ts")) <= until):
                return Pages(messages=read)
            asked["cursor"] = cursor
        return Pages(messages=read, cut=True)

    async def _called(
        self, method: str, asked: Mapping[str, Any], before_pause: Callable[[], Awaitable[None]]
    ) -> Mapping[str, Any]:
        attempt = 0
        while True:
            if (left := self._pause(method)) > 0:
                if left > SHORT_SECONDS:
                    await before_pause()
                await self._sleep(max(0.0, self._pause(method)))
                continue
            self._made[method].append(self._clock.monotonic())
            try:
                # One that sends nothing a second time by itself: the pace is kept here, for all channels at once.
                client = self._accounts.client(posting=True)
                async with asyncio.timeout(CALL_SECONDS):
                    answer = await client.api_call(method, http_verb="GET", params=dict(asked))
                return answer.data if isinstance(answer.data, Mapping) else {}
            except TROUBLE as error:
                log.info("history_waits", method=method, channel=asked.get("channel", ""), reason=reason_of(error))
                if (seconds := pause_asked_for(error)) is not None:
                    self._metrics.count("slack_history_limited", method=method)
                    self._not_before[method] = self._clock.monotonic() + max(seconds, SHORT_SECONDS)
                    continue
                attempt += 1
                if attempt == ATTEMPTS or (isinstance(error, TimeoutError) and attempt > 1):
                    raise
                await self._sleep(PAUSES.pause(attempt))

    def _pause(self, method: str) -> float:
        """Return for how many seconds a method is left alone yet: Slack said so, or it was called often of late."""
        made = self._made[method]
        paced = made[0] + 60.0 if len(made) == CALLS_A_MINUTE else 0.0
        return max(paced, self._not_before[method]) - self._clock.monotonic()


async def _nothing() -> None:
    return
