"""A process that asks one agent and waits: `service_to_be_killed.py DIRECTORY WORKSPACE MODEL_URL MARK`."""

import asyncio
import os
import sys
from pathlib import Path
from uuid import uuid4

from mama_bot.agents.claude import ClaudeBackend
from mama_bot.config import ClaudeSettings
from mama_bot.declarations import ReportTools
from mama_bot.team_tools import ToolRegistry
from mama_bot.tool_policy.readers import NoCommands, ReadersLook
from tests.agents.conftest import KEY, PERSONA, SystemClock, answer, new_session_id


async def main(directory: str, workspace: str, model_url: str, mark: str) -> None:
    backend = ClaudeBackend(
        settings=ClaudeSettings(),
        state_directory=Path(directory) / "agents",
        mark=mark,
        environment={"PATH": os.environ["PATH"], "ANTHROPIC_BASE_URL": model_url, "ANTHROPIC_API_KEY": "scripted"},
        home=Path(directory),
        system_prompt=lambda persona: persona.prompt,
        redact=lambda text: text,
        clock=SystemClock(),
        new_uuid=lambda: str(uuid4()),
        guard=ReadersLook(NoCommands()),
        declarations=ReportTools(),
        team_tools=ToolRegistry(()),
    )
    async with backend:
        session = await backend.open(
            persona=PERSONA, key=KEY, workspace=Path(workspace), session_id=new_session_id(), resume=False
        )
        await answer(session, "go")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
