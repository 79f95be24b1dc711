"""Sessions of the Gemini CLI and of Codex as a person would start them, in a home of their own."""

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.session_hooks.cli_models import CliModel
from tests.waiting import SECONDS

PROGRAMS = Path(__file__).parents[2] / ".agents" / "node_modules" / ".bin"
CODEX = """
model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "Scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
[analytics]
enabled = false
"""
GEMINI = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """How one of these CLIs is started."""

    program: Path
    arguments: tuple[str, ...]
    environment: Mapping[str, str]

    async def run(self, project: Path, home: Path) -> None:
        """Run a session with one prompt to its end."""
        process = await asyncio.create_subprocess_exec(
            *(str(self.program), *self.arguments),
            cwd=project,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(home), **self.environment},
        )
        async with asyncio.timeout(SECONDS):
            output, _ = await process.communicate()
        assert process.returncode == 0, output.decode(errors="replace")


def program_of(cli: str) -> Path:
    """Where a CLI is; skips the test without it, unless REQUIRE_AGENTS=1 (then it fails)."""
    program = PROGRAMS / cli
    if program.exists():
        return program
    reason = f"{cli} is not there: `make agents` installs it"
    if os.environ.get("REQUIRE_AGENTS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def session_of(cli: str, home: Path, model: CliModel) -> Session:
    """A session of a CLI that asks this model; its settings below the home are written."""
    program = program_of(cli)
    if cli == "gemini":
        file = home / ".gemini" / "settings.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(GEMINI), encoding="utf-8")
        return Session(
            program=program,
            arguments=("-m", "gemini-2.5-flash", "-p", "go", "--skip-trust", "--approval-mode", "yolo"),
            environment={"GEMINI_API_KEY": "scripted", "GOOGLE_GEMINI_BASE_URL": model.url},
        )
    file = home / ".codex" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(CODEX.format(url=model.url), encoding="utf-8")
    return Session(
        program=program,
        arguments=("exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "go"),
        environment={"SCRIPTED_KEY": "scripted"},
    )
