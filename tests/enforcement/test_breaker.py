"""The breaker: rejections in a row end the retries, whatever the budget says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mama_bot.config import EnforcementSettings, Mode, OnFailure, StageSettings
from mama_bot.model import Allow, Block, Cleared, Exhausted, Judgement, SentBack, Verdict, Withheld
from tests.enforcement.examples import Scripted, draft, turn
from tests.enforcement.test_chain import BLOCK, Blocking, chain, scripted


async def judged(
    *decisions: Block | Allow | Exception,
    before: int = 0,
    attempt: int = 0,
    exhausted: Exhausted = Exhausted.WITHHOLD,
    **settings: object,
) -> Judgement:
    made = EnforcementSettings.model_validate({"max_retries": 9} | settings)
    return await chain(*scripted(*decisions), settings=made, stage_settings=Blocking(exhausted=exhausted)).judge(
        draft("text", attempt=attempt), turn(), rejections=before
    )


@given(st.integers(0, 6), st.integers(0, 6))
async def test_a_rejection_counts_and_a_pass_sets_back(before: int, attempt: int) -> None:
    rejected = await judged(Allow(), BLOCK, before=before, attempt=attempt)
    assert (rejected.rejections, rejected.rejected_by) == (before + 1, "stage1")
    passed = await judged(Allow(), before=before, attempt=attempt)
    assert (passed.rejections, passed.rejected_by, passed.breaker) == (0, "", False)


@pytest.mark.parametrize(("before", "tripped"), [(0, False), (1, False), (2, True), (3, True)])
async def test_the_third_in_a_row_has_no_retries(before: int, *, tripped: bool) -> None:
    judgement = await judged(BLOCK, before=before)
    assert isinstance(judgement.outcome, Withheld if tripped else SentBack)
    assert judgement.breaker is tripped


async def test_what_becomes_of_the_draft_is_what_its_stage_says() -> None:
    downgraded = await judged(BLOCK, exhausted=Exhausted.DOWNGRADE, before=2)
    assert isinstance(downgraded.outcome, Cleared)
    assert downgraded.outcome.verdict is Verdict.NEEDS_REVIEW
    assert (downgraded.rejections, downgraded.rejected_by, downgraded.breaker) == (0, "stage0", True)


@pytest.mark.parametrize("exhausted", [Exhausted.POST_WITH_NOTE, Exhausted.DOWNGRADE])
async def test_a_draft_that_is_posted_with_a_note_ends_a_run_of_rejections(exhausted: Exhausted) -> None:
    posted = await judged(BLOCK, exhausted=exhausted, before=1, attempt=2, max_retries=2)
    assert isinstance(posted.outcome, Cleared)
    assert (posted.rejections, posted.breaker) == (0, False)


async def test_where_no_retry_was_left_the_breaker_changed_nothing() -> None:
    judgement = await judged(BLOCK, before=2, attempt=2, max_retries=2)
    assert isinstance(judgement.outcome, Withheld)
    assert (judgement.rejections, judgement.breaker) == (3, False)


async def test_the_number_is_configured_and_none_is_never() -> None:
    assert (await judged(BLOCK, before=0, breaker_rejections=1)).breaker
    assert not (await judged(BLOCK, before=50, breaker_rejections=0)).breaker


async def test_what_is_only_observed_is_no_rejection() -> None:
    judgement = await judged(BLOCK, before=2, mode=Mode.OBSERVE)
    assert (judgement.outcome, judgement.rejections) == (Cleared(), 0)


async def test_a_stage_that_fails_is_not_the_agent_s_fault() -> None:
    stages = [Scripted("stage0", RuntimeError("broken"))]
    failing = chain(*stages, stage_settings=StageSettings(on_failure=OnFailure.WITHHOLD))
    judgement = await failing.judge(draft("text"), turn(), rejections=1)
    assert isinstance(judgement.outcome, Withheld)
    assert (judgement.rejections, judgement.breaker) == (1, False)
