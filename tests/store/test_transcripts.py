"""What agents remember: kept line by line, taken up by another machine, and gone with what it belongs to."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from mama_bot.model import SessionId
from mama_bot.store import Store
from mama_bot.store.database import Database
from mama_bot.store.stored_transcripts import StoredTranscripts
from tests.store.making import ELSEWHERE, HERE, PERSON, START, TickingClock, message, turn

SESSION, OTHER = SessionId("s1"), SessionId("s2")
LINES = ('{"uuid":"a","text":"Zeile\u2028und 줄"}', '{"uuid":"b"}')


async def kept(store: Store) -> Sequence[str]:
    return await store.transcripts("there").lines(SESSION)


async def begun(store: Store, session: SessionId = SESSION, name: str = "t1") -> None:
    """Store a turn that is worked on in a session."""
    if name == "t1":
        await store.inbox.accept(message())
    await store.turns.add_turns([turn(message(), name)])
    await store.turns.begin_attempt(turn(message(), name), 0, session)


async def test_lines_come_back_in_order_and_whoever_added_none_of_the_last_ones_takes_them_up(store: Store) -> None:
    here, there = store.transcripts("here"), store.transcripts("there")
    await here.add(HERE, SESSION, LINES, whole=False)
    await here.add(HERE, SESSION, ['{"uuid":"c"}'], whole=False)
    assert await there.lines(SESSION) == [*LINES, '{"uuid":"c"}']
    assert (await here.is_elsewhere(SESSION), await there.is_elsewhere(SESSION)) == (False, True)
    await there.add(HERE, SESSION, ['{"uuid":"d"}'], whole=False)
    assert (await here.is_elsewhere(SESSION), await there.is_elsewhere(SESSION)) == (True, False)
    assert (await here.lines(OTHER), await here.is_elsewhere(OTHER)) == ([], False)


async def test_the_whole_of_a_session_takes_the_place_of_what_was_kept_of_it(store: Store) -> None:
    here = store.transcripts("here")
    await here.add(HERE, SESSION, LINES[1:], whole=False)
    await here.add(HERE, SESSION, LINES, whole=True)
    assert await here.lines(SESSION) == [*LINES]


async def test_of_a_session_that_grows_too_long_nothing_is_kept_any_more(
    database: Database, clock: TickingClock
) -> None:
    here = StoredTranscripts(database=database, clock=clock, place="here", most_characters=50)
    there = StoredTranscripts(database=database, clock=clock, place="there")
    await here.add(HERE, SESSION, ["x" * 40], whole=False)
    await here.add(HERE, SESSION, ["y" * 11], whole=False)
    await here.add(HERE, SESSION, ["z"], whole=False)
    assert (await there.lines(SESSION), await there.is_elsewhere(SESSION)) == ([], False)


@pytest.mark.parametrize("how", ["session", "conversation"])
async def test_what_is_forgotten_of_a_conversation_is_forgotten_here_too(store: Store, how: str) -> None:
    await begun(store)
    await store.transcripts("here").add(HERE, SESSION, LINES, whole=False)
    await store.transcripts("here").add(ELSEWHERE, OTHER, LINES, whole=False)
    if how == "session":
        await store.turns.forget_session(HERE, "lead")
    else:
        await store.context.begin_anew(HERE, by=PERSON, at=START)
    assert await kept(store) == []
    assert await store.transcripts("there").lines(OTHER) == [*LINES]


async def test_where_a_new_session_begins_those_that_nobody_resumes_go(store: Store) -> None:
    await begun(store)
    await store.transcripts("here").add(HERE, SESSION, LINES, whole=False)
    await begun(store, OTHER, "t2")
    assert await kept(store) == [*LINES]
    await store.transcripts("here").add(HERE, OTHER, LINES, whole=False)
    assert await kept(store) == []


async def test_a_session_is_kept_whole_until_its_last_line_is_old(store: Store, clock: TickingClock) -> None:
    here = store.transcripts("here")
    await here.add(HERE, SESSION, LINES, whole=False)
    clock.advance(3600)
    await here.add(HERE, SESSION, ['{"uuid":"c"}'], whole=False)
    await store.retention.forget(START + timedelta(seconds=1800))
    assert len(await kept(store)) == 3
    await store.retention.forget(START + timedelta(seconds=7200))
    assert await kept(store) == []
