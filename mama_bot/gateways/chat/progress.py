"""One message for each turn that runs, edited in place while it does, and gone when it ends."""

import asyncio
import json
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar, assert_never

import structlog

from mama_bot.gateways.chat.sentences import MINUTES, MODEL_ASKED_AGAIN, SECONDS, SENT_BACK, SERVICE_CHECKS, TOOL_CALLS
from mama_bot.model import (
    AttemptJudged,
    CheckSeen,
    ConversationKey,
    ModelRetried,
    Platform,
    Progress,
    SentBack,
    ToolFinished,
    ToolRun,
    ToolStarted,
    Turn,
    TurnFinished,
    TurnId,
    TurnStarted,
    TurnWorking,
    called_command,
)
from mama_bot.protocols import Clock, GatewayState
from mama_bot.tool_names import FOREIGN
from mama_bot.wording import Language, one_line

R = TypeVar("R")
log = structlog.get_logger(__name__)

CALL_SECONDS = 20.0
LAST_CALL_SECONDS = 2.0  # when the service ends
TYPING_SECONDS = 4.0  # the platforms show a sign of typing for five to ten
FIRST_SECONDS = 1.5  # shorter turns show a sign of typing only
SLOWEST_SECONDS = 15.0
REMOVE_AGAIN_SECONDS = (5.0, 60.0, 300.0)  # a message that stays would say for ever that someone is at work
MAX_LIVE = 200
_PREFIX = "progress/"
SHOWN_CHARACTERS = 80


class ProgressSurface(Protocol):
    """What a platform can do to show that someone works; each call may raise anything, which ends in a log line."""

    async def typing(self, turn: Turn) -> None:
        """Show for some seconds that the persona types."""
        ...

    async def create(self, turn: Turn, text: str) -> str:
        """Post the message, with a stop button, and return its id; `text` is Markdown."""
        ...

    async def edit(self, turn: Turn, platform_id: str, text: str) -> None:
        """Replace its text."""
        ...

    async def remove(self, key: ConversationKey, platform_id: str) -> None:
        """Delete it."""
        ...


@dataclass(slots=True)
class _Live:
    turn: Turn
    began: datetime
    tools: int = 0
    tool: ToolRun | None = None
    checks: dict[str, CheckSeen] = field(default_factory=dict)
    sent_back: int = 0
    reason: str = ""
    waiting_for_model: bool = False
    done: asyncio.Event = field(default_factory=asyncio.Event)


class ProgressBoard:
    """Shows the turns of one platform while `run` runs; `show` never waits and never raises.

    A message that a killed service left behind is removed at the next start.
    """

    def __init__(
        self,
        *,
        surface: ProgressSurface,
        state: GatewayState,
        clock: Clock,
        display_names: Mapping[str, str],
        enabled: bool,
        seconds: float,
        show_sent_back: bool,
        first_seconds: float = FIRST_SECONDS,
        remove_again_seconds: Sequence[float] = REMOVE_AGAIN_SECONDS,
    ) -> None:
        self._surface = surface
        self._state = state
        self._clock = clock
        self._names = display_names
        self._enabled = enabled
        self._seconds = seconds
        self._show_sent_back = show_sent_back
        self._first_seconds = first_seconds
        self._remove_again_seconds = remove_again_seconds
        self._live: dict[TurnId, _Live] = {}
        self._group: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                await self._remove_leftovers(group)
                await asyncio.Event().wait()
        finally:
            self._group = None
            self._live.clear()

    def show(self, progress: Progress) -> None:
        """Take a step of a turn."""
        if self._group is None:
            return
        match progress:
            case TurnStarted(turn=turn, at=at):
                if turn.id not in self._live and len(self._live) < MAX_LIVE:
                    live = self._live[turn.id] = _Live(turn=turn, began=at)
                    self._group.create_task(self._follow(live))
            case TurnWorking(turn=turn, event=event):
                if (live_turn := self._live.get(turn.id)) is not None:
                    _work(live_turn, event)
            case AttemptJudged(turn=turn, judgement=judgement):
                live_turn = self._live.get(turn.id)
                if live_turn is not None and isinstance(judgement.outcome, SentBack):
                    live_turn.sent_back += 1
                    live_turn.reason = judgement.outcome.reason
            case TurnFinished(turn=turn):
                if (live_turn := self._live.pop(turn.id, None)) is not None:
                    live_turn.done.set()
            case unexpected:
                assert_never(unexpected)

    async def _follow(self, live: _Live) -> None:
        platform_id = ""
        try:
            await self._try(self._surface.typing(live.turn))
            if await self._ended(live, self._first_seconds) or not self._enabled:
                await self._keep_typing(live)
                return
            shown = self._text(live)
            platform_id = await self._try(self._surface.create(live.turn, shown)) or ""
            if not platform_id:
                await self._keep_typing(live)
                return
            await self._remember(live.turn, platform_id)
            pause = self._seconds
            while not await self._ended(live, pause):
                pause = min(pause * 1.3, SLOWEST_SECONDS)
                await self._try(self._surface.typing(live.turn))
                if (text := self._text(live)) != shown:
                    await self._try(self._surface.edit(live.turn, platform_id, text))
                    shown = text
        finally:
            if self._live.get(live.turn.id) is live:
                del self._live[live.turn.id]
            name = _name(live.turn, platform_id)
            if platform_id and live.done.is_set():
                await self._remove_patiently(live.turn.key, platform_id, name)
            elif platform_id:
                await self._remove(live.turn.key, platform_id, name, LAST_CALL_SECONDS)

    async def _keep_typing(self, live: _Live) -> None:
        while not await self._ended(live, TYPING_SECONDS):
            await self._try(self._surface.typing(live.turn))

    async def _ended(self, live: _Live, seconds: float) -> bool:
        """Whether the turn ended within so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await live.done.wait()
        except TimeoutError:
            return False
        return True

    async def _try(self, call: Awaitable[R], seconds: float = CALL_SECONDS) -> R | None:
        """Return what a call to the platform returns; None when it failed or took too long."""
        try:
            async with asyncio.timeout(seconds):
                return await call
        except Exception as error:  # noqa: BLE001 - progress is an addition: no trouble with it may stop a turn
            log.info("progress_not_shown", reason=f"{type(error).__name__}: {error}")
            return None

    async def _remember(self, turn: Turn, platform_id: str) -> None:
        key = turn.key
        value = json.dumps([key.platform, key.channel, key.thread, platform_id])
        await self._try(self._state.put({_name(turn, platform_id): value}))

    async def _remove_patiently(self, key: ConversationKey, platform_id: str, name: str) -> None:
        """Remove a message, also when the platform is away for some minutes; then it is forgotten."""
        for seconds in self._remove_again_seconds:
            if await self._remove(key, platform_id, name):
                return
            await asyncio.sleep(seconds)
        if not await self._remove(key, platform_id, name):
            log.warning("progress_message_stays", conversation=str(key), message=platform_id)
            await self._try(self._state.drop(name))

    async def _remove(self, key: ConversationKey, platform_id: str, name: str, seconds: float = CALL_SECONDS) -> bool:
        """Remove a message, and what the state has of it; False: it may still be there, and the state has it."""
        removed = await self._try(_true_after(self._surface.remove(key, platform_id)), seconds)
        if removed:
            await self._try(self._state.drop(name), seconds)
        return bool(removed)

    async def _remove_leftovers(self, group: asyncio.TaskGroup) -> None:
        left = await self._try(self._state.entries(_PREFIX)) or {}
        for name, value in left.items():
            try:
                platform, channel, thread, platform_id = json.loads(value)
            except (ValueError, TypeError):
                await self._try(self._state.drop(name))
                continue
            key = ConversationKey(Platform(platform), channel, thread)
            if not await self._remove(key, platform_id, name):
                group.create_task(self._remove_patiently(key, platform_id, name))

    def _text(self, live: _Live) -> str:
        language = live.turn.language
        name = self._names.get(live.turn.persona, live.turn.persona)
        seconds = int((self._clock.now() - live.began).total_seconds())
        words = [f"⏳ **{name}**", _elapsed(seconds, language)]
        if live.tools:
            words.append(TOOL_CALLS.to(language, count=live.tools))
        lines = [" · ".join(words)]
        if live.turn.delegation is not None:
            lines.append(f"> {one_line(live.turn.delegation.task, SHOWN_CHARACTERS)}\n")
        if live.waiting_for_model:
            lines.append(MODEL_ASKED_AGAIN.to(language))
        elif live.checks:
            lines.extend(
                SERVICE_CHECKS.to(language, name=f"`{_shown(check.name)}`", command=f"`{_shown(check.command)}`")
                for check in live.checks.values()
            )
        elif live.tool is not None:
            called = called_command(live.tool).removeprefix(FOREIGN)  # one of ours is known as such at its end
            lines.append(f"`{_shown(called)}`")
        if live.sent_back and self._show_sent_back:
            lines.append(SENT_BACK.to(language, count=live.sent_back, reason=one_line(live.reason, 200)))
        return "\n".join(lines)


def _shown(text: str) -> str:
    return one_line(text, SHOWN_CHARACTERS).replace("`", " ")


async def _true_after(call: Awaitable[None]) -> bool:
    await call
    return True


def _name(turn: Turn, platform_id: str) -> str:
    """Under which a message is kept: a turn that goes on after a kill has another one."""
    return f"{_PREFIX}{turn.id}/{platform_id}"


def _work(live: _Live, event: ToolStarted | ToolFinished | ModelRetried | CheckSeen) -> None:
    live.waiting_for_model = isinstance(event, ModelRetried)
    match event:
        case ToolStarted(run=run):
            live.tools += 1
            live.tool = run
        case ToolFinished():
            live.tool = None
        case ModelRetried():
            pass
        case CheckSeen():
            live.checks.pop(event.id, None)
            if event.ended_at is None:
                live.checks[event.id] = event
        case unexpected:
            assert_never(unexpected)


def _elapsed(seconds: int, language: Language) -> str:
    minutes, rest = divmod(seconds, 60)
    return (MINUTES if minutes else SECONDS).to(language, minutes=minutes, seconds=rest)
