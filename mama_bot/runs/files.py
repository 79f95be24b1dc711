"""Files that a tool call wrote or removed, as far as the call itself tells."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from mama_bot.model import FileFate, FileTouch, RunKind, ToolKind, ToolRun
from mama_bot.runs.git_commands import git_call
from mama_bot.runs.tools import Tool, split_words
from mama_bot.shell.exit_states import FAILED, SKIPPED, ShellStep
from mama_bot.shell.flow import TEMPORARY, joined_path, with_home
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program
from mama_bot.tool_names import patched_files

SOME_FILES = ""
GIT_WRITES = word_set("checkout restore reset revert merge pull apply cherry-pick am rebase switch clean")
GIT_PATCHES = word_set("apply am")
LOCKS: Mapping[str, str] = {
    **{name: f"{name}.lock" for name in ("yarn", "bun", "poetry", "uv", "pdm", "composer")},
    "npm": "package-lock.json",
    "pnpm": "pnpm-lock.yaml",
    "pipenv": "Pipfile.lock",
    "bundle": "Gemfile.lock",
}
CODE = frozenset({"python", "node", "ruby", "php", "deno", "bun"})
CODE_WRITES = (
    *("write_text(", "write_bytes(", ".write(", ".touch(", "'w'", '"w"', "'a'", '"a"', "fileinput"),  # Python
    *("os.remove", "os.rename", "os.replace", "unlink(", "shutil.", "rmtree"),
    *("writeFile", "appendFile", "rmSync", "renameSync"),  # Node
    *("File.write", "file_put_contents"),  # Ruby, PHP
)
MODES = frozenset({"-m", "-o", "-g", "-S"})  # of `install`, with a word behind them
INSTALLS = word_set("install i ci add remove update upgrade sync lock uninstall")
MAX_TOUCHED = 200


def relative(path: str, workspace: str) -> str:
    """Return a path as the model has it: relative to the workspace where inside it (itself: ""), else absolute."""
    whole = posixpath.normpath(posixpath.join(workspace, path))
    if whole == workspace:
        return ""
    return whole[len(workspace) + 1 :] if whole.startswith(workspace.rstrip("/") + "/") else whole


def touched_by_edit(call: ToolRun, arguments: Mapping[str, Any], output: str, workspace: str) -> tuple[FileTouch, ...]:
    """Return what a call of a tool that writes files wrote, which ended well."""
    patched = patched_files(arguments)
    if patched:
        return tuple(FileTouch(path=relative(path, workspace), fate=PATCHED[mark]) for path, mark in patched)
    if not call.paths:
        return ()
    # One tool may do several things: `{"command": "view", "path": ...}`.
    word = arguments.get("command")
    if word == "view":
        return ()
    replaced = arguments.get("old_string") == "" or arguments.get("oldString") == ""
    creates = word == "create" if isinstance(word, str) else call.kind is ToolKind.WRITE or replaced
    created = creates and "has been updated" not in output[:2_000]
    fate = FileFate.CREATED if created else FileFate.CHANGED
    return (FileTouch(path=relative(call.paths[0], workspace), fate=fate),)


PATCHED: Mapping[str, FileFate] = {"Add": FileFate.CREATED, "Update": FileFate.CHANGED, "Delete": FileFate.DELETED}


def touched_by_step(step: ShellStep, tool: Tool | None) -> Iterator[tuple[str, FileFate]]:
    """Yield the paths that a program wrote or removed, seen from the directory of the call; "" is some file."""
    if step.ends <= {FAILED, SKIPPED} and SKIPPED in step.ends:
        return
    # A writer that failed, or whose complaint nobody saw, may have written nothing, or some of it.
    unheard = step.muted or step.ends == {FAILED}
    unsure = SKIPPED in step.ends or (unheard and program(step.argv[0] if step.argv else "") in WRITERS)
    for named, fate in _of(step, tool):
        path = joined_path("", named) if named.startswith(TEMPORARY) else with_home(named)
        if path == SOME_FILES:
            yield path, fate
        elif unsure and fate is not FileFate.CHANGED:
            yield SOME_FILES, FileFate.CHANGED  # whether it did is not known: what depends on files may be stale
        elif "$" in path or "`" in path or any(mark in path for mark in "*?[{"):
            yield SOME_FILES, fate
        elif not path.startswith("/dev/") and path != "-":
            yield joined_path(step.directory, path), fate


def changed_by_program(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the paths that a program writes, moves or removes by its own words; "*" where it does not name them.

    What git brings of other commits (a checkout of a branch, a pull) is no change of somebody's own.
    """
    if not argv:
        return ()
    name, named = program(argv[0]), []
    if name == "git":
        call = git_call(argv)
        own = call is not None and call.words[0] in GIT_PATCHES
        named = [path for path, _ in _git(argv) if path != SOME_FILES or own]
    elif name == "apply_patch":
        named = [SOME_FILES]
    elif name in WRITERS:
        named = [path for path, _ in WRITERS[name](argv)]
    return tuple(dict.fromkeys(path or "*" for path in named))[:MAX_TOUCHED]


def _of(step: ShellStep, tool: Tool | None) -> Iterator[tuple[str, FileFate]]:
    for redirect in step.redirects:
        if redirect.writes:
            yield redirect.target, FileFate.CHANGED if redirect.operator == ">>" else FileFate.CREATED
    if not step.argv or step.ends == {FAILED}:
        return
    if (tool is not None and tool.kind is RunKind.FORMAT and not tool.dry) or (
        tool is not None and tool.kind is RunKind.LINT and _fixes(step.argv)
    ):
        yield from _some_of(tool.selected)
    name = program(step.argv[0])
    if name == "git":
        yield from _git(step.argv)
        return
    if name == "apply_patch":
        text = "\n".join((*step.argv[1:], *(each.target for each in step.redirects if each.operator == "<<")))
        yield from ((path, PATCHED[mark]) for path, mark in patched_files({"patch": text}))
        return
    writer = WRITERS.get(name)
    if writer is not None:
        yield from writer(step.argv)
    elif name in CODE and any(mark in text for text in _code(step) for mark in CODE_WRITES):
        yield SOME_FILES, FileFate.CHANGED
    elif name in LOCKS and any(word in INSTALLS for word in step.argv[1:3]):
        yield LOCKS[name], FileFate.CHANGED


def _code(step: ShellStep) -> Iterator[str]:
    """Yield the programs that are written out in a command: `python -c`, `node -e`, `python - <<EOF`."""
    for redirect in step.redirects:
        if redirect.operator == "<<":
            yield redirect.target
    for option, text in zip(step.argv[1:], step.argv[2:], strict=False):
        if option in {"-c", "-e", "--eval", "-p"}:
            yield text


def _fixes(argv: Sequence[str]) -> bool:
    return any(
        word in {"--fix", "--write", "--apply", "-a", "-A", "--autocorrect", "--fix-only", "--unsafe-fixes"}
        for word in argv
    )


def _some_of(paths: Sequence[str]) -> Iterator[tuple[str, FileFate]]:
    """Yield the files that are named; for a directory some file, as nobody can tell what in it was written."""
    for path in paths:
        yield (path if posixpath.splitext(path)[1] else SOME_FILES), FileFate.CHANGED
    if not paths:
        yield SOME_FILES, FileFate.CHANGED


def _git(argv: Sequence[str]) -> Iterator[tuple[str, FileFate]]:
    call = git_call(argv)
    if call is None:
        return
    word, further = call.words[0], call.words[1:]
    plain, _ = split_words(further, frozenset({"-m", "-b", "-B", "-c", "-s", "--source"}))
    if word in {"rm", "mv"} and not {"-n", "--dry-run"}.isdisjoint(further):
        return
    if word == "rm" and "--cached" not in further:
        yield from ((path, FileFate.DELETED) for path in plain)
    elif word == "mv" and len(plain) >= 2:
        yield from _moved(plain)
    elif word == "stash":
        if not plain or plain[0] in {"pop", "apply", "push", "save"}:
            yield SOME_FILES, FileFate.CHANGED
    elif word in GIT_WRITES and _writes(word, further):
        named = further[further.index("--") + 1 :] if "--" in further else plain if word == "restore" else [SOME_FILES]
        yield from ((path, FileFate.CHANGED) for path in named)


def _writes(word: str, further: Sequence[str]) -> bool:
    """Return whether a git command, with these options, writes into the work tree."""
    if word == "checkout" and ("-b" in further or "-B" in further):
        return False
    if word == "switch" and ("-c" in further or "-C" in further):
        return False
    if word == "reset":
        return any(option in further for option in ("--hard", "--merge", "--keep"))
    if word == "restore" and "--staged" in further and "--worktree" not in further:
        return False
    return not any(option in further for option in ("--check", "--stat", "--dry-run", "-n", "--cached"))


def _moved(paths: Sequence[str]) -> Iterator[tuple[str, FileFate]]:
    for path in paths[:-1]:
        yield path, FileFate.DELETED
    last = paths[-1]
    ending = posixpath.splitext(last)[1]
    if len(paths) == 2 and not last.endswith("/"):
        # Of a bare name nobody knows whether it is a directory.
        placed = "/" in last and posixpath.splitext(paths[0])[1]
        yield (last if ending or placed else SOME_FILES), FileFate.CREATED
    else:
        for path in paths[:-1]:
            yield joined_path(last, posixpath.basename(path)), FileFate.CREATED


def _plain(argv: Sequence[str], values: frozenset[str] = frozenset()) -> list[str]:
    return split_words(argv[1:], values)[0]


def _in_place(argv: Sequence[str]) -> Iterator[tuple[str, FileFate]]:
    """Yield the files that are changed in place: `sed -i 's/a/b/' f`, `perl -pi -e '...' f`."""
    options = [word for word in argv[1:] if word.startswith("-")]
    if not any(
        word.startswith("--in-place") or ("i" in word.partition("=")[0][:4] and word[:2] != "--") for word in options
    ):
        return
    scripted = any(
        word in {"-e", "-f", "--expression"} or (word.endswith("e") and word[:2] != "--") for word in options
    )
    plain = _plain(
        argv, frozenset({"-e", "-f", "--expression", "-pe", "-pie", "-i.bak"} if scripted else ()) - {"-i.bak"}
    )
    if not scripted:
        plain = [word for word in plain if word][1:]
    for path in plain:
        yield path, FileFate.CHANGED


def _each(fate: FileFate, *values: str) -> Callable[[Sequence[str]], Iterator[tuple[str, FileFate]]]:
    """Return what tells of a program that does the same with each path that it names."""
    return lambda argv: ((path, fate) for path in _plain(argv, frozenset(values)))


def _moving(argv: Sequence[str]) -> Iterator[tuple[str, FileFate]]:
    plain = _plain(argv, MODES)
    moved = _moved(plain) if len(plain) >= 2 else ()
    return ((path, fate) for path, fate in moved if fate is FileFate.CREATED or program(argv[0]) == "mv")


def _teed(argv: Sequence[str]) -> Iterator[tuple[str, FileFate]]:
    appends = "-a" in argv or "--append" in argv
    return ((path, FileFate.CHANGED if appends else FileFate.CREATED) for path in _plain(argv))


def _patched(argv: Sequence[str]) -> Iterator[tuple[str, FileFate]]:
    if "--dry-run" not in argv:
        yield SOME_FILES, FileFate.CHANGED


_created, _removed = _each(FileFate.CREATED, "-s", "-d", "-r", "-t", "--size"), _each(FileFate.DELETED)


WRITERS = {
    **dict.fromkeys(("sed", "gsed", "perl"), _in_place),
    **dict.fromkeys(("rm", "unlink", "rmdir"), _removed),
    **dict.fromkeys(("touch", "truncate"), _created),
    **dict.fromkeys(("cp", "install", "mv"), _moving),
    "tee": _teed,
    "patch": _patched,
}


def gathered(touched: Iterable[FileTouch]) -> tuple[FileTouch, ...]:
    """Return each touch once, at most 200."""
    return tuple(dict.fromkeys(touched))[:MAX_TOUCHED]
