"""Which runs were carried out by what their own exchange wrote: a program, a script, a module, a manifest."""

import posixpath
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, pairwise

from mama_bot.facts.edits import is_test_file
from mama_bot.facts.places import is_below, is_code, joined, may_hold_tests
from mama_bot.model import FileFate, Run, ToolRun, TreeChange, words
from mama_bot.runs.scripts import PACKAGE_RUNNERS, RUN_WORDS
from mama_bot.runs.shadowed_programs import PLACED
from mama_bot.shell.flow import Flow, with_home
from mama_bot.shell.wrappers import SHELLS, program

MOST = 100
INTERPRETERS = frozenset(words("python python3 pypy3 node ruby perl php deno bun tsx ts-node"))
PYTHON_TOOLS = frozenset(("pytest", "unittest", "mypy", "nox", "tox"))
# A module of this name in the directory of a run comes before the one that is meant.
MODULES = (sys.stdlib_module_names | frozenset(words("pytest _pytest pluggy iniconfig mypy"))) - {"test", "__main__"}
MAKES = frozenset(words("make gmake"))
# Files that decide only what these tools do, as they are known; others decide for whoever runs tests.
TOOLS: Mapping[str, tuple[str, ...]] = {
    "conftest.py": ("pytest",),
    "pytest.ini": ("pytest",),
    ".pytest.ini": ("pytest",),
    "setup.cfg": ("pytest",),
    "tox.ini": ("tox", "pytest"),
    "noxfile.py": ("nox",),
    "justfile": ("just",),
    "Justfile": ("just",),
    ".justfile": ("just",),
    "Taskfile.yml": ("task",),
    "Taskfile.yaml": ("task",),
    "Rakefile": ("rake",),
    "tasks.py": ("invoke", "inv"),
    ".rspec": ("rspec",),
    "nextest.toml": ("cargo nextest",),
    "Cargo.toml": ("cargo",),
    "config.toml": ("cargo",),  # of .cargo
    "phpunit.xml": ("phpunit",),
    "phpunit.xml.dist": ("phpunit",),
    "deno.json": ("deno",),
    "composer.json": ("composer",),
    "build.gradle": ("gradle",),
    "build.gradle.kts": ("gradle",),
    "pom.xml": ("maven",),
    "sitecustomize.py": tuple(PYTHON_TOOLS),
    "usercustomize.py": tuple(PYTHON_TOOLS),
}
# Options behind which the file stands that decides what a tool does: `make -f mine.mk`, `pytest -c mine.ini`.
GIVEN_BY: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("make", "gmake"), frozenset(words("-f --file --makefile"))),
    "just": frozenset(words("-f --justfile")),
    "pytest": frozenset(words("-c --config-file")),
    "mypy": frozenset(("--config-file",)),
    **dict.fromkeys(("jest", "vitest"), frozenset(words("-c --config"))),
    "mocha": frozenset(words("-r --require --config --import --loader")),
    "node": frozenset(words("-r --require --import --loader")),
    **dict.fromkeys(("rspec", "ruby"), frozenset(words("-r --require"))),
}
# How the names of settings begin that belong to the tool of that name.
SETTINGS = ("jest.", "vitest.", ".mocharc", "karma.", "playwright.", "cypress.", "ava.")
COMMAND_CHARACTERS = 1_000  # what a run keeps of its command


class WrittenSoFar:
    """What an exchange has written so far, call by call: files by path, and what of them decides what checks do.

    What installs put in place is nobody's own, unless a call names it; what was undone was not written.
    """

    def __init__(self, earlier: Sequence[TreeChange]) -> None:
        self.files: dict[str, FileFate] = {}
        self.shadows: dict[str, None] = {}
        self.deciding: dict[str, tuple[str, ...]] = {}
        self._began: dict[str, str] = {}
        self._is_first = not earlier
        for change in earlier:
            self._add(change)

    def add(self, call: ToolRun) -> None:
        """Add what a call wrote, as the work tree shows it and as its words do."""
        for change in call.changed or ():
            if change.path and is_code(change.path):
                self._add(change)
        if self._is_undone_by(call):
            self.files, self.shadows, self.deciding = {}, {}, {}
        for touch in call.touched:
            path = joined("", touch.path)
            if touch.path and touch.fate is FileFate.DELETED:
                self.files.pop(path, None)
            elif touch.path:
                self.files.setdefault(path, touch.fate)

    def changes(self) -> tuple[TreeChange, ...]:
        """Return what later turns of the exchange need to know, the latest last."""
        every = (
            TreeChange(path=path, fate=fate, parts=self.deciding.get(path, ())) for path, fate in self.files.items()
        )
        return tuple(every)[-MOST:]

    def _add(self, change: TreeChange) -> None:
        path = joined("", change.path)
        self.files.pop(path, None)
        if change.fate is FileFate.DELETED:
            self.shadows.pop(path, None)
            self.deciding.pop(path, None)
            return
        self.files[path] = change.fate
        if change.parts and (path in self.deciding or len(self.deciding) < MOST):
            self.deciding[path] = tuple(dict.fromkeys((*self.deciding.get(path, ()), *change.parts)))
        if change.fate is FileFate.CREATED and len(self.shadows) < MOST and module_name(path) in MODULES:
            self.shadows[path] = None

    def _is_undone_by(self, call: ToolRun) -> bool:
        """Return whether a call leaves a work tree as the turn found it, where nothing was written before that."""
        if call.before is None or call.after is None or not call.before.tree:
            return False
        began = self._began.setdefault(call.before.root, call.before.tree)
        return self._is_first and call.after.tree == began and call.before.tree != began


def module_name(path: str) -> str:
    """Return the name by which Python would import a file; "" for another file."""
    place, name = posixpath.split(path)
    if not name.endswith(".py"):
        return ""
    return posixpath.basename(place) if name == "__init__.py" else name.removesuffix(".py")


def own_runner(run: Run, call: ToolRun, position: int, written: WrittenSoFar) -> str:
    """Return the file that decided what a run did and that its own exchange wrote; "" where nothing of the kind did.

    `position` is how many of the runs of the same call came before it.
    """
    beside = {joined("", touch.path) for touch in call.touched if touch.path and touch.after <= position}
    if not (written.files or beside):
        return ""
    commands = _commands(run, call)
    files = (
        *(path for argv in commands for path in _programs(argv, run.directory)),
        *_sourced(run, call),
        *(path for argv in commands for path in _placed(argv, call.command, run.directory)),
    )
    named = next((path for path in files if path in written.files or path in beside), "")
    named = named or next(_packaged(run, commands, (*written.files, *beside)), "")
    return named or next(_shadows(run, written), "") or next(_manifests(run, commands, written), "")


def _commands(run: Run, call: ToolRun) -> list[Sequence[str]]:
    """Return the words of the program that carried a run out; of a run inside of others those of all that may have."""
    if not call.command:
        return [run.command.split()]
    steps: list[Sequence[str]] = [argv for argv, _ in _steps(call.command)]
    own = [argv for argv in steps if " ".join(argv)[:COMMAND_CHARACTERS] == run.command]
    return own[:1] or [run.command.split(), *steps]


def _programs(argv: Sequence[str], directory: str) -> Iterator[str]:
    """Yield the files that a command executes: its program, the script of an interpreter, a module."""
    if not argv:
        return
    name = program(argv[0])
    if "/" in argv[0] or "." in argv[0]:
        yield joined(directory, with_home(argv[0]))
    given_by: frozenset[str] = frozenset()
    for option, value in pairwise(argv):
        given_by |= GIVEN_BY.get(program(option), frozenset())
        if option in given_by and not may_hold_tests(value):
            yield joined(directory, value)
    plain = [word for word in argv[1:] if not word.startswith("-")]
    if name.startswith("python") and "-m" in argv[1:-1]:
        module = argv[list(argv).index("-m") + 1].replace(".", "/")
        yield from (joined(directory, f"{module}{end}") for end in (".py", "/__main__.py", "/__init__.py"))
    elif (name in SHELLS and plain) or (name in INTERPRETERS and plain and not is_test_file(plain[0])):
        yield joined(directory, plain[0])


def _placed(argv: Sequence[str], command: str, directory: str) -> Iterator[str]:
    """Yield the files of a program's name where the command itself says that programs are looked for."""
    if not argv or "PATH=" not in command or "/" in argv[0]:
        return
    for match in islice(PLACED.finditer(command), MOST):
        places = match.group(1).split(":")
        yield from (joined(directory, f"{with_home(place)}/{argv[0]}") for place in places if place)


def _packaged(run: Run, commands: Sequence[Sequence[str]], written: Sequence[str]) -> Iterator[str]:
    """Yield the written programs that a package runner takes by their name: `npx jest` is `node_modules/.bin/jest`."""
    names = {word for argv in (run.tool.split(" "), *commands) for word in argv}
    for path in written:
        place, name = posixpath.split(path)
        if name in names and posixpath.basename(place) == ".bin" and _applies(run, place):
            yield path


def _sourced(run: Run, call: ToolRun) -> Iterator[str]:
    """Yield the files that the shell of a run read before it: they may hold a function of its program's name."""
    if not any(mark in call.command for mark in ("source ", ". ")):
        return
    for argv, directory in _steps(call.command):
        if len(argv) > 1 and argv[0] in (".", "source"):
            yield joined(joined("", directory), argv[1])
        if " ".join(argv)[:COMMAND_CHARACTERS] == run.command:
            return


@lru_cache(maxsize=2048)
def _steps(command: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    """Return the words of each program of a command line, and where it runs; facts are worked out at each draft."""
    return tuple((tuple(step.argv), step.directory) for step in Flow(command, "").steps if step.argv)


def _shadows(run: Run, written: WrittenSoFar) -> Iterator[str]:
    """Yield the new modules in the directory of a run that come before what Python itself would take."""
    if run.tool in PYTHON_TOOLS:
        for path in written.shadows:
            place = posixpath.dirname(path)
            where = posixpath.dirname(place) if path.endswith("/__init__.py") else place
            if where == joined("", run.directory):
                yield path


def _manifests(run: Run, commands: Sequence[Sequence[str]], written: WrittenSoFar) -> Iterator[str]:
    """Yield the manifests and settings that decide what a run does, where that part of them was changed."""
    for path, changed in written.deciding.items():
        if _applies(run, posixpath.dirname(path)):
            name, parts = posixpath.basename(path), set(changed)
            if any(_decides(argv, name, parts) for argv in ([run.tool], *commands) if argv):
                yield path


def _applies(run: Run, place: str) -> bool:
    """Return whether a file of a directory may count for a run: it lies above it, or below."""
    directory = joined("", run.directory)
    return is_below(directory, place) or is_below(place, directory)


def _decides(argv: Sequence[str], name: str, parts: set[str]) -> bool:
    """Return whether parts of a file decide what a program does."""
    words_of_tool = [*argv[0].split(" "), *argv[1:]]
    first = program(words_of_tool[0])
    plain = [word for word in words_of_tool[1:] if not word.startswith("-") and "=" not in word]
    if name == "package.json":
        return first in parts if first not in PACKAGE_RUNNERS else not parts.isdisjoint(_scripts(plain))
    if name == "pyproject.toml":
        return f"tool.{first}" in parts
    if name.endswith("_test.go"):
        return first == "go"
    if name in TOOLS:
        return first in TOOLS[name] or argv[0] in TOOLS[name]
    if name.startswith(SETTINGS):
        return name.startswith((f"{first}.", f".{first}rc"))
    return first in MAKES and (not plain or not parts.isdisjoint(plain))


def _scripts(plain: Sequence[str]) -> Iterator[str]:
    """Yield the scripts of a package.json that a package's runner carries out, by its own words."""
    names = [word for word in plain if word not in RUN_WORDS]
    script = "test" if names and names[0] in {"t", "tst"} else names[0] if names else ""
    return (f"scripts.{start}{script}" for start in ("", "pre", "post"))
