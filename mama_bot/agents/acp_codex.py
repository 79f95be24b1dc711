"""Codex, which an adapter of its own makes speak the Agent Client Protocol."""

import json
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mama_bot.agents import hook_relay
from mama_bot.agents.acp_clis import AcpCli, CliSetup, CliStart, link_login

LOGIN_FILE = ".codex/auth.json"
LONGEST_ANSWER_SECONDS = 24 * 3600  # a person may be asked; the turn ends before
OPENAI = "https://api.openai.com/v1"


def _start(setup: CliSetup) -> CliStart:
    directory = setup.home.config / "codex"
    directory.mkdir(exist_ok=True, mode=0o700)
    login = CODEX.find_login(setup.environment, setup.home_of_person)
    file = login.file if login is not None else None
    link_login(directory / "auth.json", file)
    (directory / "AGENTS.md").write_text(setup.prompt, encoding="utf-8", errors="replace")
    (directory / "config.toml").write_text(_settings(setup, from_file=file is not None), encoding="utf-8")
    (directory / "hooks.json").write_text(json.dumps(_hooks(setup.hook_socket)), encoding="utf-8")
    variables = {
        **CODEX.own_keys(setup.environment),
        "CODEX_HOME": str(directory),
        # Its own sandbox cannot be set up within our walls, which hold it; what may run it asks by a hook.
        "INITIAL_AGENT_MODE": "agent-full-access",
        "CODEX_CONFIG": json.dumps({"bypass_hook_trust": True}),
    }
    return CliStart(arguments=(), variables=variables, writable=(file,) if file else ())


def _hooks(path: Path) -> Mapping[str, Any]:
    command = shlex.join([sys.executable, "-I", "-S", hook_relay.__file__, str(path)])
    hook = {"type": "command", "command": command, "timeout": LONGEST_ANSWER_SECONDS}
    return {"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [hook]}]}}


def _settings(setup: CliSetup, *, from_file: bool) -> str:
    top = {"approval_policy": "never", "sandbox_mode": "danger-full-access", "project_doc_max_bytes": 0}
    if setup.model:
        top["model"] = setup.model
    # What is typed into a running shell (`write_stdin`) asks no hook: each command is a call of its own.
    tables = ["[analytics]\nenabled = false", "[features]\nunified_exec_tty = false"]
    if not from_file:
        top["model_provider"] = "own"
        provider = {
            "name": "OpenAI",
            "base_url": setup.environment.get("OPENAI_BASE_URL") or OPENAI,
            "env_key": "OPENAI_API_KEY",
            "wire_api": "responses",
        }
        tables.append(f"[model_providers.own]\n{_lines(provider)}")
    return "\n\n".join((_lines(top), *tables)) + "\n"


def _lines(values: Mapping[str, object]) -> str:
    return "\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items())


CODEX = AcpCli(
    name="codex",
    title="Codex",
    program="codex-acp",
    tested="2.6.0",
    install="npm install -g @agentclientprotocol/codex-acp@2.6.0",
    login="Set OPENAI_API_KEY, or log in with `codex login` on this machine.",
    keys=("OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY"),
    servers=("OPENAI_BASE_URL",),
    logins=("OPENAI_API_KEY",),
    login_file=LOGIN_FILE,
    start=_start,
    hooked=True,
    gives_signs=True,
    titled=True,
)
