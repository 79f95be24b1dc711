"""What the edits of a record may change of what a check said."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from mama_bot.facts.places import SETTINGS, belongs, is_below, is_code, is_scratch, joined, same_file
from mama_bot.facts.unknown_calls import is_known_step
from mama_bot.model import (
    DEED_KINDS,
    FILE_WRITERS,
    FileFate,
    Freshness,
    LeftTree,
    Run,
    RunKind,
    ToolRun,
    TreeChange,
    words,
)
from mama_bot.runs.git_commands import git_call
from mama_bot.runs.programs import PROGRAMS
from mama_bot.shell.flow import Flow
from mama_bot.shell.wrappers import program
from mama_bot.text.patterns import compiled

Moment = tuple[int, int]  # the place of the call in the record, and of the run in the call

RESTYLERS = frozenset((RunKind.FORMAT, RunKind.LINT))
STATIC = frozenset((RunKind.FORMAT, RunKind.LINT, RunKind.TYPES))
# What begins a line that is a comment, by the ending of a file; of another file nobody knows.
COMMENT_MARKS = {
    **dict.fromkeys(words("py pyi sh bash zsh rb pl r toml yaml yml tf"), "#"),
    **dict.fromkeys(words("c h cc cpp hpp cs go java js jsx mjs ts tsx kt kts rs swift scala php dart scss"), "//"),
    **dict.fromkeys(words("sql lua hs elm"), "--"),
}
# Further files that a program is made of.
SOURCES = frozenset(
    (*COMMENT_MARKS, *words("html css vue svelte astro ejs erb jinja j2 proto graphql gradle cmake mk"))
)
MOST_OF_A_CALL = 20
AFTER_ALL = 1_000_000  # after all runs of a call
COMMAND_CHARACTERS = 1_000  # what a run keeps of its command
TEST_FILE = compiled(  # tests/test_pay.py, pay.spec.ts, pay_test.go, PayTests.java
    r"(?:^|/)(?:test_[^/]*|[^/]*[._-](?:test|spec)\.\w+|[^/]*_test\.\w+|[^/]*Tests?\.\w+)$",
    groups=False,
    ignore_case=False,
)


@dataclass(frozen=True, slots=True)
class CodeEdit:
    """A file that was written or removed ("": nobody knows which), when, and whether the code still means the same.

    `measured` says that the work tree itself showed it; else the words of the call do.
    """

    path: str
    fate: FileFate
    call: ToolRun
    at: Moment
    restyles: bool = False
    measured: bool = False


def edits_in(calls: Sequence[ToolRun], left: Sequence[LeftTree] = ()) -> tuple[CodeEdit, ...]:
    """Return the edits of a record that may change what a check says, in order; `left` are the trees at its stops."""
    edits = [edit for number, call in enumerate(calls) for edit in _edits_of(number, call)]
    places = {call.id: number for number, call in enumerate(calls)}
    for tree in left:
        if tree.changed and (number := places.get(tree.after)) is not None:
            edits += _measured(tree.changed, calls[number], (number, AFTER_ALL))
    return tuple(sorted(edits, key=lambda edit: edit.at))


def _edits_of(number: int, call: ToolRun) -> Iterator[CodeEdit]:
    """Yield what a call tells that it wrote, and what the work tree shows beside it."""
    changed = {change.path for change in call.changed or ()}
    named = {joined("", touch.path) for touch in call.touched if touch.path}
    for touch in call.touched:
        path = joined("", touch.path) if touch.path else ""
        # Which files a call wrote that names none, the work tree tells.
        if (path and is_code(path) and not is_scratch(path)) or (not path and (call.changed is None or "" in changed)):
            at = (number, touch.after)
            yield CodeEdit(path, touch.fate, call, at, _restyles(call, touch.after), measured=path in changed)
    beside = [change for change in call.changed or () if change.path not in named]
    after = written_after(call) if beside else None
    if after is not None:
        yield from _measured(beside, call, (number, after))


def _measured(changes: Sequence[TreeChange], call: ToolRun, at: Moment) -> Iterator[CodeEdit]:
    """Yield changes that no call names: of a file that is new, or may be no code, only that there is one."""
    restyles = at[1] < AFTER_ALL and _restyles(call, at[1])
    sure: dict[str, FileFate] = {}
    for change in changes:
        path = joined("", change.path) if change.path else ""
        if not path or (is_code(path) and not is_scratch(path)):
            sure.setdefault(path if change.fate is not FileFate.CREATED and is_source(path) else "", change.fate)
    for path, fate in islice(sure.items(), MOST_OF_A_CALL):
        yield CodeEdit(path, fate, call, at, restyles, measured=True)


def written_after(call: ToolRun) -> int | None:
    """Return after how many of its runs a call wrote what its words do not name; None where the runs alone did it.

    What a check writes while it runs is its own outcome, and no edit after it.
    """
    if all(run.kind in DEED_KINDS and run.kind is not RunKind.COMMIT for run in call.ran):
        return len(call.ran)
    places = [touch.after for touch in call.touched if not touch.path]
    return max((*places, *_unknown_places(call)), default=None)


def _unknown_places(call: ToolRun) -> Iterator[int]:
    """Yield after how many of the runs of a call each of its programs ran that may have written anything."""
    commands = [run.command for run in call.ran]
    passed = 0
    for step in Flow(call.command, "/").steps:
        if not is_known_step(step):
            yield passed
        passed += " ".join(step.argv)[:COMMAND_CHARACTERS] in commands[passed:]


def own_changes(call: ToolRun) -> tuple[str, ...]:
    """Return the files of code that the one check of a call changed by itself."""
    if not call.changed or len(call.ran) != 1 or call.touched or written_after(call) is not None:
        return ()
    changed = (change for change in call.changed if change.path and change.fate is not FileFate.CREATED)
    return tuple(path for change in changed if is_code(path := joined("", change.path)) and is_source(path))


def put_back(call: ToolRun, position: int) -> str:
    """Return a file of code that a call wrote and put back as it was: what a run of it saw is not what stands.

    "" where there is none. `position` is how many runs of the call came before that one; a file that was made and
    removed counts where it was there during the run.
    """
    if call.before is None or call.after is None or not call.before.tree or call.before.tree != call.after.tree:
        return ""
    touched = [touch for touch in call.touched if not touch.path or _may_decide(touch.path)]
    putting_back = [*_putting_back(call)]
    for place, second in enumerate(touched):
        late = second.after > position
        if not any(after == second.after and (late or background) for after, background in putting_back):
            continue
        for first in touched[:place]:
            unnamed = not first.path and second.fate is not FileFate.DELETED and not _restyles(call, first.after)
            named = first.path or second.path
            same = first.path == second.path or unnamed or (first.path and not second.path)
            if named and same and first.after <= position:
                return joined("", named)
    return ""


PUTS_BACK = frozenset(words("cp mv rm unlink install"))
GIT_PUTS_BACK = frozenset(words("checkout restore stash reset rm mv"))


def _putting_back(call: ToolRun) -> Iterator[tuple[int, bool]]:
    """Yield after how many runs of a call a program puts files back as they were, and whether others run meanwhile.

    What only writes a file once more, as a chain of formatters does, puts nothing back.
    """
    commands = [run.command for run in call.ran]
    passed, pipelines = 0, dict[int, int]()
    for step in Flow(call.command, "/").steps:
        before = pipelines.setdefault(step.pipeline, passed)
        name = program(step.argv[0]) if step.argv else ""
        git = git_call(step.argv) if name == "git" else None
        if name in PUTS_BACK or (git is not None and git.words[0] in GIT_PUTS_BACK):
            yield before, step.background
        passed += " ".join(step.argv)[:COMMAND_CHARACTERS] in commands[passed:]


def _may_decide(path: str) -> bool:
    return is_code(path) and not is_scratch(path)


def _restyles(call: ToolRun, after: int) -> bool:
    """Return whether a formatter wrote it, or an edit changed nothing but comments."""
    if after < len(call.ran) and call.ran[after].kind in RESTYLERS:
        return True
    return call.kind in FILE_WRITERS and _changes_comments(call)


def _changes_comments(call: ToolRun) -> bool:
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return False
    if not isinstance(arguments, dict):
        return False
    old, new = arguments.get("old_string"), arguments.get("new_string")
    mark = COMMENT_MARKS.get(call.paths[0].rpartition(".")[2].lower()) if call.paths else None
    if mark is None or not (isinstance(old, str) and isinstance(new, str) and old):
        return False
    return [*_code(old, mark)] == [*_code(new, mark)]


DOCSTRING = compiled(r'\s+"""[^"\\]*"""', groups=False)  # """Return the sum."""


def _code(text: str, mark: str) -> Iterator[str]:
    """Yield the lines of a piece of code that are no comments, with their indentation, which may mean something."""
    lines = (line for raw in text.splitlines() if (line := raw.rstrip()) and not line.lstrip().startswith(mark))
    return (line for line in lines if mark != "#" or DOCSTRING.fullmatch(line) is None)


def freshness(
    run: Run, place: str, at: Moment, edits: Sequence[CodeEdit], *, same: bool = False
) -> tuple[Freshness, str]:
    """Return whether a run still speaks of the code as the edits left it, and the file that says it does not.

    `same` says that the work tree stands as the call of the run left it: what was edited after it was undone.
    """
    result, path = Freshness.FRESH, ""
    for edit in reversed(edits):
        if edit.at <= at:
            break
        if same and edit.measured and edit.at[0] > at[0]:
            continue
        if edit.restyles:
            result = Freshness.RESTYLED if result is Freshness.FRESH else result
        elif not edit.path:
            result = Freshness.UNKNOWN
        elif belongs(edit.path, place) and _concerns(edit, run, place):
            return Freshness.STALE, edit.path
    return result, path


def is_source(path: str) -> bool:
    """Return whether a file surely is part of a program: a database, a log or a picture need not be."""
    lower = path.lower()
    return lower.rpartition(".")[2] in SOURCES or lower.endswith(SETTINGS)


@lru_cache(maxsize=8192)
def is_test_file(path: str) -> bool:
    """Return whether a file holds tests, by its name."""
    return TEST_FILE.search(path) is not None


def _concerns(edit: CodeEdit, run: Run, place: str) -> bool:
    """Return whether an edit in the project of a run may change what the run says."""
    if run.kind in RESTYLERS and edit.fate is FileFate.DELETED:
        return False  # what is gone has no findings
    chosen = [path for path in run.selected if not path.startswith("-")]
    if not chosen or len(chosen) != len(run.selected) or any("$" in path or "*" in path for path in chosen):
        return True
    if run.kind in STATIC:
        return edit.path.lower().endswith(SETTINGS) or any(is_below(edit.path, joined(place, path)) for path in chosen)
    if run.kind is not RunKind.TESTS or not is_test_file(edit.path):
        return True
    # Another test file changes nothing for the tests that were chosen by file.
    files = [path.partition("::")[0] for path in chosen]
    if not all(map(is_test_file, files)):
        return True
    return any(same_file(path.removeprefix("./"), edit.path) for path in files)


MAKES = frozenset(("make", "gmake"))


def is_own_runner(run: Run, at: Moment, edits: Sequence[CodeEdit]) -> bool:
    """Return whether what goes by the name of a known program, or the Makefile made from, was written before it ran."""
    word = run.command.split(" ", 1)[0]
    name = word.rpartition("/")[2]
    if name not in PROGRAMS or ("/" not in word and name not in MAKES):
        return False
    path = joined(run.directory, "Makefile" if name in MAKES else word)
    return any(
        edit.path == path and edit.at < at and (name not in MAKES or edit.fate is FileFate.CREATED) for edit in edits
    )
