"""The service of `benchmarks.platforms` as a process of its own, with an agent that answers at once."""

import asyncio
import os
import sys
from pathlib import Path

from benchmarks.service import CLEAN
from mama_bot.app.configuration import read_configuration
from mama_bot.app.service import serve
from mama_bot.log import LogFormat, LogLevel, configure_logs
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply


async def main(file: Path) -> None:
    configure_logs(style=LogFormat.JSON, level=LogLevel.INFO, redact=str)
    agent = ScriptedAgentBackend(script=lambda *_: ScriptedReply(text=CLEAN))
    configuration = read_configuration(file, environment=dict(os.environ))
    await serve(configuration, stop=asyncio.Event(), backends={agent.name: agent})


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
