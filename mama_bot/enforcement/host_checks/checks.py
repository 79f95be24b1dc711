"""Run the checks of a workspace: few at a time, each in a clean work tree, its passes remembered by tree."""

import asyncio
import os
import shlex
import shutil
import stat
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import structlog

from mama_bot.config import CheckInstall, CheckOf, WorkspaceCheck
from mama_bot.confinement.plans import Plan
from mama_bot.enforcement.host_checks.installations import Installations, link_packages, missing_of
from mama_bot.enforcement.host_checks.layout import Composed, Layout, matching, meant_paths, protected
from mama_bot.enforcement.host_checks.process import FinishedCommand, run_argv
from mama_bot.enforcement.host_checks.results import CheckEnding, CheckNotRun, CheckPlace, Result
from mama_bot.model import CheckSeen
from mama_bot.protocols import Clock
from mama_bot.recent import Recent
from mama_bot.repositories.changes import Trees
from mama_bot.repositories.git import GitFailed
from mama_bot.text.patterns import compiled
from mama_bot.wording import printable

log = structlog.get_logger(__name__)

MARK_VARIABLE = "MAMA_BOT_CHECK_MARK"
RUN_VARIABLE = "MAMA_BOT_CHECK_RUN"
AT_ONCE = 2
MOST_KEPT = 256
GIT_SECONDS = 60.0
OUTPUT_CHARACTERS = 4_000
PRIVATE = 0o700
TERMINAL = compiled(
    r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\)|\x1b[=>()][A-Z0-9]?", groups=False
)


Tell = Callable[[CheckSeen], Awaitable[None]]


async def nobody(_seen: CheckSeen) -> None:
    """Tell nobody of a check."""


class Repositories(Protocol):
    """Knows the git trees of a workspace."""

    async def trees(self, workspace: Path) -> Trees | None:
        """Return the trees as they are now; None without a repository. Raises GitFailed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What a run of checks is about: where, the trees there, what `from_base` means, and who is told of each step."""

    workspace: Path
    trees: Trees
    base: str
    tell: Tell

    @property
    def below(self) -> str:
        """Where the workspace is in its repository; "" when it is all of it."""
        below = self.workspace.resolve().relative_to(self.trees.root.resolve()).as_posix()
        return "" if below == "." else below


@dataclass(frozen=True, slots=True, kw_only=True)
class _CheckedTree:
    """The tree that a check is of, the one before (`before`), and where the workspace is in it."""

    layout: Layout
    composed: Composed
    before: str
    below: str
    tell: Tell


class HostChecks:
    """Runs checks below `place`, a private directory; `at_once` at a time, whoever asks.

    A check sees `environment` (PATH and the like) and its own, nothing else of this process. A pass is known again for
    the same tree and the same check, of the last 256; a failure is not, for what is outside of the tree may be mended.
    `plan_of` says what a check reaches of the machine, and how much it may take; `installations` keeps their packages.
    `end_marked(variable, value)` ends every process that was started with this variable.
    """

    def __init__(
        self,
        *,
        repositories: Repositories,
        place: Path,
        mark: str,
        environment: Mapping[str, str],
        redact: Callable[[str], str],
        plan_of: Callable[[CheckPlace], Plan],
        installations: Installations,
        end_marked: Callable[[str, str], Awaitable[object]],
        new_id: Callable[[], str],
        clock: Clock,
        at_once: int = AT_ONCE,
    ) -> None:
        self._repositories = repositories
        self._place = place
        self._mark = mark
        self._environment = environment
        self._redact = redact
        self._plan_of = plan_of
        self._installations = installations
        self._end_marked = end_marked
        self._new_id = new_id
        self._clock = clock
        self._slots = asyncio.Semaphore(at_once)
        self._known: Recent[tuple[str, str], Result] = Recent(MOST_KEPT)
        self._looked_at: Recent[tuple[str, str], None] = Recent(MOST_KEPT)

    async def run(
        self, workspace: Path, checks: Sequence[WorkspaceCheck], *, base: str, tell: Tell = nobody
    ) -> tuple[Result, ...]:
        """Run the checks and return their results in order; `base` is the tree of `from_base`, "" for the commit's.

        `tell` hears of each command as it begins and ends; of what is known already there is none.
        Raises CheckNotRun where a check could not be carried out and none failed.
        """
        try:
            trees = await self._repositories.trees(workspace)
        except GitFailed as error:
            raise CheckNotRun(check=checks[0].name, reason=str(error)) from error
        if trees is None:
            reason = f"{workspace} belongs to no git repository; run `git init` there, or remove the checks"
            raise CheckNotRun(check=checks[0].name, reason=reason)
        async with asyncio.TaskGroup() as group:
            asked = _Asked(workspace=workspace, trees=trees, base=base, tell=tell)
            tasks = [group.create_task(self._outcome(check, asked)) for check in checks]
        outcomes = [task.result() for task in tasks]
        results = tuple(outcome for outcome in outcomes if isinstance(outcome, Result))
        broken = next((outcome for outcome in outcomes if isinstance(outcome, CheckNotRun)), None)
        if broken is not None and all(result.ended is CheckEnding.PASSED for result in results):
            raise broken
        return results

    async def _outcome(self, check: WorkspaceCheck, asked: _Asked) -> Result | CheckNotRun:
        """Return the result, or why there is none: a check that cannot run must not hide that another fails."""
        async with self._slots:
            try:
                async with self._own_place() as place:
                    result = await self._result(check, asked, place)
            except CheckNotRun as error:
                return error
            except (GitFailed, OSError) as error:
                return CheckNotRun(check=check.name, reason=str(error))
        log.info("workspace_check", check=check.name, ended=result.ended.value, cached=result.cached, tree=result.tree)
        return result

    @asynccontextmanager
    async def _own_place(self) -> AsyncIterator[Path]:
        place = self._place / self._new_id()
        try:
            _make(place)
            yield place
        finally:
            await asyncio.to_thread(remove_directory, place)

    async def _result(self, check: WorkspaceCheck, asked: _Asked, place: Path) -> Result:
        trees = asked.trees
        tree = trees.committed if check.of is CheckOf.COMMIT else trees.on_disk
        if not tree:
            return Result(check=check, ended=CheckEnding.NO_COMMIT)
        below = await asyncio.to_thread(lambda: asked.below)
        layout = Layout(place=place, objects=trees.objects, seconds=GIT_SECONDS)
        names = protected(check.from_base, below) if check.from_base else None
        before = asked.base or trees.committed
        composed = await layout.compose(tree, base=before, names=names)
        await self._warn(asked.workspace, check, layout, below, (before, tree))
        key = (composed.tree, f"{below}\0{check.model_dump_json()}")
        if known := self._known.get(key):
            self._known.move_to_end(key)
            return replace(known, cached=True, restored=composed.restored)
        root = await layout.lay_out()
        within = CheckPlace(workspace=asked.workspace, program=check.argv[0], whole=place, root=root)
        checked = _CheckedTree(layout=layout, composed=composed, before=before, below=below, tell=asked.tell)
        if check.install is None:
            result = await self._carried_out(check, checked, within)
        else:
            result = await self._with_packages(check, check.install, checked, within)
        if result.ended is CheckEnding.PASSED:
            self._known[key] = result
        return result

    async def _with_packages(
        self, check: WorkspaceCheck, install: CheckInstall, of: _CheckedTree, place: CheckPlace
    ) -> Result:
        """Carry a check out with what it needs; raises CheckNotRun where that fails through no fault of the agent."""
        below, layout = of.below, of.layout
        files = meant_paths(install.files, below, await layout.paths(of.composed.tree))

        async def installed(tree: Path) -> Result | None:
            await asyncio.to_thread((tree / below / check.directory).mkdir, parents=True, exist_ok=True)
            asked = check.model_copy(update={"argv": install.argv, "timeout_seconds": install.timeout_seconds})
            async with self._own_place() as own:
                within = replace(place, program=install.argv[0], whole=own, root=tree)
                result = await self._carried_out(asked, of, within)
            if result.ended is not CheckEnding.PASSED:
                return result
            lacks = missing_of(install, tree, below)
            return replace(result, output=f"{result.output}\n{lacks} was not made") if lacks else None

        async with self._installations.provided(check, place.root, files, installed) as provided:
            if isinstance(provided, Path):
                await asyncio.to_thread(link_packages, install, tree=provided, root=place.root, below=below)
                return await self._carried_out(check, of, replace(place, packages=provided))
        if not meant_paths(install.files, below, await layout.changed(of.before, of.composed.tree)):
            last = (provided.output.strip().splitlines() or ["no output"])[-1]
            reason = f"what it needs could not be installed: `{shlex.join(install.argv)}` ended with {last!r}"
            raise CheckNotRun(check=check.name, reason=reason)
        return replace(provided, check=check, ended=CheckEnding.NOT_INSTALLED)

    async def _warn(
        self, workspace: Path, check: WorkspaceCheck, layout: Layout, below: str, trees: tuple[str, str]
    ) -> None:
        """Warn, once, of the names of `from_base` that mean no file at all: whoever wrote them meant one."""
        key = (str(workspace), check.model_dump_json())
        if not check.from_base or key in self._looked_at:
            return
        self._looked_at[key] = None
        known = await asyncio.to_thread(matching, check.from_base, below, await layout.paths(*trees))
        unknown = [name for name in check.from_base if name not in known]
        if unknown:
            log.warning("check_names_no_file", check=check.name, from_base=unknown, workspace=str(workspace))

    async def _carried_out(self, check: WorkspaceCheck, of: _CheckedTree, place: CheckPlace) -> Result:
        tree, restored = of.composed.tree, of.composed.restored
        unrun = Result(check=check, ended=CheckEnding.NO_DIRECTORY, tree=tree, restored=restored)
        directory = await asyncio.to_thread(_inside, place.root, place.root / of.below / check.directory)
        if directory is None:
            return unrun
        mark = self._new_id()
        home, temporary = place.own
        own = {"HOME": home, "TMPDIR": temporary, "GIT_CEILING_DIRECTORIES": place.whole}
        for made in place.own:
            made.mkdir(mode=PRIVATE)
        plan = await asyncio.to_thread(self._plan_of, place)
        defaults = {"LANG": "C.UTF-8", "PATH": os.defpath}
        environment = defaults | dict(self._environment) | {name: str(value) for name, value in own.items()}
        environment |= dict(check.environment) | {MARK_VARIABLE: self._mark, RUN_VARIABLE: mark}
        started = self._clock.monotonic()
        command = self._redact(shlex.join(check.argv))
        seen = CheckSeen(id=mark, name=check.name, command=command, started_at=self._clock.now())
        await of.tell(seen)
        try:
            done = await run_argv(
                check.argv,
                directory=directory,
                environment=environment,
                seconds=check.timeout_seconds,
                plan=plan,
                plan_file=place.whole / "plan.json",
                end_strays=lambda: self._end_marked(RUN_VARIABLE, mark),
            )
        except OSError as error:
            await of.tell(replace(seen, ended_at=self._clock.now(), ok=False))
            if _is_in_tree(check.argv[0]):
                return replace(unrun, ended=CheckEnding.NO_PROGRAM)
            raise OSError(f"{check.argv[0]} cannot be started ({error.strerror or error})") from error
        except asyncio.CancelledError:  # the time of the stage is up, or the turn was stopped: it runs no more
            await of.tell(replace(seen, ended_at=self._clock.now(), ok=False))
            raise
        ended = _ending(done)
        ok = ended is CheckEnding.PASSED
        await of.tell(replace(seen, ended_at=self._clock.now(), ok=ok, exit_status=done.exit_status))
        return replace(
            unrun,
            ended=ended,
            exit_status=done.exit_status,
            seconds=self._clock.monotonic() - started,
            output=self._redact(without_terminal_signs(done.output))[-OUTPUT_CHARACTERS:],
            output_sha256=done.output_sha256,
            excess=done.excess,
        )


def _inside(root: Path, directory: Path) -> Path | None:
    """Return a directory resolved; None when there is none, or a link leads out of the tree."""
    real = directory.resolve()
    return real if real.is_relative_to(root.resolve()) and real.is_dir() else None


def without_terminal_signs(output: str) -> str:
    """Return an output without colours, cursor movements and other signs that a terminal would obey."""
    text = TERMINAL.sub("", output).replace("\r\n", "\n").replace("\r", "\n")
    return printable(text, keep="\n\t")


def _is_in_tree(program: str) -> bool:
    return "/" in program and not Path(program).is_absolute()


def _ending(done: FinishedCommand) -> CheckEnding:
    if done.excess is not None:
        return CheckEnding.OUTGREW
    if done.exit_status is None:
        return CheckEnding.LATE
    if done.exit_status < 0:
        return CheckEnding.KILLED
    return CheckEnding.FAILED if done.exit_status else CheckEnding.PASSED


def _make(place: Path) -> None:
    """Make a directory that nobody else can read, inside one of ours; not in a thread, which would outlive us."""
    place.parent.mkdir(mode=PRIVATE, exist_ok=True)
    above = place.parent.lstat()
    if not stat.S_ISDIR(above.st_mode) or above.st_uid != os.getuid():
        raise OSError(f"{place.parent} is no directory of this user; remove it")
    place.mkdir(mode=PRIVATE)


async def sweep(place: Path, mark: str, end_marked: Callable[[str, str], Awaitable[object]]) -> None:
    """End what checks of this service left running, and remove their directories."""
    await end_marked(MARK_VARIABLE, mark)
    await asyncio.to_thread(remove_directory, place)


def remove_directory(directory: Path) -> None:
    """Remove a directory with all in it, even where a check revoked its own permissions; logs what stays."""
    if not directory.is_symlink():
        shutil.rmtree(directory, ignore_errors=True)
        if directory.exists():
            for root, names, _ in os.walk(_opened(directory)):
                for name in names:
                    if not (Path(root) / name).is_symlink():
                        _opened(Path(root) / name)
            shutil.rmtree(directory, ignore_errors=True)
    if directory.is_symlink() or directory.exists():
        log.warning("check_directory_stays", directory=str(directory))


def _opened(directory: Path) -> Path:
    try:
        directory.chmod(PRIVATE)
    except OSError as error:
        log.warning("check_directory_closed", directory=str(directory), reason=str(error))
    return directory
