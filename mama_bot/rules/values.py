"""The variables of a moment, from what is asked, what the session did, and where it works."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_never

from mama_bot.model import (
    AgentStops,
    Compacts,
    Moment,
    RuleState,
    SessionStarts,
    TaskState,
    ToolAsked,
    ToolCall,
    ToolEnded,
    ToolKind,
    ToolTurn,
    WorkflowStanding,
    well_formed,
)
from mama_bot.rules.commands import CommandReading, Program, files_named, read_command
from mama_bot.rules.path_values import Place, path_values
from mama_bot.rules.pushes import pushed_branches
from mama_bot.runs.files import changed_by_program

LONGEST_ERROR = 2_000
NOTHING = ToolCall(tool="")


def called_in(moment: Moment) -> ToolCall:
    """Return the tool call that a moment is about; one without a name where it is about none."""
    match moment:
        case ToolAsked() | ToolEnded():
            return moment.call
        case SessionStarts() | Compacts() | AgentStops():
            return NOTHING
        case unexpected:
            assert_never(unexpected)


def readable_call(call: ToolCall) -> ToolCall:
    """Return a call as conditions and the store can hold it: half a sign is none."""
    return replace(
        call,
        tool=well_formed(call.tool),
        command=well_formed(call.command),
        paths=tuple(well_formed(path) for path in call.paths),
        directory=well_formed(call.directory),
    )


def read_call(call: ToolCall, place: Place) -> CommandReading:
    """Return what the command of a call runs."""
    if call.kind is not ToolKind.SHELL:
        return CommandReading()
    return read_command(call.command, call.directory or place.root)


def values_of(
    moment: Moment,
    *,
    turn: ToolTurn,
    state: RuleState,
    place: Place,
    counters: Iterable[str] = (),
    protected_branches: Sequence[str] = (),
) -> Mapping[str, Any]:
    """Return every variable that a condition may speak of."""
    call = called_in(moment)
    reading = read_call(call, place)
    ended = moment if isinstance(moment, ToolEnded) else None
    return {
        "event": moment.phase.value,
        "tool": call.tool,
        "kind": call.kind.value,
        "arguments": {well_formed(str(name)): plain_argument(value) for name, value in call.arguments.items()},
        "paths": path_values(call.paths, call.directory or place.root, place),
        "command": {"text": call.command, "opaque": bool(reading.unreadable), "unreadable": list(reading.unreadable)},
        "commands": [_program(made, place) for made in reading.programs],
        "result": {
            "ok": ended is None or ended.ok is not False,
            "error": "" if ended is None or ended.ok is not False else well_formed(ended.output[:LONGEST_ERROR]),
        },
        "persona": {
            "name": turn.persona.name,
            "tier": turn.persona.tier.value,
            "read_only": turn.read_only,
            "subagent": turn.subagent,
        },
        "session": {
            "looks": state.looks,
            "edits": state.edits,
            "checks": state.checks.value,
            "strikes": state.strikes,
        },
        "counters": {**dict.fromkeys(counters, 0), **dict(state.counters)},
        "workspace": {"path": place.root, "branch": place.branch, "empty": place.empty},
        "task": {
            "messages": state.task.messages,
            "looks": state.task.looks,
            "plans": state.task.plans,
            "edits": state.task.edits,
            "commits": state.task.commits,
            "checks": state.task.checks.value,
        },
        **workflow_values(state.task),
        "protected_branches": list(protected_branches),
        "decided": "",
    }


def workflow_values(task: TaskState, standing: WorkflowStanding | None = None) -> Mapping[str, Any]:
    """Return the variables of the active workflow; of its steps in words where it is known how they stand."""
    steps = standing.steps if standing is not None else ()
    progress = ", ".join(f"{step.name} {'is shown' if step.shown else 'is not shown yet'}" for step in steps)
    return {
        "workflow": {
            "name": task.workflow,
            "open": list(task.open_steps),
            "warned": list(task.warned),
            "progress": progress,
        },
        "step": task.step,
    }


def plain_argument(value: object) -> Any:
    """Return an argument of a tool as a condition can take it: what is no plain value is its text."""
    match value:
        case str():
            return well_formed(value)
        case bool() | int() | float() | None:
            return value
        case Mapping():
            return {well_formed(str(name)): plain_argument(item) for name, item in value.items()}
        case list() | tuple():
            return [plain_argument(item) for item in value]
        case _:
            return well_formed(str(value))


def _program(made: Program, place: Place) -> Mapping[str, Any]:
    return {
        "program": made.program,
        "subcommand": made.subcommand,
        "options": list(made.options),
        "operands": list(made.operands),
        "words": list(made.words),
        "paths": path_values(files_named(made), made.directory, place),
        "writes": path_values(made.writes, made.directory, place),
        "changes": path_values((*made.writes, *changed_by_program(made.words)), made.directory, place),
        "reads": path_values(made.reads, made.directory, place),
        "pushes": list(pushed_branches(made, place.branch)),
        "code": made.code,
        "via": made.via,
    }
