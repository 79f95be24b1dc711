"""Progress told by one node is the same on another, but for what nobody shows of it."""

from dataclasses import replace

import pytest

from mama_bot.cluster.told_progress import progress_event, progress_of
from mama_bot.model import CheckSeen, ToolFinished, ToolRun, ToolStarted, TurnWorking
from mama_bot.store.postgresql_events import EVENT
from tests.cluster.test_shown_turns import FIRST
from tests.store.making import START

RUN = ToolRun(id="r", tool="Bash", arguments="{}", started_at=START)
SEEN = CheckSeen(id="c", name="tests", command="npm test", started_at=START)


@pytest.mark.parametrize(
    "event",
    [
        ToolStarted(run=RUN),
        ToolFinished(run=replace(RUN, ended_at=START, ok=True)),
        SEEN,
        replace(SEEN, ended_at=START, ok=False, exit_status=1),
    ],
)
def test_a_step_of_a_turn_comes_through_whole(event: ToolStarted | ToolFinished | CheckSeen) -> None:
    turn = replace(FIRST, prompt="", told=(), earlier=None, checklist=None)
    step = TurnWorking(turn=turn, attempt=1, event=event, at=START)
    told = progress_event(step)
    text = EVENT.dump(told)
    assert "npm test" in text or not isinstance(event, CheckSeen)
    assert EVENT.load(text) == told
    assert progress_of(told) == step
