"""Agent processes that stop without a word, with the real CLI: another one answers the turn."""

import os
import signal
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply, ModelRequest, ToolUse
from mama_bot.model import TurnState, TurnWorking
from tests.end_to_end.team import Team, running_team
from tests.end_to_end.test_failures import cli_of
from tests.waiting import files_named, until

pytestmark = pytest.mark.cli

PLAIN = "`a.py:3` has 1 class."
MORE_THAN_A_LINE = 65 * 2**20


async def test_a_process_that_freezes_or_says_too_much_is_ended_and_another_one_answers(tmp_path: Path) -> None:
    frozen: list[int] = []

    def freeze() -> None:
        frozen.extend(pids := cli_of(tmp_path))
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)

    def script(request: ModelRequest) -> ModelReply:
        asked = request.last_user_text
        if "[RESUMED]" not in asked and "in the middle" in asked:
            freeze()
        if "[RESUMED]" not in asked and "at length" in asked:
            return ModelReply(text="x" * MORE_THAN_A_LINE)
        return ModelReply(text=PLAIN)

    claude = {"silence_seconds": 5, "first_event_seconds": 5}
    async with running_team(tmp_path, script=script, claude=claude) as team:
        for text in ("Hello", "Freeze in the middle", "Once more", "Tell me at length"):
            if text == "Once more":  # after its result
                freeze()
            exchange = await team.settled(await team.say(text), seconds=90)
            assert exchange.turns[0].state is TurnState.ANSWERED, text
        await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in frozen))
        assert [reply.text for reply in team.replies()] == [PLAIN] * 4
        assert [line.notice.value for line in team.notices()] == []
    assert len(frozen) >= 2
    assert not cli_of(tmp_path)


async def test_a_process_that_freezes_while_a_command_of_it_runs_is_not_taken_for_one_that_works(
    tmp_path: Path,
) -> None:
    def script(request: ModelRequest) -> ModelReply:
        if "[RESUMED]" in request.last_user_text or request.tool_results:
            return ModelReply(text=PLAIN)
        freezes = "freezes" in request.last_user_text
        command = "sleep 1; touch begun; sleep 600" if freezes else "sleep 10; touch over"
        return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command}),))

    def runs(team: Team) -> bool:
        return any(isinstance(step, TurnWorking) and "begun" in str(step) for step in team.gateway.shown)

    claude = {"silence_seconds": 4, "first_event_seconds": 300}
    async with running_team(tmp_path, script=script, claude=claude, router={"default_persona": "developer"}) as team:
        patient = await team.settled(await team.say("A command that is silent for longer than that"), seconds=90)
        assert patient.turns[0].state is TurnState.ANSWERED
        assert files_named(tmp_path, "over")
        message = await team.say("One that freezes")
        # The command runs, and the service was told so.
        await until(lambda: files_named(tmp_path, "begun") and runs(team))
        frozen = cli_of(tmp_path)
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        exchange = await team.settled(message, seconds=90)
        assert exchange.turns[0].state is TurnState.ANSWERED
        await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in frozen))
        assert [reply.text for reply in team.replies()] == [PLAIN] * 2
    assert frozen
