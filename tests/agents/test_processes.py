"""The launcher and the sweep: what an agent's process is given, and that none is left."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from uuid import uuid4

import pytest

from mama_bot.confinement import launcher
from mama_bot.confinement.launcher import MARK_VARIABLE, PARENT_VARIABLE, allowed_variables
from mama_bot.confinement.processes import alive, end_marked, marked_processes, resident_megabytes
from tests.agents.conftest import Agents
from tests.waiting import until

LAUNCHER = [sys.executable, "-I", "-S", launcher.__file__]
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(300)"
)


@pytest.fixture
def started() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def start(stack: ExitStack, *command: str, **variables: str) -> subprocess.Popen[str]:
    environment = {"PATH": os.environ["PATH"], **variables}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    stack.enter_context(process)
    stack.callback(process.kill)
    return process


def test_only_listed_variables_pass() -> None:
    given = {
        "ANTHROPIC_API_KEY": "k",
        "CLAUDE_CONFIG_DIR": "/c",
        "LC_ALL": "ko_KR.UTF-8",
        "GIT_AUTHOR_NAME": "Dev",
        "https_proxy": "http://proxy",
        MARK_VARIABLE: "m",
    }
    refused = {"DISCORD_TOKEN": "t", "MAMA_WEB__KEY": "t", "AWS_SECRET_ACCESS_KEY": "t", PARENT_VARIABLE: "1", "TZ": ""}
    assert allowed_variables({**given, **refused}) == given


def test_the_launcher_starts_the_program_in_a_session_of_its_own(started: ExitStack) -> None:
    code = "import os; print(os.getppid(), os.getpid() == os.getsid(0), sorted(os.environ))"
    process = start(started, *LAUNCHER, sys.executable, "-c", code, SLACK_TOKEN="secret", HOME="/nowhere")
    output, _ = process.communicate(timeout=10)
    assert output.startswith(f"{process.pid} True ")
    assert "HOME" in output
    assert "SLACK_TOKEN" not in output


def test_the_launcher_says_what_it_cannot_execute(tmp_path: Path) -> None:
    done = subprocess.run([*LAUNCHER, str(tmp_path / "missing")], capture_output=True, text=True, timeout=10)
    assert done.returncode == launcher.CANNOT_EXECUTE
    assert "cannot execute" in done.stderr


def test_the_launcher_starts_nothing_for_a_parent_that_is_gone(tmp_path: Path) -> None:
    trace = tmp_path / "started"
    environment = {**os.environ, PARENT_VARIABLE: "999999999"}
    done = subprocess.run([*LAUNCHER, "/bin/sh", "-c", f"touch {trace}"], env=environment, timeout=10)
    assert done.returncode == launcher.CANNOT_EXECUTE
    assert not trace.exists()


async def test_the_program_ends_when_its_parent_is_killed(started: ExitStack) -> None:
    mark = uuid4().hex
    code = f"import subprocess; subprocess.run({[*LAUNCHER, '/bin/sleep', '300']!r})"
    parent = start(started, sys.executable, "-c", code, **{MARK_VARIABLE: mark})
    await until(lambda: [one for one in marked_processes(MARK_VARIABLE, mark) if one.command == "/bin/sleep 300"] != [])
    parent.kill()
    await until(lambda: marked_processes(MARK_VARIABLE, mark) == ())


async def test_the_sweep_ends_what_bears_the_mark_and_nothing_else(started: ExitStack) -> None:
    mine, other = uuid4().hex, uuid4().hex
    polite = start(started, "/bin/sleep", "300", **{MARK_VARIABLE: mine})
    stubborn = start(started, sys.executable, "-c", STUBBORN, **{MARK_VARIABLE: mine})
    stranger = start(started, "/bin/sleep", "300", **{MARK_VARIABLE: other})
    longer = start(started, "/bin/sleep", "300", **{MARK_VARIABLE: mine + "x"})
    assert stubborn.stdout is not None
    await asyncio.to_thread(stubborn.stdout.readline)
    ended = await end_marked(MARK_VARIABLE, mine, term_seconds=0.2, kill_seconds=5)
    assert {process.pid for process in ended} == {polite.pid, stubborn.pid}
    assert (polite.wait(10), stubborn.wait(10)) == (-signal.SIGTERM, -signal.SIGKILL)
    assert stranger.poll() is None
    assert longer.poll() is None


@pytest.mark.cli
async def test_orphans_of_an_earlier_run_are_ended_at_the_start(agents: Agents, started: ExitStack) -> None:
    mark = uuid4().hex
    orphan = start(started, "/bin/sleep", "300", **{MARK_VARIABLE: mark})
    async with agents(mark):
        assert orphan.wait(10) == -signal.SIGTERM


def test_a_process_that_is_not_there_weighs_nothing() -> None:
    assert resident_megabytes(os.getpid()) > 1
    assert resident_megabytes(2**22 + 1) == 0
    assert not alive(2**22 + 1)
