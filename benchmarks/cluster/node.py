"""One node as a process of its own, with an agent in memory that takes as long as it is told to."""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path

from mama_bot.app.configuration import read_configuration
from mama_bot.app.roles import with_role
from mama_bot.app.service import serve
from mama_bot.app.service_parts import only_error
from mama_bot.config import ServiceRole
from mama_bot.errors import MamaBotError
from mama_bot.log import LogFormat, LogLevel, configure_logs
from mama_bot.model import AgentPersona
from mama_bot.testing.scripted_agent import ScriptedAgentBackend, ScriptedReply

ASKED = re.compile(r"count (\d+)")


async def main(file: Path, role: ServiceRole, agent_seconds: float) -> None:
    configure_logs(style=LogFormat.JSON, level=LogLevel.INFO, redact=str)

    def script(_persona: AgentPersona, prompt: str, _earlier: object) -> ScriptedReply:
        number = (ASKED.findall(prompt) or ["0"])[-1]
        text = f"Item {number} has 3 functions: `f`, `g`, `h`."
        return ScriptedReply(text=text, delay_seconds=agent_seconds)

    agent = ScriptedAgentBackend(script=script, remembered=1)
    configuration = with_role(read_configuration(file, environment=dict(os.environ)), role)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await serve(configuration, stop=stop, backends={agent.name: agent})


if __name__ == "__main__":
    try:
        asyncio.run(main(Path(sys.argv[1]), ServiceRole(sys.argv[2]), float(sys.argv[3])))
    except MamaBotError as error:
        sys.exit(f"mama-bot: {error}")
    except BaseExceptionGroup as group:
        only = only_error(group)
        if not isinstance(only, MamaBotError):
            raise
        sys.exit(f"mama-bot: {only}")
