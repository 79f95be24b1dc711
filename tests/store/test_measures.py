"""The figures of a period are those of what was stored, for each persona and in total; without data there are none."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from mama_bot.model import (
    AgentMeasures,
    Allow,
    Amend,
    Audience,
    Block,
    Cleared,
    Decision,
    Evidence,
    Figure,
    FigureName,
    Goal,
    GoalMeasure,
    Measures,
    Outcome,
    Share,
    StageVerdict,
    Turn,
    TurnKind,
    TurnState,
    Usage,
    Verdict,
    Withheld,
)
from mama_bot.store import Store
from tests.store.making import START, TickingClock, attempt, message, sent_back, turn

MESSAGE = message(1)
LATER = START + timedelta(days=400)
BLOCK = Block(rule="praise_share", reason="why", feedback="again")


def with_figures(**named: float) -> Evidence:
    return Evidence(figures=tuple(Figure(name=FigureName(name), value=value) for name, value in named.items()))


def delegated(name: str, persona: str = "developer") -> Turn:
    return replace(turn(MESSAGE, name, persona), kind=TurnKind.DELEGATION, audience=Audience.AGENT)


async def begun(store: Store, *turns: Turn) -> None:
    await store.inbox.accept(MESSAGE)
    await store.turns.add_turns(turns)


async def judged(
    store: Store,
    of: Turn,
    number: int,
    decision: Decision,
    outcome: Outcome,
    *,
    observed: bool = False,
    final: bool = False,
    usage: Usage | None = None,
    days: float = 0,
    elapsed: float = 2.0,
) -> None:
    """Store an attempt with the verdict of one stage."""
    plain = attempt(of, number, f"text {number}", outcome)
    stage = StageVerdict(
        stage="response_validator", decision=decision, final=final, observed=observed, elapsed_ms=elapsed
    )
    await store.turns.add_attempt(
        replace(
            plain,
            draft=replace(plain.draft, usage=usage or Usage(input_tokens=100, output_tokens=20, cost_usd=0.5)),
            judgement=replace(plain.judgement, stages=(stage,)),
            at=START + timedelta(days=days),
        )
    )


async def measured(store: Store, *, days: float = 400) -> Measures:
    return await store.measures.measure(since=START, until=START + timedelta(days=days))


def goal(agent: AgentMeasures, name: Goal) -> GoalMeasure:
    return next(measure for measure in agent.goals if measure.goal is name)


async def test_without_data_there_is_no_figure_rather_than_zero(store: Store) -> None:
    measures = await measured(store)
    assert measures.agents == ()
    assert {measure.drafts.value for measure in measures.total.goals} == {None}
    assert (measures.total.seconds.p50, measures.total.chain_milliseconds.p95) == (None, None)


async def test_drafts_and_objections_are_counted_by_persona_stage_and_rule(store: Store) -> None:
    lead, developer = turn(MESSAGE, "t1"), delegated("t2")
    await begun(store, lead, developer)
    await judged(store, lead, 0, Allow(), Cleared())
    await judged(store, developer, 0, BLOCK, sent_back())
    await judged(store, developer, 1, BLOCK, sent_back())
    given_up = Withheld(stage="response_validator", rule="praise_share", reason="why")
    await judged(store, developer, 2, BLOCK, given_up, final=True)
    measures = await measured(store)
    by_name = {agent.persona: agent for agent in measures.agents}
    assert list(by_name) == ["developer", "lead"]
    own = by_name["developer"]
    assert (own.drafts, own.sent_back, own.withheld, own.retries, own.passed) == (3, 2, 1, 2, 0)
    assert [(one.stage, one.rule, one.effect, one.count) for one in own.objections] == [
        ("response_validator", "praise_share", "sent_back", 2),
        ("response_validator", "praise_share", "withheld", 1),
    ]
    assert (by_name["lead"].passed, by_name["lead"].objections) == (1, ())
    total = measures.total
    assert (total.persona, total.drafts, total.passed, total.retries) == ("", 4, 1, 2)
    assert total.objections == own.objections


async def test_downgrades_and_what_was_only_watched_are_told_apart(store: Store) -> None:
    one, other = turn(MESSAGE, "t1"), turn(MESSAGE, "t2")
    await begun(store, one, other)
    amend = Amend(rule="no_evidence", reason="why", banner="look", verdict=Verdict.NEEDS_REVIEW)
    await judged(store, one, 0, amend, Cleared(verdict=Verdict.NEEDS_REVIEW, banners=("look",)))
    await judged(store, other, 0, BLOCK, Cleared(), observed=True)
    total = (await measured(store)).total
    assert (total.needs_review, total.passed, total.sent_back) == (1, 1, 0)
    assert [(found.effect, found.observed) for found in total.objections] == [
        ("needs_review", False),
        ("sent_back", True),
    ]


async def test_retries_cost_what_the_attempts_cost_that_were_sent_back_and_unknown_usage_is_said(store: Store) -> None:
    asked = turn(MESSAGE)
    await begun(store, asked)
    await judged(store, asked, 0, BLOCK, sent_back())
    await judged(store, asked, 1, BLOCK, sent_back(), usage=Usage())
    await judged(store, asked, 2, Allow(), Cleared())
    spent = (await measured(store)).total.retry_spending
    assert (spent.tokens, spent.cost_usd, spent.known, spent.unknown) == (120, 0.5, 1, 1)


async def test_flattery_is_counted_in_characters_between_agents_in_drafts_and_in_what_was_posted(store: Store) -> None:
    person, agent = turn(MESSAGE, "t1"), delegated("t2")
    await begun(store, person, agent)
    full = with_figures(prose_characters=100, empty_characters=100)
    await judged(store, person, 0, Allow(evidence=full), Cleared())
    await judged(store, agent, 0, replace(BLOCK, evidence=full), sent_back())
    await judged(store, agent, 1, Allow(evidence=with_figures(prose_characters=300, empty_characters=3)), Cleared())
    measure = goal((await measured(store)).total, Goal.FLATTERY)
    assert (measure.drafts, measure.posted) == (Share(part=103, whole=400), Share(part=3, whole=300))
    assert measure.posted is not None
    assert measure.posted.value == pytest.approx(0.01)


async def test_an_approval_without_a_named_check_is_empty(store: Store) -> None:
    asked = turn(MESSAGE)
    await begun(store, asked)
    for number, (approval, evidence) in enumerate([(1, 0), (1, 1), (1, 2), (1, 3), (0, 0)]):
        outcome: Outcome = sent_back() if evidence < 2 and approval else Cleared()
        await judged(
            store,
            asked,
            number,
            Allow(evidence=with_figures(approval=approval, evidence=evidence)),
            outcome,
        )
    measure = goal((await measured(store)).total, Goal.EMPTY_APPROVALS)
    assert (measure.drafts, measure.posted) == (Share(part=2, whole=4), Share(part=0, whole=2))


async def test_a_delegation_violates_its_scope_once_however_many_drafts_it_takes(store: Store) -> None:
    one, other, unmeasured = delegated("t1"), delegated("t2"), delegated("t3")
    await begun(store, one, other, unmeasured)
    await judged(store, one, 0, replace(BLOCK, evidence=with_figures(scope_violated=1)), sent_back())
    await judged(store, one, 1, Allow(evidence=with_figures(scope_violated=0)), Cleared())
    await judged(store, other, 0, Allow(evidence=with_figures(scope_violated=1)), Cleared())
    await judged(store, unmeasured, 0, Allow(), Cleared())
    total = (await measured(store)).total
    measure = goal(total, Goal.SCOPE_VIOLATIONS)
    assert (measure.drafts, measure.posted) == (Share(part=2, whole=2), Share(part=1, whole=2))
    assert goal(total, Goal.RETRIES) == GoalMeasure(goal=Goal.RETRIES, drafts=Share(part=1, whole=3))


async def test_a_completion_without_support_is_unverified(store: Store) -> None:
    asked = turn(MESSAGE)
    await begun(store, asked)
    claims = [(1, 0), (1, 1), (1, 1), (0, 0)]
    for number, (claimed, supported) in enumerate(claims):
        measured_ = with_figures(completion_claimed=claimed, completion_supported=supported)
        await judged(store, asked, number, Allow(evidence=measured_), Cleared())
    measure = goal((await measured(store)).total, Goal.UNVERIFIED_COMPLETIONS)
    assert (measure.drafts, measure.posted) == (Share(part=1, whole=3), Share(part=1, whole=3))


async def test_claims_that_the_record_does_not_show_are_counted_of_all_claims(store: Store) -> None:
    asked = turn(MESSAGE)
    await begun(store, asked)
    false = with_figures(claims=4, claims_confirmed=1, claims_unsupported=1, claims_contradicted=2)
    await judged(store, asked, 0, replace(BLOCK, evidence=false), sent_back())
    await judged(
        store,
        asked,
        1,
        Allow(evidence=with_figures(claims=3, claims_unsupported=0, claims_contradicted=0)),
        Cleared(),
    )
    measure = goal((await measured(store)).total, Goal.FALSE_CLAIMS)
    assert (measure.drafts, measure.posted) == (Share(part=3, whole=7), Share(part=0, whole=3))


async def test_what_lies_outside_the_period_does_not_count(store: Store) -> None:
    asked = turn(MESSAGE)
    await begun(store, asked)
    await judged(store, asked, 0, BLOCK, sent_back())
    await judged(store, asked, 1, Allow(), Cleared(), days=10)
    assert (await measured(store, days=5)).total.drafts == 1
    assert (await measured(store, days=20)).total.drafts == 2
    until = LATER + timedelta(days=1)
    assert (await store.measures.measure(since=LATER, until=until)).total.drafts == 0


def nearest_rank(durations: Sequence[float], percent: int) -> float:
    return sorted(durations)[-(-percent * len(durations) // 100) - 1]


@pytest.mark.parametrize("count", [1, 2, 19, 20, 21, 40])
async def test_durations_have_their_middle_and_their_slow_end(store: Store, clock: TickingClock, count: int) -> None:
    turns = [turn(MESSAGE, f"t{number}", "lead" if number % 2 else "developer") for number in range(count)]
    await begun(store, *turns)
    taken: list[float] = []
    for number, one in enumerate(turns):
        seconds = float((number * 7) % count + 1)
        await store.turns.begin_attempt(one, 0, "s1")  # type: ignore[arg-type]
        clock.advance(seconds)
        await judged(store, one, 0, Allow(), Cleared(), elapsed=seconds)
        await store.turns.finish(one, TurnState.ANSWERED)
        taken.append(seconds)
    measures = await measured(store)
    for times in (measures.total.seconds, measures.total.chain_milliseconds):
        assert times.count == count
        assert times.p50 == pytest.approx(nearest_rank(taken, 50), abs=0.1)
        assert times.p95 == pytest.approx(nearest_rank(taken, 95), abs=0.1)
    assert measures.total.turns == (("answered", count),)
    assert sum(agent.seconds.count for agent in measures.agents) == count


async def test_a_repeated_attempt_counts_once(store: Store) -> None:
    asked = turn(MESSAGE)
    await begun(store, asked)
    for _ in range(3):
        await judged(store, asked, 0, BLOCK, sent_back())
    total = (await measured(store)).total
    assert (total.drafts, [one.count for one in total.objections]) == (1, [1])
