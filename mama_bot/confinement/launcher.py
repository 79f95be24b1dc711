"""Becomes the agent's CLI in a clean place: few variables, a session of its own, and an end when its parent ends.

What it can reach of the machine is what the file named by SANDBOX_VARIABLE says, by the kernel; without that variable
nothing is confined, and a file that cannot be followed ends the launcher.

Stand-alone and of the standard library only: it is run as `python -I -S launcher.py <cli> <arguments>`. It keeps the
process id, so that whoever started it can signal the CLI.
"""

import ctypes
import importlib.util
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

MARK_VARIABLE = "MAMA_BOT_AGENT_MARK"
PROCESS_VARIABLE = "MAMA_BOT_AGENT_PROCESS"
PARENT_VARIABLE = "MAMA_BOT_LAUNCHER_PARENT"
SANDBOX_VARIABLE = "MAMA_BOT_AGENT_SANDBOX"

KEPT = frozenset(
    {
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "API_TIMEOUT_MS"),
        *("PATH", "HOME", "TMPDIR", "LANG", "TZ", "TERM", "PWD", "SHELL", "USER", "LOGNAME"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING", "GIT_CONFIG_GLOBAL"),
        "BASH_MAX_OUTPUT_LENGTH",
        *(MARK_VARIABLE, PROCESS_VARIABLE),
    }
)
KEPT_PREFIXES = ("CLAUDE_", "LC_", "GIT_AUTHOR_", "GIT_COMMITTER_")

SET_PARENT_DEATH_SIGNAL = 1
CANNOT_EXECUTE = 126


def allowed_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that an agent may see; one with an empty value is left out."""
    return {
        name: value for name, value in environment.items() if value and (name in KEPT or name.startswith(KEPT_PREFIXES))
    }


def die_with_parent(parent: int) -> bool:
    """Ask Linux for SIGTERM when the parent ends; False when the parent has already ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    return os.getppid() == parent


def confined(file: str) -> Mapping[str, str] | None:
    """Confine this process as a file says, and return the variables that go with it.

    Returns None, with a line on standard error, where that does not work.
    """
    try:
        reach = json.loads(Path(file).read_text(encoding="utf-8"))
        place = Path(__file__).absolute().with_name("landlock.py")
        specification = importlib.util.spec_from_file_location("landlock", place)
        assert specification is not None
        assert specification.loader is not None
        landlock = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(landlock)
        landlock.confine(readable=reach["readable"], writable=reach["writable"])
        landlock.drop_capabilities()
        return {str(name): str(value) for name, value in reach["variables"].items()}
    except (OSError, ValueError, KeyError, AttributeError) as error:
        sys.stderr.write(f"the sandbox could not be set up: {error}\n")
        return None


def main(arguments: list[str]) -> int:
    """Become the agent's CLI, which never returns; return the exit status where that fails."""
    parent = int(os.environ.get(PARENT_VARIABLE) or os.getppid())
    os.setsid()
    if not die_with_parent(parent):
        return CANNOT_EXECUTE
    sandbox = os.environ.get(SANDBOX_VARIABLE, "")
    variables = confined(sandbox) if sandbox else {}
    if variables is None:
        return CANNOT_EXECUTE
    environment = {**allowed_variables(os.environ), **variables}
    try:
        os.execve(arguments[0], arguments, environment)  # noqa: S606 - becoming the CLI is what this is for
    except OSError as error:
        sys.stderr.write(f"cannot execute {arguments[0]}: {error.strerror}\n")
    return CANNOT_EXECUTE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
