"""What a message from a chat platform costs the service, and what 200 at once do: `python -m benchmarks.platforms`.

The service is a process of its own whose processor time is read from the kernel; the platforms are the local servers of
`mama_bot.testing`, in this process; the agent answers at once. Everything else is real: the client libraries, the
store, the chain, rendering, posting.
"""

import asyncio
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.end_to_end.places import PLACES
from tests.end_to_end.service_process import ServiceProcess, collected
from tests.end_to_end.team import write_configuration

WARM = 30
MESSAGES = 200
TICK = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


async def logged(service: ServiceProcess, event: str, count: int) -> None:
    """Wait for so many lines of an event, looking at each line once: this process shares the cores with the service."""
    found, seen = 0, 0
    async with asyncio.timeout(300):
        while found < count:
            await asyncio.sleep(0.01)
            new = service.events[seen:]
            seen += len(new)
            found += sum(line["event"] == event for line in new)


async def answered(service: ServiceProcess, count: int) -> None:
    await logged(service, "posted", count)


async def stored(service: ServiceProcess, count: int) -> None:
    await logged(service, "message_stored", count)


async def measure(platform: str, directory: Path) -> None:
    async with PLACES[platform]() as place:
        place_settings: dict[str, Any] = {platform: {**place.settings, "progress": True}}
        file = write_configuration(
            directory,
            queue={"limit": 10_000, "per_conversation": 5_000},
            log={"level": "info", "format": "json"},
            **place_settings,
        )
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "benchmarks.platform_service", str(file)),
            env={**os.environ, **place.environment},
            stderr=asyncio.subprocess.PIPE,
            limit=2**20,
        )
        service = ServiceProcess(process=process, url="")
        async with asyncio.TaskGroup() as group:
            group.create_task(collected(process, service.events))
            await service.opened(file)
            await service.hears(platform)
            for number in range(WARM):
                await place.say(f"How does `src/auth.py` compare tokens? {number}")
                await answered(service, number + 1)
            before = processor_seconds(process.pid)
            for number in range(MESSAGES):
                await place.say(f"How does `src/auth.py` compare tokens? {number}")
                await answered(service, WARM + number + 1)
            alone = (processor_seconds(process.pid) - before) / MESSAGES
            before, started = processor_seconds(process.pid), time.perf_counter()
            for number in range(MESSAGES):
                await place.say(f"Burst {number}")
            said = time.perf_counter() - started
            await stored(service, WARM + 2 * MESSAGES)
            kept = time.perf_counter() - started
            await answered(service, WARM + 2 * MESSAGES)
            assert len(place.posts()) == WARM + 2 * MESSAGES
            done = time.perf_counter() - started
            burst = (processor_seconds(process.pid) - before) / MESSAGES
            lines = [line["message"] for line in service.events if line["event"] == "message_stored"][-MESSAGES:]
            order = [int(re.sub(r"\D", "", line.rpartition(":")[2])) for line in lines]
            in_order = "in order" if order == sorted(order) else "NOT IN ORDER"
            await service.kill()
    print(
        f"{platform:9} processor time of a message {alone * 1000:5.1f} ms, in a burst {burst * 1000:5.1f} ms;  "
        f"{MESSAGES} at once (said in {said:.2f} s): stored {in_order} after {kept:.2f} s ({MESSAGES / kept:.0f}/s), "
        f"all answered after {done:.2f} s ({MESSAGES / done:.0f}/s)",
        flush=True,
    )


async def main() -> None:
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory() as name:
        for platform in PLACES:
            await measure(platform, Path(name) / platform)


if __name__ == "__main__":
    asyncio.run(main())
