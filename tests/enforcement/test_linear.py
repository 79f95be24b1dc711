"""The work grows with the text, counted in calls and never by a clock."""

import asyncio
import sys
from types import FrameType

import pytest

from mama_bot.config import ResponseValidatorSettings, ReviewGateSettings, TodoTrackerSettings
from mama_bot.enforcement.approval.stage import ReviewGate
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.completion.stage import TodoTracker
from mama_bot.enforcement.praise.stage import ResponseValidator
from tests.enforcement.examples import delegation, draft, turn

STAGES = (
    ResponseValidator(settings=ResponseValidatorSettings()),
    ReviewGate(settings=ReviewGateSettings()),
    TodoTracker(settings=TodoTrackerSettings()),
)
ASKED = turn(delegated=delegation("- Write src/a.py\n- Run the tests"))
HOSTILE = [
    "test test ",
    "1",
    "1/2 tests ",
    "a",
    "완",
    "완 벽 ",
    "p e ",
    "```\n",
    "````\nwords\n```\n",
    "- item done\n",
    "Perfect work! ",
    "Approved. 1/2 tests failed. ",
    "Verdict: approved\n",
    "\"'",
    "` ",
    "a\u200b",
    "\u1112\u1161\u11ab",
    "🎉 ",
    "**",
]


def calls(text: str) -> int:
    """How many functions run while a text is judged."""
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    async def judge() -> None:
        for stage in STAGES:
            await stage.judge(Case(draft(text), ASKED))

    with asyncio.Runner() as runner:
        runner.run(judge())
        sys.setprofile(counted)
        try:
            runner.run(judge())
        finally:
            sys.setprofile(None)
    return count


@pytest.mark.parametrize("piece", HOSTILE, ids=ascii)
def test_twice_the_text_takes_at_most_twice_the_work(piece: str) -> None:
    once, twice = calls(piece * 1000), calls(piece * 2000)
    assert twice <= 2.1 * once + 200
