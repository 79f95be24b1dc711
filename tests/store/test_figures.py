"""What a stage measured is kept with the judgement, and rows from before there were figures are still read."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from mama_bot.model import Allow, Amend, Attempt, Block, Decision, Evidence, Figure, FigureName, StageVerdict
from mama_bot.store import Store
from mama_bot.store.tables import FIGURES, UNMEASURED
from tests.store.making import attempt, message, turn

MESSAGE = message(1)
TURN = turn(MESSAGE)
MEASURED = (Figure(name=FigureName.PROSE_CHARACTERS, value=120.0), Figure(name=FigureName.EMPTY_CHARACTERS, value=0.5))
DECISIONS: tuple[Decision, ...] = (
    Allow(evidence=Evidence(figures=MEASURED)),
    Amend(rule="scope", reason="why", evidence=Evidence(figures=MEASURED)),
    Block(rule="praise", reason="why", feedback="so", evidence=Evidence(figures=MEASURED)),
)


def measured(decision: Decision) -> Attempt:
    plain = attempt(TURN)
    stage = StageVerdict(stage="response_validator", decision=decision)
    return replace(plain, judgement=replace(plain.judgement, stages=(stage,)))


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision.kind)
async def test_figures_come_back_as_they_were(store: Store, decision: Decision) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    await store.turns.add_attempt(measured(decision))
    (stored,) = (await store.turns.load(MESSAGE.id)).turns
    assert stored.attempts == (measured(decision),)


async def test_a_row_from_before_there_were_figures_has_none(store: Store, tmp_path: Path) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    await store.turns.add_attempt(measured(DECISIONS[0]))
    connection = sqlite3.connect(tmp_path / "store.sqlite")
    try:
        body = json.loads(connection.execute("SELECT body FROM attempts").fetchone()[0])
        body["judgement"]["stages"][0]["decision"] = {"kind": "allow", "findings": [], "checklist": None}
        connection.execute("UPDATE attempts SET body = ?", (json.dumps(body),))
        connection.commit()
    finally:
        connection.close()
    (stored,) = (await store.turns.load(MESSAGE.id)).turns
    assert stored.attempts == (measured(Allow()),)


def test_of_every_figure_the_store_knows_whether_it_is_measured() -> None:
    assert sorted((*FIGURES, *UNMEASURED)) == sorted(FigureName)
