"""What rules remember of sessions, in the database."""

from pathlib import Path

from mama_bot.model import ChecksState, RuleState, TaskState
from mama_bot.store.sqlite import open_sqlite
from mama_bot.store.stored_rule_states import StoredRuleStates
from tests.agents.conftest import SystemClock

STATE = RuleState(
    shown=("/work/a.py",),
    written=("/work/새.py",),
    looks=3,
    edits=1,
    checks=ChecksState.FAILED,
    failing=("pytest",),
    failure="0a",
    strikes=2,
    counters=(("seen", 4),),
    task=TaskState(request="m1", messages=1, looks=2, workflow="full", open_steps=("plan",), warned=("a",)),
)


async def test_a_state_comes_back_as_it_was_in_another_life(tmp_path: Path) -> None:
    for state in (RuleState(), STATE):
        async with open_sqlite(tmp_path / "db.sqlite") as database:
            await StoredRuleStates(database=database, clock=SystemClock()).save("one", state)
        async with open_sqlite(tmp_path / "db.sqlite") as database:
            states = StoredRuleStates(database=database, clock=SystemClock())
            assert await states.load("one") == state
            assert await states.load("another") is None


async def test_the_sessions_that_were_not_seen_for_longest_are_forgotten(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path / "db.sqlite") as database:
        states = StoredRuleStates(database=database, clock=SystemClock(), most=3)
        for session in ("a", "b", "c", "a", "d"):
            await states.save(session, STATE)
        kept = [session for session in ("a", "b", "c", "d") if await states.load(session) is not None]
    assert kept == ["a", "c", "d"]
