"""Make a database as this release writes it: `python -m tests.store.database_maker`, before a step of the schema.

It runs the service as a process of its own, with the scripted model, lets two conversations be answered, kills it while
a message waits, and packs what is left into `tests/data/databases/schema-NN.sqlite.xz`. Those of earlier releases were
made so with the code of their time.
"""

import asyncio
import lzma
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from mama_bot.app.configuration import DATABASE_NAME
from tests.end_to_end.service_process import ServiceProcess, service_process
from tests.waiting import SECONDS

DATABASES = Path(__file__).parent.parent / "data" / "databases"
PERSONAS = Path(__file__).parents[2] / "personas"
KOREAN = "계산기의 0으로 나누기를 고쳐 줘"
ASKED = (
    ("general", "Fix the division by zero in the calculator"),
    ("korea", KOREAN),
    ("general", "@reviewer Is it fine?"),
)


async def _idle(service: ServiceProcess) -> None:
    async with asyncio.timeout(SECONDS), service.client() as client:
        while True:
            state = (await client.get("/api/state")).json()
            if not state["working"] and not any(state["queue"][name] for name in ("waiting", "running")):
                return
            await asyncio.sleep(0.5)


async def _run(home: Path) -> None:
    file = home / "config.yaml"
    file.write_text(
        f"claude: {{source: scripted}}\nweb: {{port: 0}}\npersonas_directory: {PERSONAS}\n", encoding="utf-8"
    )
    async with service_process(file, {}) as service:
        for number, (conversation, text) in enumerate(ASKED):
            await service.say(text, conversation=conversation, message=f"m{number}")
            await _idle(service)
        await service.say("And once more, please", message="m9")
        await service.kill()


def make_database(directory: Path = DATABASES) -> Path:
    """Run the service, and return the packed database that it left."""
    with TemporaryDirectory() as home:
        asyncio.run(_run(Path(home)))
        (kept,) = Path(home).rglob(DATABASE_NAME)
        whole = Path(home) / "whole.sqlite"
        with closing(sqlite3.connect(kept)) as database:
            (version,) = database.execute("SELECT version FROM schema_version").fetchone()
            database.execute("VACUUM INTO ?", (str(whole),))
        target = directory / f"schema-{version:02}.sqlite.xz"
        target.write_bytes(lzma.compress(whole.read_bytes(), preset=9))
    return target


if __name__ == "__main__":
    sys.stdout.write(f"{make_database()}\n")
