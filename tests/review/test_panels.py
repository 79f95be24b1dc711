"""What several reviewers decide together."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from mama_bot.config import ConsensusSettings, ReviewRequirement, ReviewSettings
from mama_bot.metrics import Metrics
from mama_bot.model import (
    AgentPersona,
    Cleared,
    Exchange,
    ReviewMove,
    ReviewStatus,
    StoredTurn,
    Turn,
    TurnKind,
    TurnState,
    WorkDiff,
)
from mama_bot.review.follow_ups import NOTHING
from mama_bot.review.panels import Abstained, Ballot, Decision, Vote, decision_of, issues_among
from mama_bot.review.review_verdicts import Approved, Rejected
from mama_bot.review.rounds import ReviewRounds
from mama_bot.review.sentences import NOTHING_SAID
from tests.people import START, message, persona, team
from tests.review.making import WORK, attempt
from tests.review.test_review_rounds import Changes, States

YES, NO, NONE = Approved(), Rejected(("`a.py` is wrong",)), Abstained(NOTHING_SAID)
PERSONAS = team(*(persona(name) for name in ("developer", "ann", "bo", "cy")))
PANEL = ("ann", "bo", "cy")
REJECTED = "Verdict: REJECT\n\nFindings:\n- `a.py:3` divides by zero"


def votes(*ballots: Ballot) -> list[Vote]:
    return [Vote(reviewer=f"r{index}", ballot=ballot) for index, ballot in enumerate(ballots)]


@pytest.mark.parametrize(
    ("ballots", "quorum", "decision"),
    [
        ((YES, YES, NO), 2, Decision.APPROVED),
        ((YES, NO, NO), 2, Decision.REJECTED),
        ((YES, NO, NONE), 2, Decision.DIVIDED),
        ((YES, YES, NO), 3, Decision.DIVIDED),
        ((YES, YES, NO, NO), 2, Decision.DIVIDED),
        ((YES, NO), 1, Decision.DIVIDED),
        ((YES, NONE, NONE), 2, Decision.TOO_FEW),
        ((NONE,), 1, Decision.TOO_FEW),
        ((NO, NONE), 1, Decision.REJECTED),
    ],
)
def test_a_quorum_decides_unless_both_sides_have_one(
    ballots: tuple[Ballot, ...], quorum: int, decision: Decision
) -> None:
    assert decision_of(votes(*ballots), quorum) is decision


def test_an_issue_that_several_find_is_one() -> None:
    same = votes(NO, Rejected(("a.py  is Wrong.", "`b.py` too")), NONE, YES)
    assert issues_among(same) == ("`a.py` is wrong", "`b.py` too")


def test_of_many_issues_each_reviewer_s_first_ones_are_kept() -> None:
    many = Rejected(tuple(f"issue {number}" for number in range(60)))
    kept = issues_among(votes(many, Rejected(("of the second",)), Rejected(("of the third",))))
    assert kept[:3] == ("issue 0", "of the second", "of the third")
    assert len(kept) == 50


def rounds(
    states: States, reviewers: tuple[str, ...] = PANEL, personas: Mapping[str, AgentPersona] = PERSONAS
) -> ReviewRounds:
    return ReviewRounds(
        settings=ReviewSettings(
            require_review_for=(ReviewRequirement(paths=("*.py",)),),
            consensus=ConsensusSettings(reviewers=reviewers, quorum=2),
        ),
        personas=personas,
        states=states,
        changes=Changes(WorkDiff(files=("a.py",), lines=3)),
        metrics=Metrics(),
    )


def ended(turn: Turn, text: str = "", state: TurnState = TurnState.ANSWERED) -> StoredTurn:
    return StoredTurn(turn=turn, state=state, created_at=START, attempts=(attempt(text),) if text else ())


async def asked() -> tuple[Turn, ...]:
    exchange = Exchange(message=message("do it"), turns=(ended(WORK, "done"),))
    return (await rounds(States()).after(WORK, attempt("done"), Cleared(), exchange)).turns


async def test_nothing_follows_before_all_have_spoken_and_the_last_decides() -> None:
    first, second, third = await asked()
    assert [turn.persona for turn in (first, second, third)] == [*PANEL]
    assert first.prompt == second.prompt == third.prompt
    at_it = rounds(States(ReviewStatus.IN_REVIEW, "ann, bo, cy"))
    running = ended(third, state=TurnState.RUNNING)
    exchange = Exchange(message=message("do it"), turns=(ended(WORK, "done"), ended(first, REJECTED), running))
    assert await at_it.after(second, attempt(REJECTED), Cleared(), _with(exchange, second)) == NOTHING
    exchange = _with(exchange, ended(second, REJECTED))
    follow = await at_it.after_none(third, TurnState.FAILED, exchange)
    assert [turn.kind for turn in follow.turns] == [TurnKind.REWORK]
    assert follow.turns[0].prompt.count("divides by zero") == 1
    assert [(move.to, move.agent) for move in follow.moves] == [
        (ReviewStatus.IN_REVIEW, "ann, bo"),
        (ReviewStatus.REJECTED, "ann, bo"),
    ]


@pytest.mark.parametrize(
    "text", ["I could not open the repository. Where does it lie?", "Verdict: ABSTAIN", "리뷰하지 못했습니다."]
)
async def test_who_states_no_verdict_abstains(text: str) -> None:
    first, second, third = await asked()
    at_it = rounds(States(ReviewStatus.IN_REVIEW, "ann, bo, cy"))
    turns = (ended(WORK, "done"), ended(first, text), ended(second, text), ended(third, state=TurnState.RUNNING))
    exchange = Exchange(message=message("do it"), turns=turns)
    follow = await at_it.after(third, attempt(REJECTED), Cleared(), exchange)
    assert follow.turns == ()
    assert "ann abstains: it stated no verdict" in getattr(follow.posts[0], "text", "")
    assert "1 of 3 reviewers" in getattr(follow.posts[0], "text", "")


async def test_a_line_names_how_many_reasons_it_leaves_out_and_a_rework_who_looks_again() -> None:
    first, second, third = await asked()
    at_it = rounds(States(ReviewStatus.IN_REVIEW, "ann, bo, cy"))
    many = "Verdict: REJECT\n\nFindings:\n" + "\n".join(f"- `a.py:{line}` is wrong" for line in range(7))
    turns = (ended(WORK, "done"), ended(first, many), ended(second, many), ended(third, state=TurnState.RUNNING))
    follow = await at_it.after_none(third, TurnState.FAILED, Exchange(message=message("do it"), turns=turns))
    assert "and 2 more" in getattr(follow.posts[0], "text", "")
    assert "reviewed by ann, bo, cy again" in follow.turns[0].prompt


async def test_one_agent_has_one_say_under_whatever_names() -> None:
    twins = dict(PERSONAS)
    twins["bo"] = replace(twins["bo"], prompt="Look hard.")
    twins["cy"] = replace(twins["cy"], prompt="Look  hard.")
    reviewing = rounds(States(), personas=twins)
    follow = await reviewing.after(
        WORK, attempt("done"), Cleared(), Exchange(message=message("do it"), turns=(ended(WORK, "done"),))
    )
    assert [turn.persona for turn in follow.turns] == ["ann", "bo"]
    panel = follow.turns[0].panel
    assert panel is not None
    assert panel.absent == ("cy",)


async def test_a_panel_that_is_stopped_leaves_its_work_to_be_reviewed_and_says_nothing() -> None:
    first, second, third = await asked()
    turns = (ended(WORK, "done"), *(ended(turn, state=TurnState.RUNNING) for turn in (first, second, third)))
    at_it = rounds(States(ReviewStatus.IN_REVIEW, "ann, bo, cy"))
    follow = await at_it.after_none(first, TurnState.STOPPED, Exchange(message=message("do it"), turns=turns))
    assert follow.moves == (ReviewMove(session_id=WORK.id, to=ReviewStatus.PENDING, agent="developer"),)
    assert follow.posts == ()


async def test_who_worked_on_it_is_not_asked_and_fewer_than_the_quorum_is_said() -> None:
    work = replace(WORK, persona="ann")
    reviewing = rounds(States(), reviewers=("ann", "bo"))
    exchange = Exchange(message=message("do it"), turns=(ended(work, "done"),))
    follow = await reviewing.after(work, attempt("done"), Cleared(), exchange)
    assert follow.turns == ()
    assert "by 2 agents who agree, and 1 agent can be asked" in follow.posts[0].text
    assert follow.posts[0].text.endswith("Not asked: ann.")


def _with(exchange: Exchange, *turns: Turn | StoredTurn) -> Exchange:
    stored = (turn if isinstance(turn, StoredTurn) else ended(turn, state=TurnState.RUNNING) for turn in turns)
    return replace(exchange, turns=(*exchange.turns, *stored))
