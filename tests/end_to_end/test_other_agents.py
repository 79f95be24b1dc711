"""A message to a persona whose agent is another CLI: the real one, with a scripted model, from a gateway and back."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from mama_bot.model import ToolKind, TurnState
from tests.agents.model_apis import ModelStep, model_apis
from tests.end_to_end.team import attempts, running_team
from tests.session_hooks.cli_sessions import PROGRAMS, program_of

KEYS = {"GEMINI_API_KEY": "scripted-gemini", "OPENAI_API_KEY": "scripted-openai", "TELEGRAM_TOKEN": "platform-token"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherCli:
    """One of them: what starts it, its model, its own key, its shell, and whether it tells how a command ended."""

    name: str
    program: str
    model: str
    key: str
    shell: str
    argument: str
    tells_ends: bool

    def runs(self, command: str) -> ModelStep:
        """The model runs a command."""
        return ModelStep(tool=self.shell, arguments={self.argument: command, "description": "a command"})


GEMINI = OtherCli(
    name="gemini",
    program="gemini",
    model="gemini-2.5-flash",
    key="scripted-gemini",
    shell="run_shell_command",
    argument="command",
    tells_ends=False,
)
OPENCODE = OtherCli(
    name="opencode",
    program="opencode",
    model="openai/gpt-5",
    key="scripted-openai",
    shell="bash",
    argument="command",
    tells_ends=True,
)
CODEX = OtherCli(
    name="codex",
    program="codex-acp",
    model="gpt-5.5",
    key="scripted-openai",
    shell="exec_command",
    argument="cmd",
    tells_ends=True,
)


@pytest.mark.parametrize("cli", [GEMINI, OPENCODE, CODEX], ids=lambda cli: cli.name)
async def test_another_cli_answers_is_judged_held_by_rules_and_given_its_own_key_alone(
    tmp_path: Path, cli: OtherCli
) -> None:
    program_of(cli.program)
    report = "I ran `echo 42` in the workspace; it printed 42 and ended with 3."
    refused = "I removed nothing: the one command that I asked for was refused."
    steps = (
        cli.runs("env > seen.txt; echo 42; exit 3"),
        ModelStep(text="훌륭합니다! 완벽해요!"),
        ModelStep(text=report),
        cli.runs("rm -rf /opt/other"),
        ModelStep(text=refused),
        ModelStep(text=refused),
    )
    async with (
        model_apis(tmp_path, *steps) as apis,
        running_team(
            tmp_path,
            environment={
                **KEYS,
                "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
                "GOOGLE_GEMINI_BASE_URL": apis.url,
                "OPENAI_BASE_URL": f"{apis.url}/v1",
            },
            personas={"developer": f"workspace: own\nbackend: {cli.name}\nmodel: {cli.model}"},
            router={"default_persona": "developer"},
        ) as team,
    ):
        first = await team.settled(await team.say("Run echo 42, and tell me what it printed."))
        second = await team.settled(await team.say("Remove /opt/other."))
        asked = await apis.asked()
        replies = team.replies()
    (stored,) = first.turns
    assert stored.state is TurnState.ANSWERED
    assert attempts(stored) == ["sent_back", "cleared"]
    assert [reply.text for reply in replies] == [report, refused]
    (run,) = stored.attempts[-1].draft.record.runs
    assert (run.kind, run.command) == (ToolKind.SHELL, "env > seen.txt; echo 42; exit 3")
    assert (run.exit_status, "42" in run.output_head) == ((3, True) if cli.tells_ends else (None, False))
    assert any("You are developer." in request for request in asked)
    assert any(steps[1].text in request for request in asked), "the rejection goes on in the same session"
    assert any("outside of your workspace" in request for request in asked), "the agent is told why"
    assert all(run.ok is not True for turn in second.turns for run in turn.attempts[-1].draft.record.runs)
    seen = next(tmp_path.rglob("seen.txt")).read_text()
    assert [key for key in KEYS.values() if key in seen] == [cli.key]
