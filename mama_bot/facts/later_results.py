"""Results that came later: a run whose output went to a file or to the background, and a call that shows just that."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mama_bot.facts.places import joined, named_path
from mama_bot.model import CHECK_KINDS, Run, RunEnd, ToolKind, ToolRun
from mama_bot.runs.files import touched_by_step
from mama_bot.runs.output import Output
from mama_bot.runs.told_runs import summaries_of
from mama_bot.runs.tools import Tool
from mama_bot.shell.exit_states import ShellStep
from mama_bot.shell.flow import Flow, joined_path
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import compiled

Moment = tuple[int, int]  # the place of the call in the record, and of the run in the call

# They show a file as it is; the others print nothing of their own.
READERS = word_set("cat tail head less more")
SILENT = word_set("cd sleep wait true : export set")
TASK = compiled(r"\bbackground\b.{0,40}?\bID:? ?([\w-]+)")  # Command running in background with ID: bash_3
WRITTEN = compiled(r"\bwritten to:? ?(\S+)")  # Output is being written to: /tmp/tasks/b3.output
STANDARD = ("/dev/", "&", "$")
LONGEST_WAIT = 60  # calls after the run that are looked at


def later_results(calls: Sequence[ToolRun]) -> Mapping[Moment, Run]:
    """Return the runs whose own call does not tell how they ended, as a later call of the same agent shows it."""
    results: dict[Moment, Run] = {}
    for number, call in enumerate(calls):
        for position, run in enumerate(call.ran):
            if run.kind in CHECK_KINDS and run.end in (RunEnd.MASKED, RunEnd.OPEN):
                result = _result(call, run, calls[number + 1 : number + 1 + LONGEST_WAIT])
                if result is not None:
                    results[number, position] = result
    return results


def _result(call: ToolRun, run: Run, later: Sequence[ToolRun]) -> Run | None:
    logs, task = _logs(call, run), _task(call)
    if not logs and not task:
        return None
    result: Run | None = None
    for other in later:
        if other.agent != call.agent:
            continue
        if any(joined("", touch.path) in logs for touch in other.touched):
            break  # it holds something else now
        text = _shown(other, logs, task)
        if text:
            result = _read(run, text) or result
    return result


def _read(run: Run, text: str) -> Run | None:
    """Return a run with the end and the figures that its own tool printed."""
    for script in (False, True):
        summaries = summaries_of(Tool(kind=run.kind, name=run.tool, script=script), Output(text))
        if summaries:
            return replace(run, end=summaries[-1].end, counts=summaries[-1].counts)
    return None


def _task(call: ToolRun) -> str:
    match = TASK.search(call.output_head) if call.background or "background" in call.output_head else None
    return match.group(1) if match is not None else ""


def _logs(call: ToolRun, run: Run) -> frozenset[str]:
    """Return the files that took the output of a run, and of nothing else."""
    logs = {match.group(1).rstrip(".") for match in [WRITTEN.search(call.output_head)] if match and call.background}
    flow = Flow(call.command, "")
    for step in flow.steps:
        is_own = (
            " ".join(step.argv)[: len(run.command)] == run.command
            or program(step.argv[0] if step.argv else "") == "tee"
        )
        if not is_own:
            logs -= {path for path, _ in touched_by_step(step, None)}
        taken = {joined_path(step.directory, name) for name in (step.log, *_targets(step)) if name}
        if not taken:
            continue
        if is_own:
            logs |= taken
        else:
            logs -= taken
    return frozenset(joined(run.directory, name) for name in logs if not name.startswith(STANDARD))


def _targets(step: ShellStep) -> Iterator[str]:
    for redirect in step.redirects:
        if redirect.writes and redirect.descriptor in {"", "1", "&"}:
            yield redirect.target


def _shown(call: ToolRun, logs: frozenset[str], task: str) -> str:
    """Return what a call shows of some logs or a task; "" where it shows anything else, or nothing of them."""
    match call.kind:
        case ToolKind.OUTPUT:
            shows = bool(task) and _names(call, task)
        case ToolKind.READ:
            shows = bool(call.paths) and all(
                joined("", named_path(path)) in logs or path in logs for path in call.paths
            )
        case ToolKind.SHELL:
            shows = _reads(call, logs)
        case _:
            shows = False
    return f"{call.output_head}{call.output_tail}" if shows else ""


def _names(call: ToolRun, task: str) -> bool:
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return False
    return isinstance(arguments, dict) and task in arguments.values()


def _reads(call: ToolRun, logs: frozenset[str]) -> bool:
    flow = Flow(call.command, "")
    shown = False
    for step in flow.steps:
        name = program(step.argv[0]) if step.argv else ":"
        if name in SILENT:
            continue
        files = [word for word in step.argv[1:] if not word.startswith("-") and not word.isdecimal()]
        read = {joined("", joined_path(step.directory, file)) for file in files}
        if name not in READERS or not read or not read <= logs:
            return False
        shown = True
    return flow.understood and shown
