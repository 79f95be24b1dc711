"""A post that a platform never takes holds up nothing, on every wire; the tests of each platform run this suite."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from mama_bot.config import QueueSettings
from mama_bot.delivery import Delivery
from mama_bot.intake.diff_text import diff_text
from mama_bot.model import DiffFile, Notice, NoticeKind, PostId, TreeDiff
from mama_bot.store import Store, open_store, sqlite_url
from mama_bot.wording import Language
from tests.delivery.platform import FakeTime
from tests.gateways.under_test import ChatUnderTest
from tests.waiting import until


class StuckPostContract:
    """The facts; beside `ChatContract`, whose `chat` it uses."""

    async def test_a_post_that_never_passes_is_told_of_and_what_follows_goes_on(
        self, chat: ChatUnderTest, tmp_path: Path
    ) -> None:
        await chat.say("hello", message_id="m1")
        chat.pickiness.word = "628"
        async with delivering(chat, tmp_path) as store:
            await store.outbox.add(line(chat, "p1", "All 628 tests pass."))
            await store.outbox.add(line(chat, "p2", "Stopped."))
            await until(lambda: any("Stopped." in text for text in chat.shown()))
            told, last = chat.shown()[-2:]
            [letter] = await store.letters.all()
        assert "628" not in "".join(chat.shown())
        assert "does not get through" in told
        assert "Stopped." in last
        assert letter.post_id == "p1"

    async def test_a_file_that_never_passes_is_named_in_its_place(self, chat: ChatUnderTest, tmp_path: Path) -> None:
        await chat.say("hello", message_id="m1")
        chat.pickiness.files = True
        patch = "@@ -0,0 +1,900 @@\n" + "".join(f"+line {number} of a rather long file\n" for number in range(900))
        diff = TreeDiff(files=(DiffFile(path="src/long.py", added=900, removed=0, patch=patch),), total=1, added=900)
        async with delivering(chat, tmp_path) as store:
            await store.outbox.add(line(chat, "p1", diff_text(diff, Language.ENGLISH)))
            await store.outbox.add(line(chat, "p2", "Stopped."))
            await until(lambda: any("Stopped." in text for text in chat.shown()))
            assert await store.letters.all() == []
        shown = "\n".join(chat.shown())
        assert "src/long.py" in shown
        assert ".diff" in shown


def line(chat: ChatUnderTest, name: str, text: str) -> Notice:
    return Notice(id=PostId(name), key=chat.conversation(), notice=NoticeKind.STOPPED, text=text)


@asynccontextmanager
async def delivering(chat: ChatUnderTest, directory: Path) -> AsyncIterator[Store]:
    """A store whose posts go out through the gateway, with pauses that are over at once."""
    time = FakeTime()
    async with open_store(sqlite_url(directory / "store.sqlite"), clock=time, queue=QueueSettings()) as store:
        delivery = Delivery(
            gateways={chat.gateway.platform: chat.gateway},
            outbox=store.outbox,
            bell=store.post_bell,
            metrics=chat.metrics,
            clock=time,
            redact=str,
            sleep=time.sleep,
        )
        async with asyncio.TaskGroup() as group:
            running = group.create_task(delivery.run())
            yield store
            running.cancel()
