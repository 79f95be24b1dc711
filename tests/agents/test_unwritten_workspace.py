"""What a process that writes nothing of its workspace did: its commands' words do not count as edits."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mama_bot.agents.unwritten_workspace import UnwrittenWorkspace
from mama_bot.config import RunCommands
from mama_bot.model import CallReading, RunEnd, ToolKind, ToolRun
from mama_bot.runs import RunReader

NOW = datetime(2026, 1, 1, tzinfo=UTC)
READER = RunReader(commands=RunCommands(), workspace=Path("/work"))


def read(command: str, output: str = "") -> tuple[CallReading, CallReading]:
    """A command as it reads by itself, and as it reads where nothing of the workspace can be written."""
    call = ToolRun(
        id="1",
        tool="Bash",
        arguments="",
        kind=ToolKind.SHELL,
        command=command,
        started_at=NOW,
        ended_at=NOW,
        ok=True,
        exit_status=0,
    )
    arguments = {"command": command}
    return (
        READER.read(call, arguments=arguments, output=output),
        UnwrittenWorkspace(READER).read(call, arguments=arguments, output=output),
    )


@pytest.mark.parametrize("command", ["echo x > a.py", "sed -i s/a/b/ a.py", "rm -rf src", "git checkout .", "if; then"])
def test_a_command_changed_no_file_of_the_workspace(command: str) -> None:
    by_itself, held = read(command)
    assert by_itself.touched
    assert held.touched == ()


def test_what_it_wrote_elsewhere_and_ran_is_still_told() -> None:
    by_itself, held = read("cp a.py /tmp/b.py && pytest -q", "45 passed in 0.1s")
    assert [touch.path for touch in held.touched] == ["/tmp/b.py"]
    assert held.ran == by_itself.ran
    assert [run.end for run in held.ran] == [RunEnd.PASSED]


@pytest.mark.parametrize("copy", ["$TMPDIR/copy", '"$TMPDIR"/copy', "${TMPDIR}/copy", '"${TMPDIR}/copy"', "/tmp/copy"])
def test_what_ran_in_a_copy_was_of_the_copy(copy: str) -> None:
    _, held = read(f"cp -r . {copy} && cd {copy} && sed -i s/a/b/ calc.py && pytest -q", "45 passed in 0.1s")
    assert [run.directory for run in held.ran] == ["/tmp/copy"]
    assert {touch.path for touch in held.touched} == {"/tmp/copy/calc.py"}
