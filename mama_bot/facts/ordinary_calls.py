"""What an exchange has done so far that may make a run another one than it says: anything but the ordinary."""

import json
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mama_bot.facts.edits import is_test_file
from mama_bot.facts.own_runners import MODULES, module_name
from mama_bot.facts.places import may_hold_tests
from mama_bot.facts.plain_commands import is_ordinary, is_plain
from mama_bot.facts.quiet_programs import FOREIGN, MADE_BY_SHELL
from mama_bot.model import FILE_WRITERS, FileFate, ToolKind, ToolRun
from mama_bot.runs.programs import PROGRAMS
from mama_bot.shell.tokens import word_set
from mama_bot.text.patterns import compiled

QUIET = frozenset(
    (
        *(ToolKind.READ, ToolKind.LIST, ToolKind.SEARCH, ToolKind.FETCH, ToolKind.PLAN, ToolKind.REPORT, ToolKind.TEAM),
        *(ToolKind.OUTPUT, ToolKind.TASK),
    )
)
SOURCES = word_set(
    ".py .pyi .js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte .go .rs .java .kt .kts .scala .c .h .cc .cpp .hpp .cs "
    ".rb .php .swift .ex .exs .erl .hs .ml .clj .dart .lua .zig .css .scss .less .html .sql .graphql .proto .tf .astro "
    ".m .mm .jl .r .elm"
)
DOCUMENTS = word_set(".md .mdx .rst .adoc .png .svg .jpg .jpeg .gif .webp .pdf")
DOCUMENT_STEMS = word_set("changelog readme license licence authors contributing codeowners notice todo")
# They decide what is run, or come before it, in one language or another.
DECIDING_STEMS = word_set(
    "conftest setup noxfile tasks build sitecustomize usercustomize gulpfile gruntfile dodo fabfile package settings "
    "global-setup globalsetup setuptests setup-tests jest vitest karma playwright cypress test-setup testsetup "
    "rakefile spec_helper rails_helper test_helper bootstrap magefile _pytest pluggy"
)
# What leaves a test out, and what ends a run before it has told what came out.
TESTING = compiled(r"#\[(?:cfg\()?test|\bassert|\bexpect\s*\(|>>>|\bdef test_|\bfunc Test|@Test\b", groups=False)
LEAVING_OUT = compiled(r"skip|xfail|\bignore\b|\.only\b|\btodo\b|disabled|\bpending\b", groups=False)
TAKING_OVER = compiled(
    r"#\[ignore|\b_?exit(?:code)?\s*[(=]|atexit|\bTestMain\b|process\.(?:on|exit)|\babort\s*\(|\bexec[lv]p?e?\s*\(|\bos\.kill"
    r"|raise_signal|SystemExit",
    groups=False,
)
OLD, NEW = ("old_string", "oldString", "old_str"), ("new_string", "newString", "new_str", "content", "file_text")
MOST_EDITS = 100


def is_ordinary_call(call: ToolRun) -> bool:
    """Return whether after a call a run is still what it says.

    It looked; or it wrote sources and documents that decide nothing but what they hold, and no test is less than it
    was. Of what is not known, this is not so.
    """
    if call.kind in QUIET or (call.ok is False and call.kind in FILE_WRITERS):
        return True
    if not all(map(_is_ordinary_file, _written(call))):
        return False
    if call.kind in FILE_WRITERS:
        return _keeps_tests(call)
    if call.kind is not ToolKind.SHELL or call.background:
        return False
    named = [touch.path for touch in call.touched if touch.path]
    if any(MADE_BY_SHELL.intersection(path) for path in named) or any(map(may_hold_tests, named)):
        return False
    if any(map(may_hold_tests, _written(call))) and not is_plain(call.command, call.working_directory):
        return False
    takes_over = bool(named) and TAKING_OVER.search(call.command) is not None
    return not takes_over and is_ordinary(call.command, call.working_directory)


def keeps_git(call: ToolRun, *, ordinary: bool) -> bool:
    """Return whether after a call, `ordinary` or not, git does what it did before: its settings lie beyond what is
    edited as a source.
    """
    if call.kind in FILE_WRITERS:
        return not any(".git" in path.split("/") or path.startswith(("/", "../")) for path in _written(call))
    return ordinary


def _written(call: ToolRun) -> Iterator[str]:
    yield from (touch.path for touch in call.touched if touch.path)
    yield from (change.path for change in call.changed or ())


def _is_ordinary_file(path: str) -> bool:
    """Return whether a file is a source or a document, and none that decides what runs."""
    name = posixpath.basename(path).lower()
    stem, ending = posixpath.splitext(name)
    if path.startswith("/") or any(part in FOREIGN or part.startswith(".") for part in path.lower().split("/")):
        return False
    if ending in DOCUMENTS or (stem in DOCUMENT_STEMS and not ending):
        return True
    if ending not in SOURCES or (may_hold_tests(path) and not is_test_file(path)):
        return False
    first = stem.partition(".")[0]
    if "config" in stem.split(".") or first in DECIDING_STEMS or ".setup" in stem:
        return False
    return module_name(path) not in MODULES and first not in PROGRAMS


def _keeps_tests(call: ToolRun) -> bool:
    """Return whether an edit leaves all tests as they were, but for those that it adds."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return False
    if not isinstance(arguments, dict):
        return False
    edits = arguments.get("edits")
    each: Sequence[Any] = edits[:MOST_EDITS] if isinstance(edits, list) else [arguments]
    tests = any(is_test_file(path) for path in (*call.paths, *call.files))
    if tests and call.kind is ToolKind.WRITE and not _is_new(call):
        return False
    return all(isinstance(edit, dict) and _only_adds(edit, tests=tests) for edit in each)


def _is_new(call: ToolRun) -> bool:
    """Return whether a call surely put a file where there was none."""
    if call.changed is not None:
        return all(change.fate is FileFate.CREATED for change in call.changed)
    created = all(touch.fate is FileFate.CREATED for touch in call.touched)
    return created and "created" in call.output_head[:200]


def _only_adds(edit: Mapping[str, Any], *, tests: bool) -> bool:
    old = next((str(edit[name]) for name in OLD if name in edit), "")
    new = next((str(edit[name]) for name in NEW if name in edit), None)
    if new is None:
        return not tests
    before = [line.strip() for line in old.splitlines() if line.strip()]
    after = [line.strip() for line in new.splitlines() if line.strip()]
    kept = frozenset(after)
    gone = [line for line in before if line not in kept]
    if gone and (tests or any(TESTING.search(line) is not None for line in gone)):
        return False
    known = set(before)
    added = [line for line in after if line not in known]
    patterns = (TAKING_OVER, LEAVING_OUT) if tests else (TAKING_OVER,)
    return not any(pattern.search(line) is not None for line in added for pattern in patterns)
