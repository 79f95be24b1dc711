"""What the edits of a record may change of what a check said."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mama_bot.facts.places import SETTINGS, belongs, is_below, is_code, is_scratch, joined, same_file
from mama_bot.model import FILE_WRITERS, FileFate, Freshness, Run, RunKind, ToolRun, words
from mama_bot.runs.programs import PROGRAMS
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
TEST_FILE = compiled(  # tests/test_pay.py, pay.spec.ts, pay_test.go, PayTests.java
    r"(?:^|/)(?:test_[^/]*|[^/]*[._-](?:test|spec)\.\w+|[^/]*_test\.\w+|[^/]*Tests?\.\w+)$",
    groups=False,
    ignore_case=False,
)


@dataclass(frozen=True, slots=True)
class CodeEdit:
    """A file that was written or removed ("": nobody knows which), when, and whether the code still means the same."""

    path: str
    fate: FileFate
    call: ToolRun
    at: Moment
    restyles: bool


def edits_in(calls: Sequence[ToolRun]) -> tuple[CodeEdit, ...]:
    """Return the edits of a record that may change what a check says, in order."""
    return tuple(
        CodeEdit(path, touch.fate, call, (number, touch.after), _restyles(call, touch.after))
        for number, call in enumerate(calls)
        for touch in call.touched
        if not (path := joined("", touch.path) if touch.path else "") or (is_code(path) and not is_scratch(path))
    )


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


def _code(text: str, mark: str) -> Iterator[str]:
    """Yield the lines of a piece of code that are no comments, with their indentation, which may mean something."""
    return (line for raw in text.splitlines() if (line := raw.rstrip()) and not line.lstrip().startswith(mark))


def freshness(run: Run, place: str, at: Moment, edits: Sequence[CodeEdit]) -> tuple[Freshness, str]:
    """Return whether a run still speaks of the code as the edits left it, and the file that says it does not."""
    result, path = Freshness.FRESH, ""
    for edit in reversed(edits):
        if edit.at <= at:
            break
        if edit.restyles:
            result = Freshness.RESTYLED if result is Freshness.FRESH else result
        elif not edit.path:
            result = Freshness.UNKNOWN
        elif belongs(edit.path, place) and _concerns(edit, run, place):
            return Freshness.STALE, edit.path
    return result, path


@lru_cache(maxsize=8192)
def _is_test_file(path: str) -> bool:
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
    if run.kind is not RunKind.TESTS or not _is_test_file(edit.path):
        return True
    # Another test file changes nothing for the tests that were chosen by file.
    files = [path.partition("::")[0] for path in chosen]
    if not all(map(_is_test_file, files)):
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
