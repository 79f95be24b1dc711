"""Whether a file of results can be the suite's own, or another part of the same command may have left it."""

from collections.abc import Collection, Sequence

from mama_bot.shell.exit_states import ShellStep
from mama_bot.shell.flow import HARMLESS
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program

# They leave no file but where they are redirected to, or are told to.
LEAVING_NOTHING = (HARMLESS | word_set("grep egrep fgrep rg head wc ls test [")) - word_set(". source trap alias")
# What commands begin with before a suite; none of them leaves results of tests.
PREPARING = word_set(". source rm git pip pip3 npm pnpm yarn uv poetry")
# Of git, what leaves the files in the work tree as they are.
LOOKING = word_set("status diff log show rev-parse add commit push branch")


def others_may_leave(files: Collection[str], steps: Sequence[ShellStep], suite: int, tools: Collection[int]) -> bool:
    """Return whether a step other than that of the suite could have written files of these names.

    `tools` are the steps that are known tools, which write no results of tests. Who may have written is not known of
    what may write anything: a script, an interpreter, a program that nobody knows.
    """
    return any(_may_leave(step, files, index - suite, index in tools) for index, step in enumerate(steps))


def _may_leave(step: ShellStep, files: Collection[str], after: int, tool: bool) -> bool:
    name = program(step.argv[0]) if step.argv else ""
    if any(_may_name(redirect.target, files) for redirect in step.redirects if redirect.writes):
        return True
    if after == 0 or not name or (name in LEAVING_NOTHING and name not in {"tee", "touch"}):
        return False
    if name == "rm":
        return after > 0
    parts = [word.rpartition("=")[2] for word in step.argv[1:]]
    if any(_may_name(part, files) for part in parts if name == "tee" or "$" not in part):
        return True
    if name in LEAVING_NOTHING or tool:
        return False
    return name not in PREPARING if after < 0 else name != "git" or not LOOKING.intersection(step.argv[1:2])


def _may_name(path: str, files: Collection[str]) -> bool:
    return path.rpartition("/")[2] in files or "$" in path or "`" in path
