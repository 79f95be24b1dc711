"""Ask git how a work tree stands, between the calls of an agent's tools."""

import time
from collections.abc import Callable
from pathlib import Path

import structlog

from mama_bot.model import WorkTreeState
from mama_bot.repositories.git import BARE_REPOSITORY, FILTERS, NOTHING_CONFIGURED, UNREADABLE, Git, GitFailed

log = structlog.get_logger(__name__)

SECONDS = 1.0
LATE_TIMES = 3
REST_SECONDS = 60.0
PLACES = 1_000
NO_COMMIT = "(initial)"
COMMIT = "# branch.oid "


class GitWorkTrees:
    """The `WorkTrees` of git: two short calls, by which nothing that is configured in the repository runs.

    A directory where git failed or was late three times in a row is not asked about for 60 seconds: its calls would all
    wait. What is in submodules does not count; a file that a filter would clean counts as changed once it was touched.
    """

    def __init__(
        self, *, seconds: float = SECONDS, own: Path | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`own` is where this service keeps workspaces: no repository is looked for above it; `now` is in seconds."""
        self._git = Git(seconds=seconds, ceiling=own)
        self._now = now
        self._failures: dict[Path, tuple[int, float]] = {}

    async def state(self, directory: Path) -> WorkTreeState | None:
        """See `WorkTrees.state`."""
        times, last = self._failures.get(directory, (0, 0.0))
        if times >= LATE_TIMES and self._now() - last < REST_SECONDS:
            return None
        try:
            state = await self._state(directory)
        except (GitFailed, OSError, ValueError) as error:
            if directory in self._failures or len(self._failures) < PLACES:
                self._failures[directory] = (times + 1, self._now())
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
            if "not a git repository" in errors or BARE_REPOSITORY in errors:
                return None
            raise GitFailed(directory=directory, command="status", reason=errors.strip()[-300:])
        lines = output.splitlines()
        commit = next((line.removeprefix(COMMIT) for line in lines if line.startswith(COMMIT)), "")
        return WorkTreeState(
            commit="" if commit == NO_COMMIT else commit,
            dirty=any(line and not line.startswith("#") for line in lines),
        )
