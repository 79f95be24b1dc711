"""A database that an earlier release really wrote is brought to the current shape, and what it holds is there."""

import lzma
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.demo.model_script import ModelReply
from mama_bot.model import ConversationKey, MessageId, Platform, Reply, TurnState
from mama_bot.store import open_store, sqlite_url
from mama_bot.store.migrations import CURRENT_VERSION
from tests.end_to_end.team import running_team
from tests.scripted_queue import ScriptedQueue
from tests.store.database_maker import DATABASES, KOREAN
from tests.store.exchanges import Exchanges, engine
from tests.store.making import TickingClock
from tests.waiting import until, until_stored

FILES = sorted(DATABASES.glob("schema-*.sqlite.xz"))
WEB = Platform("web")


def unpacked(packed: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(lzma.decompress(packed.read_bytes()))
    return target


def shape(file: Path) -> dict[str, set[tuple[str, ...]]]:
    """The tables with their columns: name, type, whether it may be NULL."""
    with closing(sqlite3.connect(file)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            table: {
                tuple(map(str, row[1:4])) for row in database.execute("SELECT * FROM pragma_table_info(?)", (table,))
            }
            for table in tables
        }


def test_there_is_a_file_of_every_release_up_to_the_newest_that_was_kept() -> None:
    versions = [int(file.name[7:9]) for file in FILES]
    assert versions == list(range(1, len(FILES) + 1))
    assert len(FILES) >= min(21, CURRENT_VERSION)


@pytest.mark.parametrize("packed", FILES, ids=lambda packed: packed.name[:9])
async def test_what_a_release_stored_is_read_and_what_waited_there_is_run(packed: Path, tmp_path: Path) -> None:
    file = unpacked(packed, tmp_path / "old.sqlite")
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        korea = await store.history.view(ConversationKey(WEB, "korea"), 10)
        general = await store.history.view(ConversationKey(WEB, "general"), 10)
        exchange = await store.turns.load(MessageId("m0"))
        ran = Exchanges()
        async with engine(store, ran):
            await until(lambda: ran.ended)
    assert [message.text for message in korea.messages] == [KOREAN]
    assert [message.id for message in general.messages] == ["m0", "m2", "m9"]
    replies = [entry.post for entry in (*korea.posts, *general.posts) if isinstance(entry.post, Reply)]
    assert len(replies) == 3
    assert all(stored.attempts for stored in exchange.turns)
    assert ran.ended == ["m9"]
    fresh = tmp_path / "fresh.sqlite"
    async with open_store(sqlite_url(fresh), clock=TickingClock(), queue=QueueSettings()):
        pass
    assert shape(file) == shape(fresh)


@pytest.mark.cli
async def test_the_service_goes_on_with_the_database_of_the_first_release(tmp_path: Path) -> None:
    unpacked(FILES[0], tmp_path / "data" / "scripted" / "mama-bot.sqlite")
    script = ScriptedQueue()
    script.push(ModelReply(text="`calculator.py:4` divides by the count."))
    async with running_team(tmp_path, script=script) as team:

        async def answered() -> bool:
            view = await team.store.history.view(ConversationKey(WEB, "general"), 10)
            last = view.posts[-1].post
            return isinstance(last, Reply) and last.text == "`calculator.py:4` divides by the count."

        assert await until_stored(answered)


@pytest.mark.cli
async def test_a_turn_that_an_earlier_release_was_running_when_it_was_killed_is_taken_over_and_answered(
    tmp_path: Path,
) -> None:
    [packed] = DATABASES.glob("running-*.sqlite.xz")
    unpacked(packed, tmp_path / "data" / "scripted" / "mama-bot.sqlite")
    script = ScriptedQueue()
    script.push(ModelReply(text="`calculator.py:4` divides by the count."))
    script.push(ModelReply(text="`calculator.py:9` adds a tax."))
    async with running_team(tmp_path, script=script) as team:

        async def answered(text: str) -> bool:
            view = await team.store.history.view(ConversationKey(WEB, "general"), 20)
            return [entry.post.text for entry in view.posts if isinstance(entry.post, Reply)][-1:] == [text]

        assert await until_stored(lambda: answered("`calculator.py:4` divides by the count."))
        taken = await team.store.turns.load(MessageId("m1"))
        assert [stored.state for stored in taken.turns] == [TurnState.ANSWERED]
        async with team.client() as page:
            asked = {"id": "m3", "text": "And the other one?"}
            (await page.post("/api/conversations/general/messages", json=asked)).raise_for_status()
        assert await until_stored(lambda: answered("`calculator.py:9` adds a tax."))
