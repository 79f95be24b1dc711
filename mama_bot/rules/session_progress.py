"""What a session did so far: from the state and a call that ended to the next state. Pure."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace

from mama_bot.model import (
    MOST_COUNTERS,
    MOST_PATHS,
    CallReading,
    ChecksState,
    LookKind,
    RuleState,
    RunEnd,
    RunKind,
    TaskState,
    ToolEnded,
    ToolKind,
)
from mama_bot.rules.commands import read_command
from mama_bot.rules.path_values import Place, absolute

LOOKING = frozenset({ToolKind.READ, ToolKind.LIST, ToolKind.SEARCH, ToolKind.FETCH})
WRITING = frozenset({ToolKind.WRITE, ToolKind.EDIT})
CHECKS = frozenset({RunKind.TESTS, RunKind.BUILD, RunKind.TYPES, RunKind.LINT})
# Programs that tell nothing of what there is: their own words, the time, who and where one is.
PRINTING = frozenset(
    {*("echo", "printf", "yes", "seq", "true", "false", ":", "sleep", "cd", "pwd", "date", "whoami", "id", "hostname")}
    | {*("export", "set", "unset", "uname", "mkdir", "touch", "exit", "wait", "clear")}
)
# What a call that writes down steps names them by; one without any of these only reads its list.
PLANNED = ("todos", "plan", "subject", "steps")
MOST_FAILING = 20
MOST_ERROR = 2_000


def after_call(state: RuleState, ended: ToolEnded, reading: CallReading, place: Place) -> RuleState:
    """Return the state after a call that ended, and what it ran, wrote and showed."""
    call, root, ran = ended.call, ended.call.directory or place.root, ended.ok is not False
    named = [absolute(path, root) for path in call.paths]
    written = [absolute(touch.path, place.root) for touch in reading.touched if touch.path]
    shown = [
        absolute(look.subject, place.root)
        for look in reading.looked
        if look.kind is LookKind.FILE and look.state == "shown"
    ]
    if ran and call.kind in WRITING:
        written += named
    if ran and call.kind is ToolKind.READ:
        shown += named
    looked = ran and (call.kind in LOOKING or bool(shown) or _showed(ended, root))
    edited = bool(written) or bool(reading.touched)
    failing, checks = _checked(state, reading, edited=edited)
    return _struck(
        replace(
            state,
            written=_latest(state.written, written),
            shown=_latest(state.shown, [*shown, *written]),
            looks=state.looks + looked,
            edits=state.edits + edited,
            failing=failing,
            checks=checks,
            task=_advanced(state.task, ended, reading, looked=looked, edited=edited),
        ),
        ended,
    )


def _showed(ended: ToolEnded, directory: str) -> bool:
    """Return whether a command printed something besides what it was told to print."""
    if ended.call.kind is not ToolKind.SHELL or not ended.output:
        return False
    reading = read_command(ended.call.command, directory)
    return bool(reading.unreadable) or any(made.program not in PRINTING for made in reading.programs)


def at_task(state: RuleState, request: str, workflow: str) -> RuleState:
    """Return the state of a session that works for a message ("": for the one before), by a workflow ("": by none).

    A task ends when all steps of its workflow are shown and another message comes; one that is held to another workflow
    begins anew.
    """
    task = state.task
    request = request or task.request
    if task.workflow != workflow or (workflow and request != task.request and task.messages and not task.open_steps):
        return replace(state, task=TaskState(request=request, messages=1, workflow=workflow))
    if request == task.request and task.messages:
        return state
    return replace(state, task=replace(task, request=request, messages=task.messages + 1))


def _advanced(task: TaskState, ended: ToolEnded, reading: CallReading, *, looked: bool, edited: bool) -> TaskState:
    ran = ended.ok is not False
    planned = ran and ended.call.kind is ToolKind.PLAN and any(ended.call.arguments.get(key) for key in PLANNED)
    commits = [run for run in reading.ran if run.kind is RunKind.COMMIT and run.end is RunEnd.PASSED and not run.dry]
    failing, checks = _checked(task, reading, edited=edited)
    return replace(
        task,
        looks=task.looks + looked,
        plans=task.plans + planned,
        edits=task.edits + edited,
        commits=task.commits + len(commits),
        checks=checks,
        failing=failing,
    )


def counted(state: RuleState, counts: Iterable[str], clears: Iterable[str]) -> RuleState:
    """Return the state after rules counted and cleared; `strikes` may be cleared like a counter."""
    counters = dict(state.counters)
    for name in counts:
        if name in counters or len(counters) < MOST_COUNTERS:
            counters[name] = counters.get(name, 0) + 1
    cleared = frozenset(clears)
    kept = tuple((name, count) for name, count in counters.items() if name not in cleared)
    if "strikes" in cleared:
        state = replace(state, strikes=0, failure="")
    return replace(state, counters=kept)


def warned(state: RuleState, names: Iterable[str]) -> RuleState:
    """Return the state after rules of a workflow warned the agent, which they do once for each task."""
    known = dict.fromkeys((*state.task.warned, *names))
    return state if len(known) == len(state.task.warned) else replace(state, task=replace(state.task, warned=(*known,)))


def _checked(
    state: RuleState | TaskState, reading: CallReading, *, edited: bool
) -> tuple[tuple[str, ...], ChecksState]:
    """Return how the checks stand: what failed is failing until it passes, whatever else passes."""
    failing, checks = list(state.failing), state.checks
    for run in reading.ran:
        if run.kind not in CHECKS or run.dry:
            continue
        if run.end is RunEnd.FAILED and run.tool not in failing:
            failing.append(run.tool)
        elif run.end is RunEnd.PASSED:
            failing = [tool for tool in failing if tool != run.tool]
            checks = ChecksState.PASSED
            edited = False
    if failing:
        checks = ChecksState.FAILED
    elif checks is ChecksState.PASSED and edited:
        checks = ChecksState.STALE
    return tuple(failing[-MOST_FAILING:]), checks


def _struck(state: RuleState, ended: ToolEnded) -> RuleState:
    if ended.ok is None:
        return state
    if ended.ok:
        return replace(state, failure="", strikes=0)
    told = json.dumps(dict(ended.call.arguments), sort_keys=True, default=str, ensure_ascii=False)
    parts = (ended.call.tool, told, ended.output[:MOST_ERROR])
    failure = hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()
    return replace(state, failure=failure, strikes=state.strikes + 1 if failure == state.failure else 1)


def _latest(known: tuple[str, ...], further: Iterable[str]) -> tuple[str, ...]:
    merged = dict.fromkeys(known)
    for path in further:
        merged.pop(path, None)
        merged[path[:1_000]] = None
    return tuple(merged)[-MOST_PATHS:]
