"""Work out how the parts of a command may have ended, from its exit status and from what is known of some parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mama_bot.shell.syntax import Redirect

OK, FAILED, SKIPPED = "ok", "failed", "skipped"
BOTH = frozenset({OK, FAILED})
ANY = frozenset({OK, FAILED, SKIPPED})
# The shell has ended: "left" well, "dead" not.
GONE = frozenset({"left", "dead"})
BAD = frozenset({FAILED, "dead"})


class View(StrEnum):
    """What filters leave of an output: all of it, its end, its beginning, or lines that a filter chose."""

    WHOLE = "whole"
    END = "end"
    BEGINNING = "beginning"
    CHOSEN = "chosen"


@dataclass(slots=True, kw_only=True)
class ShellStep:
    """A program that the command names, without its wrappers: `timeout 60 pytest -q` is a step `pytest -q`.

    `directory` is where it runs, relative to that of the call; `seen`: its output is part of the call's; `ends` are the
    ways in which it may have ended, as far as exit statuses tell. `repeated`: in a loop or a condition, so that it may
    have run any number of times; `pipeline` is the same number for all steps that run at once. `view` is what of its
    output is left to see, `most` how many lines where only the first ones are; `muted`: its errors are not; `cut`: a
    limit of time ended it.
    """

    argv: tuple[str, ...]
    written: tuple[str, ...]
    directory: str
    redirects: tuple[Redirect, ...] = ()
    seen: bool = True
    hidden_in: str = ""
    background: bool = False
    limited: bool = False
    ends: frozenset[str] = ANY
    possible: frozenset[str] = BOTH
    echoes: str = ""
    log: str = ""
    repeated: bool = False
    pipeline: int = 0
    view: View = View.WHOLE
    most: int = 0
    muted: bool = False
    cut: bool = False


@dataclass(slots=True)
class ListLine:
    """A pipeline of a list, its stages expanded."""

    operator: str
    stages: "list[ShellStep | ListBlock]"
    negated: bool
    background: bool
    pipefail: bool
    errexit: bool
    decider: int = -1


@dataclass(slots=True)
class ListBlock:
    """A list of pipelines, expanded; `exit_of` is the index of the one whose status the list ends with, if told."""

    lines: list[ListLine] = field(default_factory=list)
    sure: bool = True
    exit_of: int | None = None


def _possible(node: "ShellStep | ListBlock", known: Mapping[int, frozenset[str]]) -> frozenset[str]:
    if isinstance(node, ShellStep):
        return known.get(id(node), node.possible)
    if not node.sure:
        return BOTH
    if not node.lines:
        return frozenset({OK})
    states = _forward(node, known)[-1]
    return frozenset(FAILED if state in BAD else OK for state in states)


def _of_line(line: ListLine, known: Mapping[int, frozenset[str]]) -> frozenset[str]:
    if line.background:
        return frozenset({OK})
    each = [_possible(stage, known) for stage in line.stages]
    if line.pipefail:
        ends = set()
        if all(OK in end for end in each):
            ends.add(OK)
        if any(FAILED in end for end in each):
            ends.add(FAILED)
    else:
        ends = set(each[line.decider])
    return frozenset({OK if end == FAILED else FAILED for end in ends}) if line.negated else frozenset(ends)


def _moves(
    block: ListBlock, index: int, state: str, results: frozenset[str], *, ran: bool
) -> Iterator[tuple[str, str]]:
    """Yield what may become of a line that begins at a status, and the status after it; `ran`: it surely ran."""
    line = block.lines[index]
    if state in GONE or (line.operator == "&&" and state == FAILED) or (line.operator == "||" and state == OK):
        if not ran:
            yield SKIPPED, state
        return
    last = index + 1 == len(block.lines)
    strict = line.errexit and (last or block.lines[index + 1].operator not in {"&&", "||"})
    exits = len(line.stages) == 1 and _exits(line.stages[0])
    for result in results:
        if exits:
            yield result, "left" if result == OK else "dead"
        else:
            yield result, "dead" if result == FAILED and strict else result


def _ran(line: ListLine, known: Mapping[int, frozenset[str]]) -> bool:
    return any(known.get(id(stage)) if isinstance(stage, ShellStep) else _has(stage, known) for stage in line.stages)


def _has(block: ListBlock, known: Mapping[int, frozenset[str]]) -> bool:
    return bool(known) and any(_ran(line, known) for line in block.lines)


def _exits(node: "ShellStep | ListBlock") -> bool:
    return isinstance(node, ShellStep) and node.argv[:1] == ("exit",)


def _forward(block: ListBlock, known: Mapping[int, frozenset[str]]) -> list[frozenset[str]]:
    reached = [frozenset({OK})]
    for index, line in enumerate(block.lines):
        results, ran = _of_line(line, known), _ran(line, known)
        moves = [move for state in reached[-1] for move in _moves(block, index, state, results, ran=ran)]
        reached.append(frozenset(after for _, after in moves))
    return reached


def settle(block: ListBlock, final: frozenset[str], known: Mapping[int, frozenset[str]]) -> bool:
    """Give every step of a list the ends that fit the steps before it and the final status; False when none fit."""
    if not block.sure:
        _mark(block, None)
        return True
    reached = _forward(block, known)
    allowed = {state for state in reached[-1] if (FAILED if state in BAD else OK) in final}
    fits = bool(allowed)
    if not allowed or block.exit_of is not None:
        allowed = set(reached[-1])
    for index in range(len(block.lines) - 1, -1, -1):
        line = block.lines[index]
        results, ran = _of_line(line, known), _ran(line, known)
        if block.exit_of == index and final & results:
            results = final & results
        before: set[str] = set()
        became: set[str] = set()
        for state in reached[index]:
            for result, after in _moves(block, index, state, results, ran=ran):
                if after in allowed:
                    before.add(state)
                    became.add(result)
        allowed = before or set(reached[index])
        _settle_line(line, frozenset(became) or ANY, known)
    return fits


def _settle_line(line: ListLine, became: frozenset[str], known: Mapping[int, frozenset[str]]) -> None:
    skipped = became & {SKIPPED}
    results = became - {SKIPPED}
    if line.negated:
        results = frozenset({OK if ends == FAILED else FAILED for ends in results})
    each = [_possible(stage, known) for stage in line.stages]
    culprits = [index for index, ends in enumerate(each) if FAILED in ends]
    for index, stage in enumerate(line.stages):
        if line.background:
            mine = each[index]
        elif line.pipefail:
            mine = each[index] & results if results == {OK} or culprits == [index] else each[index]
        elif index == (line.decider if line.decider >= 0 else len(line.stages) - 1):
            mine = (each[index] & results) or results
        else:
            mine = each[index]
        if not results:
            mine = frozenset()
        if isinstance(stage, ShellStep):
            stage.ends = mine | skipped
        elif not results:
            _mark(stage, frozenset({SKIPPED}))
        elif skipped:
            _mark(stage, None)
        else:
            settle(stage, mine, known)


def _mark(block: ListBlock, ends: frozenset[str] | None) -> None:
    for line in block.lines:
        for stage in line.stages:
            if isinstance(stage, ShellStep):
                stage.ends = (stage.possible | {SKIPPED}) if ends is None else ends
            else:
                _mark(stage, ends)
