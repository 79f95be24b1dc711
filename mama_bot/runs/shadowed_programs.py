"""Programs that are not what their name says: a function, an alias or a file of the agent's own stands in for them."""

from collections.abc import Collection, Iterator
from itertools import islice, pairwise

from mama_bot.shell.exit_states import ShellStep
from mama_bot.shell.flow import TEMPORARY
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import compiled

DEFINED = compiled(r"(?:^|[;&|\n{('\"]\s*)(?:function\s+([\w.-]+)|([\w.-]+)\s*\(\s*\))")
ALIASED = compiled(r"\b(?:alias\s+(?:-p\s+)?|hash\s+-p\s+\S+\s+)([\w.-]+)")
# Where programs, and the modules of Python, are looked for.
PLACED = compiled(r"\b(?:PYTHON)?PATH=[\"']?([^\s;&|\"']*)")
# What runs before each command of a shell, and a builtin that is loaded from a file under any name.
TAKEN_OVER = compiled(r"\btrap\b[^\n]*\b(?:DEBUG|RETURN)\b|\benable\s+(?:-\w+\s+)*-\w*f")
# A shell reads or takes functions from these before it runs anything.
PRELOADED = (
    "BASH_ENV=",
    "BASH_FUNC_",
    "PYTHONSTARTUP=",
    "LD_PRELOAD=",
    "NODE_OPTIONS=--require",
    "PYTEST_PLUGINS=",
    "RUSTC_WRAPPER=",
    "GOFLAGS=-exec",
    "GOFLAGS='-exec",
    'GOFLAGS="-exec',
)
# What these name decides which tests there are.
SETTINGS_OF = frozenset({"-c", "--config-file", "--rootdir", "--confcutdir", "--config"})
SCRATCH = ("/tmp/", "/var/tmp/", "/dev/shm/", *TEMPORARY)  # noqa: S108 - names that are compared
BINARIES = ("/bin", "/sbin", "/.bin", "/shims", "node_modules/.bin")
OWN_SOURCES = ("src", "lib", ".", "", "./src", "./lib", "$PWD", "$(pwd)", "$PWD/src")
MOST_NAMES = 20


def is_stood_in_for(step: ShellStep, command: str, written: Collection[str] = ()) -> bool:
    """Return whether something of the command's own may stand in for the program of a step.

    A function, an alias, a place to look for programs that is not a usual one, or a file that the same command
    has `written` under the name of the program.
    """
    word = step.argv[0] if step.argv else ""
    if word.startswith(SCRATCH) or any(mark in command for mark in PRELOADED):
        return True
    if _is_taken_over(step, command):
        return True
    names = {word, program(word)}
    for path in written:
        stem, _, ending = path.rpartition("/")[2].partition(".")
        copied = any(f"bin/{name}/" in path for name in names)
        if (stem in names and ending in PROGRAM_ENDINGS) or copied or path.endswith(SITES):
            return True
    if any(match.group(1) in names for match in islice(ALIASED.finditer(command), MOST_NAMES)):
        return True
    if "()" in command or "function" in command:
        for match in islice(DEFINED.finditer(command), MOST_NAMES):
            if names & {match.group(1), match.group(2)}:
                return True
    if "PATH=" not in command or "/" in word:
        return False
    return any(_is_strange(match.group()) for match in islice(PLACED.finditer(command), MOST_NAMES))


def _is_taken_over(step: ShellStep, command: str) -> bool:
    """Return whether a shell does something before each command, or settings of a temporary directory decide."""
    if ("trap" in command or "enable" in command) and TAKEN_OVER.search(command) is not None:
        return True
    return any(option in SETTINGS_OF and value.startswith(SCRATCH) for option, value in _options(step))


def _options(step: ShellStep) -> Iterator[tuple[str, str]]:
    """Yield the options of a step, each with what may be its value: the word behind it, or that behind its `=`."""
    for option, value in pairwise(step.argv):
        yield option, value
    for word in step.argv:
        option, _, value = word.partition("=")
        yield option, value


PROGRAM_ENDINGS = frozenset({"", "py", "sh", "js", "mjs", "cjs", "bat", "cmd", "exe"})
SITES = ("sitecustomize.py", "usercustomize.py")


def _is_strange(assignment: str) -> bool:
    """Return whether the first place that an assignment names is not one where programs or modules are kept."""
    name, _, value = assignment.partition("=")
    place = value.strip("\"'").split(":")[0].rstrip("/")
    if f"{place}/".startswith(SCRATCH):
        return True
    if name.startswith("PYTHON"):
        return not (place in OWN_SOURCES or place.startswith(("$", "src/", "lib/")))
    return not (place.endswith(BINARIES) or place in {"$PATH", "${PATH}", "bin"})
