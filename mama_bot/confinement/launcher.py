"""Starts an agent's CLI, or a check, in a clean place, and stays as its parent until nothing of it is left.

Few variables, a session of its own, and an end when its parent ends. What it can reach of the machine, and how much it
may take of it, is what the file named by PLAN_VARIABLE says (`plans.Plan`); without that variable nothing is
confined, and a file that cannot be followed ends the launcher.

Stand-alone and of the standard library only: it is run as `python -I -S launcher.py <program> <arguments>`. On Linux
the program is its child and gets its standard streams; it ends as the program ends, by the same status or signal.
Elsewhere it becomes the program.
"""

import ctypes
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module that says so costs a third of the start
    from typing import Any

    from mama_bot.confinement.pulse import PulseWatch

LINUX = sys.platform == "linux"
MARK_VARIABLE = "MAMA_BOT_AGENT_MARK"
PROCESS_VARIABLE = "MAMA_BOT_AGENT_PROCESS"
PARENT_VARIABLE = "MAMA_BOT_LAUNCHER_PARENT"
PLAN_VARIABLE = "MAMA_BOT_LAUNCHER_PLAN"
TELL_VARIABLE = "MAMA_BOT_LAUNCHER_TELL"
OURS = frozenset({PARENT_VARIABLE, PLAN_VARIABLE, TELL_VARIABLE})

KEPT = frozenset(
    {
        *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "API_TIMEOUT_MS"),
        *("PATH", "HOME", "TMPDIR", "LANG", "TZ", "TERM", "PWD", "SHELL", "USER", "LOGNAME"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING", "GIT_CONFIG_GLOBAL"),
        *("BASH_MAX_OUTPUT_LENGTH", "PYTEST_ADDOPTS"),
        *(MARK_VARIABLE, PROCESS_VARIABLE),
    }
)
KEPT_PREFIXES = ("CLAUDE_", "LC_", "GIT_AUTHOR_", "GIT_COMMITTER_")
CANNOT_EXECUTE = 126
NO_WALLS = "the sandbox could not be set up"


def allowed_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that an agent may see; one with an empty value is left out."""
    return {
        name: value for name, value in environment.items() if value and (name in KEPT or name.startswith(KEPT_PREFIXES))
    }


def main(arguments: Sequence[str]) -> int:
    """Run the program to its end and return its exit status; does not return where a signal ended it."""
    parent = int(os.environ.get(PARENT_VARIABLE) or os.getppid())
    try:
        plan = _plan(os.environ.get(PLAN_VARIABLE, ""))
        # It is open before anything is covered: where no agent writes, this process will not either.
        told = os.open(plan.get("told", os.devnull), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        pulse = plan.get("pulse")
        watch = _beside("pulse").PulseWatch(pulse["file"], pulse["seconds"]) if pulse and LINUX else None
        if LINUX:
            _beside("walls").cover_by(plan)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{NO_WALLS}: {error}\n")
        return CANNOT_EXECUTE
    if os.getsid(0) != os.getpid():
        os.setsid()
    if not LINUX:
        if os.getppid() == parent:
            _become(arguments, plan, None)
        return CANNOT_EXECUTE
    return _supervised(arguments, plan, parent, told, watch)


def _supervised(
    arguments: Sequence[str], plan: "Mapping[str, Any]", parent: int, told: int, watch: "PulseWatch | None"
) -> int:
    supervision, landlock, walls = _beside("supervision"), _beside("landlock"), _beside("walls")
    confined = "readable" in plan
    bounds = _beside("bounds").Bounds(
        plan.get("limits", {}),
        processes=lambda: supervision.descendants([os.getpid()]),
        disks=plan.get("disks", ()),
        told=told,
    )
    supervisor = supervision.Supervisor(
        parent=parent, seal=lambda: confined and landlock.keep_signals(), look=bounds.exceeded, pulse=watch
    )
    if os.getppid() != parent:
        return CANNOT_EXECUTE

    def become() -> None:
        bounds.apply()
        _become(arguments, plan, walls)

    kept = {name.encode() for name in allowed_variables(os.environ)}
    all_seen = plan.get("every_variable")
    inside = supervision.third_generation if plan.get("bubblewrap") else lambda command: command
    status = supervisor.run(become, forget=lambda: None if all_seen else _forget_environment(kept), hearing=inside)
    if os.WIFSIGNALED(status):
        _end_by(os.WTERMSIG(status))
    return int(os.waitstatus_to_exitcode(status))


def _become(arguments: Sequence[str], plan: "Mapping[str, Any]", walls: "Any") -> None:
    """Become the program; returns only where that fails, after telling why."""
    teller = int(os.environ.get(TELL_VARIABLE) or -1)
    outer = plan.get("bubblewrap", "")
    if teller >= 0:
        os.set_inheritable(teller, bool(outer))
    if plan.get("umask") is not None:
        os.umask(plan["umask"])
    try:
        if outer:
            arguments = _beside("bubblewrap").confined(outer, plan, arguments, teller)
        elif "readable" in plan:
            walls.confine_by(plan)
    except (OSError, KeyError) as error:
        sys.stderr.write(f"{NO_WALLS}: {error}\n")
        sys.stderr.flush()
        return
    try:
        os.execvpe(arguments[0], [*arguments], _environment(plan))  # noqa: S606 - becoming it is what this is for
    except OSError as error:
        if teller >= 0:
            os.write(teller, str(error.errno or 0).encode())
        else:
            sys.stderr.write(f"cannot execute {arguments[0]}: {error.strerror}\n")
            sys.stderr.flush()


def _environment(plan: "Mapping[str, Any]") -> dict[str, str]:
    """Return what the program is given: what an agent may see, or all, as it was given to us."""
    if not plan.get("every_variable"):
        return {**allowed_variables(os.environ), **plan.get("variables", {})}
    with open("/proc/self/environ", "rb") as file:  # the interpreter may have added to its own
        entries = [os.fsdecode(entry) for entry in file.read().split(b"\0") if b"=" in entry]
    return {name: value for name, value in (entry.split("=", 1) for entry in entries) if name not in OURS}


def _plan(file: str) -> "Mapping[str, Any]":
    if not file:
        return {}
    with open(file, encoding="utf-8") as written:
        plan = json.load(written)
    return dict(plan)


def _beside(name: str) -> "Any":
    """Return a module that lies beside this file, which is run without its package."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    try:
        return __import__(name)
    finally:
        del sys.path[0]


def _forget_environment(kept: set[bytes]) -> None:
    """Overwrite the variables that the program may not see: this process stays, and so would they."""
    environ = ctypes.POINTER(ctypes.c_void_p).in_dll(ctypes.CDLL(None), "environ")
    index = 0
    while entry := environ[index]:
        text = ctypes.string_at(entry)
        if text.partition(b"=")[0] not in kept:
            ctypes.memset(entry, 0, len(text))
        index += 1


def _end_by(number: int) -> None:
    """End as the program ended: by a signal."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
