"""What an agent's command takes of the machine, and what it leaves behind, with the real CLI."""

from pathlib import Path

import pytest

from mama_bot.confinement.processes import alive
from mama_bot.demo.model_script import ModelReply, ModelRequest, ModelScript, ToolUse
from mama_bot.demo.model_server import ModelServer
from mama_bot.model import NoticeKind, TurnState
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import running_team, write_configuration
from tests.waiting import until

pytestmark = pytest.mark.cli

PLAIN = "The list has three entries."
# It doubles five times a second: fast enough to be one, slow enough to leave a small machine to its other tests.
FORK_BOMB = "bomb() { sleep 0.2; bomb | bomb & }; bomb; sleep 60"
EATER = "python3 -c \"import time; held = bytearray(b'x') * (1500 << 20); time.sleep(60)\""


def told_to_run(command: str) -> ModelScript:
    """A model that runs a command where a message ends with "go"."""

    def script(request: ModelRequest) -> ModelReply:
        if not request.last_user_text.endswith("go") or request.tool_results:
            return ModelReply(text=PLAIN)
        return ModelReply(tool_calls=(ToolUse(name="Bash", arguments={"command": command, "description": "run"}),))

    return script


@pytest.mark.parametrize(
    ("command", "limits", "told"),
    [
        (FORK_BOMB, {"processes": 60}, "sandbox.limits.processes"),
        (EATER, {"memory_megabytes": 1200}, "메모리"),
    ],
    ids=["processes", "memory"],
)
async def test_whoever_takes_too_much_is_ended_the_person_is_told_and_the_next_turn_works(
    tmp_path: Path, command: str, limits: dict[str, int], told: str
) -> None:
    asked = "@developer 목록을 처음부터 다시 만들어 주세요. go" if told == "메모리" else "@developer go"
    async with running_team(tmp_path, sandbox={"limits": limits}, script=told_to_run(command)) as team:
        exchange = await team.settled(await team.say(asked))
        (notice,) = team.notices()
        await team.settled(await team.say("@developer What is on the list?"))
        (reply,) = team.replies()
    assert exchange.turns[0].state is TurnState.FAILED
    assert notice.notice is NoticeKind.FAILED
    assert told in notice.text
    assert reply.text == PLAIN


async def test_what_an_agent_left_running_ends_with_a_service_that_is_killed(tmp_path: Path) -> None:
    stray = "env -i PATH=$PATH setsid sh -c 'echo $$ > stray.pid; exec sleep 300' > /dev/null 2>&1 &"
    command = f"{stray} until [ -s stray.pid ]; do sleep 0.1; done"
    settings = {"claude": {"source": "real"}, "router": {"default_persona": "developer"}}
    file = write_configuration(tmp_path, **settings)
    async with ModelServer(script=told_to_run(command)) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "test"}
        async with service_process(file, environment) as service:
            await service.say("go")
            (reply,) = await service.replies(1)
            assert reply["text"] == PLAIN
            (noted,) = tmp_path.rglob("stray.pid")
            pid = int(noted.read_text(encoding="utf-8"))
            assert alive(pid)  # what it started on purpose lives as long as the agent
            await service.kill()
            await until(lambda: not alive(pid))
