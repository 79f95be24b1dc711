"""That a message was seen: a reaction to it until it is answered, and a line of its own while it waits for long."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

import structlog

from mama_bot.errors import StoreUnavailable
from mama_bot.gateways.chat.command_forms import CANCEL_BUTTON, TELL_BUTTON, Button
from mama_bot.gateways.chat.sentences import IN_LINE, TOLD, WAITS_FOR_AGENT
from mama_bot.metrics import Metrics
from mama_bot.model import ConversationKey, MessageId, MessageStanding, Platform, StandingState
from mama_bot.protocols import Clock, GatewayState
from mama_bot.recent import Recent
from mama_bot.wording import Language, one_line, plain_name

R = TypeVar("R")
log = structlog.get_logger(__name__)

CALL_SECONDS = 20.0
LINE_SECONDS = 1.5  # who waits for less is told nothing more than that they were seen
LEFTOVER_SECONDS = 30.0
LONGEST_PAUSE_SECONDS = 120.0
MOST_TRIES = 4
AGAIN_SECONDS = (5.0, 60.0, 300.0)
MAX_LIVE = 200
MOST_AHEAD = 10  # lines move up with each answer: of a long queue only the first are told where they stand
_REMEMBERED = 2000
_PREFIX = "standing/"
SHOWN_CHARACTERS = 60


class SlowDown(Exception):
    """The platform asks for a slower pace; nothing was done."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"in {seconds:g} s again")
        self.seconds = seconds


class ReactionsRefused(Exception):
    """The platform takes no reactions of ours in this conversation, and will not take the next one either."""


class SeenSurface(Protocol):
    """What a platform can do to show that a message was seen.

    Each call may raise anything; SlowDown is heeded, ReactionsRefused remembered for the channel.
    """

    async def react(self, key: ConversationKey, message_id: MessageId) -> None:
        """Put the sign of being seen on a message."""
        ...

    async def unreact(self, key: ConversationKey, message_id: MessageId) -> None:
        """Take it off; one that is gone already is as good."""
        ...

    async def say(self, key: ConversationKey, text: str, buttons: Sequence[Button], language: Language) -> str:
        """Post a line with buttons, and return its id; `text` is Markdown, "" says that it was left out."""
        ...

    async def say_anew(
        self, key: ConversationKey, platform_id: str, text: str, buttons: Sequence[Button], language: Language
    ) -> None:
        """Replace the text of a line."""
        ...

    async def unsay(self, key: ConversationKey, platform_id: str) -> None:
        """Delete a line; one that is gone already is as good."""
        ...


@dataclass(slots=True)
class _Seen:
    """A message: how it stands, and what the platform shows of that."""

    standing: MessageStanding
    reacted: bool = False
    line: str = ""
    shown: str = ""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def done(self) -> bool:
        return self.standing.state is StandingState.DONE


class SeenBoard:
    """Shows how the messages of one platform stand while `run` runs; `mark` never waits and never raises.

    Calls keep `spacing_seconds` between them; of what is over before its call is due, nothing is shown. What a killed
    service left is taken away, unless it turns out that the message still waits.
    """

    def __init__(
        self,
        *,
        surface: SeenSurface,
        state: GatewayState,
        clock: Clock,
        metrics: Metrics,
        platform: Platform,
        enabled: bool,
        spacing_seconds: float = 0.0,
        line_seconds: float = LINE_SECONDS,
        leftover_seconds: float = LEFTOVER_SECONDS,
        again_seconds: Sequence[float] = AGAIN_SECONDS,
    ) -> None:
        self._surface = surface
        self._state = state
        self._clock = clock
        self._metrics = metrics
        self._platform = platform
        self._enabled = enabled
        self._spacing_seconds = spacing_seconds
        self._line_seconds = line_seconds
        self._leftover_seconds = leftover_seconds
        self._again_seconds = again_seconds
        self._live: dict[MessageId, _Seen] = {}
        self._over: Recent[MessageId, bool] = Recent(_REMEMBERED)
        self._refused: Recent[str, bool] = Recent(_REMEMBERED)
        self._told: Recent[str, bool] = Recent(_REMEMBERED)
        self._turn = asyncio.Lock()
        self._next_call = 0.0
        self._group: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Work until cancelled."""
        if not self._enabled:
            return
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                await self._take_up(group)
                await asyncio.Event().wait()
        finally:
            self._group = None
            self._live.clear()

    def mark(self, standing: MessageStanding) -> None:
        """Take how a message stands now."""
        if self._group is None or standing.message_id in self._over:
            return
        seen = self._live.get(standing.message_id)
        if standing.state is StandingState.DONE:
            self._over[standing.message_id] = True
        elif seen is None and len(self._live) < MAX_LIVE:
            seen = self._live[standing.message_id] = _Seen(standing)
            self._group.create_task(self._follow(seen))
        if seen is not None:
            seen.standing = standing
            seen.changed.set()

    async def _follow(self, seen: _Seen) -> None:
        """Show how a message stands, from when it is seen until nothing more comes of it."""
        message_id = seen.standing.message_id
        try:
            await self._react(seen)
            await self._wait_for_a_while(seen)
            while not seen.done:
                seen.changed.clear()
                await self._show_line(seen)
                await seen.changed.wait()
            await self._unsay(seen)
            await self._unreact(seen)
            await self._forget(seen)
        finally:
            if self._live.get(message_id) is seen:
                del self._live[message_id]

    async def _follow_leftover(self, seen: _Seen) -> None:
        """Take away what an earlier life left, unless the message is still on its way."""
        await self._unsay(seen)
        try:
            async with asyncio.timeout(self._leftover_seconds):
                await seen.changed.wait()
        except TimeoutError:
            seen.standing = replace(seen.standing, state=StandingState.DONE)
        await self._follow(seen)

    async def _wait_for_a_while(self, seen: _Seen) -> None:
        """Wait for some seconds, or until a message does not wait any more."""
        deadline = self._clock.monotonic() + self._line_seconds
        while seen.standing.state is StandingState.WAITING and (left := deadline - self._clock.monotonic()) > 0:
            seen.changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await seen.changed.wait()

    # --- the line -------------------------------------------------------------------------------------

    async def _show_line(self, seen: _Seen) -> None:
        """Have the line say how the message stands; it is there while the message waits, or was told on."""
        standing = seen.standing
        if standing.state not in {StandingState.WAITING, StandingState.ADDED} or standing.ahead > MOST_AHEAD:
            await self._unsay(seen)
            return
        text, key, language, line = _text(standing), standing.key, standing.language, seen.line
        buttons = buttons_of(standing)
        if not line:
            line_id = await self._call(
                "line", lambda: self._surface.say(key, text, buttons, language), wanted=lambda: not seen.done
            )
            seen.line, seen.shown = line_id or "", text
            await self._remember(seen)
        elif text != seen.shown:
            await self._call(
                "line",
                lambda: _true_after(self._surface.say_anew(key, line, text, buttons, language)),
                wanted=lambda: not seen.done,
            )
            seen.shown = text

    async def _unsay(self, seen: _Seen) -> None:
        key, line = seen.standing.key, seen.line
        if line and await self._gone("line", lambda: self._surface.unsay(key, line)):
            seen.line = seen.shown = ""
            await self._remember(seen)

    # --- the reaction ---------------------------------------------------------------------------------

    async def _react(self, seen: _Seen) -> None:
        key, message_id = seen.standing.key, seen.standing.message_id
        if seen.reacted or seen.done or key.channel in self._refused:
            return
        seen.reacted = True  # stored before the call: a kill must leave no sign that nobody knows of
        await self._remember(seen)
        try:
            done = await self._call(
                "reaction",
                lambda: _true_after(self._surface.react(key, message_id)),
                wanted=lambda: not seen.done,
            )
        except ReactionsRefused as refused:
            self._refused[key.channel] = True
            self._note("reaction", refused)
            done = None
        seen.reacted = bool(done)

    async def _unreact(self, seen: _Seen) -> None:
        key, message_id = seen.standing.key, seen.standing.message_id
        if seen.reacted and await self._gone("reaction", lambda: self._surface.unreact(key, message_id)):
            seen.reacted = False

    # --- calls ----------------------------------------------------------------------------------------

    async def _call(
        self, what: str, make: Callable[[], Awaitable[R]], *, wanted: Callable[[], bool] = lambda: True
    ) -> R | None:
        """Return what a call to the platform returns, at the platform's pace; None when it failed or came too late."""
        for _ in range(MOST_TRIES):
            async with self._turn:
                await asyncio.sleep(max(0.0, self._next_call - self._clock.monotonic()))
                if not wanted():
                    return None
                self._next_call = self._clock.monotonic() + self._spacing_seconds
                try:
                    async with asyncio.timeout(CALL_SECONDS):
                        return await make()
                except SlowDown as slow:
                    self._next_call = self._clock.monotonic() + min(slow.seconds, LONGEST_PAUSE_SECONDS)
                except ReactionsRefused:
                    raise
                except Exception as error:  # noqa: BLE001 - an addition: no trouble with it may hurt a message
                    self._note(what, error)
                    return None
        return None

    async def _gone(self, what: str, make: Callable[[], Awaitable[None]]) -> bool:
        """Take something away, also when the platform is away for some minutes."""
        for seconds in (*self._again_seconds, 0.0):
            try:
                if await self._call(what, lambda: _true_after(make())):
                    return True
            except ReactionsRefused as refused:
                self._note(what, refused)
                return False
            await asyncio.sleep(seconds)
        return False

    def _note(self, what: str, error: Exception) -> None:
        """Count a failure, and log each kind of it once."""
        self._metrics.count("seen_failures", platform=self._platform, what=what)
        reason = f"{type(error).__name__}: {error}"[:200]
        if reason not in self._told:
            self._told[reason] = True
            log.warning("seen_not_shown", platform=self._platform, what=what, reason=reason)

    # --- over restarts --------------------------------------------------------------------------------

    async def _take_up(self, group: asyncio.TaskGroup) -> None:
        for name, value in (await self._kept(self._state.entries(_PREFIX)) or {}).items():
            try:
                platform, channel, thread, line = json.loads(value)
            except (ValueError, TypeError):
                await self._kept(self._state.drop(name))
                continue
            message_id = MessageId(name.removeprefix(_PREFIX))
            key = ConversationKey(Platform(platform), channel, thread)
            standing = MessageStanding(message_id=message_id, key=key, state=StandingState.WORKING)
            if len(self._live) < MAX_LIVE:
                seen = self._live[message_id] = _Seen(standing, reacted=True, line=line)
                group.create_task(self._follow_leftover(seen))

    async def _remember(self, seen: _Seen) -> None:
        key = seen.standing.key
        value = json.dumps([key.platform, key.channel, key.thread, seen.line])
        await self._kept(self._state.put({_PREFIX + seen.standing.message_id: value}))

    async def _forget(self, seen: _Seen) -> None:
        await self._kept(self._state.drop(_PREFIX + seen.standing.message_id))

    async def _kept(self, call: Awaitable[R]) -> R | None:
        try:
            return await call
        except StoreUnavailable as error:
            self._note("state", error)
            return None


def buttons_of(standing: MessageStanding) -> tuple[Button, ...]:
    """Return what can be done about a message that waits."""
    if standing.state is not StandingState.WAITING:
        return ()
    return (TELL_BUTTON, CANCEL_BUTTON) if standing.ahead else (CANCEL_BUTTON,)


def _text(standing: MessageStanding) -> str:
    words = plain_name(one_line(standing.words, SHOWN_CHARACTERS))
    if standing.state is StandingState.ADDED:
        return TOLD.to(standing.language, words=words)
    if not standing.ahead:
        return WAITS_FOR_AGENT.to(standing.language, words=words)
    return IN_LINE.to(standing.language, words=words, place=_place(standing.ahead + 1, standing.language))


def _place(number: int, language: Language) -> str:
    if language is not Language.ENGLISH:
        return str(number)
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if 10 <= number % 100 <= 20 else endings.get(number % 10, 'th')}"


async def _true_after(call: Awaitable[None]) -> bool:
    await call
    return True
