"""A message to a persona whose agent is another CLI: the real one, with a scripted model, from a gateway and back."""

import itertools
import os
import signal
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mama_bot.model import ToolKind, TurnState, TurnWorking
from tests.agents.model_apis import ModelApis, ModelStep, model_apis
from tests.end_to_end.team import Team, attempts, running_team
from tests.session_hooks.cli_sessions import PROGRAMS, program_of
from tests.waiting import files_named, until

PATCH = "*** Begin Patch\n*** Add File: made.txt\n+x\n*** End Patch"
KEYS = {"GEMINI_API_KEY": "scripted-gemini", "OPENAI_API_KEY": "scripted-openai", "TELEGRAM_TOKEN": "platform-token"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherCli:
    """One of them: what starts it, its model, its own key, its shell, a call that makes a file.

    `tells_ends`: of a command it tells the status and the output; `goes_on`: a session outlives its process; `place`:
    the argument by which a command runs elsewhere, outside of the workspace too ("": only within it), `waits`: those
    with which it is waited for longer than a few seconds.
    """

    name: str
    program: str
    process: str
    model: str
    key: str
    shell: str
    argument: str
    tells_ends: bool
    edit: ModelStep
    goes_on: bool
    place: str = ""
    waits: Mapping[str, object] = field(default_factory=dict)

    def runs(self, command: str, **further: object) -> ModelStep:
        """The model runs a command."""
        return ModelStep(tool=self.shell, arguments={self.argument: command, "description": "a command", **further})

    @property
    def removes(self) -> ModelStep:
        """The model removes something outside of its workspace, by a command that names no place where it can."""
        return self.runs("rm -rf other", **{self.place: "/opt"}) if self.place else self.runs("rm -rf /opt/other")


GEMINI = OtherCli(
    name="gemini",
    program="gemini",
    process="gemini",
    model="gemini-2.5-flash",
    key="scripted-gemini",
    shell="run_shell_command",
    argument="command",
    tells_ends=False,
    edit=ModelStep(tool="write_file", arguments={"file_path": "made.txt", "content": "x\n"}),
    goes_on=False,
)
OPENCODE = OtherCli(
    name="opencode",
    program="opencode",
    process="opencode",
    model="openai/gpt-5",
    key="scripted-openai",
    shell="bash",
    argument="command",
    tells_ends=True,
    edit=ModelStep(tool="apply_patch", arguments={"patchText": PATCH}),
    goes_on=True,
    place="workdir",
)
CODEX = OtherCli(
    name="codex",
    program="codex-acp",
    process="codex",
    model="gpt-5.5",
    key="scripted-openai",
    shell="exec_command",
    argument="cmd",
    tells_ends=True,
    edit=ModelStep(tool="exec_command", arguments={"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"}),
    goes_on=True,
    place="workdir",
    waits={"yield_time_ms": 30_000},
)


def team_of(
    directory: Path, cli: OtherCli, apis: ModelApis, *, delegates: str = "", **settings: Any
) -> AbstractAsyncContextManager[Team]:
    """A service whose developer is this CLI, with another one to whom it delegates."""
    matter = f"workspace: own\nbackend: {cli.name}\nmodel: {cli.model}"
    personas = {"developer": f"{matter}\ndelegates_to: [{delegates}]"} | ({delegates: matter} if delegates else {})
    return running_team(
        directory,
        environment={
            **KEYS,
            "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
            "GOOGLE_GEMINI_BASE_URL": apis.url,
            "OPENAI_BASE_URL": f"{apis.url}/v1",
        },
        personas=personas,
        router={"default_persona": "developer"},
        **settings,
    )


def processes(directory: Path, name: str) -> list[int]:
    """The processes of agents of a service below the directory whose command line has this name."""
    pids = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            at_home = f"HOME={directory}/".encode() in (process / "environ").read_bytes()
            if at_home and name.encode() in (process / "cmdline").read_bytes():
                pids.append(int(process.name))
    return pids


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
        cli.removes,
        ModelStep(text=refused),
        ModelStep(text=refused),
    )
    async with model_apis(tmp_path, *steps) as apis, team_of(tmp_path, cli, apis) as team:
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


@pytest.mark.parametrize("cli", [GEMINI, OPENCODE, CODEX], ids=lambda cli: cli.name)
async def test_another_cli_is_stopped_killed_and_goes_on_after_a_restart(tmp_path: Path, cli: OtherCli) -> None:
    program_of(cli.program)
    steps = (
        cli.edit,
        ModelStep(text="I wrote `made.txt`, one line: the number is 4711."),
        ModelStep(text="too late", milliseconds=600_000),
        ModelStep(text="Nothing was changed since `made.txt`."),
        cli.runs("sleep 600"),
        ModelStep(text="The command was cut off; `made.txt` is as it was."),
        ModelStep(text="The number is in `made.txt`'s message: 4711."),
    )
    async with model_apis(tmp_path, *steps) as apis:
        async with team_of(tmp_path, cli, apis) as team:
            first = await team.settled(await team.say("Write made.txt."))
            stopped = await team.say("Now wait for ever.")
            await apis.until_asked("Now wait for ever.")
            assert await team.stop()
            assert (await team.settled(stopped)).turns[0].state is TurnState.STOPPED
            again = await team.settled(await team.say("What was changed?"))
            killed = await team.say("Run something long.")
            await until(lambda: processes(tmp_path, "sleep"))
            for pid in processes(tmp_path, cli.process):
                with suppress(ProcessLookupError):  # its parent, which was first, took it along
                    os.kill(pid, signal.SIGKILL)
            after = await team.settled(killed)
        async with team_of(tmp_path, cli, apis) as team:
            team.numbers = itertools.count(100)
            last = await team.settled(await team.say("Which number was it?"))
        asked = await apis.asked()
    (run,) = first.turns[0].attempts[-1].draft.record.runs
    assert run.ok
    assert run.files == ("made.txt",)
    assert again.turns[0].state is TurnState.ANSWERED
    assert after.turns[0].state is TurnState.ANSWERED, "it is asked again, in a new process"
    assert last.turns[0].state is TurnState.ANSWERED
    assert "the number is 4711" in asked[-1], "its own session, or the conversation as it is kept here"
    assert ("Run something long." in asked[-1]) or not cli.goes_on


@pytest.mark.parametrize("cli", [GEMINI, OPENCODE, CODEX], ids=lambda cli: cli.name)
async def test_another_cli_that_freezes_while_a_command_of_it_runs_is_not_taken_for_one_that_works(
    tmp_path: Path, cli: OtherCli
) -> None:
    program_of(cli.program)
    plain = "`a.py:3` has 1 class."
    steps = (
        cli.runs("sleep 16; touch over", **cli.waits),
        ModelStep(text=plain),
        cli.runs("sleep 1; touch begun; sleep 600", **cli.waits),
        *[ModelStep(text=plain)] * 3,
    )

    def runs(team: Team) -> bool:
        return any(isinstance(step, TurnWorking) and "begun" in str(step) for step in team.gateway.shown)

    patience: Any = {cli.name: {"silence_seconds": 10}}
    async with model_apis(tmp_path, *steps) as apis, team_of(tmp_path, cli, apis, **patience) as team:
        patient = await team.settled(await team.say("A command that is silent for longer than that"))
        assert patient.turns[0].state is TurnState.ANSWERED
        assert files_named(tmp_path, "over")
        message = await team.say("One that freezes")
        await until(lambda: files_named(tmp_path, "begun") and runs(team))
        frozen = processes(tmp_path, cli.process)
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        exchange = await team.settled(message)
        assert exchange.turns[0].state is TurnState.ANSWERED
        await until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in frozen))
        assert [reply.text for reply in team.replies()] == [plain] * 2
    assert frozen


async def test_nothing_is_typed_into_a_shell_of_codex_which_asks_about_its_start_alone(tmp_path: Path) -> None:
    program_of(CODEX.program)
    report = "I changed nothing: the terminal that I asked for was refused."
    steps = (CODEX.runs("bash", tty=True, yield_time_ms=250), ModelStep(text=report), ModelStep(text=report))
    async with model_apis(tmp_path, *steps) as apis, team_of(tmp_path, CODEX, apis) as team:
        exchange = await team.settled(await team.say("Type something into a shell."))
        asked = await apis.asked()
    assert exchange.turns[0].state is TurnState.ANSWERED
    assert any("TTY execution is disabled" in request for request in asked)
