"""What is kept of rules over all sessions, in the database."""

from datetime import UTC, datetime
from pathlib import Path

from mama_bot.model import RuleRecord
from mama_bot.store.sqlite import open_sqlite
from mama_bot.store.stored_rule_records import StoredRuleRecords
from tests.agents.conftest import SystemClock

OPENED = RuleRecord(
    rule="규칙",
    digest="1",
    matches=3,
    failures=3,
    failures_in_row=3,
    openings=1,
    opened_at=datetime(2026, 1, 1, tzinfo=UTC),
)
NEW = RuleRecord(rule="규칙", digest="2", failure="없음")


async def test_records_come_back_as_they_were_by_wording_and_the_oldest_are_forgotten(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "db.sqlite") as database:
        records = StoredRuleRecords(database=database, clock=SystemClock(), most=2)
        await records.save([RuleRecord(rule="old", digest="1")])
        await records.save([RuleRecord(rule=OPENED.rule, digest="1")])
        await records.save([OPENED])
        await records.save([NEW])
    async with open_sqlite(tmp_path / "db.sqlite") as database:
        kept = await StoredRuleRecords(database=database, clock=SystemClock()).load()
    assert set(kept) == {OPENED, NEW}
