"""A service that cannot store says so to everybody who watches, takes nothing meanwhile, and goes on by itself."""

import asyncio
import socket
from collections.abc import Awaitable
from pathlib import Path

import pytest

from mama_bot.demo.model_script import ModelReply
from mama_bot.errors import StoreUnavailable
from mama_bot.model import Notice, NoticeKind, Platform
from mama_bot.testing.memory_gateway import MemoryGateway
from tests.end_to_end.team import running_team
from tests.scripted_queue import ScriptedQueue
from tests.waiting import until, until_stored

pytestmark = pytest.mark.cli
CLEAN = "`a.py` has 3 functions: `f`, `g`, `h`."


async def test_owners_the_page_and_systemd_know_of_a_store_that_takes_nothing_and_of_its_end(tmp_path: Path) -> None:
    script = ScriptedQueue()
    script.push(ModelReply(text=CLEAN))
    telegram = MemoryGateway(platform=Platform("telegram"))
    data, aside = tmp_path / "data" / "scripted", tmp_path / "aside"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.setblocking(False)
        told: list[str] = []
        loop = asyncio.get_running_loop()
        loop.add_reader(manager, lambda: told.append(manager.recv(4096).decode()))
        async with (
            running_team(
                tmp_path,
                script=script,
                others=[telegram],
                environment={"NOTIFY_SOCKET": str(tmp_path / "notify")},
                telegram={"access": {"owners": ["7"]}},
                alarms={"look_seconds": 0.1, "unwritable_seconds": 0.1, "well_seconds": 0.1},
            ) as team,
            team.stranger() as stranger,
        ):

            async def status(path: str) -> str:
                answer = await stranger.get(path)
                return f"{answer.status_code} {answer.json()['status']}"

            await until_stored(lambda: _is(status("/readyz"), "200 ready"))
            database = data / "mama-bot.sqlite"
            database.rename(aside)
            database.write_bytes(b"")
            await until_stored(lambda: _is(status("/healthz"), "503 refusing"))
            assert await status("/readyz") == "503 refusing"
            with pytest.raises(StoreUnavailable, match="another file"):
                await team.say("Hello")
            alarm = await until(lambda: telegram.posts[0] if telegram.posts else None)
            aside.rename(database)
            await until(lambda: len(telegram.posts) > 1)
            assert await status("/readyz") == "200 ready"
            await team.settled(await team.say("Hello"))
        assert [reply.text for reply in team.replies()] == [CLEAN]
        await until(lambda: told[-1].startswith("STOPPING=1"))
        loop.remove_reader(manager)
    assert isinstance(alarm, Notice)
    assert (alarm.key.channel, alarm.notice) == ("direct-7", NoticeKind.OWNER_ALARM)
    assert "another file was put in its place" in alarm.text
    assert "데이터베이스에 쓸 수 없어" in alarm.text
    assert [post.text.splitlines()[0] for post in telegram.posts[1:]] == [
        "✅ mama-bot's database can be written again."
    ]
    assert (told[0], told[-1]) == ("READY=1\nSTATUS=ready", "STOPPING=1\nSTATUS=draining")
    assert any(line.startswith("WATCHDOG=1\nSTATUS=⚠️ mama-bot cannot write") for line in told)


async def _is(status: Awaitable[str], wanted: str) -> bool:
    return await status == wanted
