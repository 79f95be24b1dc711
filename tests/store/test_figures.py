"""What a stage measured is kept with the judgement, and rows from before there were figures are still read."""

import json
from dataclasses import replace

import pytest

from mama_bot.model import Allow, Amend, Attempt, Block, Decision, Evidence, Figure, FigureName, StageVerdict
from mama_bot.store import Store
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.database import Database
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


async def test_a_row_from_before_there_were_figures_has_none(store: Store, database: Database) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    await store.turns.add_attempt(measured(DECISIONS[0]))

    def make_old(connection: Connection) -> None:
        body = json.loads(connection.execute(Statement("SELECT body FROM attempts")).scalar())
        body["judgement"]["stages"][0]["decision"] = {"kind": "allow", "findings": [], "checklist": None}
        connection.execute(Statement("UPDATE attempts SET body = :body"), {"body": json.dumps(body)}).close()

    await database.write(make_old)
    (stored,) = (await store.turns.load(MESSAGE.id)).turns
    assert stored.attempts == (measured(Allow()),)


def test_of_every_figure_the_store_knows_whether_it_is_measured() -> None:
    assert sorted((*FIGURES, *UNMEASURED)) == sorted(FigureName)
