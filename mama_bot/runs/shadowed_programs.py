"""Programs that are not what their name says: a function, an alias or a file of the agent's own stands in for them."""

from itertools import islice

from mama_bot.shell.exit_states import ShellStep
from mama_bot.text.patterns import compiled

DEFINED = compiled(r"(?:^|[;&|\n{(]\s*)(?:(?:function\s+([\w.-]+))|([\w.-]+)\s*\(\s*\))\s*(?:\(\s*\))?\s*[\n{(]")
ALIASED = compiled(r"\balias\s+(?:-p\s+)?([\w.-]+)=")
PATH = compiled(r"\bPATH=[\"']?([^\s;&|\"']*)")
SCRATCH = ("/tmp/", "/var/tmp/", "/dev/shm/")  # noqa: S108 - names that are compared, nothing is written there
OWN_PLACES = ("node_modules", "venv", ".venv", "$", "~", "vendor")
MOST_NAMES = 20


def is_stood_in_for(step: ShellStep, command: str) -> bool:
    """Return whether a function, an alias or a directory of the command's own stands in for the program of a step."""
    word = step.argv[0] if step.argv else ""
    if word.startswith(SCRATCH):
        return True
    if "alias" in command and any(match.group(1) == word for match in islice(ALIASED.finditer(command), MOST_NAMES)):
        return True
    if "()" in command or "function" in command:
        for match in islice(DEFINED.finditer(command), MOST_NAMES):
            if word in (match.group(1), match.group(2)):
                return True
    if "PATH=" not in command or "/" in word:
        return False
    places = (match.group(1).split(":")[0] for match in islice(PATH.finditer(command), MOST_NAMES))
    return any(_is_strange(place) for place in places)


def _is_strange(place: str) -> bool:
    """Return whether a directory is none of those that programs are kept in."""
    if f"{place}/".startswith(SCRATCH):
        return True
    relative = not place.startswith("/") and not place.removeprefix("./").startswith(OWN_PLACES)
    return bool(place) and relative and not place.endswith(("node_modules/.bin", "venv/bin"))
