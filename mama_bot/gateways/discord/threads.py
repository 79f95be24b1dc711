"""The threads that a conversation takes part in, and those that it opens."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.discord.places import DiscordPlaces
from mama_bot.gateways.discord.rest import DiscordRefused, Rest
from mama_bot.gateways.discord.wire import NotUnderstood, read_place
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey
from mama_bot.protocols import GatewayState
from mama_bot.wording import one_line

log = structlog.get_logger(__name__)
_PREFIX = "thread/"
_ALREADY_OPEN = 160004
MAX_THREADS = 20_000
_NAME_CHARACTERS = 90
_ARCHIVE_MINUTES = 1440


class ThreadStanding(StrEnum):
    """How far a thread is: not opened yet, there, or impossible (its conversation is in the channel)."""

    PENDING = "pending"
    OPEN = "open"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a conversation's posts go; `instead`: its thread could not be opened, the channel stands in for it."""

    channel: str
    thread: str = ""
    instead: bool = False

    @property
    def place(self) -> str:
        """The id of the thread, or of the channel."""
        return self.thread or self.channel


class DiscordThreads:
    """Kept over restarts in the gateway's state; beyond 20,000 the one known longest is forgotten."""

    def __init__(self, *, rest: Rest, state: GatewayState, places: DiscordPlaces, metrics: Metrics) -> None:
        self._rest = rest
        self._state = state
        self._places = places
        self._metrics = metrics
        self._known: dict[str, tuple[ThreadStanding, str]] = {}
        self._loaded = False
        self._opening = asyncio.Lock()

    async def load(self) -> None:
        """Read what an earlier life left, once; raises StoreUnavailable."""
        if self._loaded:
            return
        for name, value in (await self._state.entries(_PREFIX)).items():
            thread = _parsed(value)
            if thread is not None:
                self._known.setdefault(name.removeprefix(_PREFIX), thread)
        self._loaded = True

    def takes_part(self, thread: str) -> bool:
        """Return whether messages in a thread are for the team without a mention."""
        return thread in self._known

    async def join(self, thread: str) -> None:
        """Note that the team was mentioned in a thread; raises StoreUnavailable."""
        if thread not in self._known:
            await self._keep(thread, ThreadStanding.OPEN, "")

    async def plan(self, thread: str, text: str) -> bool:
        """Have a thread opened from the message of this id when there is something to post; False: known before."""
        if thread in self._known:
            return False
        await self._keep(thread, ThreadStanding.PENDING, _title(text))
        return True

    async def forget(self, thread: str) -> None:
        """Forget a thread that was deleted."""
        if self._known.pop(thread, None) is not None:
            await self._state.drop(f"{_PREFIX}{thread}")

    async def _keep(self, thread: str, standing: ThreadStanding, title: str) -> None:
        await self._state.put({f"{_PREFIX}{thread}": json.dumps([standing.value, title])})
        self._known[thread] = (standing, title)
        if len(self._known) > MAX_THREADS:
            await self.forget(next(iter(self._known)))

    async def pending(self, key: ConversationKey) -> bool:
        """Return whether a conversation's thread is still to be opened, so that nothing can stand in it."""
        await self.load()
        return self._known.get(key.thread, (ThreadStanding.OPEN, ""))[0] is ThreadStanding.PENDING

    async def target(self, key: ConversationKey) -> Target:
        """Return where to post after opening the thread if need be; raises Limited, Unreachable or StoreUnavailable."""
        await self.load()
        if not key.thread:
            return Target(channel=key.channel)
        standing, title = self._known.get(key.thread, (ThreadStanding.OPEN, ""))
        if standing is ThreadStanding.PENDING:
            async with self._opening:
                standing = self._known[key.thread][0]
                if standing is ThreadStanding.PENDING:
                    standing = await self._open(key, title)
        if standing is ThreadStanding.CHANNEL:
            return Target(channel=key.channel, instead=True)
        return Target(channel=key.channel, thread=key.thread)

    async def _open(self, key: ConversationKey, title: str) -> ThreadStanding:
        standing = ThreadStanding.OPEN
        try:
            raw = await self._rest.request(
                "POST",
                "/channels/{channel_id}/messages/{message_id}/threads",
                body={"name": title, "auto_archive_duration": _ARCHIVE_MINUTES},
                channel_id=key.channel,
                message_id=key.thread,
            )
            self._places.learn(read_place(raw))
        except NotUnderstood:
            pass
        except DiscordRefused as refused:
            if refused.code != _ALREADY_OPEN:
                standing = ThreadStanding.CHANNEL
                self._metrics.count("discord_threads_refused")
                log.warning("thread_not_opened", channel=key.channel, message=key.thread, reason=str(refused))
        try:
            await self._keep(key.thread, standing, title)
        except StoreUnavailable:
            self._known[key.thread] = (standing, title)
        return standing

    async def unarchive(self, thread: str) -> None:
        """Wake a thread; raises as `Rest.request`."""
        body: Mapping[str, object] = {"archived": False}
        await self._rest.request("PATCH", "/channels/{channel_id}", body=body, channel_id=thread)


def _title(text: str) -> str:
    return one_line(text, _NAME_CHARACTERS) or "task"


def _parsed(value: str) -> tuple[ThreadStanding, str] | None:
    try:
        standing, title = json.loads(value)
        return ThreadStanding(standing), str(title)
    except (ValueError, TypeError):
        return None
