"""What a service without chat platforms loads: no SDK of a platform, none of the agents, and no demo."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.end_to_end.team import write_configuration

# Starts the service as `mama-bot run` does, and ends it when it is ready.
PROGRAM = """
import asyncio, json, os, sys
from pathlib import Path
from mama_bot.app.configuration import read_configuration
from mama_bot.app.service import serve

async def start() -> None:
    stop = asyncio.Event()
    await serve(read_configuration(Path(sys.argv[1]), environment=os.environ), stop=stop, ready=lambda _: stop.set())

asyncio.run(start())
print(json.dumps([*sys.modules]))
"""
NOT_NEEDED = (
    *("discord", "slack_bolt", "slack_sdk", "telegram", "aiohttp", "httpx", "markdown_it"),
    *("claude_agent_sdk", "mcp", "acp"),
    *("mama_bot.gateways.discord", "mama_bot.gateways.slack", "mama_bot.gateways.telegram"),
    *("mama_bot.demo", "mama_bot.commands", "mama_bot.testing"),
)


def test_a_service_without_platforms_loads_none_of_their_sdks(tmp_path: Path) -> None:
    file = write_configuration(tmp_path, claude={"source": "real"})
    program = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file)],
        env={"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "never-sent"},
        stdout=subprocess.PIPE,
        check=True,
    )
    loaded = set(json.loads(program.stdout.splitlines()[-1]))
    assert "mama_bot.store.worker" in loaded
    assert loaded.isdisjoint(NOT_NEEDED), sorted(loaded.intersection(NOT_NEEDED))


def test_the_help_of_the_command_line_loads_neither_settings_nor_the_service() -> None:
    program = "import sys; from mama_bot.__main__ import main; sys.argv = ['mama-bot', '--help']; main()"
    report = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr))\n"
    ended = subprocess.run([sys.executable, "-c", report + program], capture_output=True, text=True, check=False)
    assert "usage" in ended.stdout.lower()
    assert {"mama_bot.config", "mama_bot.app.service", "pydantic"}.isdisjoint(ended.stderr.split())
