"""An agent over the Agent Client Protocol that lies, dies, is deaf, and asks for what it may not have."""

import asyncio
import base64
import json
import shutil
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from mama_bot.agents.acp_agents import CLIS
from mama_bot.agents.acp_clis import AcpCli
from mama_bot.agents.acp_connection import MAX_LINE_BYTES
from mama_bot.errors import AgentCrashed, AgentInterrupted, AgentTimedOut, CallChanged, ConfigurationError, SessionLost
from mama_bot.model import (
    Allow,
    Approval,
    Ask,
    Block,
    Decision,
    Prompt,
    Stopping,
    ToolCall,
    ToolKind,
    ToolTurn,
    TurnEnded,
)
from mama_bot.personas import read_persona
from tests.agents.acp_making import acp_agents
from tests.agents.conftest import KEY, PERSONA, answer, new_session_id
from tests.end_to_end.test_files import attached, png
from tests.waiting import until

RULE = "no_rm"


class NoRemoval:
    """A guard that refuses to remove, and asks before something is deployed."""

    def __init__(self) -> None:
        self.asked: list[ToolCall] = []

    async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
        self.asked.append(call)
        if call.command.startswith("rm"):
            return Block(rule=RULE, reason="no rm", feedback="Nothing is removed here.")
        if call.command.startswith("deploy"):
            return Ask(rule="deploys", reason="It deploys.", question="Deploy?")
        return Allow()


class Says:
    """A person who always gives the same answer."""

    seconds = 5.0

    def __init__(self, *, granted: bool) -> None:
        self._granted = granted

    async def answer(self, question: Ask, call: ToolCall, turn: ToolTurn, *, stopped: asyncio.Event) -> Approval:
        return Approval(granted=self._granted, feedback="Not today.")


async def test_garbage_between_messages_is_left_out_and_too_much_of_it_ends_the_agent(
    tmp_path: Path, workspace: Path
) -> None:
    async with acp_agents(tmp_path) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"garbage": 3, "text": "the answer"}, {"garbage": 2000, "text": "never"})
        assert (await answer(session, "hello")).text == "the answer"
        with pytest.raises(AgentCrashed, match="this is no message"):
            await answer(session, "again")
        assert not session.usable


@pytest.mark.parametrize("cli", CLIS.values(), ids=lambda cli: cli.name)
async def test_a_line_of_many_megabytes_is_read_and_one_without_end_ends_the_agent_of_every_cli(
    tmp_path: Path, workspace: Path, cli: AcpCli
) -> None:
    async with acp_agents(tmp_path, cli=cli) as (backend, steps):
        session_id = new_session_id()
        session = await backend.open(persona=PERSONA, key=KEY, workspace=workspace, session_id=session_id, resume=False)
        steps.push({"line": MAX_LINE_BYTES - 2**10, "text": "the answer"}, {"line": MAX_LINE_BYTES, "text": "never"})
        assert (await answer(session, "hello")).text == "the answer"
        with pytest.raises(AgentCrashed, match="cannot be read any more"):
            await answer(session, "again")
        assert not session.usable
        resumed = await backend.open(persona=PERSONA, key=KEY, workspace=workspace, session_id=session_id, resume=True)
        steps.clear()
        assert (await answer(resumed, "hello")).text.endswith("hello")


async def test_an_agent_that_dies_is_told_with_its_last_words_and_resumed_under_the_same_id(
    tmp_path: Path, workspace: Path
) -> None:
    async with acp_agents(tmp_path) as (backend, steps):
        session_id = new_session_id()
        opened = await backend.open(persona=PERSONA, key=KEY, workspace=workspace, session_id=session_id, resume=False)
        steps.push({"dies": 7})
        with pytest.raises(AgentCrashed, match=r"exit status 7.*out of luck"):
            await answer(opened, "hello")
        assert not opened.usable
        resumed = await backend.open(persona=PERSONA, key=KEY, workspace=workspace, session_id=session_id, resume=True)
        assert (await answer(resumed, "hello")).text == "echo: hello", "its history is no answer"


async def test_an_agent_whose_sessions_end_with_its_process_has_lost_none(tmp_path: Path, workspace: Path) -> None:
    async with acp_agents(tmp_path) as (backend, _):
        known, kept = new_session_id(), []
        await backend.open(persona=PERSONA, key=KEY, workspace=workspace, session_id=known, resume=False)
        for session_id in (new_session_id(), known):
            with pytest.raises(SessionLost) as lost:
                await backend.open(persona=PERSONA, key=KEY, workspace=workspace, session_id=session_id, resume=True)
            kept.append(lost.value.kept)
            shutil.rmtree(tmp_path / "sessions-of-the-agent", ignore_errors=True)  # it loads none any more
        assert kept == [True, False]


async def test_an_agent_that_says_nothing_is_given_up(tmp_path: Path, workspace: Path) -> None:
    async with acp_agents(tmp_path, silence_seconds=0.5) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"deaf": True})
        with pytest.raises(AgentTimedOut):
            await answer(session, "hello")
        assert not session.usable
        await until(lambda: session.closed or not session.usable)


async def test_a_call_runs_where_rules_allow_it_and_the_reason_of_a_refusal_reaches_the_agent(
    tmp_path: Path, workspace: Path
) -> None:
    guard = NoRemoval()
    async with acp_agents(tmp_path, guard=guard) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"runs": "touch made; exit 3", "text": "made it"})
        ended = await answer(session, "make it")
        (run,) = ended.record.runs
        assert (workspace / "made").exists()
        assert (run.kind, run.command, run.exit_status, run.ok) == (ToolKind.SHELL, "touch made; exit 3", 3, False)
        assert not ended.record.complete, "nobody knows what an unknown agent keeps to itself"
        steps.push({"runs": "rm made", "text": "removed?"})
        ended = await answer(session, "remove it")
        assert (workspace / "made").exists()
        assert "Nothing is removed here." in ended.text or "echo" in ended.text
        assert [call.command for call in guard.asked] == ["touch made; exit 3", "rm made"]
        assert guard.asked[0].directory == str(workspace)


async def test_a_call_is_decided_by_its_arguments_also_where_they_are_told_after_the_question(
    tmp_path: Path, workspace: Path
) -> None:
    guard = NoRemoval()
    async with acp_agents(tmp_path, guard=guard) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        (workspace / "made").touch()
        steps.push({"runs": "rm made", "tells_late": "before it ends", "text": "removed?"})
        await answer(session, "remove it")
    assert (workspace / "made").exists()
    assert [call.command for call in guard.asked] == ["rm made"]


@pytest.mark.parametrize(
    ("permitted", "became"),
    [
        ("touch made", "rm -f kept"),
        ("touch made", "deploy() { touch deployed; }; deploy"),
        ("deploy() { :; }; deploy", "rm x"),
    ],
)
async def test_an_agent_whose_permitted_call_becomes_one_that_is_not_is_ended_and_that_is_told(
    tmp_path: Path, workspace: Path, permitted: str, became: str
) -> None:
    async with acp_agents(tmp_path, guard=NoRemoval(), approver=Says(granted=True)) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"runs": permitted, "becomes": f"{became}; sleep 60", "text": "made it"})
        with capture_logs() as logs, pytest.raises(CallChanged) as error:
            await answer(session, "make it")
        assert not session.usable
    assert "than the one that was permitted" in str(error.value)
    assert [line["stands"] for line in logs if line["event"] == "permitted_call_changed"] == [False]


async def test_what_a_call_became_is_what_the_record_holds(tmp_path: Path, workspace: Path) -> None:
    guard = NoRemoval()
    async with acp_agents(tmp_path, guard=guard) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"runs": "touch made", "becomes": "touch other", "text": "made it"})
        (run,) = (await answer(session, "make it")).record.runs
    assert (run.command, run.ok) == ("touch other", True)
    assert [call.command for call in guard.asked] == ["touch made", "touch other"]


async def test_of_an_agent_that_asks_by_a_hook_a_command_without_one_is_decided_when_it_is_told(
    tmp_path: Path, workspace: Path
) -> None:
    async with acp_agents(tmp_path, guard=NoRemoval(), hooked=True) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"unasked": "touch made", "text": "made it"}, {"unasked": "rm made", "text": "removed it"})
        (run,) = (await answer(session, "make it")).record.runs
        assert run.command == "touch made"
        with pytest.raises(CallChanged):
            await answer(session, "remove it")


async def test_a_command_that_is_never_told_does_not_run(
    tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mama_bot.agents.acp_events.ARGUMENTS_SECONDS", 0.1)
    guard = NoRemoval()
    async with acp_agents(tmp_path, guard=guard) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        (workspace / "made").touch()
        steps.push({"runs": "rm made", "tells_late": "never", "text": "removed?"})
        await answer(session, "remove it")
    assert (workspace / "made").exists()
    assert guard.asked == []


async def test_a_call_that_ran_though_it_was_refused_is_in_the_record(tmp_path: Path, workspace: Path) -> None:
    async with acp_agents(tmp_path, guard=NoRemoval()) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        (workspace / "made").touch()
        steps.push({"runs": "rm made", "disobeys": True, "text": "removed"}, {"text": "removed all the same"})
        with capture_logs() as logs:
            (run,) = (await answer(session, "remove it")).record.runs
        assert (run.command, run.ok) == ("rm made", True)
        assert [line["tool"] for line in logs if line["event"] == "refused_call_completed"] == ["rm made"]


async def test_a_turn_that_is_stopped_while_it_is_judged_asks_the_agent_nothing_more(
    tmp_path: Path, workspace: Path
) -> None:
    async with acp_agents(tmp_path) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        async with asyncio.TaskGroup() as tasks:

            async def judged(draft: Stopping) -> str:
                tasks.create_task(session.interrupt())
                await asyncio.sleep(0)
                return "Say it anew."

            steps.push({"text": "first"}, {"text": "second"})
            with pytest.raises(AgentInterrupted):
                async for _ in session.ask(Prompt(text="go"), at_stop=judged):
                    pass
        assert (await answer(session, "go on")).text == "second", "nobody took that step"


@pytest.mark.parametrize("granted", [True, False])
async def test_a_person_decides_where_a_rule_asks(tmp_path: Path, workspace: Path, granted: bool) -> None:
    async with acp_agents(tmp_path, guard=NoRemoval(), approver=Says(granted=granted)) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"runs": "deploy() { touch deployed; }; deploy", "text": "asked"})
        await answer(session, "deploy")
        assert (workspace / "deployed").exists() is granted


async def test_what_a_persona_was_not_granted_is_refused(tmp_path: Path, workspace: Path) -> None:
    reader = PERSONA.__class__(name="reader", display_name="Reader", prompt="You read.", tools=("Read",))
    async with acp_agents(tmp_path) as (backend, steps):
        session = await backend.open(
            persona=reader, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"runs": "touch made", "text": "made it"})
        await answer(session, "make it")
        assert not (workspace / "made").exists()


async def test_files_are_read_and_written_in_the_workspace_alone(tmp_path: Path, workspace: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    (workspace / "lines.txt").write_text("one\ntwo\nthree\n")
    (workspace / "link").symlink_to(tmp_path)
    read, write = "fs/read_text_file", "fs/write_text_file"
    async with acp_agents(tmp_path) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )

        async def told(method: str, path: Path, **given: object) -> str:
            steps.push({"asks": method, "given": {"path": str(path), **given}})
            return (await answer(session, "go")).text

        assert "two" in await told(read, workspace / "lines.txt", line=2, limit=1)
        assert "three" not in await told(read, workspace / "lines.txt", line=2, limit=1)
        await told(write, workspace / "new" / "file.txt", content="written")
        assert (workspace / "new" / "file.txt").read_text() == "written"
        assert "outside of your workspace" in await told(read, outside)
        assert "outside of your workspace" in await told(write, tmp_path / "made", content="x")
        assert "leads through a link" in await told(read, workspace / "link" / "secret.txt")
        assert "leads through a link" in await told(write, workspace / "link" / "secret.txt", content="x")
        assert "There is no file" in await told(read, workspace / "absent")
        assert "Method not found" in await told("terminal/create", workspace, command="id")
    assert outside.read_text() == "secret"


async def test_a_file_that_the_service_reads_or_writes_for_an_agent_is_a_call_like_any_other(
    tmp_path: Path, workspace: Path
) -> None:
    class NoSecrets:
        async def decide(self, call: ToolCall, turn: ToolTurn) -> Decision:
            if ".env" in str(call.arguments.get("file_path")):
                return Block(rule=RULE, reason="a secret", feedback="Secrets stay where they are.")
            return Allow()

    (workspace / ".env").write_text("SECRET=1")
    (workspace / "plain").write_text("words")
    reader = PERSONA.__class__(name="reader", display_name="Reader", prompt="You read.", tools=("Read",))
    async with acp_agents(tmp_path, guard=NoSecrets()) as (backend, steps):
        session = await backend.open(
            persona=reader, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"asks": "fs/read_text_file", "given": {"path": str(workspace / ".env")}})
        refused = await answer(session, "go")
        assert "Secrets stay where they are." in refused.text
        assert "SECRET=1" not in refused.text
        steps.push({"asks": "fs/write_text_file", "given": {"path": str(workspace / "made"), "content": "x"}})
        assert "none of your tools" in (await answer(session, "go")).text
        assert not (workspace / "made").exists()
        steps.push({"asks": "fs/read_text_file", "given": {"path": str(workspace / "plain")}})
        (run,) = (await answer(session, "go")).record.runs
        assert (run.kind, run.paths, run.ok) == (ToolKind.READ, (str(workspace / "plain"),), True)


async def test_who_only_looks_has_nothing_written(tmp_path: Path, workspace: Path) -> None:
    async with acp_agents(tmp_path) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False, read_only=True
        )
        steps.push({"asks": "fs/write_text_file", "given": {"path": str(workspace / "made"), "content": "x"}})
        assert "only look" in (await answer(session, "go")).text
    assert not (workspace / "made").exists()


async def test_its_instructions_come_before_the_first_prompt_alone(tmp_path: Path, workspace: Path) -> None:
    async with acp_agents(tmp_path) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"shows": True})
        assert "You are dev." in (await answer(session, "hello")).text
        steps.push({"shows": True})
        assert (await answer(session, "again")).text == "again"


@pytest.mark.parametrize("sees", [True, False])
async def test_an_image_is_shown_to_an_agent_that_takes_images_and_is_a_file_for_any_other(
    tmp_path: Path, workspace: Path, sees: bool
) -> None:
    if not sees:
        (tmp_path / "blind").touch()
    image = await attached(tmp_path, "shot.png", png(), "image/png")
    async with acp_agents(tmp_path) as (backend, steps):
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=workspace, session_id=new_session_id(), resume=False
        )
        steps.push({"sees": True})
        (ended,) = [event async for event in session.ask(Prompt(text="What is it?", attachments=(image,)))]
    assert isinstance(ended, TurnEnded)
    assert json.loads(ended.text) == [*([base64.b64encode(png()).decode()] if sees else []), sees]


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("backend: acp", "needs a `command`"),
        ("backend: gemini\ncommand: gemini --acp", "is started by its own command"),
        ('backend: acp\ncommand: "goose \'acp"', "cannot be read as a command line"),
    ],
)
def test_a_command_stands_where_it_is_needed_alone(tmp_path: Path, header: str, problem: str) -> None:
    file = tmp_path / "dev.md"
    file.write_text(f"---\nname: dev\ndisplay_name: Dev\n{header}\n---\nYou write code.\n")
    with pytest.raises(ConfigurationError, match=problem):
        read_persona(file, backends=("claude", "gemini", "acp"), workspaces=())
