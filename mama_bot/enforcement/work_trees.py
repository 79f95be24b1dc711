"""How a work tree stands, asked of git between the calls of an agent's tools."""

from pathlib import Path

import structlog

from mama_bot.enforcement.git import FILTERS, NOTHING_CONFIGURED, UNREADABLE, Git, GitFailed
from mama_bot.model import WorkTreeState

log = structlog.get_logger(__name__)

SECONDS = 1.0
LATE_TIMES = 3
PLACES = 1_000
NO_COMMIT = "(initial)"
COMMIT = "# branch.oid "


class GitWorkTrees:
    """The `WorkTrees` of git: two short calls, nothing that is configured in the repository runs.

    A directory where git failed or was late three times in a row is not asked about again: its calls would all wait.
    What is in submodules does not count; a file that a filter would clean counts as changed once it was touched.
    """

    def __init__(self, *, seconds: float = SECONDS, own: Path | None = None) -> None:
        """`own` is where this service keeps workspaces: no repository is looked for above it."""
        self._git = Git(seconds=seconds, ceiling=own)
        self._failures: dict[Path, int] = {}

    async def state(self, directory: Path) -> WorkTreeState | None:
        """See `WorkTrees.state`."""
        if self._failures.get(directory, 0) >= LATE_TIMES:
            return None
        try:
            state = await self._state(directory)
        except (GitFailed, OSError, ValueError) as error:
            if len(self._failures) < PLACES:
                self._failures[directory] = self._failures.get(directory, 0) + 1
            log.info("work_tree_unknown", directory=str(directory), reason=str(error))
            return None
        self._failures.pop(directory, None)
        return state

    async def _state(self, directory: Path) -> WorkTreeState | None:
        asked = ("config", "--null", "--name-only", "--get-regexp", FILTERS)
        status, output, errors = await self._git.run(directory, *asked)
        if status not in (0, NOTHING_CONFIGURED) or UNREADABLE in output:
            raise GitFailed(directory=directory, command="config", reason=errors.strip()[-300:] or "unreadable filters")
        filters = tuple(dict.fromkeys(name for name in output.split("\x00") if name))
        asked = ("status", "--porcelain=v2", "--branch", "--no-renames", "--untracked-files=normal")
        status, output, errors = await self._git.run(directory, *asked, "--ignore-submodules=dirty", filters=filters)
        if status != 0:
            if "not a git repository" in errors:
                return None
            raise GitFailed(directory=directory, command="status", reason=errors.strip()[-300:])
        lines = output.splitlines()
        commit = next((line.removeprefix(COMMIT) for line in lines if line.startswith(COMMIT)), "")
        return WorkTreeState(
            commit="" if commit == NO_COMMIT else commit,
            dirty=any(line and not line.startswith("#") for line in lines),
        )
