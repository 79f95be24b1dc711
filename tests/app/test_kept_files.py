"""Files that came and went are removed after two weeks, and never while somebody needs them."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mama_bot.app.kept_files import KEEP_DAYS, OldFiles
from mama_bot.config import QueueSettings
from mama_bot.errors import StoreUnavailable
from mama_bot.metrics import Metrics
from mama_bot.model import (
    Attachment,
    Author,
    Cleared,
    ConversationKey,
    InboundMessage,
    Judgement,
    MessageId,
    OutgoingFile,
    Platform,
    PostId,
    Receipt,
    Reply,
    TurnId,
    text_hash,
)
from mama_bot.store import open_store, sqlite_url
from mama_bot.store.outbox import add_post

NOW = datetime(2026, 11, 21, tzinfo=UTC)


class FixedClock:
    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0


async def nothing() -> frozenset[Path]:
    return frozenset()


def kept(directory: Path, place: str, *, days: float) -> Path:
    """A file of so many days in a directory of its own."""
    file = directory / place / "a.txt"
    file.parent.mkdir(parents=True)
    file.write_text("a")
    then = (NOW - timedelta(days=days)).timestamp()
    os.utime(file, (then, then))
    os.utime(file.parent, (then, then))
    return file


def old_files(
    directory: Path,
    in_use: Callable[[], Awaitable[frozenset[Path]]] = nothing,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> OldFiles:
    return OldFiles(directory=directory, in_use=in_use, clock=FixedClock(), metrics=Metrics(), sleep=sleep)


async def test_what_is_older_than_two_weeks_is_removed(tmp_path: Path) -> None:
    places = ("uploads/discord/{}", "uploads/web/{}", "outgoing/{}", "agents/one/attachments/{}", "agents/one/shown/{}")
    old = [kept(tmp_path, place.format("old"), days=KEEP_DAYS + 1) for place in places]
    new = [kept(tmp_path, place.format("new"), days=KEEP_DAYS - 1) for place in places]
    other = kept(tmp_path, "workspaces/one/team", days=100)
    assert await old_files(tmp_path).sweep() == len(old)
    assert not any(file.parent.exists() for file in old)
    assert all(file.exists() for file in (*new, other))


async def test_a_file_that_somebody_waits_for_stays(tmp_path: Path) -> None:
    waiting = kept(tmp_path, "uploads/slack/waiting", days=30)
    done = kept(tmp_path, "uploads/slack/done", days=30)

    async def in_use() -> frozenset[Path]:
        return frozenset({waiting})

    assert await old_files(tmp_path, in_use).sweep() == 1
    assert waiting.exists()
    assert not done.exists()


async def test_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = kept(tmp_path / "elsewhere", "x", days=30)
    (tmp_path / "outgoing").mkdir()
    (tmp_path / "outgoing" / "link").symlink_to(outside.parent)
    await old_files(tmp_path).sweep()
    assert outside.exists()


async def test_a_store_that_fails_leaves_everything_and_the_next_day_is_tried_again(tmp_path: Path) -> None:
    file = kept(tmp_path, "outgoing/one", days=30)
    days = 0

    async def fails_once() -> frozenset[Path]:
        if not days:
            assert file.exists()
            raise StoreUnavailable(url="x", reason="locked", remedy="Wait.")
        return frozenset()

    class Stopped(Exception):
        pass

    async def a_day(seconds: float) -> None:
        nonlocal days
        days += 1
        if days == 2:
            raise Stopped

    with pytest.raises(Stopped):
        await old_files(tmp_path, fails_once, a_day).run()
    assert not file.exists()


async def test_the_store_names_the_files_of_messages_that_wait(tmp_path: Path) -> None:
    path = kept(tmp_path, "uploads/web/one", days=1)
    url = sqlite_url(tmp_path / "a.sqlite")
    key = ConversationKey(Platform("web"), "one")
    async with open_store(url, clock=FixedClock(), queue=QueueSettings()) as store:
        assert await store.files_in_use() == frozenset()
        message = InboundMessage(
            id=MessageId("1"),
            key=key,
            author=Author(id="kim", name="Kim"),
            text="Look",
            received_at=NOW,
            attachments=(Attachment(name="a.txt", media_type="text/plain", size=1, path=path),),
        )
        assert await store.inbox.accept(message)
        assert await store.files_in_use() == frozenset({path})


async def test_the_store_names_the_files_of_replies_that_are_not_posted(tmp_path: Path) -> None:
    path = kept(tmp_path, "outgoing/one", days=1)
    reply = Reply(
        id=PostId("one.reply"),
        turn_id=TurnId("one"),
        key=ConversationKey(Platform("web"), "one"),
        persona="lead",
        display_name="Lead",
        text="Here",
        judgement=Judgement(turn_id=TurnId("one"), attempt=0, outcome=Cleared(), text_sha256=text_hash("Here")),
        files=(OutgoingFile(name="a.txt", media_type="text/plain", size=1, path=path),),
    )
    url = sqlite_url(tmp_path / "a.sqlite")
    async with open_store(url, clock=FixedClock(), queue=QueueSettings()) as store:
        at = NOW.isoformat()
        await store.outbox._database.write(lambda connection: add_post(connection, reply, at))
        assert await store.files_in_use() == frozenset({path})
        await store.outbox.mark_posted(Receipt(post_id=reply.id, platform_ids=("1",), posted_at=NOW))
        assert await store.files_in_use() == frozenset()
