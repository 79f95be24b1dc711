"""One message for each turn that runs, edited in place, gone when it ends, and never in the way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from mama_bot.app.system_clock import SystemClock
from mama_bot.gateways.chat.progress import ProgressBoard
from mama_bot.model import (
    AttemptJudged,
    CheckSeen,
    ConversationKey,
    Judgement,
    Platform,
    SentBack,
    ToolRun,
    ToolStarted,
    Turn,
    TurnFinished,
    TurnStarted,
    TurnState,
    TurnWorking,
    text_hash,
)
from mama_bot.testing.memory_core import MemoryState
from mama_bot.tool_names import with_kind
from mama_bot.wording import Language
from tests.gateways.under_test import a_turn
from tests.waiting import SECONDS, until

KEY = ConversationKey(Platform("memory"), "c1")
AT = datetime(2026, 1, 1, tzinfo=UTC)


class Surface:
    """A platform in memory; `broken` makes every call fail, `hanging` makes it wait for ever."""

    def __init__(self) -> None:
        self.messages: dict[str, list[str]] = {}
        self.removed: list[str] = []
        self.typed = 0
        self.broken = False
        self.hanging = False

    async def _trouble(self) -> None:
        if self.broken:
            raise RuntimeError("the platform is away")
        if self.hanging:
            await asyncio.Event().wait()

    async def typing(self, turn: Turn) -> None:
        await self._trouble()
        self.typed += 1

    async def create(self, turn: Turn, text: str) -> str:
        await self._trouble()
        name = f"p{len(self.messages)}"
        self.messages[name] = [text]
        return name

    async def edit(self, turn: Turn, platform_id: str, text: str) -> None:
        await self._trouble()
        self.messages[platform_id].append(text)

    async def remove(self, key: ConversationKey, platform_id: str) -> None:
        await self._trouble()
        self.removed.append(platform_id)


class Stage:
    def __init__(self, *, enabled: bool = True, show_sent_back: bool = True, first_seconds: float = 0.0) -> None:
        self.surface, self.state = Surface(), MemoryState()
        self.board = ProgressBoard(
            surface=self.surface,
            state=self.state,
            clock=SystemClock(),
            display_names={"developer": "Developer"},
            enabled=enabled,
            seconds=0.01,
            show_sent_back=show_sent_back,
            first_seconds=first_seconds,
            remove_again_seconds=(0.01, 0.01),
        )

    @property
    def texts(self) -> list[str]:
        return [text for texts in self.surface.messages.values() for text in texts]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(self.board.run())
            await asyncio.sleep(0)
            yield
            task.cancel()


def tool(command: str) -> ToolStarted:
    return ToolStarted(
        run=with_kind(ToolRun(id="r", tool="Bash", arguments=f'{{"command": "{command}"}}', started_at=AT))
    )


def sent_back(turn: Turn) -> AttemptJudged:
    outcome = SentBack(
        stage="claim_check", rule="contradicted", reason="you wrote 628, the run says 3 failed", feedback="f"
    )
    judgement = Judgement(turn_id=turn.id, attempt=0, text_sha256=text_hash(""), outcome=outcome)
    return AttemptJudged(turn=turn, judgement=judgement, at=AT)


async def test_a_turn_has_one_message_that_is_edited_and_removed() -> None:
    stage, turn = Stage(), a_turn(KEY)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=SystemClock().now()))
        await until(lambda: stage.texts)
        stage.board.show(TurnWorking(turn=turn, attempt=0, event=tool("pytest -q"), at=AT))
        stage.board.show(sent_back(turn))
        await until(lambda: "sent back 1×: you wrote 628" in stage.texts[-1])
        assert "Developer" in stage.texts[0]
        assert "pytest -q" in stage.texts[-1]
        assert "1 tool call" in stage.texts[-1]
        stage.board.show(TurnFinished(turn=turn, state=TurnState.ANSWERED, at=AT))
        await until(lambda: stage.surface.removed)
    assert list(stage.surface.messages) == stage.surface.removed == ["p0"]
    assert stage.state.values == {}


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (Language.ENGLISH, "the service checks `tests`: `npm test `"),
        (Language.KOREAN, "서비스 검사 `tests`: `npm test `"),
    ],
)
async def test_a_check_of_the_service_is_shown_while_it_runs_and_counts_as_no_call_of_the_agent(
    language: Language, told: str
) -> None:
    stage, turn = Stage(), replace(a_turn(KEY), language=language)
    seen = CheckSeen(id="c", name="tests", command="npm test`", started_at=AT)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=SystemClock().now()))
        stage.board.show(TurnWorking(turn=turn, attempt=0, event=seen, at=AT))
        await until(lambda: stage.texts and told in stage.texts[-1])
        assert len(stage.texts[-1].splitlines()[0].split(" · ")) == 2
        stage.board.show(TurnWorking(turn=turn, attempt=0, event=replace(seen, ended_at=AT, ok=True), at=AT))
        await until(lambda: told not in stage.texts[-1])


async def test_a_message_is_removed_when_the_platform_is_back() -> None:
    stage, turn = Stage(), a_turn(KEY)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=SystemClock().now()))
        await until(lambda: stage.texts and stage.state.values)
        stage.surface.broken = True
        stage.board.show(TurnFinished(turn=turn, state=TurnState.ANSWERED, at=AT))
        await asyncio.sleep(0.015)
        stage.surface.broken = False
        await until(lambda: stage.surface.removed == ["p0"])
    assert stage.state.values == {}


async def test_what_cannot_be_removed_before_the_end_is_removed_by_the_next_life() -> None:
    stage, turn = Stage(), a_turn(KEY)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=SystemClock().now()))
        await until(lambda: stage.texts and stage.state.values)
        stage.surface.broken = True
    assert stage.surface.removed == []
    stage.surface.broken = False
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=SystemClock().now()))
        await until(lambda: stage.surface.removed == ["p0"] and len(stage.surface.messages) == 2)
        await until(lambda: [name for name in stage.state.values if name.endswith("/p1")])
        assert len(stage.state.values) == 1
    assert stage.state.values == {}


async def test_what_can_never_be_removed_is_forgotten() -> None:
    stage, turn = Stage(), a_turn(KEY)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=SystemClock().now()))
        await until(lambda: stage.texts and stage.state.values)
        stage.surface.broken = True
        stage.board.show(TurnFinished(turn=turn, state=TurnState.ANSWERED, at=AT))
        await until(lambda: stage.state.values == {})


async def test_a_short_turn_shows_typing_only() -> None:
    stage, turn = Stage(first_seconds=60), a_turn(KEY)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=AT))
        await until(lambda: stage.surface.typed)
        stage.board.show(TurnFinished(turn=turn, state=TurnState.ANSWERED, at=AT))
    assert stage.texts == []


async def test_switched_off_it_still_shows_typing() -> None:
    stage, turn = Stage(enabled=False), a_turn(KEY)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=AT))
        await until(lambda: stage.surface.typed)
        await asyncio.sleep(0.05)
    assert stage.texts == []


async def test_a_rejection_is_not_shown_unless_configured() -> None:
    stage, turn = Stage(show_sent_back=False), a_turn(KEY)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=SystemClock().now()))
        stage.board.show(sent_back(turn))
        stage.board.show(TurnWorking(turn=turn, attempt=0, event=tool("ls"), at=AT))
        await until(lambda: "ls" in "".join(stage.texts))
    assert "628" not in "".join(stage.texts)


async def test_it_speaks_korean_where_the_task_is_korean() -> None:
    stage = Stage()
    turn = replace(a_turn(KEY), prompt="테스트를 돌려 줘", language=Language.KOREAN)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=SystemClock().now()))
        stage.board.show(TurnWorking(turn=turn, attempt=0, event=tool("ls"), at=AT))
        await until(lambda: "도구 1회" in "".join(stage.texts))


@pytest.mark.parametrize("trouble", ["broken", "hanging"])
async def test_trouble_with_the_platform_troubles_nobody_else(trouble: str) -> None:
    stage, turn = Stage(), a_turn(KEY)
    setattr(stage.surface, trouble, True)
    async with asyncio.timeout(SECONDS), stage.running():
        stage.board.show(TurnStarted(turn=turn, at=AT))
        await asyncio.sleep(0.05)
        stage.board.show(TurnFinished(turn=turn, state=TurnState.ANSWERED, at=AT))
    assert stage.texts == []


async def test_what_a_killed_service_left_is_removed_at_the_next_start() -> None:
    stage = Stage()
    stage.state.values = {"progress/t9": '["memory", "c1", "", "p7"]', "progress/bad": "{", "other": "stays"}
    async with stage.running():
        await until(lambda: stage.surface.removed and len(stage.state.values) == 1)
    assert stage.surface.removed == ["p7"]
    assert stage.state.values == {"other": "stays"}


async def test_at_the_end_of_the_service_nothing_is_left_on_the_platform() -> None:
    stage, turn = Stage(), a_turn(KEY)
    async with stage.running():
        stage.board.show(TurnStarted(turn=turn, at=AT))
        await until(lambda: stage.state.values)
    assert stage.surface.removed == ["p0"]


async def test_before_it_runs_steps_are_dropped() -> None:
    stage = Stage()
    stage.board.show(TurnStarted(turn=a_turn(KEY), at=AT))
    assert stage.texts == []
