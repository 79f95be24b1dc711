"""OpenCode, which speaks the Agent Client Protocol itself."""

import json
import secrets
import socket
from collections.abc import Mapping
from typing import Any

from mama_bot.agents.acp_clis import AcpCli, CliSetup, CliStart, link_login
from mama_bot.model import ToolKind
from mama_bot.tool_names import kind_of

LOOPBACK = "127.0.0.1"
LOGIN_FILE = ".local/share/opencode/auth.json"
# Its permissions, by what a persona is granted: what is granted is asked for, what is not is denied.
PERMISSIONS = {
    "bash": ToolKind.SHELL,
    "edit": ToolKind.EDIT,
    "read": ToolKind.READ,
    "glob": ToolKind.LIST,
    "list": ToolKind.LIST,
    "grep": ToolKind.SEARCH,
    "webfetch": ToolKind.FETCH,
    "websearch": ToolKind.FETCH,
    "task": ToolKind.TASK,
    "todowrite": ToolKind.PLAN,
    "todoread": ToolKind.PLAN,
}
SERVERS = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL", "google": "GOOGLE_GEMINI_BASE_URL"}
PROVIDERS = {"google": ("GEMINI_", "GOOGLE_")}  # whose variables do not begin with their name
PLACES = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
FLAGS = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    # What a repository brings is handed on by the service alone: its settings could start programs.
    "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
    "OPENCODE_DISABLE_CLAUDE_CODE": "1",
}


def _start(setup: CliSetup) -> CliStart:
    directory = setup.home.config / "opencode"
    data = directory / "data" / "opencode"
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    login = OPENCODE.find_login(setup.environment, setup.home_of_person)
    file = login.file if login is not None else None
    link_login(data / "auth.json", file)
    (directory / "AGENTS.md").write_text(setup.prompt, encoding="utf-8", errors="replace")
    settings = directory / "opencode.json"
    settings.write_text(json.dumps(_settings(setup)), encoding="utf-8")
    variables = {
        **_keys(setup),
        **FLAGS,
        **{name: str(directory / name.split("_")[1].lower()) for name in PLACES},
        "OPENCODE_CONFIG": str(settings),
        "OPENCODE_SERVER_PASSWORD": secrets.token_urlsafe(),
    }
    # It talks to a server of its own, whose usual port is open to nobody; those that the kernel gives are.
    arguments = ("acp", "--hostname", LOOPBACK, "--port", str(_free_port()))
    return CliStart(arguments=arguments, variables=variables, writable=(file,) if file else ())


def _keys(setup: CliSetup) -> dict[str, str]:
    """Return the keys of the provider of its model; of all that it knows where no model is chosen."""
    provider = (setup.model or "").partition("/")[0]
    prefixes = PROVIDERS.get(provider, (f"{provider.upper()}_",)) if provider else ("",)
    return {name: key for name, key in OPENCODE.own_keys(setup.environment).items() if name.startswith(prefixes)}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def _settings(setup: CliSetup) -> Mapping[str, Any]:
    granted = {kind_of(tool) for tool in setup.tools} | {ToolKind.PLAN}
    if ToolKind.WRITE in granted:
        granted.add(ToolKind.EDIT)
    provider, _, model = (setup.model or "").partition("/")
    settings: dict[str, Any] = {
        "autoupdate": False,
        "share": "disabled",
        "instructions": [str(setup.home.config / "opencode" / "AGENTS.md")],
        # A call outside of the workspace is asked for as the call that it is, and our walls hold it.
        "permission": {"*": "ask", "external_directory": "allow"}
        | {name: "ask" if kind in granted else "deny" for name, kind in PERMISSIONS.items()},
    }
    if model:
        settings |= {"model": setup.model, "small_model": setup.model}
        server = setup.environment.get(SERVERS.get(provider, ""), "")
        options = {"options": {"baseURL": server}} if server else {}
        settings["provider"] = {provider: {"models": {model: {}}, **options}}
    return settings


OPENCODE = AcpCli(
    name="opencode",
    title="OpenCode",
    program="opencode",
    tested="1.18.33",
    install="npm install -g opencode-ai@1.18.33",
    login="Set the key of its model's provider (such as OPENAI_API_KEY), or run `opencode auth login` on this machine.",
    keys=(
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "GEMINI_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
        "OPENROUTER_API_KEY",
    ),
    servers=tuple(SERVERS.values()),
    logins=(
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_GENERATIVE_AI_API_KEY",
        "OPENROUTER_API_KEY",
    ),
    login_file=LOGIN_FILE,
    start=_start,
    gives_signs=True,
)
