"""The launcher as a parent: whatever a program starts, and wherever that hides, ends with it, within its bounds."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from mama_bot.boot_clock import since_boot
from mama_bot.confinement import launcher
from mama_bot.confinement.plans import Excess, Plan, Pulse
from mama_bot.confinement.processes import alive
from mama_bot.confinement.pulse import PulseFile
from mama_bot.confinement.sandbox import Reach
from mama_bot.confinement.supervision import descendants, stat_fields
from tests.marks import needs_landlock
from tests.waiting import SECONDS, until

LAUNCHER = (sys.executable, "-I", "-S", launcher.__file__)
# Each writes its own process id to a file of its own, and hides in its own way.
HIDING = """
stray() { sh -c 'echo $$ > "$0"; exec sleep 300' "$1"; }
setsid sh -c 'echo $$ > setsid.pid; exec sleep 300' &
(setsid sh -c '(sh -c "echo \\$\\$ > twice.pid; exec sleep 300" &)' &)
env -i setsid sh -c 'echo $$ > bare.pid; trap "" TERM HUP INT; while :; do sleep 1; done' &
until [ -s setsid.pid ] && [ -s twice.pid ] && [ -s bare.pid ]; do sleep 0.05; done
"""
STRAYS = ("setsid.pid", "twice.pid", "bare.pid")
SEVERAL = "for number in 1 2 3 4 5 6 7 8 9 10 11 12; do setsid sleep 300 & done; sleep 300"
CONFINED = pytest.param(True, marks=needs_landlock)


@dataclass
class Launches:
    """Starts programs through the launcher in a directory."""

    directory: Path
    confined: bool
    pulse: Pulse | None = None

    def __post_init__(self) -> None:
        self.started: list[subprocess.Popen[str]] = []

    def plan(self, limits: Mapping[str, int]) -> Plan:
        reach = Reach(readable=("/",), writable=(str(self.directory), "/dev/null")) if self.confined else None
        return Plan(told=self.directory / "told", reach=reach, limits=limits, disks=(self.directory,), pulse=self.pulse)

    def start(self, *command: str, limits: Mapping[str, int] | None = None, **variables: str) -> subprocess.Popen[str]:
        file = self.directory / "plan.json"
        self.plan(limits or {}).write(file)
        process = subprocess.Popen(
            [*LAUNCHER, *command],
            env={"PATH": os.environ["PATH"], launcher.PLAN_VARIABLE: str(file), **variables},
            cwd=self.directory,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process

    def shell(self, script: str, **limits: int) -> subprocess.Popen[str]:
        return self.start("/bin/sh", "-c", script, limits=limits)

    def excess(self) -> Excess | None:
        return self.plan({}).excess()

    def strays(self) -> list[int]:
        return [int((self.directory / name).read_text()) for name in STRAYS]


@pytest.fixture(params=[CONFINED, False], ids=["confined", "unconfined"])
def launches(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Launches]:
    made = Launches(tmp_path, request.param)
    yield made
    for process in made.started:
        process.terminate()
        process.communicate()


def test_what_hides_from_its_session_and_its_environment_ends_with_the_program(launches: Launches) -> None:
    process = launches.shell(f"{HIDING} exit 7")
    process.communicate(timeout=30)
    assert process.returncode == 7
    assert not any(alive(pid) for pid in launches.strays())


async def test_when_whoever_started_it_is_killed_all_of_it_ends(launches: Launches) -> None:
    launches.plan({}).write(launches.directory / "plan.json")
    code = f"import subprocess; subprocess.run({[*LAUNCHER, '/bin/sh', '-c', f'{HIDING} touch ready; sleep 300']!r})"
    environment = {"PATH": os.environ["PATH"], launcher.PLAN_VARIABLE: str(launches.directory / "plan.json")}
    parent = subprocess.Popen([sys.executable, "-c", code], env=environment, cwd=launches.directory)
    try:
        await until((launches.directory / "ready").exists)
        assert all(alive(pid) for pid in launches.strays())
    finally:
        parent.kill()
        await asyncio.to_thread(parent.wait)
    await until(lambda: not any(alive(pid) for pid in launches.strays()))


async def test_a_program_that_does_not_obey_is_killed_with_all_that_it_started(launches: Launches) -> None:
    process = launches.shell(f"trap '' TERM; {HIDING} touch ready; while :; do sleep 1; done")
    await until((launches.directory / "ready").exists)
    process.terminate()
    assert await asyncio.to_thread(process.wait, SECONDS) == -signal.SIGKILL
    assert not any(alive(pid) for pid in launches.strays())


def test_it_ends_as_the_program_ends(launches: Launches) -> None:
    endings = ("exit 0", "exit 3", "kill -SEGV $$", "kill -KILL $$", "kill -TERM $$")
    ended = [launches.shell(script).wait(30) for script in endings]
    assert ended == [0, 3, -signal.SIGSEGV, -signal.SIGKILL, -signal.SIGTERM]


async def test_a_signal_to_it_reaches_the_program(launches: Launches) -> None:
    process = launches.shell("trap 'echo told; exit 5' TERM; echo up; while :; do sleep 0.1; done")
    assert process.stdout is not None
    assert await asyncio.to_thread(process.stdout.readline) == "up\n"
    process.terminate()
    output, _ = await asyncio.to_thread(process.communicate, None, 30)
    assert (output, process.returncode) == ("told\n", 5)


async def test_all_of_it_stands_still_while_whoever_is_served_is_not_known_to_live(launches: Launches) -> None:
    file = launches.directory / "pulse"
    launches.pulse = Pulse(file=file, seconds=0.5)
    node = PulseFile(file)
    node.beat(since_boot() + SECONDS)
    process = launches.shell("(setsid sh -c 'while :; do echo >> hidden; done' &); while :; do echo >> own; done")
    files = [launches.directory / name for name in ("hidden", "own")]
    await until(lambda: all(each.exists() for each in files))

    def lengths() -> list[int]:
        return [each.stat().st_size for each in files]

    def grown(before: list[int]) -> bool:
        return all(new > old for new, old in zip(lengths(), before, strict=True))

    began = lengths()
    await until(lambda: grown(began))
    node.beat(since_boot() - 1)
    await until(lambda: states(process.pid) == {b"T"})
    stopped = lengths()
    await asyncio.sleep(0.5)
    assert lengths() == stopped
    node.beat(since_boot() + SECONDS)
    await until(lambda: grown(stopped))
    node.beat(since_boot() - 1)
    await until(lambda: states(process.pid) == {b"T"})
    process.terminate()  # what stands still ends as well
    assert await asyncio.to_thread(process.wait, SECONDS) == -signal.SIGKILL


def states(pid: int) -> set[bytes]:
    """In which states the processes below one are."""
    return {fields[0] for below in descendants([pid]) if (fields := stat_fields(below.pid))} - {b"Z"}


def test_what_is_to_stand_still_with_a_node_is_not_started_where_nobody_can_tell(launches: Launches) -> None:
    launches.pulse = Pulse(file=launches.directory / "not-there", seconds=0.5)
    process = launches.shell("touch started")
    assert "could not be set up" in process.communicate(timeout=30)[1]
    assert not (launches.directory / "started").exists()


def test_the_program_has_the_standard_streams_to_itself(launches: Launches) -> None:
    process = launches.start(sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read().upper())")
    assert process.communicate("a line\n", timeout=30) == ("A LINE\n", "")


async def test_a_program_that_closes_its_output_is_seen_to(launches: Launches) -> None:
    process = launches.shell("echo last; exec >&- 2>&-; sleep 300")
    assert process.stdout is not None
    assert await asyncio.to_thread(process.stdout.read) == "last\n"
    assert process.poll() is None


async def test_it_keeps_nothing_in_its_environment_that_the_program_may_not_see(launches: Launches) -> None:
    process = launches.start("/bin/sh", "-c", "echo up; sleep 300", DISCORD_TOKEN="swordfish", HOME="/nowhere")
    assert process.stdout is not None
    await asyncio.to_thread(process.stdout.readline)
    environment = Path(f"/proc/{process.pid}/environ")
    await until(lambda: b"swordfish" not in environment.read_bytes())
    assert b"/nowhere" in environment.read_bytes()


@needs_landlock
def test_a_confined_program_cannot_end_it(tmp_path: Path) -> None:
    process = Launches(tmp_path, confined=True).shell("kill -9 $PPID 2>/dev/null || echo refused")
    assert process.communicate(timeout=30)[0] == "refused\n"


def test_too_many_processes_end_it_and_the_count_is_told(launches: Launches) -> None:
    process = launches.shell(SEVERAL, processes=8)
    assert process.wait(60) == -signal.SIGKILL
    excess = launches.excess()
    assert excess is not None
    assert (excess.limit, excess.allowed) == ("processes", 8)
    assert excess.measured > 8


def test_too_much_memory_in_all_ends_it(launches: Launches) -> None:
    code = "import time; held = bytearray(b'x') * (80 << 20); time.sleep(300)"
    process = launches.shell(
        f'"{sys.executable}" -c "{code}" & setsid "{sys.executable}" -c "{code}"', memory_megabytes=120
    )
    assert process.wait(60) == -signal.SIGKILL
    excess = launches.excess()
    assert excess is not None
    assert (excess.limit, excess.allowed) == ("memory_megabytes", 120)


def test_what_stays_within_its_bounds_goes_on(launches: Launches) -> None:
    limits = {"processes": 100, "memory_megabytes": 2000, "file_megabytes": 50, "free_disk_megabytes": 1}
    process = launches.shell("sleep 0.6 & sleep 0.6; head -c 3000000 /dev/zero > file; exit 4", **limits)
    assert process.wait(60) == 4
    assert launches.excess() is None
    assert (launches.directory / "file").stat().st_size == 3_000_000


def test_no_file_grows_beyond_its_bound(launches: Launches) -> None:
    launches.shell("head -c 3000000 /dev/zero > file", file_megabytes=1).wait(60)
    assert (launches.directory / "file").stat().st_size == 2**20


def test_whoever_goes_on_writing_to_a_full_disk_is_ended(launches: Launches) -> None:
    disk = launches.directory / "disk"
    disk.mkdir()
    own_disk = ("unshare", "-rm", "--propagation", "private")
    mount = f"mount -t tmpfs -o size=96m none {disk}"
    if not shutil.which("unshare") or subprocess.run([*own_disk, "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("no disk of one's own can be mounted here")
    reach = Reach(readable=("/",), writable=(str(disk), "/dev/null")) if launches.confined else None
    plan = Plan(told=launches.directory / "told", reach=reach, limits={"free_disk_megabytes": 40}, disks=(disk,))
    plan.write(launches.directory / "plan.json")
    filling = f"i=0; while :; do head -c 4000000 /dev/zero > {disk}/$i; i=$((i + 1)); sleep 0.1; done"
    command = " ".join([*LAUNCHER, "/bin/sh", "-c", f"'{filling}'"])
    environment = {"PATH": os.environ["PATH"], launcher.PLAN_VARIABLE: str(launches.directory / "plan.json")}
    subprocess.run([*own_disk, "sh", "-c", f"{mount} && {command}"], env=environment, timeout=180, capture_output=True)
    excess = plan.excess()
    assert excess is not None
    assert excess.limit == "free_disk_megabytes"
    assert excess.measured < 40
