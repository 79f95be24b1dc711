"""A message is seen at once, and no trouble with that hurts it."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from mama_bot.app.system_clock import SystemClock
from mama_bot.gateways.chat.command_forms import Button
from mama_bot.gateways.chat.seen import ReactionsRefused, SeenBoard, SlowDown
from mama_bot.metrics import Metrics
from mama_bot.model import CommandName, ConversationKey, MessageId, MessageStanding, Platform, StandingState
from mama_bot.testing.memory_core import MemoryState
from mama_bot.wording import Language
from tests.waiting import until

MEMORY = Platform("memory")
KEY = ConversationKey(MEMORY, "c1")


class Surface:
    """A platform in memory; `troubles` are raised by the next calls, one each."""

    def __init__(self) -> None:
        self.reactions: set[MessageId] = set()
        self.lines: dict[str, str] = {}
        self.buttons: list[CommandName] = []
        self.troubles: list[Exception] = []
        self.calls = 0

    def _trouble(self) -> None:
        self.calls += 1
        if self.troubles:
            raise self.troubles.pop(0)

    async def react(self, key: ConversationKey, message_id: MessageId) -> None:
        self._trouble()
        self.reactions.add(message_id)

    async def unreact(self, key: ConversationKey, message_id: MessageId) -> None:
        self._trouble()
        self.reactions.discard(message_id)

    async def say(self, key: ConversationKey, text: str, buttons: Sequence[Button], language: Language) -> str:
        self._trouble()
        name = f"line{self.calls}"
        self.lines[name] = text
        self.buttons = [button.name for button in buttons]
        return name

    async def say_anew(
        self, key: ConversationKey, platform_id: str, text: str, buttons: Sequence[Button], language: Language
    ) -> None:
        self._trouble()
        self.lines[platform_id] = text

    async def unsay(self, key: ConversationKey, platform_id: str) -> None:
        self._trouble()
        self.lines.pop(platform_id, None)


class Stage:
    def __init__(self, *, enabled: bool = True, state: MemoryState | None = None, line_seconds: float = 0.0) -> None:
        self.surface, self.metrics, self.state = Surface(), Metrics(), state or MemoryState()
        self.board = SeenBoard(
            surface=self.surface,
            state=self.state,
            clock=SystemClock(),
            metrics=self.metrics,
            platform=MEMORY,
            enabled=enabled,
            line_seconds=line_seconds,
            leftover_seconds=0.2,
            again_seconds=(0.01, 0.01),
        )

    def failures(self) -> int:
        return sum(count for (name, _), count in self.metrics.snapshot().items() if name == "seen_failures")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(self.board.run())
            await asyncio.sleep(0)
            yield
            task.cancel()


def stands(state: StandingState, *, ahead: int = 0, name: str = "m1", channel: str = "c1") -> MessageStanding:
    key = ConversationKey(MEMORY, channel)
    return MessageStanding(message_id=MessageId(name), key=key, state=state, ahead=ahead, words="Also\nthis")


async def test_a_platform_that_is_slow_is_asked_again_later() -> None:
    stage = Stage()
    stage.surface.troubles = [SlowDown(0.01), SlowDown(0.01)]
    async with stage.running():
        stage.board.mark(stands(StandingState.WORKING))
        await until(lambda: stage.surface.reactions == {"m1"})
    assert stage.failures() == 0


async def test_where_reactions_are_refused_none_is_tried_again_and_the_line_is_shown_all_the_same() -> None:
    stage = Stage()
    stage.surface.troubles = [ReactionsRefused("missing_scope")]
    async with stage.running():
        stage.board.mark(stands(StandingState.WAITING, ahead=1))
        await until(lambda: list(stage.surface.lines.values()) == ["“Also this” is 2nd in line here."])
        stage.board.mark(stands(StandingState.WORKING, name="m2"))
        await until(lambda: stage.failures() == 1)
        stage.board.mark(stands(StandingState.WORKING, name="m3", channel="c2"))
        await until(lambda: stage.surface.reactions == {"m3"})
    assert CommandName.CANCEL in stage.surface.buttons


async def test_a_reaction_that_cannot_be_taken_off_at_once_is_taken_off_later() -> None:
    stage = Stage()
    async with stage.running():
        stage.board.mark(stands(StandingState.WORKING))
        await until(lambda: stage.surface.reactions)
        stage.surface.troubles = [RuntimeError("the platform is away")]
        stage.board.mark(stands(StandingState.DONE))
        await until(lambda: not stage.surface.reactions and not stage.state.values)
    assert stage.failures() == 1


async def test_what_was_done_before_it_was_seen_is_not_shown() -> None:
    stage = Stage()
    async with stage.running():
        stage.board.mark(stands(StandingState.DONE))
        stage.board.mark(stands(StandingState.WAITING))
        stage.board.mark(stands(StandingState.WORKING, name="m2"))
        await until(lambda: stage.surface.reactions)
    assert stage.surface.reactions == {"m2"}


async def test_who_waits_for_an_agent_for_a_short_while_gets_no_line() -> None:
    stage = Stage(line_seconds=60)
    async with stage.running():
        stage.board.mark(stands(StandingState.WAITING))
        await until(lambda: stage.surface.reactions)
        stage.board.mark(stands(StandingState.WORKING))
        stage.board.mark(stands(StandingState.DONE))
        await until(lambda: not stage.surface.reactions)
    assert stage.surface.calls == 2


@pytest.mark.parametrize("waits", [True, False])
async def test_what_a_killed_service_left_goes_unless_the_message_still_waits(*, waits: bool) -> None:
    stage = Stage()
    async with stage.running():
        stage.board.mark(stands(StandingState.WAITING, ahead=1))
        await until(lambda: stage.surface.lines)
    assert stage.surface.reactions
    later = Stage(state=stage.state)
    later.surface.reactions, later.surface.lines = stage.surface.reactions, stage.surface.lines
    async with later.running():
        if waits:
            later.board.mark(stands(StandingState.WAITING))
            await until(lambda: list(later.surface.lines.values()) == ["“Also this” waits for a free agent."])
            assert later.surface.reactions
        else:
            await until(lambda: not later.surface.reactions and not later.surface.lines)
            await until(lambda: not later.state.values)


async def test_a_platform_on_which_it_is_off_is_not_asked() -> None:
    stage = Stage(enabled=False)
    await stage.board.run()
    stage.board.mark(stands(StandingState.WAITING, ahead=1))
    assert stage.surface.calls == 0


async def test_of_a_long_line_only_the_first_are_told_where_they_stand() -> None:
    stage = Stage()
    async with stage.running():
        stage.board.mark(stands(StandingState.WAITING, ahead=50))
        await until(lambda: stage.surface.reactions)
        stage.board.mark(stands(StandingState.WAITING, ahead=3, name="m2"))
        await until(lambda: stage.surface.lines)
        assert list(stage.surface.lines.values()) == ["“Also this” is 4th in line here."]
        stage.board.mark(stands(StandingState.WAITING, ahead=10))
        await until(lambda: len(stage.surface.lines) == 2)
