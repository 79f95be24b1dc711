"""A step of a command that is a run, and what its tool says at its end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mama_bot.model import RunEnd, RunKind
from mama_bot.runs.checkers import CHECKERS
from mama_bot.runs.formats import Summary
from mama_bot.runs.output import Output
from mama_bot.runs.scripts import PACKAGE_RUNNERS, TASK_RUNNERS
from mama_bot.runs.shown_checks import ShownCheck
from mama_bot.runs.suites import OWN_LINES, SUITES
from mama_bot.runs.tools import Tool
from mama_bot.shell.exit_states import ShellStep
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program

TESTED = frozenset({RunKind.TESTS, RunKind.BENCHMARK})
KIND_READERS: Mapping[RunKind, tuple[str, ...]] = {
    RunKind.TYPES: ("mypy", "pyright", "tsc"),
    RunKind.LINT: ("ruff", "eslint", "golangci-lint", "biome"),
    RunKind.FORMAT: ("ruff format", "black", "prettier"),
    RunKind.BUILD: ("cargo build", "vite build", "webpack", "gradle", "maven", "make"),
}
# What only this tool prints: a script of any name that prints it ran the tool.
OWN_CHECKS = tuple(
    (kind, name)
    for kind in (RunKind.TYPES, RunKind.LINT, RunKind.FORMAT)
    for name in KIND_READERS[kind]
    if name != "biome"
)
INTERPRETERS = word_set("python python3 node bash sh zsh ruby tsx ts-node deno")


@dataclass(slots=True)
class RunStep:
    """A step that is a run, with what its output says; `unknown`: only what it shows tells what it is."""

    index: int
    step: ShellStep
    tool: Tool
    summary: Summary | None = None
    first: Summary | None = None
    target: str = ""
    absent: bool = False
    unknown: bool = False
    shown: list[ShownCheck] = field(default_factory=list)


def script_name(argv: Sequence[str]) -> str:
    """Return the name of a script of the project: `./run_all.sh`, `make everything`, `python tools/gate.py`."""
    if not argv:
        return ""
    name = program(argv[0])
    if name in INTERPRETERS and any(word in {"-c", "-e", "--eval", "-p"} for word in argv[1:3]):
        return ""  # its text stands in the command
    plain = [word for word in argv[1:4] if not word.startswith("-")]
    if name in TASK_RUNNERS or name in PACKAGE_RUNNERS:
        return f"{name} {' '.join(plain)}".strip()
    if name in INTERPRETERS:
        return program(plain[0]) if plain and "." in plain[0] and not plain[0].startswith(".") else ""
    local = argv[0].startswith("./") or ("/" in argv[0] and not argv[0].startswith("/"))
    return name if local or name.endswith((".sh", ".bash")) else ""


def summaries_of(tool: Tool, output: Output) -> list[Summary]:
    """Return everything in an output that a tool of this name says at its end, in order."""
    own = (SUITES if tool.kind in TESTED else CHECKERS).get(tool.name)
    if own is not None:
        return own(output)
    if not tool.script:
        return []
    if tool.kind is RunKind.TESTS:
        return [summary for name in OWN_LINES for summary in SUITES[name](output)]
    return [summary for name in KIND_READERS.get(tool.kind, ()) for summary in CHECKERS[name](output)]


def tools_printed(output: Output) -> list[Tool]:
    """Return the tools that alone can have printed what an output holds."""
    suites = [Tool(kind=RunKind.TESTS, name=name) for name in OWN_LINES if _ran(SUITES[name](output))]
    checks = [Tool(kind=kind, name=name) for kind, name in OWN_CHECKS if _is_own(kind, CHECKERS[name](output))]
    return [*suites, *checks]


def _ran(summaries: Sequence[Summary]) -> bool:
    return any(summary.end is not RunEnd.NOTHING for summary in summaries)


def _is_own(kind: RunKind, summaries: Sequence[Summary]) -> bool:
    """Return whether words are a checker's own; how a formatter fails is worded as other programs word it."""
    return any(kind is not RunKind.FORMAT or summary.end is RunEnd.PASSED for summary in summaries)
