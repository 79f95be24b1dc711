"""Judgements as an earlier release stored them, byte by byte, are read as decisions of today."""

import json
from pathlib import Path

import pytest

from mama_bot.gateways.web.json_views import attempt_view, post_view
from mama_bot.model import (
    Allow,
    Amend,
    Block,
    Checklist,
    ClaimState,
    Evidence,
    Figure,
    FigureName,
    Finding,
    Reply,
    claims_of,
    host_checks_of,
    objections,
)
from mama_bot.store import Store
from mama_bot.store.codec import ATTEMPT, POST, REPORT
from mama_bot.store.connection import Statement
from mama_bot.store.database import Database
from mama_bot.store.old_judgements import with_evidence
from tests.store.making import attempt, message, turn

STORED = Path(__file__).parents[1] / "data" / "stored"
MESSAGE = message(1)
TURN = turn(MESSAGE)
PRAISE = Evidence(
    findings=(Finding(kind="praise", text="Great!", start=0, end=6),),
    figures=(Figure(name=FigureName.PROSE_CHARACTERS, value=40),),
)


def body(name: str) -> str:
    return (STORED / f"{name}.json").read_text(encoding="utf-8")


def test_every_decision_keeps_what_it_rests_on() -> None:
    judgement = ATTEMPT.load(body("attempt")).judgement
    allow, amend, observed, given_up = judgement.stages
    assert allow.decision == Allow(evidence=PRAISE)
    assert isinstance(amend.decision, Amend)
    assert amend.decision.evidence == Evidence(
        figures=(Figure(name=FigureName.ITEMS, value=2),),
        checklist=Checklist(task="t", asked="- a\n- b", done=("a",), open_items=1),
    )
    assert isinstance(observed.decision, Block)
    assert [(checked.state, checked.run_id) for checked in claims_of(judgement)] == [(ClaimState.CONTRADICTED, "run-1")]
    assert [(check.name, check.ok) for check in host_checks_of(judgement)] == [("tests", False)]
    assert isinstance(given_up.decision, Block)


def test_a_block_without_retries_is_final_and_one_with_retries_is_not() -> None:
    stages = ATTEMPT.load(body("attempt")).judgement.stages
    assert [(stage.stage, stage.final) for stage in stages if isinstance(stage.decision, Block)] == [
        ("claim_check", False),
        ("workspace_checks", True),
    ]


def test_a_post_and_a_report_are_read_with_their_judgements() -> None:
    post = POST.load(body("reply"))
    assert isinstance(post, Reply)
    assert [stage.decision for stage in post.judgement.stages] == [Allow(evidence=PRAISE)]
    (objection,) = REPORT.load(body("report")).objections
    assert (objection.final, [check.name for check in objection.decision.evidence.checks]) == (True, ["tests"])


def test_the_page_shows_them_as_before() -> None:
    stages = attempt_view(ATTEMPT.load(body("attempt")))["stages"]
    assert isinstance(stages, list)
    assert [(stage["decision"], stage["rule"], stage["observed"]) for stage in stages] == [
        ("allow", "", False),
        ("amend", "open_items", False),
        ("block", "claim_contradicted", True),
        ("block", "workspace_check_failed", False),
    ]
    assert stages[0]["findings"] == [{"kind": "praise", "text": "Great!"}]
    assert post_view(POST.load(body("reply")))["banners"] == ["⚠️ NEEDS_REVIEW: no."]


async def test_they_come_out_of_the_store(store: Store, database: Database) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns([TURN])
    await store.turns.add_attempt(attempt(TURN))
    old = {"body": body("attempt")}
    await database.write(lambda connection: connection.execute(Statement("UPDATE attempts SET body = :body"), old))
    (stored,) = (await store.turns.load(MESSAGE.id)).turns
    assert stored.attempts == (ATTEMPT.load(body("attempt")),)
    assert [stage.stage for stage in objections(stored.attempts[0].judgement)] == ["claim_check", "workspace_checks"]


@pytest.mark.parametrize("name", ["attempt", "reply", "report"])
def test_what_is_of_today_already_stays_as_it_is(name: str) -> None:
    today = with_evidence(body(name))
    assert today != body(name)
    assert with_evidence(today) == today
    assert json.loads(with_evidence(today)) == json.loads(today)


def test_a_draft_that_quotes_the_new_form_is_upgraded_all_the_same() -> None:
    stored = json.loads(body("attempt"))
    stored["draft"]["text"] = '{"evidence":{"findings":[]}}'
    old = json.dumps(stored, separators=(",", ":"))
    assert ATTEMPT.load(old).judgement.stages[0].decision == Allow(evidence=PRAISE)
