"""The Gemini CLI, which speaks the Agent Client Protocol itself."""

import json

from mama_bot.agents.acp_clis import AcpCli, CliSetup, CliStart, link_login
from mama_bot.model import ToolKind
from mama_bot.tool_names import kind_of

LOGIN_FILE = ".gemini/oauth_creds.json"
# What the CLI runs without asking, by what a persona is granted; what changes something is asked for.
UNASKED = {
    ToolKind.READ: ("read_file", "read_many_files"),
    ToolKind.LIST: ("list_directory", "glob"),
    ToolKind.SEARCH: ("grep_search", "search_file_content"),
    ToolKind.FETCH: ("google_web_search", "web_fetch"),
    ToolKind.SHELL: ("run_shell_command",),
    ToolKind.WRITE: ("write_file",),
    ToolKind.EDIT: ("replace",),
    ToolKind.PLAN: ("write_todos",),
}
NEVER = ("save_memory", "invoke_agent", "activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode")


def _start(setup: CliSetup) -> CliStart:
    directory = setup.home.config / ".gemini"
    directory.mkdir(exist_ok=True, mode=0o700)
    login = GEMINI.find_login(setup.environment, setup.home_of_person)
    file = login.file if login is not None else None
    link_login(directory / "oauth_creds.json", file)
    granted = {kind_of(tool) for tool in setup.tools} | {ToolKind.PLAN}
    excluded = [name for kind, names in UNASKED.items() if kind not in granted for name in names]
    settings = {
        "security": {"auth": {"selectedType": _way(setup, from_file=file is not None)}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "checkpointing": {"enabled": False},
        },
        "advanced": {"ignoreLocalEnv": True},  # of a repository's own: it could name another project, or another key
        "tools": {"exclude": [*excluded, *NEVER]},
        "context": {"fileName": ["GEMINI.md"]},
    }
    (directory / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    (directory / "GEMINI.md").write_text(setup.prompt, encoding="utf-8", errors="replace")
    model = ("-m", setup.model) if setup.model else ()
    variables = {
        **GEMINI.own_keys(setup.environment),
        "GEMINI_CLI_HOME": str(setup.home.config),
        # It would start itself a second time, for a larger heap than our walls let it have.
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }
    return CliStart(arguments=("--acp", *model), variables=variables, writable=(file,) if file else ())


def _way(setup: CliSetup, *, from_file: bool) -> str:
    if setup.environment.get("GOOGLE_GENAI_USE_VERTEXAI"):
        return "vertex-ai"
    return "oauth-personal" if from_file else "gemini-api-key"


GEMINI = AcpCli(
    name="gemini",
    title="Gemini CLI",
    program="gemini",
    tested="0.61.0",
    install="npm install -g @google/gemini-cli@0.61.0",
    login="Set GEMINI_API_KEY, or log in with `gemini` on this machine.",
    keys=(
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_GENAI_USE_VERTEXAI",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_LOCATION",
    ),
    servers=("GOOGLE_GEMINI_BASE_URL",),
    logins=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    login_file=LOGIN_FILE,
    start=_start,
    gives_signs=True,
)
