"""How the parts of a command may have ended, from its exit status and from what is known of some of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mama_bot.shell.syntax import Redirect

OK, FAILED, SKIPPED = "ok", "failed", "skipped"
BOTH = frozenset({OK, FAILED})
ANY = frozenset({OK, FAILED, SKIPPED})
# The shell has ended: "left" well, "dead" not.
GONE = frozenset({"left", "dead"})
BAD = frozenset({FAILED, "dead"})


@dataclass(slots=True, kw_only=True)
class Step:
    """A program that the command names, without its wrappers.

    `directory` is where it runs, joined to that of the call; `seen`: its output is part of the call's;
    `ends` are the ways in which it may have ended, as far as exit statuses tell. `repeated`: in a loop or a condition,
    so that it may have run any number of times; `pipeline` is the same for all that run at once.
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


@dataclass(slots=True)
class Line:
    """A part of a list, expanded."""

    operator: str
    stages: "list[Step | Block]"
    negated: bool
    background: bool
    pipefail: bool
    errexit: bool
    decider: int = -1


@dataclass(slots=True)
class Block:
    """A list, expanded; `exit_of` is the part whose status the list ends with, where it says so."""

    lines: list[Line] = field(default_factory=list)
    sure: bool = True
    exit_of: int | None = None


def _possible(node: "Step | Block", known: Mapping[int, frozenset[str]]) -> frozenset[str]:
    if isinstance(node, Step):
        return known.get(id(node), node.possible)
    if not node.sure:
        return BOTH
    if not node.lines:
        return frozenset({OK})
    states = _forward(node, known)[-1]
    return frozenset(FAILED if state in BAD else OK for state in states)


def _of_line(line: Line, known: Mapping[int, frozenset[str]]) -> frozenset[str]:
    if line.background:
        return frozenset({OK})
    each = [_possible(stage, known) for stage in line.stages]
    if line.pipefail:
        found = set()
        if all(OK in one for one in each):
            found.add(OK)
        if any(FAILED in one for one in each):
            found.add(FAILED)
    else:
        found = set(each[line.decider])
    return frozenset({OK if one == FAILED else FAILED for one in found}) if line.negated else frozenset(found)


def _moves(block: Block, index: int, state: str, results: frozenset[str], *, ran: bool) -> Iterator[tuple[str, str]]:
    """From a status before a part: what became of the part, and the status after it; `ran`: it is known to have run."""
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


def _ran(line: Line, known: Mapping[int, frozenset[str]]) -> bool:
    return any(known.get(id(stage)) if isinstance(stage, Step) else _has(stage, known) for stage in line.stages)


def _has(block: Block, known: Mapping[int, frozenset[str]]) -> bool:
    return bool(known) and any(_ran(line, known) for line in block.lines)


def _exits(node: "Step | Block") -> bool:
    return isinstance(node, Step) and node.argv[:1] == ("exit",)


def _forward(block: Block, known: Mapping[int, frozenset[str]]) -> list[frozenset[str]]:
    reached = [frozenset({OK})]
    for index, line in enumerate(block.lines):
        results, ran = _of_line(line, known), _ran(line, known)
        moves = [move for state in reached[-1] for move in _moves(block, index, state, results, ran=ran)]
        reached.append(frozenset(after for _, after in moves))
    return reached


def settle(block: Block, final: frozenset[str], known: Mapping[int, frozenset[str]]) -> bool:
    """Give every step in a list the ends that fit what came before it and the status at the end; False: none do."""
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


def _settle_line(line: Line, became: frozenset[str], known: Mapping[int, frozenset[str]]) -> None:
    skipped = became & {SKIPPED}
    results = became - {SKIPPED}
    if line.negated:
        results = frozenset({OK if one == FAILED else FAILED for one in results})
    each = [_possible(stage, known) for stage in line.stages]
    culprits = [index for index, one in enumerate(each) if FAILED in one]
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
        if isinstance(stage, Step):
            stage.ends = mine | skipped
        elif not results:
            _mark(stage, frozenset({SKIPPED}))
        elif skipped:
            _mark(stage, None)
        else:
            settle(stage, mine, known)


def _mark(block: Block, ends: frozenset[str] | None) -> None:
    for line in block.lines:
        for stage in line.stages:
            if isinstance(stage, Step):
                stage.ends = (stage.possible | {SKIPPED}) if ends is None else ends
            else:
                _mark(stage, ends)
