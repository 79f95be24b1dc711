"""The service killed while it puts work away and brings it back: what was written is there again."""

import asyncio
import random
import sys
from pathlib import Path

from mama_bot.config import QueueSettings
from mama_bot.store import open_store, sqlite_url
from tests.agents.conftest import SystemClock
from tests.checkouts.making import ONE, Life, make_source
from tests.waiting import SECONDS

KILLS = 6
ROOT = Path(__file__).parents[2]


async def test_work_survives_a_kill_at_any_moment(tmp_path: Path) -> None:
    make_source(tmp_path)
    chance = random.Random(11)
    for _ in range(KILLS):
        program = (sys.executable, "-m", "tests.checkouts.kill_program", str(tmp_path))
        process = await asyncio.create_subprocess_exec(*program, cwd=ROOT, stderr=asyncio.subprocess.DEVNULL)
        try:
            began = (tmp_path / "done").stat().st_mtime_ns if (tmp_path / "done").exists() else 0
            async with asyncio.timeout(SECONDS):
                while not (tmp_path / "done").exists() or (tmp_path / "done").stat().st_mtime_ns == began:
                    assert process.returncode is None
                    await asyncio.sleep(0.01)
            await asyncio.sleep(chance.random() * 0.6)
        finally:
            process.kill()
            await process.wait()
        done = int((tmp_path / "done").read_text())
        url = sqlite_url(tmp_path / "store.sqlite")
        async with open_store(url, clock=SystemClock(), queue=QueueSettings()) as store:
            tree = await Life(tmp_path, tmp_path / "source", records=store.checkouts).begun().prepare(ONE, "app")
        assert int((tree / "note").read_text()) in (done, done + 1)
