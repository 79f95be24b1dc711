"""How long the command and the service take to start, and what the service weighs: `python -m benchmarks.start`.

The command is run seven times, the service five times with an empty data directory; memory is the resident memory of
the service's one process, two seconds after it is ready, before any agent was started, and again after one reply. The
processor time of the start is what two trees are compared by on a machine that others use too. Run it where only
`requirements/run.txt` is installed: what the tests bring along (rich, for one) is loaded where it is found.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mama_bot.demo.model_script import ModelReply
from mama_bot.demo.model_server import ModelServer
from tests.end_to_end.service_process import service_process
from tests.end_to_end.team import write_configuration
from tests.scripted_queue import ScriptedQueue


def seconds_of(*arguments: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "mama_bot", *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def service(directory: Path, number: int) -> tuple[float, float, float, float]:
    """Seconds from the start of the process to `ready`, and of the processor; megabytes at rest and after a reply."""
    file = write_configuration(directory / str(number), claude={"source": "real"})
    script = ScriptedQueue()
    script.stick(ModelReply(text="`a.py` has 3 functions."))
    async with ModelServer(script=script) as server:
        environment = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "benchmark"}
        started = time.perf_counter()
        async with service_process(file, environment) as running:
            ready, worked = time.perf_counter() - started, processor_seconds(running.process.pid)
            await asyncio.sleep(2)
            at_rest = resident_megabytes(running.process.pid)
            await running.say("How many functions?")
            await running.replies(1)
            after = resident_megabytes(running.process.pid)
            await running.terminate()
    return ready, worked, at_rest, after


async def main() -> None:
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    times = [seconds_of("--help") for _ in range(7)]
    print(f"mama-bot --help                {statistics.median(times):6.3f} s   ({min(times):.3f} to {max(times):.3f})")
    with tempfile.TemporaryDirectory() as name:
        runs = [await service(Path(name), number) for number in range(5)]
    for label, unit, values in zip(
        ("start to ready", "processor time of it", "memory at rest", "memory after a reply"),
        ("s ", "s ", "MB", "MB"),
        zip(*runs, strict=True),
        strict=True,
    ):
        print(f"{label:28} {statistics.median(values):8.2f} {unit}   ({min(values):.2f} to {max(values):.2f})")


if __name__ == "__main__":
    asyncio.run(main())
