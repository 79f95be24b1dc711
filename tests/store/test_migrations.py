"""A database of an older release is brought to the current shape, with its metrics, and nothing of it is lost."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.config import QueueSettings
from mama_bot.errors import StoreUnavailable
from mama_bot.model import (
    Allow,
    Amend,
    Audience,
    Decision,
    Evidence,
    Figure,
    FigureName,
    Goal,
    NewItem,
    PostId,
    Share,
    StageVerdict,
    TurnKind,
    TurnState,
    Verdict,
)
from mama_bot.store import open_store, sqlite_url
from mama_bot.wording import Language
from tests.boards.making import BOARD, DEVELOPER
from tests.store.making import HERE, START, TickingClock, attempt, message, notice, receipt, reply, sent_back, turn
from tests.store.test_reports import BLOCK, KIM

MESSAGE = message(1)
TURN = turn(MESSAGE)

AS_VERSION_25 = """
DROP TABLE transcripts;
ALTER TABLE nodes DROP COLUMN platforms;
UPDATE schema_version SET version = 25;
"""
AS_VERSION_24 = f"""
{AS_VERSION_25}
ALTER TABLE sessions DROP COLUMN backend;
UPDATE schema_version SET version = 24;
"""
AS_VERSION_23 = f"""
{AS_VERSION_24}
ALTER TABLE jobs DROP COLUMN node;
DROP TABLE nodes;
DROP TABLE duties;
DROP TABLE homes;
UPDATE schema_version SET version = 23;
"""
AS_VERSION_22 = f"""
{AS_VERSION_23}
DROP TABLE spendings;
DROP TABLE raised_caps;
UPDATE schema_version SET version = 22;
"""
AS_VERSION_21 = f"""
{AS_VERSION_22}
DROP TABLE delegate_trees;
UPDATE schema_version SET version = 21;
"""
AS_VERSION_20 = f"""
{AS_VERSION_21}
ALTER TABLE work_items ADD COLUMN open INTEGER NOT NULL DEFAULT 0;
CREATE INDEX work_items_open ON work_items (board, open);
UPDATE schema_version SET version = 20;
"""
AS_VERSION_19 = f"""
{AS_VERSION_20}
DROP TABLE rule_records;
UPDATE schema_version SET version = 19;
"""
AS_VERSION_18 = f"""
{AS_VERSION_19}
DROP TABLE topic_posts;
DROP TABLE work_items;
UPDATE schema_version SET version = 18;
"""
AS_VERSION_17 = f"""
{AS_VERSION_18}
DROP TABLE workflow_choices;
UPDATE schema_version SET version = 17;
"""
AS_VERSION_16 = f"""
{AS_VERSION_17}
DROP TABLE tool_questions;
UPDATE schema_version SET version = 16;
"""
AS_VERSION_15 = f"""
{AS_VERSION_16}
DROP TABLE rule_states;
UPDATE schema_version SET version = 15;
"""
AS_VERSION_14 = f"""
{AS_VERSION_15}
DROP TABLE work_changes;
DROP TABLE deeds;
UPDATE schema_version SET version = 14;
"""
AS_VERSION_13 = f"""
{AS_VERSION_14}
DROP TABLE pull_requests;
UPDATE schema_version SET version = 13;
"""
AS_VERSION_12 = f"""
{AS_VERSION_13}
DROP INDEX messages_added_to;
ALTER TABLE messages DROP COLUMN added_to;
ALTER TABLE messages DROP COLUMN taken_by;
UPDATE schema_version SET version = 12;
"""
AS_VERSION_11 = f"""
{AS_VERSION_12}
DROP TABLE assignments;
DROP TABLE repository_choices;
DROP TABLE checkouts;
UPDATE schema_version SET version = 11;
"""
AS_VERSION_10 = f"""
{AS_VERSION_11}
DROP INDEX context_order;
CREATE INDEX context_conversation ON context (conversation, sequence);
UPDATE schema_version SET version = 10;
"""
AS_VERSION_9 = f"""
{AS_VERSION_10}
DROP TABLE earlier_facts;
UPDATE schema_version SET version = 9;
"""
AS_VERSION_8 = f"""
{AS_VERSION_9}
ALTER TABLE pairings ADD COLUMN korean INTEGER NOT NULL DEFAULT '0';
UPDATE pairings SET korean = 1 WHERE language = 'ko';
ALTER TABLE pairings DROP COLUMN language;
UPDATE schema_version SET version = 8;
"""
AS_VERSION_7 = f"""
{AS_VERSION_8}
ALTER TABLE measured_attempts DROP COLUMN scope_violated;
UPDATE schema_version SET version = 7;
"""
AS_VERSION_6 = f"""
{AS_VERSION_7}
ALTER TABLE outbox ADD COLUMN life TEXT NOT NULL DEFAULT 'one';
ALTER TABLE messages DROP COLUMN stop_asked_by;
DROP TABLE holds;
UPDATE schema_version SET version = 6;
"""


def as_version_1(file: Path) -> None:
    """Take away what came after the first shape."""
    connection = sqlite3.connect(file)
    try:
        later = ("measured_attempts", "objections", "reports", "checklists", "receipts", "reviews")
        connection.executescript(AS_VERSION_6)
        for table in (*later, "outbox_parts", "gateway_state", "pairings"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DROP INDEX turns_ended")
        for column in ("persona", "kind", "audience"):
            connection.execute(f"ALTER TABLE turns DROP COLUMN {column}")
        for column in ("said_before", "dropped"):
            connection.execute(f"ALTER TABLE reminders DROP COLUMN {column}")
        connection.execute("UPDATE schema_version SET version = 1")
        connection.commit()
    finally:
        connection.close()


def shape(file: Path) -> set[tuple[str, str, str]]:
    connection = sqlite3.connect(file)
    try:
        indexes = {("index", name, "") for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {
            (table, row[1], row[2]) for table in tables for row in connection.execute(f"PRAGMA table_info({table})")
        }
        return columns | indexes
    finally:
        connection.close()


async def test_the_first_shape_is_brought_up_to_date_with_its_figures(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    back = attempt(TURN, 0, outcome=sent_back())
    stage = StageVerdict(stage="response_validator", decision=BLOCK)
    back = replace(back, judgement=replace(back.judgement, stages=(stage,)))
    cleared = attempt(TURN, 1, text="Three files changed.")
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.inbox.accept(MESSAGE)
        await store.turns.add_turns([TURN])
        await store.turns.add_attempt(back)
        await store.turns.finish(TURN, TurnState.ANSWERED, attempt=cleared, posts=[reply(TURN)])
        expected = await store.measures.measure(since=START, until=TickingClock().now().replace(year=2030))
    fresh = shape(file)
    as_version_1(file)
    assert shape(file) != fresh
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        (stored,) = (await store.turns.load(MESSAGE.id)).turns
        assert stored.attempts == (back, cleared)
        measures = await store.measures.measure(since=START, until=TickingClock().now().replace(year=2030))
        assert measures == expected
        assert (measures.total.drafts, measures.agents[0].persona) == (2, "lead")
        assert (await store.reports.report_attempt(HERE, TURN.id, 0, reporter=KIM)).number == 1
    assert shape(file) == fresh


async def test_scopes_that_were_violated_before_that_was_measured_count_as_they_were_judged_then(
    tmp_path: Path,
) -> None:
    file = tmp_path / "store.sqlite"
    turns = [
        replace(turn(MESSAGE, f"t{number}"), kind=TurnKind.DELEGATION, audience=Audience.AGENT) for number in range(3)
    ]
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.inbox.accept(MESSAGE)
        await store.turns.add_turns(turns)
        for asked, verdict in zip(turns, (Verdict.NEEDS_REVIEW, Verdict.NOTED, None), strict=True):
            evidence = Evidence(figures=(Figure(name=FigureName.UNEXPECTED_FILES, value=2 if verdict else 0),))
            decision: Decision = Allow(evidence=evidence)
            if verdict is not None:
                decision = Amend(
                    rule="unexpected_files", reason="why", banner="why", verdict=verdict, evidence=evidence
                )
            plain = attempt(asked)
            stage = StageVerdict(stage="scope_guard", decision=decision)
            await store.turns.add_attempt(replace(plain, judgement=replace(plain.judgement, stages=(stage,))))
    connection = sqlite3.connect(file)
    connection.executescript(AS_VERSION_7)
    connection.close()
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        measures = await store.measures.measure(since=START, until=START.replace(year=2030))
    (violations,) = (measure for measure in measures.total.goals if measure.goal is Goal.SCOPE_VIOLATIONS)
    assert violations.drafts == Share(part=1, whole=3)


async def test_what_an_older_service_wrote_into_the_current_shape_is_measured_at_the_next_start(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.inbox.accept(MESSAGE)
        await store.turns.add_turns([TURN])
        back = attempt(TURN, 0, outcome=sent_back())
        stage = StageVerdict(stage="response_validator", decision=BLOCK)
        await store.turns.add_attempt(replace(back, judgement=replace(back.judgement, stages=(stage,))))
        await store.turns.finish(TURN, TurnState.ANSWERED, attempt=attempt(TURN, 1), posts=[reply(TURN)])
        expected = await store.measures.measure(since=START, until=START.replace(year=2030))
    connection = sqlite3.connect(file)
    connection.executescript(
        "DELETE FROM measured_attempts; DELETE FROM objections; UPDATE turns SET persona = '', kind = '', audience = ''"
    )
    connection.close()
    for _ in range(2):
        async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
            measured = await store.measures.measure(since=START, until=START.replace(year=2030))
        assert measured == expected
    assert (expected.total.drafts, [agent.persona for agent in expected.agents]) == (2, ["lead"])


async def test_a_reader_of_an_older_shape_refuses_it_and_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()):
        pass
    as_version_1(file)
    before = shape(file)
    with pytest.raises(StoreUnavailable, match=r"schema 1.*Start the service once"):
        async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings(), migrates=False):
            pass
    assert shape(file) == before


async def test_a_reader_makes_no_file(tmp_path: Path) -> None:
    file = tmp_path / "none.sqlite"
    with pytest.raises(StoreUnavailable, match="it does not exist"):
        async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings(), migrates=False):
            pass
    assert list(tmp_path.iterdir()) == []
    file.touch()
    with pytest.raises(StoreUnavailable, match="nothing in it yet"):
        async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings(), migrates=False):
            pass


async def test_what_waited_in_an_older_outbox_may_have_been_sent_and_what_comes_later_not(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        for number in (1, 2):
            await store.outbox.add(notice(number))
        await store.outbox.mark_posted(receipt(PostId("n1")))
    as_version_1(file)
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.outbox.add(notice(3))
        entries = await store.outbox.pending(HERE)
    assert [(entry.post.id, dict(entry.tried)) for entry in entries] == [("n2", {0: ""}), ("n3", {})]


async def test_what_was_stopped_and_what_waits_to_be_posted_outlives_the_column_of_stops(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    stopped, waiting = message(1), message(2)
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        for stored in (stopped, waiting):
            await store.inbox.accept(stored)
        await store.turns.stop_exchange(stopped.id)
        await store.outbox.add(notice(1))
    fresh = shape(file)
    connection = sqlite3.connect(file)
    connection.executescript(AS_VERSION_6)
    connection.close()
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        exchanges = [await store.turns.load(stored.id) for stored in (stopped, waiting)]
        assert [(exchange.stopped, exchange.stop_asked_by) for exchange in exchanges] == [(True, None), (False, None)]
        assert [entry.post for entry in await store.outbox.pending(HERE)] == [notice(1)]
        async with store.stops.held(HERE) as held:
            assert held
    assert shape(file) == fresh


async def test_who_was_paired_stays_paired_and_is_told_in_english(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.pairings.ask(HERE.platform, "u1", "Kim", code="ABCD-EFGH", language=Language.KOREAN)
    connection = sqlite3.connect(file)
    connection.executescript(
        f"{AS_VERSION_6} ALTER TABLE pairings DROP COLUMN korean; UPDATE schema_version SET version = 5"
    )
    connection.close()
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        settled = await store.pairings.settle("ABCD-EFGH", approve=True, by="boss")
        assert (
            [one.language for one in await store.pairings.paired_since(START)]
            == [settled.language]
            == [Language.ENGLISH]
        )


async def test_each_is_told_in_the_language_in_which_they_asked_before_there_were_more_than_two(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    languages = {"u1": Language.KOREAN, "u2": Language.ENGLISH}
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        for number, (person, language) in enumerate(languages.items(), start=1):
            await store.pairings.ask(HERE.platform, person, "Kim", code=f"ABCD-EFG{number}", language=language)
    fresh = shape(file)
    connection = sqlite3.connect(file)
    connection.executescript(AS_VERSION_8)
    connection.close()
    assert shape(file) != fresh
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        await store.pairings.ask(HERE.platform, "u3", "Marcus", code="ABCD-EFG3", language=Language("la"))
        assert {pairing.person: pairing.language for pairing in await store.pairings.all(9)} == {
            **languages,
            "u3": Language("la"),
        }
    assert shape(file) == fresh


async def test_items_outlive_the_column_that_nobody_read(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        before = await store.items.create(BOARD, NewItem(title="환율을 찾는다", by=DEVELOPER))
    fresh = shape(file)
    connection = sqlite3.connect(file)
    connection.executescript(AS_VERSION_20)
    connection.close()
    assert shape(file) != fresh
    async with open_store(sqlite_url(file), clock=TickingClock(), queue=QueueSettings()) as store:
        after = await store.items.create(BOARD, NewItem(title="Convert", by=DEVELOPER))
        assert {item.id for item in await store.items.all_items(BOARD)} == {before.id, after.id}
    assert shape(file) == fresh
