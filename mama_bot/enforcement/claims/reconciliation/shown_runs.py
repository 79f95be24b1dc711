"""Runs inside other commands, of which only what they printed tells: mypy in `nox -s types`, ruff in `make check`."""

from collections.abc import Iterator, Sequence

from mama_bot.enforcement.claims.reconciliation.calls import output_of
from mama_bot.enforcement.claims.reconciliation.looks import only_looks
from mama_bot.enforcement.claims.reconciliation.moments import RunAt
from mama_bot.enforcement.claims.reconciliation.results import doings, script_text
from mama_bot.enforcement.claims.reconciliation.timeline import Timeline
from mama_bot.model import ClaimKind, Run, RunEnd, RunKind, ToolKind
from mama_bot.text.patterns import Pattern, compiled

# A kind of claim with the tool, words that it prints, and what it prints when it passes and fails.
SIGNS = (
    (ClaimKind.TYPES, "mypy", ("Success", "Found"), r"Success: no issues found", r"Found \d+ errors? in"),
    (ClaimKind.TYPES, "pyright", ("error",), r"\b0 errors, ", r"\b[1-9]\d* errors?, "),
    (ClaimKind.TYPES, "tsc", ("> tsc", "error TS"), r"(?m:^> tsc)", r"error TS\d+"),
    (ClaimKind.LINT, "ruff", ("checks passed", "Found"), r"All checks passed!", r"Found \d+ errors?\b"),
    (ClaimKind.LINT, "eslint", ("> eslint", "problem", "error"), r"(?m:^> eslint)", r"✖ \d+ problem|\d+:\d+ +error"),
    (ClaimKind.FORMAT, "ruff format black", ("file",), r"already formatted|left unchanged", r"ould (?:be )?reformat"),
    (ClaimKind.FORMAT, "prettier", ("Prettier", "Code style"), r"All matched files use Prettier", r"Code style issues"),
    (
        ClaimKind.BUILD,
        "",
        ("uil", "UIL"),
        r"(?i:build (?:succeeded|successful|complete)|build success\b)",
        r"(?i:build failed)",
    ),
)
BUILDS = compiled(r"(?:^|[\s;&|(/:])(?:build|compile|bundle)(?:$|[\s;&|):])", groups=False)
BETWEEN = str.maketrans(dict.fromkeys("/;&|()\n\t", " "))
TELLING = compiled(r"(?:^|\s)(?:--help|-h|--version|--dry-run|-n|--just-print)(?:$|\s)", groups=False)
HOOK = compiled(r"\.{3,}(?:Passed|Failed)", groups=False)
SPEAKERS = frozenset(("python", "python3", "node", "ruby", "perl", "php", "curl", "wget"))
MOST_CALLS = 300  # the latest; what ran before them an edit has overtaken
Sign = tuple[ClaimKind, str, tuple[str, ...], Pattern, Pattern]
READERS: tuple[Sign, ...] = tuple(
    (kind, tool, parts, compiled(good), compiled(bad)) for kind, tool, parts, good, bad in SIGNS
)


def shown_runs(timeline: Timeline, kind: ClaimKind, tool: str) -> list[RunAt]:
    """The agent's own calls whose output shows how such a check ended."""
    known = timeline.shown.get((kind, tool))
    if known is None:
        known = timeline.shown[kind, tool] = _shown_runs(timeline, kind, tool)
    return known


def _shown_runs(timeline: Timeline, kind: ClaimKind, tool: str) -> list[RunAt]:
    wanted = tool.lower()
    signs = [one for one in READERS if one[0] is kind and (not wanted or wanted.split()[0] in one[1] or not one[1])]
    shown = list(_shown(timeline, signs)) if signs else []
    return shown or list(_by_name(timeline, kind, wanted))


def _by_name(timeline: Timeline, kind: ClaimKind, tool: str) -> Iterator[RunAt]:
    """The agent's own calls of a tool that only the claim knows by name, or of a build by its word."""
    if not tool and kind is not ClaimKind.BUILD:
        return
    first = max(0, len(timeline.calls) - MOST_CALLS)
    for number, call in enumerate(timeline.calls[first:], start=first):
        if not timeline.is_own(call) or call.kind is not ToolKind.SHELL or call.ok is None:
            continue
        command = timeline.command(call)
        if call.ran:
            if tool and call.ok and all(run.end is RunEnd.PASSED for run in call.ran) and _is_task(command, tool):
                run = Run(kind=RunKind(kind.value), tool=tool, command=command[:1_000], end=RunEnd.PASSED)
                yield RunAt(run, call, (number, 0), "", own=True)
            continue
        hooked = HOOK.search(output_of(call)) if tool and "pre-commit" in command else None
        lines = [line for line in output_of(call).splitlines() if line.lower().startswith(tool)] if hooked else []
        if lines:
            end = RunEnd.FAILED if any("Failed" in line for line in lines) else RunEnd.PASSED
            run = Run(kind=RunKind(kind.value), tool=tool, command=command[:1_000], end=end)
            yield RunAt(run, call, (number, 0), "", own=True)
        elif _names(command, tool) and not only_looks(command) and TELLING.search(command) is None:
            hidden = any(sign in command for sign in (";", "|", "\n"))
            end = (RunEnd.MASKED if hidden else RunEnd.PASSED) if call.ok else RunEnd.FAILED
            run = Run(kind=RunKind(kind.value), tool=tool, command=command[:1_000], end=end)
            yield RunAt(run, call, (number, 0), "", own=True)


def _is_task(command: str, tool: str) -> bool:
    """Whether a build tool alone was given a task of a tool's name: `gradlew ktlintCheck test`."""
    said = doings(command)
    words = said[0].split() if len(said) == 1 else []
    starts = bool(words) and words[0].rpartition("/")[2] in {"gradle", "gradlew", "mvn", "mvnw", "make", "just", "task"}
    return starts and any(word.lower().rpartition(":")[2].startswith(tool) for word in words[1:])


def _names(command: str, tool: str) -> bool:
    """Whether a command has the name of a tool among its words; without a name, a word for building."""
    if not tool:
        return BUILDS.search(command) is not None
    return f" {tool} " in f" {command.lower().translate(BETWEEN)} "


def _shown(timeline: Timeline, signs: Sequence[Sign]) -> Iterator[RunAt]:
    commands: list[str] = []
    first = max(0, len(timeline.calls) - MOST_CALLS)
    for number, call in enumerate(timeline.calls[first:], start=first):
        if not timeline.is_own(call) or call.kind is not ToolKind.SHELL:
            continue
        command = timeline.command(call)
        log = only_looks(command) and _looks_at(command, commands)
        output = output_of(call)
        found = [sign for sign in signs if any(part in output for part in sign[2])]
        if not log:
            output = script_text(command, call.working_directory, output) if found else ""
            if found or ">" in command:
                commands.append(command)
        for kind, tool, _, good, bad in found if output else ():
            failed = bad.search(output) is not None
            if failed or good.search(output) is not None:
                end = RunEnd.FAILED if failed else RunEnd.PASSED
                run = Run(kind=RunKind(kind.value), tool=tool, command=command[:1_000], end=end)
                yield RunAt(run, call, (number, 0), "", own=True)


def _looks_at(command: str, before: list[str]) -> bool:
    """Whether a command looks into a file that an earlier command wrote."""
    files = [word for word in command.split() if "/" in word or word.endswith((".log", ".txt", ".out", ".json"))]
    return any(
        (f"> {file}" in earlier or f">{file}" in earlier or f"tee {file}" in earlier)
        and any(said.split(" ", 1)[0] not in SPEAKERS for said in doings(earlier))
        for file in files
        for earlier in before
    )
