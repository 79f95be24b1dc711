"""The commands that `make`, `npm` and the like show before they run them."""

from mama_bot.model import RunKind
from mama_bot.runs.output import plain
from mama_bot.runs.programs import PROGRAMS, recognise
from mama_bot.runs.tools import Tool
from mama_bot.shell.flow import Flow
from mama_bot.shell.wrappers import OPTIONED, PLAIN, RUNNERS, SHELLS, SPECIAL, program

HEAD_CHARACTERS = 6_000
MAX_COMMAND = 400
MAX_SHOWN = 12
BARE = frozenset({"make", "gmake", "just"})
HEADS = frozenset(PROGRAMS) | PLAIN | OPTIONED | RUNNERS | SHELLS | frozenset(SPECIAL) | {"cd", "set"}
MARKS = ("> ", "$ ")


def shown_tools(script: Tool, output: str) -> list[tuple[str, Tool]]:
    """Return what a script shows that it runs, up to its first tests: what tests print is not the script's word."""
    shown: list[tuple[str, Tool]] = []
    bare = program(script.name.split(" ", 1)[0]) in BARE
    for line in output[:HEAD_CHARACTERS].split("\n"):
        command = _command(plain(line), bare=bare)
        for tool in _tools(command) if command else ():
            shown.append((command, tool))
            if tool.kind is RunKind.TESTS or len(shown) == MAX_SHOWN:
                return shown
    return shown


def _command(line: str, *, bare: bool) -> str:
    """Return the command that a line shows; "" for any other line."""
    if len(line) > MAX_COMMAND:
        return ""
    if line.startswith(MARKS):
        return line[2:]
    if line.startswith("task: [") or "commands[" in line[:40]:
        return line.partition("] ")[2] or line.partition("]> ")[2]
    return line if (bare and line[:1].isalnum()) or line.startswith((".", "/")) else ""


def _tools(command: str) -> list[Tool]:
    head = command.split(None, 1)[0] if command.strip() else ""
    if program(head) not in HEADS and "=" not in head:
        return []
    flow = Flow(command, "")
    tools = [tool for step in flow.steps[:MAX_SHOWN] if step.argv and (tool := recognise(step.argv)) is not None]
    return [tool for tool in tools if not tool.script]
