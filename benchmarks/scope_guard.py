"""What the scope of a turn costs: its baseline at the beginning and the question at the end, by size of repository.

Run: python -m benchmarks.scope_guard [files]
"""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from mama_bot.config import ScopeGuardSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.scope.stage import ScopeGuard
from mama_bot.model import Delegation, DelegationForm, Draft, TurnId
from mama_bot.repositories.changes import GitChanges
from tests.enforcement.examples import turn

FILES = 100_000
IN_A_DIRECTORY = 100
ROUNDS = 7
UNTRACKED = 5_000
IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.org")


def git(root: Path, *arguments: str) -> None:
    """Run git."""
    subprocess.run(["git", *arguments], cwd=root, check=True, stdout=subprocess.DEVNULL)


def make_repository(root: Path, files: int) -> None:
    """A repository with so many small files, all committed."""
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    for start in range(0, files, IN_A_DIRECTORY):
        directory = root / "src" / f"group{start // 5_000}" / f"part{start // IN_A_DIRECTORY}"
        directory.mkdir(parents=True)
        for number in range(start, min(files, start + IN_A_DIRECTORY)):
            (directory / f"file{number}.py").write_text(f"value = {number}\n" * 5, encoding="utf-8")
    git(root, "add", "-A")
    git(root, *IDENTITY, "commit", "-q", "-m", "first")


async def seconds(work: Callable[[], Awaitable[object]]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


async def measure(root: Path, indexes: Path | None, label: str) -> None:
    """Print the cost of a turn's two snapshots, cold and warm."""
    changes = GitChanges(workspace_of=lambda _: root, indexes=indexes, seconds=300)
    asked = Delegation(
        sender="lead", recipient="developer", task="t", form=DelegationForm.DIRECTIVE, expected_outcome="- src/group0/"
    )
    guard = ScopeGuard(settings=ScopeGuardSettings(), changed_files=changes)
    begins, ends = [], []
    for round_number in range(ROUNDS):
        start = time.perf_counter()
        baseline = await changes.tree(root)
        begins.append(time.perf_counter() - start)
        for number in range(20):
            path = root / "src" / "group0" / f"part{number}" / f"file{number * IN_A_DIRECTORY}.py"
            path.write_text(f"round = {round_number}\n", encoding="utf-8")
        (root / f"new{round_number}.txt").write_text("new\n", encoding="utf-8")
        delegated = replace(turn(delegated=asked), baseline=baseline)
        draft = Draft(turn_id=TurnId("t"), attempt=0, text="`src/group0` holds 20 new lines.")

        async def judged(draft: Draft = draft, delegated: object = delegated) -> object:
            return await guard.judge(Case(draft, delegated))  # type: ignore[arg-type]

        ends.append(await seconds(judged))
    print_line(f"{label}: begin, first", begins[0])
    print_line(f"{label}: begin, warm (median)", statistics.median(begins[1:]))
    print_line(f"{label}: end, 21 files changed (median)", statistics.median(ends))


def print_line(label: str, value: float) -> None:
    """One figure."""
    sys.stdout.write(f"{label:<60} {value * 1000:9.1f} ms\n")


async def main(files: int) -> None:
    """Measure on a fresh repository, clean and with many files that nobody added."""
    with TemporaryDirectory() as scratch:
        root = Path(scratch) / "repository"
        start = time.perf_counter()
        make_repository(root, files)
        print_line(f"(making {files} files)", time.perf_counter() - start)
        await measure(root, None, "throw-away index")
        await measure(root, Path(scratch) / "indexes", "kept index")
        for number in range(UNTRACKED):
            path = root / "data" / f"{number // IN_A_DIRECTORY}" / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{number}\n" * 200, encoding="utf-8")
        await measure(root, None, f"throw-away index, {UNTRACKED} untracked")
        await measure(root, Path(scratch) / "indexes", f"kept index, {UNTRACKED} untracked")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else FILES))
