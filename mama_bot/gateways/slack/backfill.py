"""Messages that were written while nobody was connected, and that Slack tells of no more."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import structlog

from mama_bot.backoff import Backoff
from mama_bot.gateways.chat.read_marks import Marks
from mama_bot.gateways.slack.accounts import SlackAccounts
from mama_bot.gateways.slack.arrivals import SlackInbound
from mama_bot.gateways.slack.calls import TROUBLE, code_of, reason_of
from mama_bot.gateways.slack.places import mark_of, ts_at
from mama_bot.gateways.slack.threads import SlackThreads
from mama_bot.gateways.slack.wire import Written, missed_message
from mama_bot.metrics import Metrics
from mama_bot.protocols import Clock, Inlet

log = structlog.get_logger(__name__)

CHANNELS, THREADS = 100, 20
PAGE, PAGES = 200, 5
AT_ONCE = 4
ATTEMPTS = 4
PAUSES = Backoff(first=1.0, longest=10.0)
_CLOSED = frozenset({"channel_not_found", "not_in_channel", "missing_scope", "is_archived"})


class SlackBackfill:
    """Reads a channel and its latest threads after its mark, the oldest first; nothing older than `hours`.

    Slack tells of an event three times in some six minutes, and then never: whoever was away for longer reads it here.
    """

    def __init__(
        self,
        *,
        accounts: SlackAccounts,
        threads: SlackThreads,
        inbound: SlackInbound,
        marks: Marks,
        clock: Clock,
        metrics: Metrics,
        hours: float,
    ) -> None:
        self._accounts = accounts
        self._threads = threads
        self._inbound = inbound
        self._marks = marks
        self._clock = clock
        self._metrics = metrics
        self._hours = hours
        self._room = asyncio.Semaphore(AT_ONCE)

    def channels(self) -> Sequence[str]:
        """Return the channels that may have a gap, those first in which something was heard last."""
        return self._marks.latest(CHANNELS)[::-1]

    async def fill(self, channel: str, inlet: Inlet, opened: asyncio.Future[bool]) -> None:
        """Take what a channel holds after its mark once a connection is `opened`, before anything that comes by it."""
        limit = self._clock.now().timestamp() - self._hours * 3600
        oldest = ts_at(max(self._marks.of(channel), int(limit * 1_000_000)))
        taken = await self._inbound.take_missed(channel, partial(self._missed, channel, oldest, opened), inlet)
        if taken:
            self._metrics.count("slack_messages_backfilled", taken)
            log.info("backfilled", channel=channel, messages=taken)

    async def _missed(self, channel: str, oldest: str, opened: asyncio.Future[bool]) -> Sequence[Written]:
        """Return what people wrote in a channel and in its threads, in order; nothing where Slack does not tell."""
        own = self._accounts.own
        if not await asyncio.shield(opened) or own is None:
            return ()
        async with self._room:
            for attempt in range(1, ATTEMPTS + 1):
                try:
                    raw = await self._everything(channel, oldest)
                except TROUBLE as error:
                    if code_of(error) in _CLOSED:
                        log.info("history_refused", channel=channel, reason=reason_of(error))
                        return ()
                    log.info("history_waits", channel=channel, reason=reason_of(error))
                    await asyncio.sleep(PAUSES.pause(attempt))
                else:
                    read = (missed_message(message, channel=channel, team=own.team) for message in raw)
                    return sorted(filter(None, read), key=lambda message: mark_of(message.ts))
        self._metrics.count("slack_backfills_given_up")
        log.error("backfill_given_up", channel=channel)
        return ()

    async def _everything(self, channel: str, oldest: str) -> Sequence[Mapping[str, Any]]:
        messages = {message["ts"]: message for message in await self._pages("conversations.history", channel, oldest)}
        opened = [ts for ts, message in messages.items() if message.get("reply_count")]
        for thread in dict.fromkeys([*opened, *self._threads.of(channel, THREADS)]):
            try:
                replies = await self._pages("conversations.replies", channel, oldest, ts=thread)
            except TROUBLE as error:
                if code_of(error) != "thread_not_found":
                    raise
            else:
                messages |= {reply["ts"]: reply for reply in replies}
        return [message for ts, message in messages.items() if mark_of(ts) > mark_of(oldest)]

    async def _pages(self, method: str, channel: str, oldest: str, **more: str) -> Sequence[Mapping[str, Any]]:
        asked: dict[str, Any] = {"channel": channel, "oldest": oldest, "limit": PAGE, **more}
        messages: list[Mapping[str, Any]] = []
        for _ in range(PAGES):
            answer = await self._accounts.client().api_call(method, http_verb="GET", params=dict(asked))
            messages += _messages(answer.get("messages"))
            following = answer.get("response_metadata")
            cursor = following.get("next_cursor") if isinstance(following, Mapping) else None
            if not cursor:
                return messages
            asked["cursor"] = cursor
        self._metrics.count("slack_backfills_cut")
        log.warning("backfill_cut", channel=channel, messages=len(messages), remedy="Ask again what was not answered.")
        return messages


def _messages(told: object) -> Iterator[Mapping[str, Any]]:
    for message in told if isinstance(told, list) else ():
        if isinstance(message, Mapping) and mark_of(message.get("ts")):
            yield message
