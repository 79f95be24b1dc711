"""Recovery and rules: apart from each other, unless the settings let blocked calls end a turn's further tries."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest
from mama_bot.model import NoticeKind, TurnState
from tests.end_to_end.rule_scenes import bash
from tests.end_to_end.team import attempts, running_team
from tests.end_to_end.test_failures import SLEEP, cli_of, pids_with, slow_tool
from tests.scripted_queue import ScriptedQueue
from tests.waiting import until

pytestmark = pytest.mark.cli

CLEAN = "`rm -rf /opt/other` was refused; 1 of 1 folders is left as it was."
PRAISE = "What an excellent question! This is truly brilliant work, absolutely outstanding."
BLOCKED = ModelReply(tool_calls=(bash("rm -rf /opt/other"),))


@pytest.mark.parametrize(
    ("settings", "command", "outcomes"),
    [
        ({}, "rm -rf /opt/other", ["sent_back", "cleared"]),
        ({"give_up_after_blocks": 2}, "git push -f origin main", ["sent_back", "cleared"]),
        ({"give_up_after_blocks": 1}, "rm -rf /opt/other", ["cleared"]),
    ],
    ids=["left alone", "fewer calls than rules that block one", "given up"],
)
async def test_a_rejected_draft_has_its_retries_unless_blocked_calls_end_them(
    tmp_path: Path, settings: dict[str, Any], command: str, outcomes: list[str]
) -> None:
    blocked = ModelReply(tool_calls=(bash(command),))
    model = ScriptedQueue(blocked, ModelReply(text=PRAISE), ModelReply(text=CLEAN))
    async with running_team(tmp_path, script=model, router={"default_persona": "developer"}, rules=settings) as team:
        exchange = await team.settled(await team.say("정리해 주세요"))
    assert attempts(exchange.turns[0]) == outcomes


@pytest.mark.parametrize(("most", "answered"), [(0, True), (1, False)], ids=["left alone", "given up"])
async def test_a_cli_that_dies_is_started_again_unless_blocked_calls_end_that(
    tmp_path: Path, most: int, answered: bool
) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if "[RESUMED]" in request.last_user_text:
            return ModelReply(text=CLEAN)
        return slow_tool() if request.tool_results else BLOCKED

    rules = {"give_up_after_blocks": most}
    async with running_team(tmp_path, script=script, router={"default_persona": "developer"}, rules=rules) as team:
        message = await team.say("정리해 주세요")
        await until(lambda: pids_with(SLEEP))
        for pid in cli_of(tmp_path):
            os.kill(pid, signal.SIGKILL)
        exchange = await team.settled(message)
    assert exchange.turns[0].state is (TurnState.ANSWERED if answered else TurnState.FAILED)
    assert [reply.text for reply in team.replies()] == [CLEAN] * answered
    assert [notice.notice for notice in team.notices()] == [NoticeKind.FAILED] * (not answered)
