"""What came of delegations, for whoever made them and for the person."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.app.configuration import read_configuration
from mama_bot.model import StoredTurn, TurnState
from mama_bot.orchestrator.delegation_outcomes import DelegationOutcomes
from mama_bot.store import Store
from mama_bot.turns.schedule import ReportResults
from tests.checkouts.delegate_places import Place, asked
from tests.checkouts.making import ONE, make_source
from tests.end_to_end.team import write_configuration
from tests.orchestrator.making import made_team
from tests.store.making import START, message, turn


@pytest.mark.parametrize("lost", [False, True])
async def test_a_person_is_told_once_where_work_is_that_stays_where_it_was_made_or_was_lost(
    store: Store, tmp_path: Path, lost: bool
) -> None:
    make_source(tmp_path)
    configuration = read_configuration(write_configuration(tmp_path), environment={"PATH": "/usr/bin:/bin"})
    of = replace(message(1), key=ONE)
    await store.inbox.accept(of)
    team = made_team(configuration, store)
    async with Place(tmp_path).life() as (_, trees, _lead):
        tree = await trees.prepare(asked(1), "app")
        if lost:
            shutil.rmtree(tree)
        else:
            (tree / ".git" / "refs" / "heads" / "broken").write_text(f"{'1' * 40}\n")
        settled = StoredTurn(turn=asked(1), state=TurnState.ANSWERED, created_at=START)
        step = ReportResults(asking=replace(turn(of), key=ONE), settled=(settled,))
        outcomes = DelegationOutcomes(trees=trees, outbox=store.outbox)
        for _ in range(2):  # it is done again after a crash
            heard = await outcomes.heard(team, step, await store.turns.load(of.id))
        assert await outcomes.left(of) == []
    (line,) = heard.lines[settled.turn.id]
    assert str(tree.relative_to(tmp_path / "data")) in line
    (entry,) = await store.outbox.pending(ONE)
    text = getattr(entry.post, "text", "")
    assert str(tree) in text
    assert ("not there any more" in text) is lost
