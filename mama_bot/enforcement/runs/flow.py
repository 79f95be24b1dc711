"""What of a command ran, and what its exit status says of each part."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from mama_bot.enforcement.runs.shell import Group, Node, Part, Redirect, SimpleCommand, parse
from mama_bot.enforcement.runs.words import names
from mama_bot.enforcement.runs.wrappers import program, unwrap

MAX_DEPTH = 24
MAX_STEPS = 400
OK, FAILED, SKIPPED = "ok", "failed", "skipped"
BOTH = frozenset({OK, FAILED})
ANY = frozenset({OK, FAILED, SKIPPED})
# The shell has ended: "left" well, "dead" not.
GONE = frozenset({"left", "dead"})
BAD = frozenset({FAILED, "dead"})
# They end well unless something is badly wrong, so a failure is not theirs.
HARMLESS = names(
    "true : echo printf cd pushd popd set export unset source . pwd mkdir sleep touch wait shopt alias local declare "
    "tail cat tee clear date ulimit trap umask readonly typeset"
)
SEEING = names("tail head cat tee grep egrep fgrep rg less more sort uniq")
READERS = names("cat tail head less more grep egrep fgrep rg")
STANDARD = frozenset({"/dev/stdout", "/dev/stderr", "/dev/tty", "-"})


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


@dataclass(slots=True)
class _State:
    directory: str
    pipefail: bool = False
    errexit: bool = False
    repeated: bool = False

    def copy(self) -> "_State":
        return replace(self)


class Flow:
    """The parts of one command; None is not understood, which `understood` tells."""

    def __init__(self, command: str, directory: str) -> None:
        self.steps: list[Step] = []
        self._pipelines = 0
        parts = parse(command)
        self.understood = parts is not None
        self._root = Block()
        if parts is not None:
            self._root = self._expand(parts, _State(directory), seen=True, background=False, depth=0)
            self._reveal()

    def solve(self, exit_status: int | None, evidence: Mapping[int, str]) -> bool:
        """Set `ends` of every step from the exit status and from how some of them are known to have ended.

        False: these do not fit together.
        """
        final = BOTH if exit_status is None else frozenset({OK if exit_status == 0 else FAILED})
        known = {id(self.steps[index]): frozenset({end}) for index, end in evidence.items()}
        return _settle(self._root, final, known)

    def _expand(self, parts: Iterable[Part], state: _State, *, seen: bool, background: bool, depth: int) -> Block:
        block = Block()
        variables: dict[str, tuple[int, int]] = {}
        for part in parts:
            line = Line(part.operator, [], part.negated, part.background, state.pipefail, state.errexit)
            visible = [seen] * len(part.stages)
            hidden = [""] * len(part.stages)
            _look(part.stages, visible, hidden)
            self._pipelines += depth == 0 or len(part.stages) == 1
            for index, stage in enumerate(part.stages):
                inner = state if len(part.stages) == 1 else state.copy()
                line.stages.append(
                    self._node(
                        stage,
                        inner,
                        seen=visible[index],
                        hidden=hidden[index],
                        background=background or part.background,
                        depth=depth,
                    )
                )
            if not _status_words(part, block, variables):
                block.lines.append(line)
        return block

    def _node(
        self, node: Node, state: _State, *, seen: bool, hidden: str, background: bool, depth: int
    ) -> "Step | Block":
        if isinstance(node, Group):
            inner = state.copy() if node.subshell or not node.sure else state
            inner.repeated |= not node.sure
            block = self._expand(node.parts, inner, seen=seen, background=background, depth=depth + 1)
            block.sure = node.sure
            return block
        found = unwrap(node.argv)
        directory = state.directory
        for change in found.directories:
            directory = joined(directory, change)
        if found.nested is not None and depth < MAX_DEPTH:
            parts = parse(found.nested)
            if parts is not None:
                inner = _State(directory, found.pipefail, found.errexit, state.repeated)
                return self._expand(parts, inner, seen=seen, background=background, depth=depth + 1)
        if not node.argv and len(node.assignments) == 1 and depth < MAX_DEPTH:
            captured = self._captured(node.assignments[0], state, background=background, depth=depth)
            if captured is not None:
                return captured
        step = Step(
            argv=found.argv,
            written=node.argv,
            directory=directory,
            redirects=node.redirects,
            seen=seen,
            hidden_in=hidden,
            background=background,
            limited=found.limited,
            repeated=state.repeated,
            pipeline=self._pipelines,
        )
        self._shell_words(step, state)
        if len(self.steps) < MAX_STEPS:
            self.steps.append(step)
        return step

    def _captured(self, assignment: str, state: _State, *, background: bool, depth: int) -> Block | None:
        """`out=$(pytest)`: what runs in it, shown by a later `echo "$out"`."""
        name, _, value = assignment.partition("=")
        if not value.startswith("$(") or not value.endswith(")") or value.startswith("$(("):
            return None
        parts = parse(value[2:-1])
        if parts is None:
            return None
        first = len(self.steps)
        block = self._expand(parts, state.copy(), seen=True, background=background, depth=depth + 1)
        for step in self.steps[first:]:
            if step.seen:
                step.seen, step.hidden_in = False, f"${name}"
        return block

    def _shell_words(self, step: Step, state: _State) -> None:
        """What `cd`, `set` and the like mean for what follows."""
        if not step.argv:
            step.possible = frozenset({OK})
            return
        name = program(step.argv[0])
        if name in {"cd", "pushd"}:
            targets = [word for word in step.argv[1:] if not word.startswith("-")]
            state.directory = joined(state.directory, targets[0]) if targets else "~"
        elif name == "set":
            words = step.argv[1:]
            state.pipefail |= "pipefail" in words and "+o" not in words
            state.errexit |= any(word[:1] == "-" and word[:2] != "--" and "e" in word for word in words)
        if name in HARMLESS:
            step.possible = frozenset({OK})
        elif name == "exit" and step.argv[1:] and step.argv[1].isdigit():
            step.possible = frozenset({OK if step.argv[1].strip("0") == "" else FAILED})
        elif name == "false":
            step.possible = frozenset({FAILED})
        if name in {"echo", "printf"} and any("$?" in word for word in step.argv[1:]):
            step.echoes = " ".join(word for word in step.argv[1:] if word not in {"-e", "-n"})

    def _reveal(self) -> None:
        """A file that took the output is shown by a later `cat` or `tail` of it."""
        hidden: dict[str, list[Step]] = {}
        for step in self.steps:
            name = program(step.argv[0]) if step.argv else ""
            if name in READERS:
                for word in step.argv[1:]:
                    for earlier in hidden.get(joined(step.directory, word), ()):
                        earlier.seen = step.seen
            elif name in {"echo", "printf"}:
                for word in step.argv[1:]:
                    for earlier in hidden.get(word.replace("{", "").replace("}", ""), ()):
                        earlier.seen = step.seen
            if step.hidden_in.startswith("$"):
                hidden.setdefault(step.hidden_in, []).append(step)
            elif step.hidden_in:
                hidden.setdefault(joined(step.directory, step.hidden_in), []).append(step)

    def echoed(self) -> Iterator[tuple[Step, Step]]:
        """Steps whose status a later `echo $?` prints, each with that echo."""
        yield from _echoed(self._root)


def joined(directory: str, change: str) -> str:
    """A path seen from a directory, lexically."""
    return posixpath.normpath(posixpath.join(directory, change)) if directory or change else ""


def _look(stages: tuple[Node, ...], visible: list[bool], hidden: list[str]) -> None:
    """Which stages of a pipeline show their output: nothing behind them may swallow or rewrite it."""
    shown, into = visible[-1], ""
    for index in range(len(stages) - 1, -1, -1):
        node = stages[index]
        target = _taken(node.redirects)
        if target is not None:
            shown, into = target in STANDARD, target
        visible[index], hidden[index] = shown, into if not shown else ""
        if not isinstance(node, SimpleCommand) or not _passes_on(node.argv):
            shown, into = False, ""
        elif program(node.argv[0]) == "tee" and not shown:
            into = next((word for word in node.argv[1:] if not word.startswith("-")), into)


def _taken(redirects: tuple[Redirect, ...]) -> str | None:
    """Where the standard output goes, when it is redirected."""
    taken = None
    for redirect in redirects:
        if redirect.writes and redirect.descriptor in {"", "1", "&"}:
            taken = redirect.target
    return taken


def _passes_on(argv: tuple[str, ...]) -> bool:
    """Whether a filter shows the lines that it lets through as they are."""
    if not argv or program(argv[0]) not in SEEING:
        return False
    if program(argv[0]) in {"grep", "egrep", "fgrep", "rg"}:
        options = [word for word in argv[1:] if word.startswith("-") and not word.startswith("--")]
        letters = "".join(options)
        if any(letter in letters for letter in "ocqlLrbn") or "--only-matching" in argv or "--count" in argv:
            return False
        return not ("v" in letters and any("fail" in word.lower() or "error" in word.lower() for word in argv))
    return True


def _status_words(part: Part, block: Block, variables: dict[str, tuple[int, int]]) -> bool:
    """`code=$?` and `exit $code`: true for those, which run nothing."""
    node = part.stages[0]
    if len(part.stages) != 1 or not isinstance(node, SimpleCommand) or not block.lines:
        return False
    if not node.argv and len(node.assignments) == 1:
        name, _, value = node.assignments[0].partition("=")
        if value in STATUS:
            variables[name] = (len(block.lines) - 1, STATUS[value])
            return True
    if node.argv[:1] == ("exit",) and len(node.argv) == 2:
        value = node.argv[1]
        if value in STATUS:
            variables[value] = (len(block.lines) - 1, STATUS[value])
        found = variables.get(value if value in STATUS else value.strip("${}"))
        if found is not None:
            block.exit_of, block.lines[found[0]].decider = found
            return True
    return False


STATUS = {"$?": -1, "${PIPESTATUS[0]}": 0, "$PIPESTATUS": 0, "${PIPESTATUS}": 0, "${pipestatus[1]}": 0}


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
    return any(id(stage) in known if isinstance(stage, Step) else _has(stage, known) for stage in line.stages)


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


def _settle(block: Block, final: frozenset[str], known: Mapping[int, frozenset[str]]) -> bool:
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
            _settle(stage, mine, known)


def _mark(block: Block, ends: frozenset[str] | None) -> None:
    for line in block.lines:
        for stage in line.stages:
            if isinstance(stage, Step):
                stage.ends = (stage.possible | {SKIPPED}) if ends is None else ends
            else:
                _mark(stage, ends)


def _echoed(block: Block) -> Iterator[tuple[Step, Step]]:
    for before, line in zip(block.lines, block.lines[1:], strict=False):
        last = before.stages[-1]
        for stage in line.stages:
            if isinstance(stage, Step) and stage.echoes and isinstance(last, Step):
                yield last, stage
    for line in block.lines:
        for stage in line.stages:
            if isinstance(stage, Block):
                yield from _echoed(stage)
