"""Whether the claude CLI is there, and whether it is logged in; never the value of a secret."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

CREDENTIALS_FILE = ".credentials.json"


class LoginKind(StrEnum):
    """How the CLI proves who pays."""

    API_KEY = "api_key"
    AUTH_TOKEN = "auth_token"  # noqa: S105 - a name, not a value
    OAUTH_TOKEN = "oauth_token"  # noqa: S105 - a name, not a value
    CREDENTIALS_FILE = "credentials_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A login that exists; `source` is the variable or the file that holds it."""

    kind: LoginKind
    source: str
    file: Path | None = None


VARIABLES = {
    "ANTHROPIC_API_KEY": LoginKind.API_KEY,
    "ANTHROPIC_AUTH_TOKEN": LoginKind.AUTH_TOKEN,
    "CLAUDE_CODE_OAUTH_TOKEN": LoginKind.OAUTH_TOKEN,
}


def find_login(environment: Mapping[str, str], home: Path) -> Login | None:
    """Return the login that the CLI would use: a variable, else the user's credentials file; None without one."""
    for variable, kind in VARIABLES.items():
        if environment.get(variable, "").strip():
            return Login(kind=kind, source=variable)
    directory = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    file = directory / CREDENTIALS_FILE
    try:
        there = file.is_file() and file.stat().st_size > 0
    except OSError:  # a home that this user may not look into holds no login for it
        there = False
    if there:
        return Login(kind=LoginKind.CREDENTIALS_FILE, source=str(file), file=file)
    return None


def bundled_cli() -> Path | None:
    """Return the CLI that comes with the SDK; None when this installation has none."""
    package = importlib.util.find_spec("claude_agent_sdk")
    if package is None or package.origin is None:
        return None
    cli = Path(package.origin).with_name("_bundled") / "claude"
    return cli if cli.is_file() else None
