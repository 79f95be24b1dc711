"""Killed at any moment, the service loses nothing, says nothing twice, and keeps the order."""

import multiprocessing
import random
import time
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.model import ConversationKey, Platform, TurnState
from mama_bot.store import open_store, sqlite_url
from tests.store import crash_program
from tests.store.making import TickingClock

KILLS = {"sqlite": 10, "postgresql": 5}
DEADLINE_SECONDS = 60


def live_and_die(arguments: tuple[str, str], *, lines: int | None) -> bool:
    """Run the service until it is done, or killed when it wrote so many lines more; whether it got done."""
    journal = Path(arguments[1])
    before = lines_of(journal)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["mama_bot.store.worker", "tests.store.crash_program"])
    process = context.Process(target=crash_program.main, args=arguments)
    process.start()
    process.join(DEADLINE_SECONDS if lines is None else 0)
    deadline = time.monotonic() + DEADLINE_SECONDS
    while lines is not None and process.is_alive() and lines_of(journal) < before + lines:
        assert time.monotonic() < deadline, "the service came to a halt"
        time.sleep(0.001)
    alive = process.is_alive()
    process.kill()
    process.join(DEADLINE_SECONDS)
    assert alive or process.exitcode == 0
    return not alive


def lines_of(journal: Path) -> int:
    return journal.read_text().count("\n") if journal.exists() else 0


@pytest.mark.parametrize("kind", KILLS)
async def test_nothing_is_lost_or_doubled_when_the_service_is_killed(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    journal = tmp_path / "journal"
    url = sqlite_url(tmp_path / "store.sqlite") if kind == "sqlite" else request.getfixturevalue("postgresql_url")
    arguments = (url, str(journal))
    chance = random.Random(1)
    kills = sum(not live_and_die(arguments, lines=chance.randint(1, 40)) for _ in range(KILLS[kind]))
    assert kills == KILLS[kind]
    assert live_and_die(arguments, lines=None)

    lines = [[*line.split(), ""] for line in journal.read_text().splitlines()]
    messages = [f"m{number}" for number in range(crash_program.MESSAGES)]
    words = [line[0] for line in lines]
    assert words.count("begin") > words.count("end"), "no kill hit a running exchange"
    sent = [(post.removeprefix("p-t-"), part) for word, post, part, *_ in lines if word == "posted"]
    assert len(sent) == len(set(sent)) == 2 * len(messages), "a part was posted twice, or never"
    posted = [name for name, part in sent if part == "1"]
    assert sorted(posted) == sorted(messages)
    assert not [line for line in lines if line[0] == "abandoned"]
    for number in range(crash_program.CONVERSATIONS):
        mine = [name for name in posted if int(name[1:]) % crash_program.CONVERSATIONS == number]
        assert mine == sorted(mine, key=lambda name: int(name[1:]))
    assert overlaps(lines) == []
    await assert_stored_once(url)


def overlaps(lines: list[list[str]]) -> list[tuple[str, str]]:
    """Pairs of exchanges of one conversation that ran at the same time in one process."""
    running: dict[tuple[str, int], str] = {}
    found = []
    for word, name, process, *_ in (line for line in lines if line[0] in ("begin", "end")):
        place = process, int(name[1:]) % crash_program.CONVERSATIONS
        if word == "end":
            del running[place]
        elif place in running:
            found.append((running[place], name))
        else:
            running[place] = name
    return found


async def assert_stored_once(url: str) -> None:
    everything = QueueSettings(limit=1000, per_conversation=1000)
    async with open_store(url, clock=TickingClock(), queue=everything) as store:
        assert await store.outbox.conversations_with_pending() == []
        for number in range(crash_program.CONVERSATIONS):
            key = ConversationKey(Platform("web"), f"c{number}")
            view = await store.history.view(key, 1000)
            assert {stored.state for stored in view.turns} == {TurnState.ANSWERED}
            assert len(view.turns) == len(view.messages) == len(view.posts)
            window = await store.context.window(key, before=None, max_entries=1000, max_characters=1_000_000)
            said = [text for one in view.messages for text in (one.text, f"answer to {one.id}")]
            assert [entry.text for entry in window] == said
