"""A service that works in a work tree, puts it away and brings it back, again and again, until it is killed."""

import asyncio
import sys
from pathlib import Path

from mama_bot.config import QueueSettings
from mama_bot.store import open_store, sqlite_url
from tests.agents.conftest import SystemClock
from tests.checkouts.making import ONE, Life


async def main(directory: Path) -> None:
    url = sqlite_url(directory / "store.sqlite")
    async with open_store(url, clock=SystemClock(), queue=QueueSettings()) as store:
        life = Life(directory, directory / "source", records=store.checkouts)
        checkouts = life.begun()
        while True:
            tree = await checkouts.prepare(ONE, "app")
            note, done = tree / "note", directory / "done"
            number = int(note.read_text()) + 1 if note.exists() else 0
            (tree / "note.new").write_text(str(number))
            (tree / "note.new").rename(note)
            (directory / "done.new").write_text(str(number))
            (directory / "done.new").rename(done)
            (checkout,) = await store.checkouts.of_conversation(ONE)
            await checkouts.put_away(checkout)


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    asyncio.run(main(Path(sys.argv[1])))
