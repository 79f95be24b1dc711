"""The chain: order, retries, observation, failures."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from mama_bot.config import EnforcementSettings, Mode, OnFailure, Retries, StageSettings
from mama_bot.enforcement import Case, Chain, ChainLink, Stage, build_chain
from mama_bot.enforcement.delegations.team_rules import Delegations
from mama_bot.model import (
    Allow,
    Amend,
    Ask,
    Block,
    Cleared,
    Decision,
    Evidence,
    Exhausted,
    Figure,
    FigureName,
    Finding,
    Outcome,
    Phase,
    SentBack,
    ToolRecord,
    Turn,
    Verdict,
    Withheld,
    text_hash,
)
from mama_bot.text.sentences import Reading
from tests.enforcement.examples import Changed, Scripted, SteppingClock, draft, turn, wrote
from tests.people import persona, team

NOTE = Amend(rule="note", reason="noted", banner="note", verdict=Verdict.NOTED, reminder="remember")
REVIEW = Amend(rule="review", reason="doubtful", banner="look", verdict=Verdict.NEEDS_REVIEW)


BLOCK = Block(rule="praise", reason="Too much praise.", feedback="Again.", banner="praise!")
ASK = Ask(rule="budget", reason="This is dear.", question="May it cost 5 dollars?")


class Blocking(StageSettings):
    """Settings of a stage that say how often a draft goes back, and what then."""

    most: int | None = None
    exhausted: Exhausted = Exhausted.WITHHOLD

    def retries(self, turn: Turn) -> Retries:
        return Retries(most=self.most, exhausted=self.exhausted)


def chain(
    *stages: Stage,
    settings: EnforcementSettings | None = None,
    stage_settings: StageSettings | None = None,
) -> Chain:
    links = [ChainLink(stage=stage, settings=stage_settings or StageSettings()) for stage in stages]
    return Chain(stages=links, settings=settings or EnforcementSettings(), clock=SteppingClock())


def scripted(*decisions: Decision | Exception) -> list[Scripted]:
    return [Scripted(f"stage{number}", decision) for number, decision in enumerate(decisions)]


scripts = st.lists(st.sampled_from([Allow(), NOTE, REVIEW, BLOCK, ASK]), max_size=6)
blocking = st.builds(Blocking, most=st.sampled_from([None, 0, 9]), exhausted=st.sampled_from(Exhausted))


@given(st.lists(st.just(Allow()), max_size=6), st.text())
@example([Allow()], "Accepted")
async def test_a_chain_of_allow_is_neutral(allows: list[Decision], text: str) -> None:
    judgement = await chain(*scripted(*allows)).judge(draft(text), turn())
    assert isinstance(judgement.outcome, Cleared)
    # Whether a text calls work done that no record holds is said by the text, and by no stage.
    assert replace(judgement.outcome, unworked=False) == Cleared()
    assert judgement.text_sha256 == text_hash(text)
    assert [verdict.decision for verdict in judgement.stages] == allows


@given(scripts, blocking, st.integers(0, 3))
async def test_nothing_after_an_effective_block_runs(
    script: list[Decision], stage_settings: Blocking, attempt: int
) -> None:
    stages = scripted(*script)
    judgement = await chain(*stages, stage_settings=stage_settings).judge(draft("text", attempt=attempt), turn())
    ran = len(judgement.stages)
    assert [stage.asked for stage in stages] == [1] * ran + [0] * (len(stages) - ran)
    if isinstance(judgement.outcome, Cleared):
        assert ran == len(stages)
    else:
        assert judgement.outcome.stage == stages[ran - 1].name


@given(scripts, blocking, st.integers(0, 3))
async def test_observing_never_changes_the_outcome(
    script: list[Decision], stage_settings: Blocking, attempt: int
) -> None:
    settings = EnforcementSettings(mode=Mode.OBSERVE)
    judgement = await chain(*scripted(*script), settings=settings, stage_settings=stage_settings).judge(
        draft("text", attempt=attempt), turn()
    )
    assert judgement.outcome == Cleared()
    assert [verdict.decision for verdict in judgement.stages] == script
    assert all(verdict.observed for verdict in judgement.stages)


@given(scripts, blocking, st.integers(0, 3))
async def test_judging_twice_gives_the_same_answer(
    script: list[Decision], stage_settings: Blocking, attempt: int
) -> None:
    first = await chain(*scripted(*script), stage_settings=stage_settings).judge(draft("text", attempt=attempt), turn())
    again = await chain(*scripted(*script), stage_settings=stage_settings).judge(draft("text", attempt=attempt), turn())
    assert first == again


async def test_one_stage_alone_can_be_observed() -> None:
    links = [
        ChainLink(stage=Scripted("first", BLOCK), settings=StageSettings(mode=Mode.OBSERVE)),
        ChainLink(stage=Scripted("second", NOTE), settings=StageSettings()),
    ]
    judgement = await Chain(stages=links, settings=EnforcementSettings(), clock=SteppingClock()).judge(
        draft("text"), turn()
    )
    assert judgement.outcome == Cleared(verdict=Verdict.NOTED, banners=("ℹ️ Note: note",), reminders=("remember",))
    assert [verdict.observed for verdict in judgement.stages] == [True, False]


async def test_amends_accumulate_and_the_worst_verdict_stands() -> None:
    judgement = await chain(*scripted(NOTE, REVIEW, NOTE)).judge(draft("text"), turn())
    assert judgement.outcome == Cleared(
        verdict=Verdict.NEEDS_REVIEW,
        banners=("ℹ️ Note: note", "⚠️ NEEDS_REVIEW: look", "ℹ️ Note: note"),
        reminders=("remember", "remember"),
    )


async def test_banners_speak_the_language_of_the_draft() -> None:
    judgement = await chain(*scripted(NOTE, REVIEW)).judge(draft("반올림을 고쳤습니다."), turn())
    assert isinstance(judgement.outcome, Cleared)
    assert judgement.outcome.banners == ("ℹ️ 참고: note", "⚠️ NEEDS_REVIEW: look")


async def test_a_block_sends_the_draft_back_with_its_feedback() -> None:
    judgement = await chain(*scripted(BLOCK)).judge(draft("text"), turn())
    assert judgement.outcome == SentBack(stage="stage0", rule="praise", reason="Too much praise.", feedback="Again.")


async def test_the_third_rejection_ends_the_retries() -> None:
    judged = chain(*scripted(BLOCK))
    outcomes = [(await judged.judge(draft("text", attempt=attempt), turn())).outcome for attempt in range(3)]
    assert [type(outcome) for outcome in outcomes] == [SentBack, SentBack, Withheld]
    assert isinstance(outcomes[2], Withheld)
    assert "3 attempts" in outcomes[2].reason


@pytest.mark.parametrize(
    ("exhausted", "verdict", "banner"),
    [
        (Exhausted.POST_WITH_NOTE, Verdict.NOTED, "ℹ️ Note: praise!"),
        (Exhausted.DOWNGRADE, Verdict.NEEDS_REVIEW, "⚠️ NEEDS_REVIEW: praise!"),
    ],
)
async def test_a_spent_block_becomes_a_banner_and_the_next_stage_runs(
    exhausted: Exhausted, verdict: Verdict, banner: str
) -> None:
    judged = chain(*scripted(BLOCK, NOTE), stage_settings=Blocking(exhausted=exhausted))
    judgement = await judged.judge(draft("text", attempt=2), turn())
    assert judgement.outcome == Cleared(verdict=verdict, banners=(banner, "ℹ️ Note: note"), reminders=("remember",))
    decision = judgement.stages[0].decision
    assert isinstance(decision, Amend)
    assert "3 attempts" in decision.reason


async def test_a_spent_block_keeps_what_was_found_and_measured() -> None:
    evidence = Evidence(
        findings=(Finding(kind="praise", text="Great!", start=0, end=6),),
        figures=(Figure(name=FigureName.PROSE_CHARACTERS, value=6),),
    )
    stages = scripted(replace(BLOCK, evidence=evidence))
    judged = chain(*stages, stage_settings=Blocking(exhausted=Exhausted.POST_WITH_NOTE))
    (verdict,) = (await judged.judge(draft("Great!", attempt=2), turn())).stages
    assert isinstance(verdict.decision, Amend)
    assert verdict.decision.evidence == evidence


async def test_a_stage_may_allow_fewer_retries_than_the_chain() -> None:
    judged = chain(*scripted(BLOCK), stage_settings=Blocking(most=1, exhausted=Exhausted.POST_WITH_NOTE))
    assert isinstance((await judged.judge(draft("text"), turn())).outcome, SentBack)
    assert isinstance((await judged.judge(draft("text", attempt=1), turn())).outcome, Cleared)


async def test_without_retries_the_first_block_is_final() -> None:
    judged = chain(*scripted(BLOCK), settings=EnforcementSettings(max_retries=0))
    outcome = (await judged.judge(draft("text"), turn())).outcome
    assert isinstance(outcome, Withheld)
    assert "1 attempt)" in outcome.reason


async def test_a_draft_that_somebody_would_have_to_be_asked_about_is_held_back_with_the_question() -> None:
    stages = scripted(NOTE, ASK, NOTE)
    judgement = await chain(*stages).judge(draft("text"), turn(), rejections=1)
    assert judgement.outcome == Withheld(
        stage="stage1",
        rule="budget",
        reason="This is dear. Nobody can be asked yet, so the reply is held back: May it cost 5 dollars?",
    )
    assert [stage.asked for stage in stages] == [1, 1, 0]
    assert (judgement.rejections, judgement.rejected_by) == (1, "")  # nothing that its author did


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.REPLY])
async def test_a_link_of_another_phase_judges_no_reply(phase: Phase) -> None:
    (stage,) = scripted(BLOCK)
    links = [ChainLink(stage=stage, settings=StageSettings(), phase=phase)]
    judgement = await Chain(stages=links, settings=EnforcementSettings(), clock=SteppingClock()).judge(
        draft("text"), turn()
    )
    assert (judgement.outcome, stage.asked) == (Cleared(), 0)


async def test_what_may_be_carried_out_goes_with_the_cleared_draft_whatever_is_switched_off() -> None:
    members = team(persona("developer", delegates_to=("qa",)), persona("qa"))
    for enabled in (True, False):
        judged = build_chain(
            settings=EnforcementSettings(enabled=enabled),
            changed_files=Changed(None),
            clock=SteppingClock(),
            team=members,
        )
        outcome = (
            await judged.judge(draft("DELEGATE::qa::check a.py\nDELEGATE::nobody::x", attempt=2), turn())
        ).outcome
        assert isinstance(outcome, Cleared)
        assert [(asked.recipient, asked.task) for asked in outcome.delegations] == [("qa", "check a.py")]


class Unreadable(Case):
    """A draft that nothing can be read in."""

    @property
    def reading(self) -> Reading:
        raise RecursionError("too deep")

    @property
    def delegations(self) -> Delegations:
        raise RecursionError("too deep")


class Reads(Scripted):
    async def judge(self, case: Case) -> Decision:
        assert case.reading is not None
        return await super().judge(case)


@pytest.mark.parametrize(
    ("on_failure", "outcome"),
    [(OnFailure.ALLOW, Cleared), (OnFailure.NEEDS_REVIEW, Cleared), (OnFailure.WITHHOLD, Withheld)],
)
@pytest.mark.parametrize(("text", "line"), [("It is done.", "could not be read"), ("끝났습니다.", "읽지 못해")])
async def test_a_draft_that_cannot_be_read_is_decided_as_the_settings_of_its_stages_say(
    on_failure: OnFailure, outcome: type[Outcome], text: str, line: str
) -> None:
    links = [ChainLink(stage=Reads("first", Allow()), settings=StageSettings(on_failure=on_failure))]
    judged = Chain(stages=links, settings=EnforcementSettings(), clock=SteppingClock(), case_of=Unreadable)
    judgement = await judged.judge(draft(text), turn())
    assert type(judgement.outcome) is outcome
    assert "RecursionError" in judgement.stages[0].failure
    if isinstance(judgement.outcome, Cleared):  # what it hands on is not dropped in silence
        assert judgement.outcome.verdict is Verdict.NEEDS_REVIEW
        assert judgement.outcome.delegations == ()
        assert line in judgement.outcome.banners[-1]


class Slow:
    name = "slow"

    async def judge(self, case: Case) -> Decision:
        await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.parametrize("stage", [Scripted("broken", RuntimeError("boom")), Slow(), Scripted("late", TimeoutError())])
@pytest.mark.parametrize(
    ("on_failure", "kind", "verdict"),
    [
        (OnFailure.ALLOW, Cleared, Verdict.PASSED),
        (OnFailure.NEEDS_REVIEW, Cleared, Verdict.NEEDS_REVIEW),
        (OnFailure.WITHHOLD, Withheld, None),
    ],
)
async def test_a_stage_that_fails_is_what_its_settings_say(
    stage: Stage, on_failure: OnFailure, kind: type, verdict: Verdict | None
) -> None:
    settings = StageSettings(on_failure=on_failure, timeout_seconds=0.01)
    with capture_logs() as logs:
        judgement = await chain(stage, stage_settings=settings).judge(draft("text"), turn())
    assert isinstance(judgement.outcome, kind)
    if isinstance(judgement.outcome, Cleared):
        assert judgement.outcome.verdict is verdict
        assert bool(judgement.outcome.banners) is (verdict is Verdict.NEEDS_REVIEW)
    assert judgement.stages[0].failure.startswith(f"The stage {stage.name} ")
    assert [entry["event"] for entry in logs] == ["stage_failed"]


async def test_a_failure_in_observation_has_no_effect() -> None:
    settings = StageSettings(on_failure=OnFailure.WITHHOLD, mode=Mode.OBSERVE)
    judgement = await chain(*scripted(RuntimeError("boom")), stage_settings=settings).judge(draft("text"), turn())
    assert judgement.outcome == Cleared()
    assert "boom" in judgement.stages[0].failure


async def test_a_cancelled_judgement_stays_cancelled() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await chain(Slow()).judge(draft("text"), turn())


PRAISE = "Perfect! Amazing work! APPROVED!"


async def test_with_the_master_switch_off_nothing_is_judged() -> None:
    settings = EnforcementSettings(enabled=False)
    judged = build_chain(settings=settings, changed_files=Changed(None), clock=SteppingClock())
    judgement = await judged.judge(draft(PRAISE), turn())
    assert (judgement.outcome, judgement.stages) == (Cleared(), ())
    assert judgement.text_sha256 == text_hash(PRAISE)


STAGES = ("response_validator", "review_gate", "scope_guard", "todo_tracker", "claim_check")


@pytest.mark.parametrize("stage", STAGES)
async def test_each_stage_has_its_switch(stage: str) -> None:
    settings = EnforcementSettings.model_validate({stage: {"enabled": False}})
    judged = build_chain(settings=settings, changed_files=Changed(None), clock=SteppingClock())
    moved = draft("Moved `parse()` to src/parser.py.", record=wrote("src/parser.py"))
    judgement = await judged.judge(moved, turn())
    assert [verdict.stage for verdict in judgement.stages] == [name for name in STAGES if name != stage]
    assert judgement.outcome == Cleared()


async def test_an_approval_without_evidence_is_downgraded_and_its_text_is_kept() -> None:
    judged = build_chain(settings=EnforcementSettings(), changed_files=Changed(None), clock=SteppingClock())
    judgement = await judged.judge(draft("Approved.", attempt=2), turn())
    assert isinstance(judgement.outcome, Cleared)
    assert judgement.outcome.verdict is Verdict.NEEDS_REVIEW
    assert "NEEDS_REVIEW" in judgement.outcome.banners[0]
    assert judgement.text_sha256 == text_hash("Approved.")


@pytest.mark.parametrize(
    ("text", "record", "unworked"),
    [
        ("Done. The refactoring is complete and everything works.", ToolRecord(), True),
        ("완료했습니다. 리팩터링을 마쳤습니다.", ToolRecord(), True),
        ("Verdict: APPROVE. LGTM, checked 1/1", ToolRecord(), True),
        ("I've implemented the feature as requested.", ToolRecord(), True),
        ("버그를 수정했습니다.", ToolRecord(), True),
        ("Done. The refactoring is complete.", wrote("a.py"), False),
        (
            "How a commit is made: " + "it was added to the index, then the hook has changed it. " * 12,
            ToolRecord(),
            False,
        ),
        ("Which file do you mean?", ToolRecord(), False),
        ("Two files round.\n\nDELEGATE::developer::Move it\nEXPECTED OUTCOME:\n- the tests pass", ToolRecord(), False),
        ("`git rebase` moves commits onto another base.", ToolRecord(), False),
    ],
)
async def test_work_that_is_called_done_where_the_record_holds_none_is_told(
    text: str, record: ToolRecord, unworked: bool
) -> None:
    judgement = await chain(Scripted("watching", Allow())).judge(draft(text, record=record), turn())
    assert isinstance(judgement.outcome, Cleared)
    assert judgement.outcome.unworked is unworked


async def test_a_long_draft_is_read_beside_the_event_loop() -> None:
    judged = build_chain(settings=EnforcementSettings(), changed_files=Changed(frozenset()), clock=SteppingClock())
    text = "All 45 tests pass, `ruff check` is clean. 커밋하고 푸시했습니다. LGTM, great work!\n\n" * 40
    rounds = 0
    async with asyncio.TaskGroup() as group:
        judging = group.create_task(judged.judge(draft(text), turn()))
        while not judging.done():
            rounds += 1
            await asyncio.sleep(0)
    assert isinstance(judging.result().outcome, SentBack)
    assert rounds > 10  # what is read on the loop lets it go on once
