"""How a commit or a merge ended, as the branch itself shows where the service looked before and after its call."""

from mama_bot.model import Run, RunEnd, RunKind, ToolRun
from mama_bot.shell.flow import Flow
from mama_bot.shell.tokens import word_set
from mama_bot.shell.wrappers import program

MOVED_BY_GIT = {RunKind.COMMIT: "git commit", RunKind.MERGE: "git merge"}
BACK = ("HEAD~", "HEAD^", "HEAD@", "ORIG_HEAD", "@~", "@^")
# After these another branch may be checked out than before.
SWITCHING = word_set("checkout switch worktree symbolic-ref pull rebase")


def end_of_deed(run: Run, call: ToolRun) -> RunEnd:
    """Return how a deed ended: a commit or a merge that left its branch where it was did nothing.

    What went elsewhere, and what stands on a branch that was left in the same call, its own words tell.
    """
    if run.end is not RunEnd.PASSED or MOVED_BY_GIT.get(run.kind) != run.tool or run.directory.startswith(("/", "../")):
        return run.end
    before, after = call.before, call.after
    if before is None or after is None or not before.commit or before.root != after.root:
        return run.end
    # A commit that git named is looked up by its id; a merge into the index alone moves no branch.
    is_told = run.kind is RunKind.COMMIT and run.target != ""
    if is_told or before.commit != after.commit or "--squash" in run.command:
        return run.end
    return RunEnd.PASSED if _switches(call.command) and not _goes_back(call.command) else RunEnd.NOTHING


def target_of_deed(run: Run, call: ToolRun) -> str:
    """Return what a deed acted on: of a commit that git did not name, the one that its call left behind."""
    before, after = call.before, call.after
    quiet = run.kind is RunKind.COMMIT and not run.target and not run.directory.startswith(("/", "../"))
    if not quiet or run.end is not RunEnd.PASSED or before is None or after is None or before.root != after.root:
        return run.target
    return after.commit if after.commit != before.commit and not _switches(call.command) else ""


def _goes_back(command: str) -> bool:
    """Return whether a command line takes its branch back to an earlier commit: `git reset --hard HEAD~1`."""
    steps = [step.argv for step in Flow(command, "").steps if step.argv and program(step.argv[0]) == "git"]
    return any("reset" in argv and any(word.startswith(BACK) for word in argv) for argv in steps)


def _switches(command: str) -> bool:
    flow = Flow(command, "")
    if not flow.understood:
        return True
    return any(
        step.argv and program(step.argv[0]) == "git" and not SWITCHING.isdisjoint(step.argv[1:]) for step in flow.steps
    )
