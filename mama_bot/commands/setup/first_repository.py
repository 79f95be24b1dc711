"""The first repository: asked for, fetched, looked at, and its checks run once."""

import asyncio
import itertools
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mama_bot.app.configuration import Configuration
from mama_bot.app.host_checks import host_checks
from mama_bot.app.system_clock import SystemClock
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.repository_store import RepositoryStore
from mama_bot.checkouts.work_tree import make_work_tree
from mama_bot.commands.setup import sentences as words
from mama_bot.commands.setup.likely_checks import likely_checks
from mama_bot.config import RepositorySettings, WorkspaceCheck, is_url, load_settings, problems_of_source
from mama_bot.enforcement.host_checks import CheckEnding, CheckNotRun, Result
from mama_bot.repositories.changes import GitChanges
from mama_bot.wording import Said

FETCH_SECONDS = 300.0
TOLD_LINES = 5
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRepository:
    """A repository that a person named, as it will stand in the configuration; `left` are checks that are not taken."""

    name: str
    settings: RepositorySettings
    left: tuple[str, ...] = ()

    def as_settings(self) -> Mapping[str, object]:
        """Return what is written: nothing that is as it would be without."""
        return self.settings.model_dump(mode="json", exclude_defaults=True)


class FirstRepositories:
    """Asks for a repository and looks at it; `say` tells the person, `agrees` asks them."""

    def __init__(
        self,
        *,
        file: Path,
        environment: Mapping[str, str],
        say: Callable[..., None],
        agrees: Callable[..., bool],
    ) -> None:
        self._file = file
        self._environment = environment
        self._say = say
        self._agrees = agrees

    def problem(self, source: str) -> str:
        """Return what is wrong about a source by its words and the disk; "" for nothing."""
        settings = RepositorySettings(source=source)
        for _, problem in problems_of_source(settings):
            return problem
        if is_url(source):
            return ""
        path = Path(source).expanduser()
        if not path.is_dir():
            return f"there is no directory {path}."
        if not ((path / ".git").exists() or (path / "HEAD").is_file()):
            return f"{path} is no git repository."
        return ""

    def looked_at(self, source: str) -> FirstRepository:
        """Return the repository with the checks that the person takes; raises MamaBotError where it is out of reach."""
        if not is_url(source):
            source = str(Path(source).expanduser().resolve())
        settings = RepositorySettings(source=source)
        name = repository_name(source)
        self._say(words.FETCHING, source=source)
        with tempfile.TemporaryDirectory(prefix="mama-bot-init-") as scratch:
            tree = Path(scratch) / name
            asyncio.run(_fetched(name, settings, tree))
            likely = likely_checks(tree)
            checks = [check for check in likely if self._takes(check, tree, Path(scratch) / "packages")]
        left = tuple(check.name for check in likely if check not in checks)
        settings = settings.model_copy(update={"checks": tuple(checks)})
        return FirstRepository(name=name, settings=settings, left=left)

    def _takes(self, check: WorkspaceCheck, tree: Path, packages: Path) -> bool:
        if check.install is not None:
            self._say(words.INSTALLING, name=check.name, command=check.install.argv[-1])
        self._say(words.RUNNING_CHECK, name=check.name, command=" ".join(check.argv))
        outcome = asyncio.run(self._run(check, tree, packages))
        if isinstance(outcome, CheckNotRun):
            self._say(words.CHECK_NOT_RUN, name=check.name, reason=str(outcome))
            return self._agrees(words.TAKE_CHECK, otherwise=False, name=check.name, answers="y/N")
        passed = outcome.ended is CheckEnding.PASSED
        ended: Said = words.CHECK_PASSED if passed else words.CHECK_FAILED
        lines = outcome.output.strip().splitlines()[-TOLD_LINES:]
        self._say(ended, name=check.name, seconds=f"{outcome.seconds:.1f}", ended=outcome.ended.value)
        if not passed:
            self._say(words.CHECK_OUTPUT, output="\n".join(f"        {line}" for line in lines))
        answers = "Y/n" if passed else "y/N"
        return self._agrees(words.TAKE_CHECK, otherwise=passed, name=check.name, answers=answers)

    async def _run(self, check: WorkspaceCheck, tree: Path, packages: Path) -> Result | CheckNotRun:
        settings = load_settings(None, environment={})
        settings = settings.model_copy(update={"data_directory": self._file.absolute().parent / "data"})
        configuration = Configuration(
            settings=settings,
            personas={},
            environment=self._environment,
            home=Path(self._environment.get("HOME") or "/nonexistent"),
            secrets_file=self._file.absolute().parent / "secrets.env",
        )
        changes = GitChanges(workspace_of=lambda _: tree)
        # Nobody has worked here: what `from_base` takes from before is what is there.
        checks = host_checks(configuration, changes, SystemClock(), installations=packages)
        try:
            (result,) = await checks.run(tree, [check], base="")
        except CheckNotRun as error:
            return error
        return result


def named_beside(there: Mapping[str, RepositorySettings], new: FirstRepository | None) -> FirstRepository | None:
    """Return a repository under a name that no other has; None where its source is there already."""
    if new is None or any(known.source == new.settings.source for known in there.values()):
        return None
    names = itertools.chain((new.name,), (f"{new.name}-{number}" for number in itertools.count(2)))
    return replace(new, name=next(name for name in names if name not in there))


def repository_name(source: str) -> str:
    """Return a name for a repository by where it comes from."""
    last = re.split(r"[/:]", source.rstrip("/"))[-1].removesuffix(".git")
    name = _UNFIT.sub("-", last).strip("-_")[:40]
    return name if name and name not in ("own", "team", "scratch", "default") else "app"


async def _fetched(name: str, settings: RepositorySettings, tree: Path) -> None:
    clock = SystemClock()
    directory = tree.parent / "store.git"
    git = OwnGit(tree.parent / "gitconfig")
    store = RepositoryStore(
        name=name, settings=settings, directory=directory, git=git, seconds=FETCH_SECONDS, now=clock.monotonic
    )
    base = await store.base()
    await make_work_tree(git, store, tree, base)
