"""A message to a persona whose agent is another CLI: the real one, with a scripted model, from a gateway and back."""

import os
from pathlib import Path

from mama_bot.model import ToolKind, TurnState
from tests.agents.model_apis import ModelStep, model_apis
from tests.end_to_end.team import attempts, running_team
from tests.session_hooks.cli_sessions import PROGRAMS, program_of


def environment_of(url: str) -> dict[str, str]:
    """What the service runs with: where the CLIs are, and where the keys of each lead."""
    return {
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        "GEMINI_API_KEY": "scripted-gemini",
        "GOOGLE_GEMINI_BASE_URL": url,
        "OPENAI_API_KEY": "scripted-openai",
        "OPENAI_BASE_URL": f"{url}/v1",
        "TELEGRAM_TOKEN": "a-platform-token",
    }


def backend(name: str, model: str) -> dict[str, str]:
    return {"developer": f"workspace: own\nbackend: {name}\nmodel: {model}"}


async def test_gemini_answers_a_message_and_a_weak_reply_is_sent_back_in_the_same_session(tmp_path: Path) -> None:
    program_of("gemini")
    steps = (
        ModelStep(tool="run_shell_command", arguments={"command": "env > seen.txt; echo 42"}),
        ModelStep(text="훌륭합니다! 완벽해요!"),
        ModelStep(text="I ran `echo 42` in the workspace; it printed 42."),
    )
    async with (
        model_apis(tmp_path, *steps) as apis,
        running_team(
            tmp_path,
            environment=environment_of(apis.url),
            personas=backend("gemini", "gemini-2.5-flash"),
            router={"default_persona": "developer"},
        ) as team,
    ):
        exchange = await team.settled(await team.say("Run echo 42 and tell me what it printed."))
        asked = await apis.asked()
        replies = team.replies()
    (stored,) = exchange.turns
    assert stored.state is TurnState.ANSWERED, [attempt.judgement for attempt in stored.attempts]
    assert attempts(stored) == ["sent_back", "cleared"]
    assert [reply.text for reply in replies] == [steps[-1].text]
    run = stored.attempts[-1].draft.record.runs[0]
    assert (run.kind, run.command, run.exit_status) == (ToolKind.SHELL, "env > seen.txt; echo 42", None)
    assert len(asked) == 3
    assert "You are developer." in asked[0]
    assert steps[1].text in asked[2]
    seen = next(tmp_path.rglob("seen.txt")).read_text()
    assert "scripted-gemini" in seen
    assert "scripted-openai" not in seen
    assert "a-platform-token" not in seen
