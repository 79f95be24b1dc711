"""Repositories of people, and conversations that work in them."""

import itertools
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mama_bot.checkouts import Checkouts
from mama_bot.checkouts.own_git import OwnGit
from mama_bot.checkouts.supply import SetUp
from mama_bot.config import RepositorySettings, WorkTreeSettings
from mama_bot.model import ConversationKey, MissingContents, Platform
from mama_bot.protocols import CheckoutRecords, Clock
from mama_bot.testing.memory_checkouts import MemoryCheckoutRecords
from tests.agents.conftest import SystemClock
from tests.end_to_end.evidence import git

TellMissing = Callable[[ConversationKey, str, MissingContents], Awaitable[None]]
ONE, TWO = (ConversationKey(Platform("slack"), "C1", thread) for thread in ("1", "2"))


def make_source(directory: Path) -> Path:
    """A repository with two commits on `main`, and a further branch and a tag."""
    source = directory / "source"
    source.mkdir(parents=True)
    git(source, "init", "-q", "-b", "main")
    (source / "greeting").write_text("hello\n")
    (source / ".gitignore").write_text("ignored\n")
    git(source, "add", "-A")
    git(source, "commit", "-qm", "Begin")
    git(source, "branch", "other")
    git(source, "tag", "v1")
    return source


@dataclass
class Life:
    """A service's work trees over several lives: what is stored stays."""

    directory: Path
    source: Path
    records: CheckoutRecords = field(default_factory=MemoryCheckoutRecords)
    numbers: Iterator[int] = field(default_factory=itertools.count)
    settings: WorkTreeSettings = field(default_factory=WorkTreeSettings)
    clock: Clock = field(default_factory=SystemClock)

    def begun(
        self,
        *,
        set_up: SetUp | None = None,
        branch: str = "",
        default: str = "app",
        git_: OwnGit | None = None,
        tell_missing: TellMissing | None = None,
        tell_wait: Callable[[ConversationKey, str, float], Awaitable[None]] | None = None,
        told_seconds: float = 4.0,
    ) -> Checkouts:
        """The work trees as a service that starts has them."""
        return Checkouts(
            directory=self.directory / "data",
            repositories={"app": RepositorySettings(source=str(self.source), branch=branch)},
            settings=self.settings,
            records=self.records,
            clock=self.clock,
            new_id=lambda: f"{next(self.numbers):04}",
            default=default,
            set_up=set_up,
            git=git_,
            tell_missing=tell_missing,
            tell_wait=tell_wait,
            told_seconds=told_seconds,
            room=lambda directory: True,  # however full the disk of whoever runs the tests is
        )


def files(tree: Path) -> dict[str, bytes]:
    """What lies in a work tree, but what git keeps and what it ignores."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=tree,
        check=True,
        capture_output=True,
    ).stdout
    names = sorted({name for name in listed.decode().split("\0") if name and (tree / name).exists()})
    return {name: (tree / name).read_bytes() for name in names}
