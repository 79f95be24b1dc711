"""Becomes the shell of one command of an agent, in a confinement below that of the CLI which started it.

So neither the command nor what it leaves behind reads the memory or the environment of the CLI, or writes to what the
CLI has open: what the CLI tells of a call is the CLI's own word. Of the CLI's directories a command writes nothing but
the output that it was given, and the new files that its command line names there. Tokens are not handed on.

Stand-alone and of the standard library only, and quick, since every command waits for it: it is run as
`python -I -S shell.py <file> <shell> <arguments>`. The file holds entries that end in a zero byte: `r` and a path to
read, `w` and a path to write, `n` and a path with one `*` for new files, `p` the same for those that tell a place, `b`
and the path of bubblewrap, which confines the command where the kernel has no Landlock.
"""

import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # every command waits for what is loaded here
    from typing import NoReturn

CANNOT_EXECUTE = 126
READABLE, WRITABLE, NEW, PLACE, BUBBLEWRAP = "r", "w", "n", "p", "b"
WITHHELD_PREFIXES = ("ANTHROPIC_", "CLAUDE_CODE_", "MAMA_BOT_LAUNCHER_")
WITHHELD = frozenset({"CLAUDE_CONFIG_DIR"})
# What begins so gets its own name once the walls stand: before, it could say what this very process loads.
GIVEN_PREFIX = "MAMA_BOT_GIVEN_"
NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def variables(environment: "dict[str, str]", shell: str) -> "dict[str, str]":
    """Return what a command sees: nothing of the CLI's own, and the shell itself as SHELL."""
    kept = {
        name: value
        for name, value in environment.items()
        if name not in WITHHELD and not name.startswith((*WITHHELD_PREFIXES, GIVEN_PREFIX))
    }
    given = {name[len(GIVEN_PREFIX) :]: value for name, value in environment.items() if name.startswith(GIVEN_PREFIX)}
    return {**kept, "SHELL": shell, **given}


def new_files(pattern: str, words: "list[str]", text: str = "") -> "list[str]":
    """Make the files of a pattern that the words name and that are not there yet, with a text; return them.

    >>> new_files("/nowhere/claude-*-cwd", ["pwd >| /nowhere/claude-1f-cwd"])  # where the directory is missing
    []
    """
    before, _, after = pattern.partition("*")
    made = []
    for word in words:
        place = word.find(before)
        while place >= 0:
            end = place + len(before)
            while end < len(word) and word[end] in NAME:
                end += 1
            path = word[place:end]
            if path.endswith(after) and len(path) > len(before) + len(after) and _made(path, text):
                made.append(path)
            place = word.find(before, end)
    return made


def _made(path: str, text: str) -> bool:
    try:
        made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return False
    os.write(made, os.fsencode(text))
    os.close(made)
    return True


def _here() -> str:
    try:
        return f"{os.getcwd()}\n"  # noqa: PTH109
    except OSError:  # it was removed
        return ""


def own_outputs() -> "list[str]":
    """Return the files that standard output and error lead to, as paths that the kernel follows to just these."""
    return [f"/proc/self/fd/{number}" for number in (1, 2) if _is_file(number)]


def _is_file(number: int) -> bool:
    try:
        return stat.S_ISREG(os.fstat(number).st_mode)
    except OSError:
        return False


def become_shell(file: str, shell: str, arguments: "list[str]") -> int:
    """Become the shell, which never returns; return the exit status where that fails."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib doubles the start
    import landlock  # type: ignore[import-not-found, unused-ignore] # it lies beside this file

    try:
        with open(file, encoding="utf-8", errors="surrogateescape") as opened:  # noqa: PTH123
            entries = [entry for entry in opened.read().split("\0") if entry]
        given: dict[str, list[str]] = {READABLE: [], WRITABLE: [], NEW: [], PLACE: [], BUBBLEWRAP: []}
        for entry in entries:
            given[entry[0]].append(entry[1:])
        made = [path for pattern in given[NEW] for path in new_files(pattern, arguments)]
        # Where a command fails before it tells where it ended, it ended where it began.
        made += [path for pattern in given[PLACE] for path in new_files(pattern, arguments, _here())]
        if given[BUBBLEWRAP] and not landlock.version():
            _below_bubblewrap(given, made, shell, arguments)
        landlock.confine(
            readable=given[READABLE],
            writable=[*given[WRITABLE], *made, *own_outputs()],
            # A later command may end what an earlier one left running; that none leaves the CLI's own confinement is
            # seen to there.
            scoped=False,
        )
        landlock.drop_capabilities()
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"the command was not run, because it could not be confined: {error}\n")
        return CANNOT_EXECUTE
    try:
        os.execve(shell, [shell, *arguments], variables(dict(os.environ), shell))  # noqa: S606 - becoming it is the aim
    except OSError as error:
        sys.stderr.write(f"cannot execute {shell}: {error.strerror}\n")
    return CANNOT_EXECUTE


def _below_bubblewrap(
    given: "dict[str, list[str]]", made: "list[str]", shell: str, arguments: "list[str]"
) -> "NoReturn":
    """Become the shell in a view of bubblewrap's; what is open stays open, so that outputs need no place in it."""
    import bubblewrap  # type: ignore[import-not-found, unused-ignore] # it lies beside this file

    told = bubblewrap.mounted_views(readable=given[READABLE], writable=[*given[WRITABLE], *made], own_processes=False)
    command = bubblewrap.command(given[BUBBLEWRAP][0], told, [shell, *arguments])
    os.execve(command[0], command, variables(dict(os.environ), shell))  # noqa: S606 - as above


if __name__ == "__main__":
    sys.exit(become_shell(sys.argv[1], sys.argv[2], sys.argv[3:]))
