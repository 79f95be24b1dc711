"""Git: what a command of it did, told by its words and by what it printed."""

from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.model import RunEnd, RunKind
from mama_bot.runs.output import Output
from mama_bot.runs.tools import Tool, split_words
from mama_bot.text.patterns import compiled

GLOBAL_VALUES = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})
REDIRECTING = ("remote.", "url.")  # settings by which a push goes elsewhere than its words say
COMMITTED = compiled(r"^\[(?:[^\]]+ )?(?:\(root-commit\) )?([0-9a-f]{4,40})\] ", ignore_case=False)
GIT_KINDS = frozenset({RunKind.COMMIT, RunKind.PUSH, RunKind.MERGE})
CHANGED = compiled(r"^(?: |ok \S+ )\d+ files? changed", ignore_case=False)
PUSHED = compiled(r"^ [ +*=-]?.*(?: -> |\[new (?:branch|tag)\])", ignore_case=False)
MERGED_REQUEST = ("erged pull request", "was already merged")
MERGE_END = ("Fast-forward", "Merge made by", "Already up to date")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitCall:
    """A git command: its own words, and the directories that `-C` names; `redirected` to another remote than named."""

    words: tuple[str, ...]
    directories: tuple[str, ...] = ()
    redirected: bool = False


def git_call(argv: Sequence[str]) -> GitCall | None:
    """Return the words after git's own options; None without a command."""
    at = 1
    directories: list[str] = []
    redirected = False
    while at < len(argv) and argv[at].startswith("-"):
        word = argv[at]
        if word == "-C" and at + 1 < len(argv):
            directories.append(argv[at + 1])
        redirected |= word == "-c" and at + 1 < len(argv) and argv[at + 1].startswith(REDIRECTING)
        at += 2 if word in GLOBAL_VALUES else 1
    return (
        GitCall(words=tuple(argv[at:]), directories=tuple(directories), redirected=redirected)
        if at < len(argv)
        else None
    )


def git_tool(call: GitCall) -> Tool | None:
    """Return what a git command is as a run; None for those that no claim is about."""
    word, further = call.words[0], call.words[1:]
    dry = "--dry-run" in further or (word == "push" and ("-n" in further or call.redirected))
    plain, _ = split_words(further, frozenset({"-m", "-F", "--message", "-o", "--author", "-s", "-X", "--repo"}))
    options = (option for option in further if option.startswith("-") and option != "-")
    loud = not any(option == "--quiet" or (option[1] != "-" and "q" in option) for option in options)
    match word:
        case "diff" | "show" | "status" | "log":
            return Tool(kind=RunKind.DIFF, name=f"git {word}", selected=tuple(plain))
        case "commit":
            return Tool(kind=RunKind.COMMIT, name="git commit", dry=dry, chatty=loud)
        case "push" if any(option in {"--delete", "-d"} or option.startswith(":") for option in further):
            return None  # a branch is removed
        case "push":
            return Tool(kind=RunKind.PUSH, name="git push", target=" ".join(plain), dry=dry, chatty=loud)
        case "merge" if "--abort" not in further:
            dry = not {"--no-commit", "--squash"}.isdisjoint(further)
            return Tool(kind=RunKind.MERGE, name="git merge", target=" ".join(plain), dry=dry, chatty=loud)
        case _:
            return None


def git_end(tool: Tool, output: Output, *, cut: bool) -> tuple[RunEnd | None, str]:
    """Return how a commit, push or merge ended, and its target; None where the output, `cut` or not, does not tell."""
    match tool.kind:
        case RunKind.COMMIT:
            return _commit_end(output, cut=cut)
        case RunKind.PUSH:
            return _push_end(output), tool.target
        case RunKind.MERGE:
            return _merge_end(output), tool.target
        case _:
            return None, tool.target


def _commit_end(output: Output, *, cut: bool) -> tuple[RunEnd | None, str]:
    # That it came about outweighs whatever another program of the same call found nothing to do for.
    for line in output.last_with("["):
        if (match := COMMITTED.match(line)) is not None:
            return RunEnd.PASSED, match.group(1)
    # The second line of what git prints, where the first one was cut off.
    if cut and any(CHANGED.match(line) for line in output.last_with(" changed")):
        return RunEnd.PASSED, ""
    idle = ("nothing to commit", "no changes added", "nothing added to commit")
    return (RunEnd.NOTHING if any(line.startswith(idle) for line in output.last_with(*idle)) else None), ""


def _push_end(output: Output) -> RunEnd | None:
    for line in output.last_with(
        *("[rejected]", "error: failed to push", "fatal:", "->", "Everything up-to-date", "[remote rejected]"),
        *("' set up to track '", "hint: See the 'Note about fast-forwards'"),
    ):
        if "rejected]" in line or line.startswith(("error: failed to push", "fatal:", "hint:")):
            return RunEnd.FAILED
        if line.startswith("Everything up-to-date"):
            return RunEnd.NOTHING
        if PUSHED.match(line) or "' set up to track '" in line:
            return RunEnd.PASSED
    return None


def _merge_end(output: Output) -> RunEnd | None:
    if next(output.last_with(*MERGED_REQUEST), None) is not None:
        return RunEnd.PASSED
    for line in output.last_with(
        "CONFLICT", "Automatic merge failed", "fatal:", "not something we can merge", *MERGE_END
    ):
        if line.startswith("Already up to date"):
            return RunEnd.NOTHING
        if line.startswith(MERGE_END):
            return RunEnd.PASSED
        return RunEnd.FAILED
    return None
