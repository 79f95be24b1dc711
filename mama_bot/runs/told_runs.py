"""What a command's output tells of the runs in it: summaries, scripts of a project, sessions of a runner."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mama_bot.model import RunEnd, RunKind
from mama_bot.runs.checkers import CHECKERS
from mama_bot.runs.formats import Summary
from mama_bot.runs.output import Output
from mama_bot.runs.own_output import OwnLines
from mama_bot.runs.scripts import kind_of_name
from mama_bot.runs.suites import OWN_LINES, SUITES
from mama_bot.runs.tools import Tool
from mama_bot.shell.exit_states import ShellStep
from mama_bot.shell.flow import Flow
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import compiled

TESTED = frozenset({RunKind.TESTS, RunKind.BENCHMARK})
KIND_READERS: Mapping[RunKind, tuple[str, ...]] = {
    RunKind.TYPES: ("mypy", "pyright", "tsc"),
    RunKind.LINT: ("ruff", "eslint", "golangci-lint", "biome"),
    RunKind.FORMAT: ("ruff format", "black", "prettier"),
    RunKind.BUILD: ("cargo build", "vite build", "webpack", "gradle", "maven", "make"),
}


ENVIRONMENTS = frozenset({"nox", "tox"})
SESSIONS = (
    (
        compiled(r"^nox > Session (\S+?)(?:\([^)]*\))? (?:was )?(success|fail|abort|skip)", ignore_case=False),
        "nox > Session",
    ),
    (compiled(r"^nox > \* (\S+?)(?:\([^)]*\))?: (success|fail|abort|skip)", ignore_case=False), "nox > * "),
    (compiled(r"^ +([\w.-]+): (OK|FAIL|SKIP)", ignore_case=False), ": OK"),
    (compiled(r"^ +([\w.-]+): (OK|FAIL|SKIP)", ignore_case=False), ": FAIL"),
)
TARGETS = frozenset({"make", "gmake", "just", "task", "npm", "pnpm", "yarn", "bun", "rake", "invoke", "inv"})
INTERPRETERS = frozenset({"python", "python3", "node", "bash", "sh", "zsh", "ruby", "tsx", "ts-node", "deno"})
RESULTS = (" passed", " passing", " failed", "Tests:", "Ran ", "test result: ", "Tests run:", "# pass ")


@dataclass(slots=True)
class RunStep:
    """A step that is a run, with what its output says."""

    index: int
    step: ShellStep
    tool: Tool
    summary: Summary | None = None
    first: Summary | None = None
    target: str = ""
    absent: bool = False
    shown: list[tuple[str, Tool]] = field(default_factory=list)


def telling_scripts(flow: Flow, runs: Sequence[RunStep], text: str) -> Iterator[RunStep]:
    """Yield the first script of a project that nobody knows, and that prints what a test tool prints."""
    known = {run.index for run in runs}
    for index, step in enumerate(flow.steps):
        name = script_name(step.argv) if index not in known and step.seen and not step.background else ""
        if not name:
            continue
        if not any(mark in text for mark in RESULTS):
            return
        tool = Tool(kind=RunKind.TESTS, name=name, script=True)
        if summaries_of(tool, Output(text, own=OwnLines(flow.steps).holds)):
            yield RunStep(index, step, tool)
            return


def script_name(argv: Sequence[str]) -> str:
    """Return the name of a script of the project: `./run_all.sh`, `make everything`, `python tools/gate.py`."""
    if not argv:
        return ""
    name = program(argv[0])
    if name in INTERPRETERS and any(word in {"-c", "-e", "--eval", "-p"} for word in argv[1:3]):
        return ""  # its text stands in the command
    plain = [word for word in argv[1:4] if not word.startswith("-")]
    if name in TARGETS:
        return f"{name} {' '.join(plain)}".strip()
    if name in INTERPRETERS:
        return program(plain[0]) if plain and "." in plain[0] and not plain[0].startswith(".") else ""
    local = argv[0].startswith("./") or ("/" in argv[0] and not argv[0].startswith("/"))
    return name if local or name.endswith((".sh", ".bash")) else ""


def sessions_of(run: RunStep, output: Output) -> list[tuple[RunStep, RunEnd]]:
    """Return the sessions of nox or the environments of tox, one run for each kind of run among them."""
    ended: dict[str, bool] = {}
    for pattern, sign in SESSIONS:
        for line in output.all_with(sign):
            if (match := pattern.match(line)) is not None and not match.group(2).startswith(("skip", "SKIP")):
                ended[match.group(1)] = match.group(2).startswith(("success", "OK"))
    by_kind: dict[RunKind, bool] = {}
    for name, good in ended.items():
        kind = kind_of_name(name) or RunKind.TESTS
        by_kind[kind] = by_kind.get(kind, True) and good
    if len(by_kind) < 2:
        return []
    runs: list[tuple[RunStep, RunEnd]] = []
    for kind, good in by_kind.items():
        own = kind is run.tool.kind
        name = run.tool.name if own else program(run.step.argv[0])
        tool = replace(run.tool, kind=kind, name=name, selected=run.tool.selected if own else ())
        part = replace(run, tool=tool, summary=run.summary if kind is RunKind.TESTS else None)
        runs.append((part, RunEnd.PASSED if good else RunEnd.FAILED))
    return runs


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
