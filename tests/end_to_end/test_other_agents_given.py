"""What each CLI beside Claude is given beside words, and tells of it: images, tools of the service, tokens."""

import base64
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.model import ToolKind, TurnState
from tests.agents.model_apis import ModelStep
from tests.agents.model_relay import SCRIPT, relayed_apis
from tests.end_to_end.team import attempts
from tests.end_to_end.test_files import attached, png
from tests.end_to_end.test_other_agents import CODEX, GEMINI, OPENCODE, OtherCli, team_of
from tests.session_hooks.cli_sessions import program_of

pytestmark = pytest.mark.cli

SAYS = "`a.py` has 3 lines."
# How a model calls a tool of the service where its CLI offers it.
PREFIXES = {OPENCODE.name: "mama_", CODEX.name: "mcp__mama__"}
# Looks at a file with secrets, as each CLI asks for them, with what its model is told of each.
LOOKS = {
    OPENCODE.name: {"Such a file holds secrets": ModelStep(tool="read", arguments={"filePath": ".env"})},
    CODEX.name: {
        "Such a file holds secrets": CODEX.runs("cat .env"),
        "view_image is none of your tools": ModelStep(tool="view_image", arguments={"path": ".env"}),
    },
}


@pytest.mark.parametrize("cli", [GEMINI, OPENCODE, CODEX], ids=lambda cli: cli.name)
async def test_its_model_is_shown_an_image_byte_for_byte_and_the_tools_of_the_service_and_its_tokens_are_counted(
    tmp_path: Path, cli: OtherCli
) -> None:
    program_of(cli.program)
    says = ModelStep(text=SAYS, tokens=(120, 7))
    async with relayed_apis(tmp_path, says) as relay, team_of(tmp_path, cli, relay.apis) as team:
        shot = await attached(tmp_path, "shot.png", png(), "image/png")
        exchange = await team.settled(await team.say("How many lines has the file shown here?", attachments=(shot,)))
    (stored,) = exchange.turns
    assert stored.state is TurnState.ANSWERED
    assert base64.b64encode(png()).decode() in relay.requests[0]
    usage = stored.attempts[-1].draft.usage
    assert (usage.input_tokens, usage.output_tokens) == (120, 7)
    is_offered = any("mama_post" in request or "mcp__mama" in request for request in relay.requests)
    assert is_offered == (cli.name in PREFIXES), "Gemini starts no server in a folder that it does not trust"


@pytest.mark.parametrize("cli", [OPENCODE, CODEX], ids=lambda cli: cli.name)
async def test_it_looks_at_no_secrets_and_posts_and_reports_by_the_tools_of_the_service(
    tmp_path: Path, cli: OtherCli
) -> None:
    program_of(cli.program)
    prefix = PREFIXES[cli.name]
    steps = (
        *LOOKS[cli.name].values(),
        ModelStep(tool=f"{prefix}post", arguments={"topic": "lines", "text": SAYS}),
        ModelStep(tool=f"{prefix}report", arguments={"outcomes": [], "summary": SAYS}),
        ModelStep(text=SAYS),
    )
    async with relayed_apis(tmp_path, *steps) as relay, team_of(tmp_path, cli, relay.apis) as team:
        exchange = await team.settled(await team.say("Count the lines of a.py."))
    assert attempts(exchange.turns[0])[-1] == "cleared"
    assert all(any(told in request for request in relay.requests) for told in LOOKS[cli.name])
    runs = [run for run in exchange.turns[0].attempts[-1].draft.record.runs if run.ok]
    assert [(run.tool, run.kind, run.ok) for run in runs] == [
        ("mcp__mama__post", ToolKind.TEAM, True),
        ("mcp__mama__report", ToolKind.REPORT, True),
    ]
    assert SAYS in runs[0].arguments


async def test_what_a_script_of_codexs_model_calls_is_held_to_the_rules_and_in_the_record_call_by_call(
    tmp_path: Path,
) -> None:
    program_of(CODEX.program)
    calls = (
        "exec_command({cmd: 'rm -rf /opt/other; echo ran > ran.txt'})",
        "exec_command({cmd: 'echo 42; exit 3'})",
        f"mcp__mama__post({{topic: 'lines', text: '{SAYS}'}})",
    )
    steps = [ModelStep(tool=SCRIPT, arguments={SCRIPT: f"text(JSON.stringify(await tools.{call}))"}) for call in calls]
    writes_scripts = replace(CODEX, model="gpt-5.6-luna")
    refused = ModelStep(text="The first command was refused; the second printed 42 and ended with 3.")
    async with (
        relayed_apis(tmp_path, *steps, refused, refused) as relay,
        team_of(tmp_path, writes_scripts, relay.apis) as team,
    ):
        exchange = await team.settled(await team.say("Count the lines of a.py."))
    assert exchange.turns[0].state is TurnState.ANSWERED
    assert any("outside of your workspace" in request for request in relay.requests)
    assert not list(tmp_path.rglob("ran.txt"))
    runs = exchange.turns[0].attempts[-1].draft.record.runs
    assert [(run.kind, run.command or run.tool) for run in runs] == [
        (ToolKind.SHELL, "echo 42; exit 3"),
        (ToolKind.TEAM, "mcp__mama__post"),
    ]
    assert (runs[0].exit_status, "42" in runs[0].output_head) == (3, True)
