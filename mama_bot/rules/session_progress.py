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
    ToolEnded,
    ToolKind,
)
from mama_bot.rules.path_values import Place, absolute

LOOKING = frozenset({ToolKind.READ, ToolKind.LIST, ToolKind.SEARCH, ToolKind.FETCH})
WRITING = frozenset({ToolKind.WRITE, ToolKind.EDIT})
CHECKS = frozenset({RunKind.TESTS, RunKind.BUILD, RunKind.TYPES, RunKind.LINT})
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
    looked = ran and (call.kind in LOOKING or bool(shown) or (call.kind is ToolKind.SHELL and bool(ended.output)))
    failing, checks = _checked(state, reading, edited=bool(written) or bool(reading.touched))
    return _struck(
        replace(
            state,
            written=_latest(state.written, written),
            shown=_latest(state.shown, [*shown, *written]),
            looks=state.looks + looked,
            edits=state.edits + (bool(written) or bool(reading.touched)),
            failing=failing,
            checks=checks,
        ),
        ended,
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


def _checked(state: RuleState, reading: CallReading, *, edited: bool) -> tuple[tuple[str, ...], ChecksState]:
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
