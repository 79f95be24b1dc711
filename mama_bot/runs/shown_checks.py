"""The checks that a script, a task or a git hook shows in its output: commands that it printed, lines of frameworks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mama_bot.model import RunEnd, RunKind
from mama_bot.runs.formats import TABLES
from mama_bot.runs.output import Output, plain
from mama_bot.runs.programs import PROGRAMS, WORDS_TOO, recognise
from mama_bot.runs.scripts import KIND_WORDS
from mama_bot.runs.tools import Tool
from mama_bot.shell.flow import Flow
from mama_bot.shell.tokens import CommandNotUnderstood, tokens_of
from mama_bot.shell.wrappers import OPTIONED, PLAIN, RUNNERS, SHELLS, SPECIAL, program
from mama_bot.text.patterns import compiled

HEAD_CHARACTERS = 6_000
MAX_COMMAND = 400
MAX_SHOWN = 12
HEADS = PROGRAMS | PLAIN | OPTIONED | RUNNERS | SHELLS | frozenset(SPECIAL) | {"cd", "set"}
CHECKS = frozenset({RunKind.TESTS, RunKind.BUILD, RunKind.TYPES, RunKind.LINT, RunKind.FORMAT})
# `> vitest run`, `$ tsc`, `[lint:go] $ go vet`, `task: [lint] ruff check`, `lint: commands[0]> ruff check`
SHOWN = compiled(
    r"^(?:> |\$ |\+ |\[([\w:.-]+)\] \$ |task: \[([\w:.-]+)\] |([\w.-]+): commands\[\d+\](?: [^>]*)?> |nox > )(.+)$",
    ignore_case=False,
)
# `> shop@1.0.0 test`, and with pnpm the directory behind it
HEADER = compiled(r"^> (?:\S+@\S+ )?([\w:.-]+)(?: /.*)?$", ignore_case=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCheck:
    """A check that an output shows; `label` names the task it stands under, `end` is what a framework says of it."""

    tool: Tool
    command: str
    label: str = ""
    end: RunEnd | None = None


def shown_commands(output: str, *, bare: bool) -> list[ShownCheck]:
    """Return the commands that scripts show before they run them, up to the first tests: these may print anything.

    Lines with the name of their task in front are read behind that as well; `bare` ones have no mark in front.
    """
    shown: list[ShownCheck] = []
    label, tested = "", False
    for line in _candidates(output):
        if not tested and (header := HEADER.match(line)) is not None and header.group(1) not in PROGRAMS - WORDS_TOO:
            label = header.group(1)
            continue
        match = SHOWN.match(line)
        own = next((group for at in (1, 2, 3) if (group := match.group(at))), "") if match is not None else ""
        command = match.group(4) if match is not None else line if bare and _is_bare(line) else ""
        if not command or (tested and not own and not line.startswith("nox > ")):
            continue
        for tool in _tools(command):
            shown.append(ShownCheck(tool=tool, command=command, label=own or label))
            tested |= tool.kind is RunKind.TESTS
        if len(shown) >= MAX_SHOWN:
            break
    return shown


def _candidates(output: str) -> Iterator[str]:
    for line in output[:HEAD_CHARACTERS].split("\n"):
        if len(line) <= MAX_COMMAND:
            yield plain(line)
    if len(output) > HEAD_CHARACTERS:
        yield from Output(output[HEAD_CHARACTERS:]).all_with("] $ ")


def _is_bare(line: str) -> bool:
    return line[:1].isalnum() or line.startswith((".", "/"))


def _tools(command: str) -> list[Tool]:
    head = command.split(None, 1)[0] if command.strip() else ""
    placed = "/" in head and not head.rpartition("/")[0].endswith("bin")  # a script that is named like a program
    if placed or (program(head) not in HEADS and "=" not in head):
        return []
    flow = Flow(command, "")
    tools = [tool for step in flow.steps[:MAX_SHOWN] if step.argv and (tool := recognise(step.argv)) is not None]
    return [replace(tool, selected=()) for tool in tools if not tool.script and tool.kind in CHECKS]


# The frameworks of hooks and sessions, each with a line for each check: what it is called, and how it ended.
FRAMEWORKS = {
    name: (form["needles"], compiled(form["line"], ignore_case=False)) for name, form in TABLES["frameworks"].items()
}
END_FIRST = frozenset({"lint-staged", "lefthook"})
GOOD = frozenset({"Passed", "success", "OK", "[COMPLETED]", "✔", "✔️", "✓"})
LEFT_OUT = frozenset({"Skipped", "skip", "SKIP", "abort"})


def framework_checks(output: Output) -> list[ShownCheck]:
    """Return what the frameworks of hooks and sessions say of each kind of check: failed where any of it failed."""
    by_kind: dict[RunKind, ShownCheck] = {}
    for framework, (needles, pattern) in FRAMEWORKS.items():
        ended = 1 if framework in END_FIRST else 2
        ends: dict[str, bool] = {}
        for needle in needles:
            for line in output.all_with(needle):
                if (match := pattern.match(line)) is not None and (end := match.group(ended) or "") not in LEFT_OUT:
                    ends[(match.group(3 - ended) or "").strip()] = end in GOOD
        for name, good in ends.items():
            tool = _named(name, framework)
            if tool is None:
                continue
            known = by_kind.get(tool.kind)
            if known is not None and known.tool.name != tool.name:
                tool = replace(tool, name=framework)
            end = RunEnd.PASSED if good and (known is None or known.end is RunEnd.PASSED) else RunEnd.FAILED
            by_kind[tool.kind] = ShownCheck(tool=tool, command=name if known is None else framework, end=end)
    return list(by_kind.values())


def _named(name: str, framework: str) -> Tool | None:
    """Return what a check is by the name that a framework gives it: `ruff format`, `Run unit tests`, `types`."""
    try:
        words = [token.text for token in tokens_of(name)]
    except CommandNotUnderstood:
        words = name.split()
    lowered = name.lower().replace("-", " ").replace("_", " ").replace(":", " ").split()
    for argv in (words, [*words[:1], "run"], [*words[:1], "check"], lowered[:2], lowered[:1]):
        if argv and (tool := recognise(argv)) is not None and not tool.script and tool.kind in CHECKS:
            return replace(tool, selected=())
    if framework == "lint-staged":
        return None
    kinds = [kind for word in lowered if (kind := KIND_WORDS.get(word)) is not None]
    # "lint tests" lints; "python tests naming" runs no test.
    others = [kind for kind in kinds if kind is not RunKind.TESTS and kind in CHECKS]
    if others:
        return Tool(kind=others[0], name=framework)
    ends = {lowered[0], lowered[-1]} if lowered else set()
    if any(KIND_WORDS.get(word) is RunKind.TESTS for word in ends) or framework in {"nox", "tox"}:
        return Tool(kind=RunKind.TESTS, name=framework)
    return Tool(kind=RunKind.LINT, name=framework) if framework in {"pre-commit", "lefthook"} else None
