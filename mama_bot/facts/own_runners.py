"""Which runs were carried out by what their own exchange wrote: a program, a script, a module, a manifest."""

import posixpath
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mama_bot.facts.edits import is_test_file
from mama_bot.facts.places import is_below, is_code, joined
from mama_bot.model import FileFate, Run, ToolRun, TreeChange, words
from mama_bot.runs.scripts import PACKAGE_RUNNERS, RUN_WORDS
from mama_bot.shell.exit_states import ShellStep
from mama_bot.shell.flow import Flow
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
# How the names of settings begin that belong to the tool of that name.
SETTINGS = ("jest.", "vitest.", ".mocharc", "karma.", "playwright.", "cypress.", "ava.")
COMMAND_CHARACTERS = 1_000  # what a run keeps of its command


@dataclass(frozen=True, slots=True)
class WrittenSoFar:
    """What an exchange has written so far: files by path, and those that decide what checks do with their parts."""

    files: Mapping[str, FileFate]
    changes: Sequence[TreeChange]


class WritingOrder:
    """What an exchange wrote, call by call; asked for one run after the other, in their order."""

    def __init__(self, calls: Sequence[ToolRun], earlier: Sequence[TreeChange]) -> None:
        self._calls = calls
        self._taken = 0
        self._changes = list(earlier)
        self._changed = {joined("", change.path): change.fate for change in earlier if change.path}
        self._touched: dict[str, FileFate] = {}

    def before(self, number: int, position: int) -> WrittenSoFar:
        """Return what was written before a run: the calls before it, and what its own call names before it."""
        for call in self._calls[self._taken : number]:
            # What installs put in place is nobody's own, unless a call names it.
            changes = [change for change in call.changed or () if is_code(change.path)]
            self._changes += changes
            self._changed.update({joined("", change.path): change.fate for change in changes if change.path})
            for touch in call.touched:
                if touch.path:
                    self._touched.setdefault(joined("", touch.path), touch.fate)
        self._taken = max(self._taken, number)
        touched = {path: fate for path, fate in self._touched.items() if path not in self._changed}
        files = self._changed | touched
        for touch in self._calls[number].touched if number < len(self._calls) else ():
            if touch.path and touch.after <= position:
                files.setdefault(joined("", touch.path), touch.fate)
        return WrittenSoFar(
            {path: fate for path, fate in files.items() if fate is not FileFate.DELETED}, tuple(self._changes)
        )


def deciding_changes(calls: Sequence[ToolRun], earlier: Sequence[TreeChange]) -> tuple[TreeChange, ...]:
    """Return what later turns of an exchange need to know of what it wrote, by path, the latest last."""
    known = {change.path: change for change in earlier}
    for call in calls:
        for change in call.changed or ():
            if not is_code(change.path):
                continue
            before = known.pop(change.path, None)
            parts = tuple(dict.fromkeys((*(before.parts if before else ()), *change.parts)))
            known[change.path] = TreeChange(path=change.path, fate=change.fate, parts=parts)
        for touch in call.touched:
            if touch.path and touch.path not in known:
                known[touch.path] = TreeChange(path=touch.path, fate=touch.fate)
    return tuple(known.values())[-MOST:]


def own_runner(run: Run, call: ToolRun, written: WrittenSoFar) -> str:
    """Return the file that decided what a run did and that its own exchange wrote; "" where nothing of the kind did."""
    if not written.files:
        return ""
    commands = _commands(run, call)
    files = (
        *(path for argv in commands for path in _programs(argv, run.directory)),
        *_sourced(run, call),
        *_shadows(run, written.files),
    )
    named = next((path for path in files if path in written.files), "")
    return named or next(_manifests(run, commands, written.changes), "")


def _commands(run: Run, call: ToolRun) -> list[Sequence[str]]:
    """Return the words of the program that carried a run out; of a run inside of others those of all that may have."""
    if not call.command:
        return [run.command.split()]
    steps: list[Sequence[str]] = [step.argv for step in _steps(call.command) if step.argv]
    own = [argv for argv in steps if " ".join(argv)[:COMMAND_CHARACTERS] == run.command]
    return own[:1] or [run.command.split(), *steps]


@lru_cache(maxsize=2048)
def _steps(command: str) -> tuple[ShellStep, ...]:
    """Return the steps of a command line; the facts of a turn are worked out at each of its drafts."""
    return tuple(Flow(command, "").steps)


def _programs(argv: Sequence[str], directory: str) -> Iterator[str]:
    """Yield the files that a command executes: its program, the script of an interpreter, a module."""
    if not argv:
        return
    name = program(argv[0])
    if "/" in argv[0] or "." in argv[0]:
        yield joined(directory, argv[0])
    plain = [word for word in argv[1:] if not word.startswith("-")]
    if name.startswith("python") and "-m" in argv[1:-1]:
        module = argv[list(argv).index("-m") + 1].replace(".", "/")
        yield from (joined(directory, f"{module}{end}") for end in (".py", "/__main__.py", "/__init__.py"))
    elif (name in SHELLS and plain) or (name in INTERPRETERS and plain and not is_test_file(plain[0])):
        yield joined(directory, plain[0])


def _sourced(run: Run, call: ToolRun) -> Iterator[str]:
    """Yield the files that the shell of a run read before it: they may hold a function of its program's name."""
    if not any(mark in call.command for mark in ("source ", ". ")):
        return
    for step in _steps(call.command):
        if len(step.argv) > 1 and step.argv[0] in (".", "source"):
            yield joined(joined("", step.directory), step.argv[1])
        if " ".join(step.argv) == run.command:
            return


def _shadows(run: Run, files: Mapping[str, FileFate]) -> Iterator[str]:
    """Yield the new modules in the directory of a run that come before what Python itself would take."""
    if run.tool not in PYTHON_TOOLS:
        return
    for path, fate in files.items():
        if fate is not FileFate.CREATED or not path.endswith(".py"):
            continue
        place, name = posixpath.split(path)
        module = posixpath.basename(place) if name == "__init__.py" else name.removesuffix(".py")
        where = posixpath.dirname(place) if name == "__init__.py" else place
        if module in MODULES and where == joined("", run.directory):
            yield path


def _manifests(run: Run, commands: Sequence[Sequence[str]], changes: Sequence[TreeChange]) -> Iterator[str]:
    """Yield the manifests and settings that decide what a run does, where that part of them was changed."""
    for change in changes:
        path = joined("", change.path)
        if change.parts and _applies(run, posixpath.dirname(path)):
            name, parts = posixpath.basename(path), set(change.parts)
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
