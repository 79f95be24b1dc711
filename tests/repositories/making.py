"""Repositories, and one whose settings would run a program."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mama_bot.repositories.line_counts import GitLineCounts
from mama_bot.repositories.snapshots import Snapshots
from mama_bot.repositories.work_trees import GitWorkTrees


def git(directory: Path, *arguments: str) -> str:
    named = ("git", "-c", "user.name=t", "-c", "user.email=t@t.invalid", *arguments)
    return subprocess.run(named, cwd=directory, check=True, capture_output=True, text=True).stdout.strip()


def made_repository(directory: Path) -> Path:
    directory.mkdir()
    git(directory, "init", "-q")
    (directory / "a.py").write_text("x\n")
    git(directory, "add", "-A")
    git(directory, "commit", "-q", "-m", "first")
    return directory


def work_trees(place: Path, *, own: Path | None = None, **options: Any) -> GitWorkTrees:
    return GitWorkTrees(snapshots=Snapshots(indexes=place / "indexes", own=own), **options)


def line_counts(place: Path, **options: Any) -> GitLineCounts:
    return GitLineCounts(snapshots=Snapshots(indexes=place / "indexes"), **options)


@contextmanager
def run_nothing_configured(repository: Path, place: Path) -> Iterator[None]:
    """Configure all that git could run in a repository; none of it may have run when the block ends."""
    ran = place / "ran"
    command = place / "command"
    command.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    command.chmod(0o755)
    for name in ("filter.odd.clean", "filter.odd.process", "core.fsmonitor", "core.pager", "diff.external"):
        git(repository, "config", name, str(command))
    (repository / ".gitattributes").write_text("*.py filter=odd\n")
    hook = repository / ".git" / "hooks" / "post-index-change"
    hook.write_text(command.read_text())
    hook.chmod(0o755)
    yield
    assert not ran.exists()
