"""What a hook costs as a process, beside an empty Python: `python -m benchmarks.session_hooks`.

Processor time is told beside the time on the clock, since the latter is that of the machine's other work too.
"""

import asyncio
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from mama_bot.session_hooks.plugin import relay
from tests.session_hooks.serving import served

ROUNDS = 60
CALL = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_input": {"command": "ls"}}
BARE = (sys.executable, "-I", "-S")


async def measure(arguments: Sequence[str], given: bytes) -> tuple[float, float]:
    """Return how long a process took, and its processor time, in milliseconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = await asyncio.create_subprocess_exec(*arguments, stdin=-1, stdout=-1)
    output, _ = await process.communicate(given)
    took, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert not given or output == b"{}\n", output
    return took * 1_000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1_000


async def main() -> None:
    """Measure both in turn, so that a busy minute is a busy minute for both."""
    measured: dict[str, list[tuple[float, float]]] = {"pass": [], "hook": []}
    with tempfile.TemporaryDirectory() as name:
        given = json.dumps({**CALL, "cwd": name}).encode()
        async with served(Path(name)):
            for _ in range(ROUNDS):
                measured["pass"].append(await measure((*BARE, "-c", "pass"), b""))
                measured["hook"].append(await measure((*BARE, relay.__file__, name, "PreToolUse", "claude"), given))
    medians = {}
    for what, figures in measured.items():
        clock, processor = (statistics.median(column) for column in zip(*figures, strict=True))
        medians[what] = processor
        print(f"{what}: {clock:.1f} ms, of the processor {processor:.1f} ms (medians of {ROUNDS})")
    print(f"the hook is {medians['hook'] / medians['pass']:.2f} times an empty Python")


if __name__ == "__main__":
    asyncio.run(main())
