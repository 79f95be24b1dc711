"""What a sender hears of its delegations beside their replies: reviews, and what became of their work trees."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from mama_bot.model import BroughtHow, Exchange, ToolRun, TurnId, WorkBrought, WorkTreeState
from mama_bot.turns.schedule import ReportResults

MOST_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardOutcomes:
    """Lines below the replies, by the last turn of each delegation; and of the work trees whose files were brought into
    another one, where each was and where its files are.
    """

    lines: Mapping[TurnId, Sequence[str]] = field(default_factory=lambda: MappingProxyType({}))
    moved: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def calls(self, calls: Sequence[ToolRun]) -> tuple[ToolRun, ...]:
        """Return calls as if they had been made where their files are now."""
        return tuple(map(self._moved, calls)) if self.moved else tuple(calls)

    def _moved(self, call: ToolRun) -> ToolRun:
        return replace(
            call,
            working_directory=self._place(call.working_directory),
            before=self._state(call.before),
            after=self._state(call.after),
        )

    def _state(self, state: WorkTreeState | None) -> WorkTreeState | None:
        return None if state is None else replace(state, root=self._place(state.root))

    def _place(self, path: str) -> str:
        for before, after in self.moved.items():  # a delegate's own delegates come first
            if path == before or path.startswith(f"{before}/"):
                path = after + path.removeprefix(before)
        return path


Hearing = Callable[[ReportResults, Exchange], Awaitable[HeardOutcomes]]
"""Brings the work of settled delegations to their sender, and returns what that is told of them."""


def brought_line(outcome: WorkBrought) -> str:
    """Return what became of the work of a delegation, as its sender is told; "" where there was none."""
    beside = f"[WORK TREE] Its other branches and its stash are kept as branches: {_named(outcome.beside)}."
    gone = f"[WORK TREE] Files that git ignores went with its work tree, and are nowhere: {_named(outcome.ignored)}."
    parts = (_work_line(outcome), beside if outcome.beside else "", gone if outcome.ignored else "")
    return " ".join(filter(None, parts))


def _work_line(outcome: WorkBrought) -> str:
    files, branch = _named(outcome.files), outcome.branch
    match outcome.how:
        case BroughtHow.UNCHANGED:
            return ""
        case BroughtHow.MERGED:
            commits = f", with {outcome.commits} of its commits" if outcome.commits else ""
            kept = f" Its commits did not fit on yours: they are on the branch {branch}." if branch else ""
            if not outcome.files and not (commits or kept):
                return ""
            return f"[WORK TREE] What it changed is in your work tree now{commits}: {files or 'no file differs'}.{kept}"
        case BroughtHow.BRANCH:
            return (
                f"[WORK TREE] Its work is on the branch {branch}, and not in your work tree: {files}. "
                f"`git diff HEAD...{branch}` shows it, `git merge {branch}` takes it over."
            )
        case BroughtHow.CONFLICT:
            return (
                f"[WORK TREE] CONFLICT: nothing of its work is in your work tree, where others changed the same places "
                f"since it began: {files}. All of its work is on the branch {branch}. Look at it "
                f"(`git diff HEAD...{branch}`), and take over what is right, or ask for it anew. It is not done before."
            )
        case BroughtHow.LEFT:
            return (
                f"[WORK TREE] What it had changed is not in your work tree, but on the branch {branch}: {files}. "
                f"`git diff HEAD...{branch}` shows it."
            )
        case BroughtHow.STAYS:
            return (
                "[WORK TREE] What it changed could not be brought over: it stays where it was made, below the "
                f"service's data directory: {files}. A person is told where that is."
            )
        case BroughtHow.LOST:
            return (
                f"[WORK TREE] Its work tree is not there any more ({files}): what it changed there is lost, and "
                "nothing of it is in yours. A person is told. Ask for it anew where it is needed."
            )


def _named(files: Sequence[str]) -> str:
    more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
    return ", ".join(files[:MOST_NAMED]) + more
