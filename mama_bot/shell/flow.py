"""Which programs a command ran, and what its exit status tells of each."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from mama_bot.shell.exit_states import BOTH, FAILED, OK, SKIPPED, ListBlock, ListLine, ShellStep, View, settle
from mama_bot.shell.syntax import Group, Node, Pipeline, Redirect, SimpleCommand, parse_pipelines
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program, unwrap

MAX_DEPTH = 24
MAX_STEPS = 400
# They end well unless something is badly wrong, so a failure is not theirs.
HARMLESS = word_set(
    "true : echo printf cd pushd popd set export unset source . pwd mkdir sleep touch wait shopt alias local declare "
    "tail cat tee clear date ulimit trap umask readonly typeset"
)
FALLIBLE = word_set("cd pushd mkdir touch cat tail tee source .")
SEEING = word_set("tail head cat tee grep egrep fgrep rg less more sort uniq")
READERS = word_set("cat tail head less more grep egrep fgrep rg")
# They leave a file that they name as it is; of any other program nobody knows.
KEEPING = READERS | word_set("echo printf wc ls stat file du test [ [[ diff cmp sort uniq nl cut tr cd mkdir true :")
# They read what they name, and carry out no code that writes a file; those of SCRIPTED may be told to write one.
READING = word_set("git jq chmod md5sum sha1sum sha256sum bat batcat column")
SCRIPTED = word_set("sed gsed awk gawk mawk perl")
CODE_OPTIONS = word_set("-c -e -p --eval")
GIT_WRITES = word_set("checkout restore reset stash apply mv clean")
# What a script writes for the directory in which it already is, or for the top of its repository.
HERE = ("$(pwd)", "$PWD", "${PWD}", "$(git rev-parse --show-toplevel)")
# Wherever it is, it is no part of the directory before it.
TEMPORARY = ("$TMPDIR", "${TMPDIR}", "$(mktemp", "`mktemp")
STANDARD = frozenset({"/dev/stdout", "/dev/stderr", "/dev/tty", "-"})


@dataclass(slots=True)
class _State:
    directory: str
    pipefail: bool = False
    errexit: bool = False
    repeated: bool = False
    muted: bool = False
    earlier: tuple[str, ...] = ()

    def copy(self) -> "_State":
        return replace(self)


@dataclass(slots=True)
class _Sight:
    """What can be seen of the output of a stage: whether at all, what filters leave, and the file that it goes to."""

    seen: bool
    hidden: str = ""
    view: View = View.WHOLE
    most: int = 0

    def behind(self, argv: tuple[str, ...]) -> "_Sight":
        """Return what is left of an output that goes through one more filter."""
        view, most = _view(argv)
        if self.view is View.WHOLE or (self.view is view is View.END):
            return replace(self, view=view, most=most) if view is not View.WHOLE else self
        return self if view is View.WHOLE else replace(self, view=View.CHOSEN)


Peel = Callable[[Sequence[str]], tuple[str, ...] | None]


class Flow:
    """The steps of one command; `understood` is false, and there are no steps, when the command cannot be parsed.

    `peel` returns what follows a wrapper that the shell knows nothing of; None for any other words.
    """

    def __init__(self, command: str, directory: str, peel: Peel | None = None) -> None:
        self.steps: list[ShellStep] = []
        self._peel = peel
        self._pipelines = 0
        parts = parse_pipelines(command)
        self.understood = parts is not None
        self._root = ListBlock()
        if parts is not None:
            self._root = self._expand(parts, _State(directory), seen=True, background=False, depth=0)
            self._reveal()

    def solve(self, exit_status: int | None, evidence: Mapping[int, str]) -> bool:
        """Set `ends` of every step from the exit status and the known ends of some; False when these contradict."""
        final = BOTH if exit_status is None else frozenset({OK if exit_status == 0 else FAILED})
        known = {id(self.steps[index]): frozenset({end}) - {SKIPPED} for index, end in evidence.items()}
        if settle(self._root, final, known):
            return True
        # Nothing that may fail accounts for it: then one of those that hardly ever do has failed.
        doubted = [step for step in self.steps if step.argv and program(step.argv[0]) in FALLIBLE]
        if known or OK in final or not doubted:
            return False
        for step in doubted:
            step.possible = BOTH
        return settle(self._root, final, known)

    def _expand(
        self, parts: Iterable[Pipeline], state: _State, *, seen: bool, background: bool, depth: int
    ) -> ListBlock:
        block = ListBlock()
        variables: dict[str, tuple[int, int]] = {}
        for part in parts:
            line = ListLine(part.operator, [], part.negated, part.background, state.pipefail, state.errexit)
            sights = _sights(part.stages, seen)
            self._pipelines += depth == 0 or len(part.stages) == 1
            for index, stage in enumerate(part.stages):
                inner = state if len(part.stages) == 1 else state.copy()
                line.stages.append(
                    self._node(
                        stage,
                        inner,
                        sight=sights[index],
                        background=background or part.background,
                        depth=depth,
                    )
                )
            if not _status_words(part, block, variables):
                block.lines.append(line)
        return block

    def _node(
        self, node: Node, state: _State, *, sight: _Sight, background: bool, depth: int
    ) -> "ShellStep | ListBlock":
        if isinstance(node, Group):
            inner = state.copy() if node.subshell or not node.sure else state
            inner.repeated |= not node.sure
            inner.muted |= _mutes(node.redirects)
            first = len(self.steps)
            block = self._expand(node.parts, inner, seen=sight.seen, background=background, depth=depth + 1)
            self._seen_through(sight, first)
            block.sure = node.sure
            return block
        unwrapped = unwrap(node.argv, self._peel)
        directory = state.directory
        for change in unwrapped.directories:
            directory = joined_path(directory, change)
        if unwrapped.nested is not None and depth < MAX_DEPTH:
            parts = parse_pipelines(unwrapped.nested)
            if parts is not None:
                inner = _State(directory, unwrapped.pipefail, unwrapped.errexit, state.repeated)
                first = len(self.steps)
                block = self._expand(parts, inner, seen=sight.seen, background=background, depth=depth + 1)
                self._seen_through(sight, first)
                return block
        if not node.argv and len(node.assignments) == 1 and depth < MAX_DEPTH:
            captured = self._captured(node.assignments[0], state, background=background, depth=depth)
            if captured is not None:
                return captured
        step = ShellStep(
            argv=unwrapped.argv,
            written=node.argv,
            directory=directory,
            redirects=node.redirects,
            seen=sight.seen,
            hidden_in=sight.hidden,
            log=sight.hidden,
            view=sight.view,
            most=sight.most,
            muted=state.muted or _mutes(node.redirects),
            background=background,
            limited=unwrapped.limited,
            repeated=state.repeated,
            pipeline=self._pipelines,
        )
        self._shell_words(step, state)
        if len(self.steps) < MAX_STEPS:
            self.steps.append(step)
        return step

    def _seen_through(self, sight: _Sight, first: int) -> None:
        """Let the steps of a group be seen as the whole group is."""
        for step in self.steps[first:]:
            if step.view is View.WHOLE:
                step.view, step.most = sight.view, sight.most
            elif sight.view is not View.WHOLE and not (step.view is sight.view is View.END):
                step.view = View.CHOSEN

    def _captured(self, assignment: str, state: _State, *, background: bool, depth: int) -> ListBlock | None:
        """Expand `out=$(pytest)`: the programs in it, shown by a later `echo "$out"`; None when nothing is captured."""
        name, _, value = assignment.partition("=")
        if not value.startswith("$(") or not value.endswith(")") or value.startswith("$(("):
            return None
        parts = parse_pipelines(value[2:-1])
        if parts is None:
            return None
        first = len(self.steps)
        block = self._expand(parts, state.copy(), seen=True, background=background, depth=depth + 1)
        for step in self.steps[first:]:
            if step.seen:
                step.seen, step.hidden_in, step.log = False, f"${name}", f"${name}"
        return block

    def _shell_words(self, step: ShellStep, state: _State) -> None:
        """Apply what `cd`, `set` and the like mean for the steps that follow."""
        if not step.argv:
            step.possible = frozenset({OK})
            return
        name = program(step.argv[0])
        if name in {"cd", "pushd", "popd"}:
            _change(step.argv, state)
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
        if name in {"echo", "printf"} and any(mark in word for word in step.argv[1:] for mark in STATUS):
            step.echoes = " ".join(word for word in step.argv[1:] if word not in {"-e", "-n"})

    def _reveal(self) -> None:
        """Mark steps as seen whose output went to a file that a later `cat` or `tail` shows."""
        hidden: dict[str, list[ShellStep]] = {}
        for step in self.steps:
            name = program(step.argv[0]) if step.argv else ""
            for word in step.argv[1:]:
                if name in READERS:
                    _reveal_all(hidden.get(joined_path(step.directory, word), ()), step)
                elif name in {"echo", "printf"}:
                    _reveal_all(hidden.get(word.replace("{", "").replace("}", ""), ()), step)
            if name not in KEEPING:  # what it may put there is no output of an earlier step
                for path in [path for path, steps in hidden.items() if _may_write(step, name, path, steps)]:
                    del hidden[path]
            if step.hidden_in.startswith("$"):
                hidden.setdefault(step.hidden_in, []).append(step)
            elif step.hidden_in:
                hidden.setdefault(joined_path(step.directory, step.hidden_in), []).append(step)

    def echoed(self) -> Iterator[tuple[ShellStep, ShellStep]]:
        """Yield the steps whose status a later `echo $?` prints, each with that echo."""
        yield from _echoed(self._root)


def _may_write(step: ShellStep, name: str, path: str, logged: Sequence[ShellStep]) -> bool:
    """Return whether a program may write a log: it names the file as a word, or within code that it carries out."""
    code = [each.target for each in step.redirects if each.operator == "<<"]
    for before, word in pairwise(step.argv):
        if joined_path(step.directory, word.rpartition("=")[2]) == path:
            if not _reads_alone(name, step.argv):
                return True
        elif name not in READING and (name in SCRIPTED or before in CODE_OPTIONS):
            code.append(word)
    return any(log.hidden_in in text for log in logged for text in code)


def _reads_alone(name: str, argv: Sequence[str]) -> bool:
    """Return whether a program leaves the files that it names as they are: `sed -n 1p log`, `git diff log`."""
    if name == "git":
        return GIT_WRITES.isdisjoint(argv)
    in_place = (word.startswith("--in-place") or (word[:1] == "-" != word[1:2] and "i" in word) for word in argv[1:])
    return name in READING or (name in SCRIPTED and not any(in_place))


def with_home(path: str) -> str:
    """Return a path with the home spelled in one way: `$HOME/bin` is `~/bin`."""
    start = next((start for start in ("$HOME/", "${HOME}/") if path.startswith(start)), "")
    return f"~/{path.removeprefix(start)}" if start else path


def joined_path(directory: str, change: str) -> str:
    """Return a path relative to a directory as one path, without looking at the disk.

    >>> joined_path("/work", "src"), joined_path("/work", "$TMPDIR/copy"), joined_path("/work", "$(mktemp -d)")
    ('/work/src', '/tmp/copy', '/tmp')
    """
    if change.startswith(TEMPORARY):
        rest = change.rpartition(change[0] if change[0] == "`" else ")")[2] if "mktemp" in change else change
        change = f"/tmp/{rest.partition('/')[2]}"  # noqa: S108 - a name for it: nothing is looked up
    return posixpath.normpath(posixpath.join(directory, change)) if directory or change else ""


def _change(argv: tuple[str, ...], state: _State) -> None:
    """Apply `cd x`, `cd -`, `pushd x` or `popd` to the state."""
    before = state.directory
    target = next((word for word in argv[1:] if word == "-" or not word.startswith("-")), "")
    if target == "-" or argv[0] == "popd":
        state.directory = state.earlier[-1] if state.earlier else "-"
        state.earlier = state.earlier[:-1]
    elif "$" not in target:
        state.directory = joined_path(before, target) if target else "~"
    elif not any(place in target for place in HERE):
        state.directory = joined_path(before, target)
    if argv[0] != "popd":
        state.earlier = (*state.earlier[-MAX_DEPTH:], before)


def _sights(stages: tuple[Node, ...], seen: bool) -> list[_Sight]:
    """Return what of each stage of a pipeline can be seen: nothing behind it may swallow or rewrite its output."""
    sights: list[_Sight] = []
    now = _Sight(seen)
    for node in reversed(stages):
        target = _taken(node.redirects)
        if target is not None:
            now = _Sight(target in STANDARD, "" if target in STANDARD else target)
        sights.append(replace(now, hidden="" if now.seen else now.hidden))
        name = program(node.argv[0]) if isinstance(node, SimpleCommand) and node.argv else ""
        if not isinstance(node, SimpleCommand) or name not in SEEING:
            now = _Sight(seen=False)
        elif name == "tee" and not now.seen:
            now = replace(now, hidden=next((word for word in node.argv[1:] if not word.startswith("-")), now.hidden))
        else:
            now = now.behind(node.argv)
    return sights[::-1]


def _view(argv: tuple[str, ...]) -> tuple[View, int]:
    """Return what a filter leaves of what it is given, and how many lines where it leaves the first ones."""
    name = program(argv[0])
    if name in {"cat", "tee", "less", "more", "echo", "printf"}:
        return View.WHOLE, 0
    options = [word for word in argv[1:] if word.startswith("-")]
    if name == "tail" and not any(word.startswith(("-c", "--bytes", "-r")) for word in options):
        return View.END, 0
    if name == "head" and not any(word.startswith(("-c", "--bytes", "-n-", "--lines=-")) for word in options):
        figures = [word.lstrip("-n").removeprefix("lines=") for word in argv[1:]]
        return View.BEGINNING, next((int(figure) for figure in figures if figure.isdecimal()), 10)
    return View.CHOSEN, 0


def _mutes(redirects: tuple[Redirect, ...]) -> bool:
    """Return whether errors go where nobody sees them."""
    return any(
        redirect.writes and redirect.descriptor in {"2", "&"} and redirect.target not in STANDARD
        for redirect in redirects
    )


def _reveal_all(earlier: Iterable[ShellStep], reader: ShellStep) -> None:
    for step in earlier:
        _reveal(step, reader)


def _reveal(earlier: ShellStep, reader: ShellStep) -> None:
    """Let a step whose output went to a file be seen as the program shows it that reads the file."""
    sight = _Sight(reader.seen, view=reader.view, most=reader.most).behind(reader.argv)
    if not earlier.seen or earlier.view in {View.CHOSEN, View.BEGINNING}:
        earlier.seen, earlier.view, earlier.most = sight.seen, sight.view, sight.most


def _taken(redirects: tuple[Redirect, ...]) -> str | None:
    """Return where the standard output is redirected to; None when it is not."""
    taken = None
    for redirect in redirects:
        if redirect.writes and redirect.descriptor in {"", "1", "&"}:
            taken = redirect.target
    return taken


def _status_words(part: Pipeline, block: ListBlock, variables: dict[str, tuple[int, int]]) -> bool:
    """Record `code=$?` and `exit $code`; returns True for these: they run nothing."""
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
        status = variables.get(value if value in STATUS else value.strip("${}"))
        if status is not None:
            block.exit_of, block.lines[status[0]].decider = status
            return True
    return False


STATUS = {"$?": -1, "${PIPESTATUS[0]}": 0, "$PIPESTATUS": 0, "${PIPESTATUS}": 0, "${pipestatus[1]}": 0}


def _echoed(block: ListBlock) -> Iterator[tuple[ShellStep, ShellStep]]:
    for before, line in zip(block.lines, block.lines[1:], strict=False):
        last = before.stages[-1]
        for stage in line.stages:
            if isinstance(stage, ShellStep) and stage.echoes:
                told = before.stages[0] if "PIPESTATUS" in stage.echoes else last
                if isinstance(told, ShellStep):
                    yield told, stage
    for line in block.lines:
        for stage in line.stages:
            if isinstance(stage, ListBlock):
                yield from _echoed(stage)
