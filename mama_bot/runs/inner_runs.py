"""The runs inside of a run: what a task, a script or the hook of a commit shows that it ran."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mama_bot.model import RunEnd, RunKind
from mama_bot.runs.checkers import CHECKERS
from mama_bot.runs.ends import whole_summary
from mama_bot.runs.formats import summed
from mama_bot.runs.git_commands import GIT_KINDS
from mama_bot.runs.output import Output
from mama_bot.runs.scripts import BARE_RUNNERS, OWN_NAMES
from mama_bot.runs.shown_checks import ShownCheck, framework_checks, shown_commands
from mama_bot.runs.suites import SUITES
from mama_bot.runs.told_runs import RunStep, summaries_of, tools_printed
from mama_bot.shell.wrappers import program

READABLE = frozenset({*SUITES, *CHECKERS})
# What stands for all checks of a project, or for whatever comes first.
GATHERING = OWN_NAMES | {"all", "install", "make", "default"}
GOING_ON = frozenset({"-k", "--keep-going", "--continue", "-i", "--ignore-errors", "--no-bail"})
FRAMED = frozenset({"pre-commit", "prek", "lefthook", "lint-staged", "nox", "tox"})


def carries(run: RunStep) -> bool:
    """Return whether a run may have run others: a script, a framework of hooks, git with its hooks."""
    hooked = run.tool.kind in GIT_KINDS and "--no-verify" not in run.step.argv and program(run.step.argv[0]) == "git"
    built = run.tool.name in {"maven", "gradle"} and run.tool.kind is RunKind.BUILD  # these test as well
    return run.tool.script or hooked or built or run.tool.name in FRAMED


def give_shown(runs: Sequence[RunStep], output: Output) -> None:
    """Give the runs that run others what the output shows of those; one shown tool of its kind names a script."""
    carriers = [run for run in runs if run.step.seen and not run.step.background and carries(run)]
    if not carriers or not output.text:
        return
    bare = any(program(run.step.argv[0]) in BARE_RUNNERS for run in carriers)
    commands = shown_commands(output.text, bare=bare)
    framed = [_as_shown(check, commands, output) for check in framework_checks(output)]
    kinds = {check.tool.kind for check in framed}
    shown = [*framed, *(check for check in commands if check.tool.kind not in kinds)]
    own = {run.tool.name for run in runs if run not in carriers}
    first_git = next((run for run in carriers if run.tool.kind in GIT_KINDS), None)
    labels = {_label(run) for run in carriers} - {""}
    scripts = [run for run in carriers if run.tool.script or run.tool.name in FRAMED]
    for run in carriers:
        label = _label(run)
        if run.tool.kind in GIT_KINDS:
            mine = [check for check in shown if not scripts and run is first_git]
        else:
            mine = [check for check in shown if check.label == label or check.label.partition(":")[0] == label]
            others = [check for check in shown if check not in mine and check.label.partition(":")[0] not in labels]
            mine += [check for check in others if len(scripts) == 1 or check.tool.kind is run.tool.kind]
        known = {check.tool.kind for check in mine}
        if run is first_git or (len(carriers) == 1 and run.tool.kind not in GIT_KINDS):
            printed = [tool for tool in tools_printed(output) if tool.name not in own and tool.kind not in known]
            if not run.unknown and run is not first_git and label not in GATHERING:
                printed = [tool for tool in printed if tool.kind is RunKind.TESTS][:1]
            mine += [ShownCheck(tool=tool, command=tool.name) for tool in printed]
        run.shown = _once([_as_build(check) if run.tool.kind is RunKind.BUILD else check for check in mine])
        _go_by(run)


def _as_shown(framed: ShownCheck, commands: Sequence[ShownCheck], output: Output) -> ShownCheck:
    """Return a check under the name of the tool that ran it, where the framework calls it something else."""
    if framed.tool.name not in FRAMED:
        return framed
    tools = [check.tool for check in commands if check.tool.kind is framed.tool.kind]
    tools = tools or [tool for tool in tools_printed(output) if tool.kind is framed.tool.kind]
    return replace(framed, tool=tools[-1]) if len({tool.name for tool in tools}) == 1 else framed


def _label(run: RunStep) -> str:
    """Return what a task is called, as its runner writes it before what it runs."""
    return run.tool.name.rpartition(" ")[2] if run.tool.script else ""


def _as_build(check: ShownCheck) -> ShownCheck:
    """Return the check of types of a task that builds as the build that it is there."""
    emits = check.tool.name == "tsc" and "noEmit" not in check.command
    return replace(check, tool=replace(check.tool, kind=RunKind.BUILD)) if emits else check


def _once(checks: Sequence[ShownCheck]) -> list[ShownCheck]:
    """Return each tool once, where it stood last."""
    last = {(check.tool.kind, check.tool.name): check for check in checks}
    return list(last.values())


def _go_by(run: RunStep) -> None:
    """Let a script that shows one tool of its kind, and nothing else, be read as that tool is."""
    if len(run.shown) != 1 or not run.tool.script or run.tool.also:
        return
    (check,) = run.shown
    if check.end is None and check.tool.kind is run.tool.kind and check.tool.name in READABLE:
        run.tool = replace(run.tool, name=check.tool.name)
        run.shown, run.unknown = [], False


def runs_inside(run: RunStep, end: RunEnd, output: Output) -> Iterator[tuple[RunStep, RunEnd, bool]]:
    """Yield what was run in a run, each with its end and whether a hook ran it, and the run itself."""
    hook = run.tool.kind in GIT_KINDS
    gathered = bool(run.shown) and run.tool.script and _label(run) in GATHERING
    broken = False
    kinds = {check.tool.kind for check in run.shown}
    for place, check in enumerate(run.shown if end is not RunEnd.OPEN else ()):
        summaries = summaries_of(check.tool, output)
        part = replace(
            run,
            tool=replace(check.tool, selected=run.tool.selected if check.tool.kind is run.tool.kind else ()),
            step=replace(run.step, argv=(check.command,)),
            target="",
        )
        part.summary = summed(summaries) if run.tool.script else whole_summary(part, summaries)
        last = place + 1 == len(run.shown) or f"[{check.label}] ERROR" in output.text
        goes_on = hook or not GOING_ON.isdisjoint(run.step.argv)
        ended = _end(check, part, end, last=last, goes_on=goes_on)
        broken |= ended is RunEnd.FAILED
        if hook and check.end is not None and check.tool.kind is not RunKind.TESTS:
            part.tool = replace(part.tool, selected=("staged files",))
        yield part, ended, hook
    if run.tool.script and _label(run) in GATHERING and run.summary is None and end is RunEnd.FAILED:
        end = RunEnd.MASKED  # something failed, and nobody knows what
    if hook or (run.tool.kind not in kinds and not run.unknown and not gathered) or end is RunEnd.OPEN:
        # Where a hook fails, and nothing shows that git went on, it did not.
        yield run, RunEnd.FAILED if hook and broken and end is RunEnd.MASKED else end, False
        yield from ((replace(run, tool=replace(run.tool, kind=kind)), _both(end), False) for kind in run.tool.also)


def _both(end: RunEnd) -> RunEnd:
    return RunEnd.MASKED if end is RunEnd.FAILED else end


def _end(check: ShownCheck, part: RunStep, whole: RunEnd, *, last: bool, goes_on: bool) -> RunEnd:
    """Return how a part ended: as its framework or it itself says, else as the whole, which stops at a failure."""
    if check.end is not None:
        return check.end
    if part.summary is not None:
        return RunEnd.FAILED if whole is RunEnd.FAILED and last and not goes_on else part.summary.end
    if whole is RunEnd.FAILED and (last or not goes_on):
        return RunEnd.FAILED if last else RunEnd.PASSED
    if whole is RunEnd.FAILED:
        return RunEnd.MASKED
    return RunEnd.PASSED if not last and whole is RunEnd.MASKED else whole
