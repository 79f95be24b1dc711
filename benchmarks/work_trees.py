"""What a conversation costs in a large repository: time and disk of its work tree, with a spare and without.

python -m benchmarks.work_trees --files 100000 --conversations 20 --at-once 20
"""

import argparse
import asyncio
import itertools
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mama_bot.app.system_clock import SystemClock
from mama_bot.checkouts import Checkouts
from mama_bot.config import RepositoryMode, RepositorySettings, WorkTreeSettings
from mama_bot.model import ConversationKey, Platform
from mama_bot.testing.memory_checkouts import MemoryCheckoutRecords

FILES_IN_A_DIRECTORY = 100


def make_source(directory: Path, files: int) -> None:
    """Make a repository of so many small files in one commit, without writing them to the disk."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(directory)], check=True)
    lines = ["commit refs/heads/main", "committer bench <bench@localhost> 1700000000 +0000", "data 5", "Begin"]
    for number in range(files):
        text = f"file {number}\n" * 20
        place = f"d{number // 10_000}/e{number // FILES_IN_A_DIRECTORY}/f{number}.txt"
        lines += [f"M 100644 inline {place}", f"data {len(text)}", text]
    given = "\n".join(lines).encode()
    subprocess.run(["git", "fast-import", "--quiet"], cwd=directory, input=given, check=True)


def megabytes(path: Path) -> float:
    """Return the disk that a directory takes."""
    told = subprocess.run(["du", "-sk", str(path)], check=True, capture_output=True, text=True).stdout
    return int(told.split()[0]) / 1024


async def measured(directory: Path, files: int, conversations: int, at_once: int) -> None:
    """Print what each step took."""
    source = directory / "source.git"
    make_source(source, files)
    in_place = directory / "in_place"
    subprocess.run(["git", "clone", "-q", "--shared", str(source), str(in_place)], check=True)
    numbers, records = itertools.count(), MemoryCheckoutRecords()
    checkouts = Checkouts(
        directory=directory / "data",
        repositories={
            "app": RepositorySettings(source=str(source)),
            "here": RepositorySettings(source=str(in_place), mode=RepositoryMode.IN_PLACE),
        },
        settings=WorkTreeSettings(),
        records=records,
        clock=SystemClock(),
        new_id=lambda: f"{next(numbers):04}",
    )

    async def timed(what: str, work: object) -> None:
        began = time.monotonic()
        await work  # type: ignore[misc]
        sys.stdout.write(f"{what:<44}{time.monotonic() - began:8.2f} s\n")
        sys.stdout.flush()

    def key(number: int) -> ConversationKey:
        return ConversationKey(Platform("bench"), "C", str(number))

    await timed("clone and two spares", checkouts.supply.refill())
    await timed("conversation, with the spare", checkouts.prepare(key(0), "app"))
    await timed("next spare", checkouts.supply.refill())
    await timed("conversation, with the spare", checkouts.prepare(key(1), "app"))
    await timed("conversation, with the second spare", checkouts.prepare(key(2), "app"))
    await timed("the same again", checkouts.prepare(key(2), "app"))
    for number in range(3, conversations):
        await checkouts.supply.refill()
        await timed(f"conversation {number}, with the spare", checkouts.prepare(key(number), "app"))
    await checkouts.supply.refill()
    async with asyncio.TaskGroup() as group:
        for number, place in ((conversations, "app"), (conversations + 1, "app"), (conversations + 2, "here")):
            what = "in place" if place == "here" else "with the spares"
            group.create_task(timed(f"at once with two others, {what}", checkouts.prepare(key(number), place)))
    await checkouts.supply.refill()
    async with asyncio.TaskGroup() as group:
        for number in range(1_000, 1_000 + at_once):
            group.create_task(timed(f"one of {at_once} at once", checkouts.prepare(key(number), "app")))
    if at_once:
        await timed(f"spares after a burst of {at_once}", checkouts.supply.refill())
        async with asyncio.TaskGroup() as group:
            for number in range(2_000, 2_000 + at_once):
                group.create_task(timed(f"one of {at_once} in the next burst", checkouts.prepare(key(number), "app")))
    trees = sorted((directory / "data" / "work_trees").iterdir())
    sys.stdout.write(f"store                {megabytes(directory / 'data' / 'repositories'):10.1f} MB\n")
    sys.stdout.write(f"work trees           {megabytes(directory / 'data' / 'work_trees'):10.1f} MB in {len(trees)}\n")
    sys.stdout.write(f"of each, .git        {megabytes(trees[0] / 'app' / '.git'):10.1f} MB\n")
    (checkout,) = await records.of_conversation(key(0))
    (checkouts.place_of(checkout) / "new").write_text("work")
    await timed("put away", checkouts.put_away(checkout))
    await timed("restored", checkouts.prepare(key(0), "app"))


def main() -> None:
    """Measure in a temporary directory, which goes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--conversations", type=int, default=4)
    parser.add_argument("--at-once", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mama-bot-bench-") as directory:
        asyncio.run(measured(Path(directory), options.files, options.conversations, options.at_once))


if __name__ == "__main__":
    main()
