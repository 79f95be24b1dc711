"""Command lines: how each ended, and which of its programs did more than look."""

from collections.abc import Sequence
from functools import lru_cache

from mama_bot.model import RunEnd, ToolRun
from mama_bot.shell.exit_states import FAILED, ShellStep
from mama_bot.shell.flow import Flow
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program

MASKING = frozenset("|")  # … || true, … | tail
# They only look, whatever their arguments are.
LOOKERS = word_set(
    "ls cat head tail wc grep egrep fgrep zgrep cut tr nl cmp comm diff file stat du df pwd cd pushd popd echo printf "
    "true false test [ [[ : which type basename dirname realpath readlink id whoami uname od hexdump strings md5sum "
    "sha1sum sha256sum sha512sum cksum column paste fold expand seq sleep jq tac rev exit return break continue set "
    "shopt ulimit printenv nproc"
)
# A failure of theirs says that something is not there, or differs.
LOOKS = LOOKERS | word_set(
    "uniq nc find rg ag fd sed awk less more tree env ps lsof pgrep kill pkill export unset sort"
)
GIT_LOOKS = word_set(
    "diff show log status grep rev-parse ls-files ls-tree ls-remote check-ignore merge-base cat-file config blame "
    "branch remote describe rev-list reflog symbolic-ref show-ref worktree fetch"
)
MOST_PROGRAMS = 20


def end_of_command(call: ToolRun) -> RunEnd:
    """Return how a command line ended, as its exit status tells."""
    if call.ok is None or call.background:
        return RunEnd.OPEN
    if not call.ok:
        return RunEnd.FAILED
    return RunEnd.PASSED if MASKING.isdisjoint(call.command) else RunEnd.MASKED


@lru_cache(maxsize=2048)
def programs_in(command: str) -> tuple[str, ...]:
    """Return the programs of a command line that do more than look, each with its first word: "kubectl apply"."""
    return _names(Flow(command, "/").steps)


def failed_programs(call: ToolRun) -> tuple[str, ...]:
    """Return the programs of a command line that did more than look and surely failed, by its exit status."""
    if call.ok is not False or call.exit_status == 0:
        return ()
    return _failed(call.command, call.exit_status or 1)


@lru_cache(maxsize=512)
def _failed(command: str, status: int) -> tuple[str, ...]:
    flow = Flow(command, "/")
    if not flow.understood or not flow.solve(status, {}):
        return ()
    return _names([step for step in flow.steps if step.ends == {FAILED}])


def printed_a_crash(call: ToolRun) -> bool:
    """Return whether a command printed that a program crashed, was not found, or gave up."""
    return any(sign in text for text in (call.output_head, call.output_tail) for sign in CRASHES)


def printed_warnings(call: ToolRun) -> bool:
    """Return whether a command printed a compiler's warning."""
    return any(sign in text for text in (call.output_head, call.output_tail) for sign in (": warning: ", "\nwarning: "))


@lru_cache(maxsize=2048)
def surely_looks(command: str) -> bool:
    """Return whether it is sure that a command line does nothing but look."""
    flow = Flow(command, "/")
    return flow.understood and not _names(flow.steps) and all(ACTING.isdisjoint(step.argv) for step in flow.steps)


# With these words what looks elsewhere acts.
ACTING = word_set(
    "-delete -exec -execdir -ok -okdir -fprint xargs -x -X -i --in-place -o --output kill pkill branch remote config "
    "worktree symbolic-ref fetch reflog export unset"
)
CRASHES = (
    *("Traceback (most recent call last)", "ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "ThreadSanitizer: data"),
    *(": command not found", "Segmentation fault", "' panicked at ", "BUILD FAILED", "UnhandledPromiseRejection"),
    *("Exception in thread ", "fatal error: ", "FAILURE: Build failed"),
)


def _names(steps: Sequence[ShellStep]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for step in steps:
        name = program(step.argv[0]) if step.argv else ""
        words = step.argv[3:] if step.argv[1:2] in (("-C",), ("-c",)) else step.argv[1:]
        word = next((word for word in words if not word.startswith("-")), "")
        if name and name not in LOOKS and not (name == "git" and word in GIT_LOOKS):
            names[f"{name} {word}".strip()[:100]] = None
    return tuple(names)[:MOST_PROGRAMS]
