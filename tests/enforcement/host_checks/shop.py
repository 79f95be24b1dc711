"""A small repository with tests that fail, and the service's side of checks on it."""

import hashlib
import itertools
import os
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from mama_bot.config import WorkspaceCheck
from mama_bot.confinement.plans import Plan
from mama_bot.confinement.processes import end_marked, marked_processes
from mama_bot.enforcement.host_checks import MARK_VARIABLE, HostChecks, Installations, Result, sweep
from mama_bot.redaction import redactor
from mama_bot.repositories import GitChanges
from tests.enforcement.examples import SteppingClock
from tests.enforcement.scope.test_scope_guard import git, write

CODE = "def total(prices):\n    return sum(prices)\n"
BROKEN = "def total(prices):\n    return sum(prices) + 1\n"
TESTS = """\
import unittest
from shop import total

class Totals(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total([1, 2]), 3)
"""
WEAKENED = TESTS.replace("self.assertEqual(total([1, 2]), 3)", "pass")
SUITE = (sys.executable, "-m", "unittest", "discover", "-s", "tests", "-t", ".")


def check(*argv: str, **settings: object) -> WorkspaceCheck:
    return WorkspaceCheck.model_validate({"name": "tests", "argv": argv or SUITE, **settings})


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, "shop.py", BROKEN)
    write(root, "tests/__init__.py", "")
    write(root, "tests/test_shop.py", TESTS)
    write(root, ".gitignore", "__pycache__/\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


class Place:
    """The service's side: where its checks run, and what runs them."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.kept = directory / "checks", directory / "kept"
        self.mark = hashlib.sha256(str(directory).encode()).hexdigest()
        self.numbers = itertools.count()
        self.changes = GitChanges(workspace_of=lambda _: directory, indexes=directory / "indexes")
        self.checks = self.further()

    def further(self, at_once: int = 2) -> HostChecks:
        """Checks of another life of the same service."""
        return HostChecks(
            repositories=self.changes,
            place=self.directory,
            mark=self.mark,
            environment={"PATH": os.environ["PATH"]},
            redact=redactor(["swordfish"]),
            installations=Installations(self.kept),
            plan_of=lambda place: Plan(told=place.whole / "told.json", every_variable=True),
            end_marked=partial(end_marked, term_seconds=0),
            new_id=lambda: f"{self.mark[:8]}-{next(self.numbers)}",
            clock=SteppingClock(),
            at_once=at_once,
        )

    async def run(self, workspace: Path, *checks: WorkspaceCheck, base: str = "") -> Result:
        (first, *_) = await self.checks.run(workspace, checks or (check(),), base=base)
        return first

    async def sweep(self) -> None:
        await sweep(self.directory, self.mark, partial(end_marked, term_seconds=0))

    @property
    def left(self) -> list[str]:
        """What is there of directories and processes."""
        directories = [str(path) for path in self.directory.iterdir()] if self.directory.exists() else []
        return directories + [process.command for process in marked_processes(MARK_VARIABLE, self.mark)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    assert made.left == []


def everything(root: Path) -> dict[str, str]:
    """The bytes of all files of a repository but its objects."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and "objects" not in path.parts)
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
