"""On a kernel without Landlock bubblewrap holds the real CLI and its commands, in a running service."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.marks import WITHOUT_LANDLOCK, needs_bubblewrap

pytestmark = [pytest.mark.cli, needs_bubblewrap]
SECONDS = 100


def commands_with(mark: str) -> list[str]:
    """The processes of this machine that carry a mark in their command line."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = file.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if text.startswith(mark):
            found.append(text)
    return found


async def test_an_agent_works_in_its_workspace_and_reaches_nothing_of_the_service(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(*WITHOUT_LANDLOCK, sys.executable, "-m", "tests.end_to_end.below_bubblewrap", str(tmp_path)),
        cwd=Path(__file__).parent.parent.parent,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    async with asyncio.timeout(SECONDS):
        output, _ = await process.communicate()
    lines = output.decode("utf-8").splitlines()
    assert process.returncode == 0, lines[-20:]
    told = json.loads(lines[-1])
    assert (told["exit"], told["output"].split("\n")) == (0, ["A  own.txt", "works"])
    assert commands_with(told["mark"]) == []
