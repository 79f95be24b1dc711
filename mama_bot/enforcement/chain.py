"""The chain: the list of stages of the phase *reply*, and a fold over it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, assert_never

import structlog

from mama_bot.config import EnforcementSettings, Mode, OnFailure, Retries, StageSettings
from mama_bot.enforcement.case import Case
from mama_bot.enforcement.sentences import DELEGATIONS_NOT_READ, MARKED, NOBODY_ASKED, NOT_CARRIED_OUT, SPENT
from mama_bot.model import (
    Allow,
    Amend,
    Ask,
    Block,
    Cleared,
    Decision,
    Draft,
    Evidence,
    Exhausted,
    Judgement,
    Outcome,
    Phase,
    SentBack,
    StageVerdict,
    Turn,
    Verdict,
    Withheld,
    text_hash,
)
from mama_bot.protocols import Clock, Standings
from mama_bot.wording import Language, language_of

log = structlog.get_logger(__name__)

UNREAD_CHARACTERS = 2_000
SEVERITY = {Verdict.PASSED: 0, Verdict.NOTED: 1, Verdict.NEEDS_REVIEW: 2}


class Stage(Protocol):
    """One check in the enforcement chain: it judges, and never posts, retries or calls the next stage."""

    @property
    def name(self) -> str:
        """Its name in settings, verdicts and logs."""
        ...

    async def judge(self, case: Case) -> Decision:
        """Decide about a draft."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLink:
    """A stage with when it is asked, and what the chain decides for it: switch, mode, deadline, failure, retries."""

    stage: Stage
    settings: StageSettings
    phase: Phase = Phase.REPLY


@dataclass(slots=True, kw_only=True)
class _Rejections:
    """How many drafts in a row were rejected before this one, which stage rejects it, and whether the breaker acts.

    Where a draft has retries left, `last` says whether it gets none all the same (None: it does).
    """

    before: int = 0
    last: Callable[[], bool] | None = None
    by: str = ""
    broken: bool = False
    ended: bool = False

    def ends(self) -> bool:
        """Return whether the draft gets no retry, though it has some left."""
        self.ended = self.ended or (self.last is not None and self.last())
        return self.ended


class Chain:
    """The ordered stages of the phase *reply*; the only maker of judgements.

    The first effective Block or Ask ends the fold, Amends accumulate. Retries, deadlines, failures and observation are
    decided here, never in a stage. `case_of` makes the case that the stages share; `standings` is asked once for a
    draft that claims files or commits.
    """

    def __init__(
        self,
        *,
        stages: Sequence[ChainLink],
        settings: EnforcementSettings,
        clock: Clock,
        standings: Standings | None = None,
        case_of: Callable[[Draft, Turn], Case] = Case,
    ) -> None:
        links = (link for link in stages if link.phase is Phase.REPLY)
        self._links = tuple(link for link in links if settings.enabled and link.settings.enabled)
        self._settings = settings
        self._clock = clock
        self._standings = standings
        self._case_of = case_of

    async def judge(
        self, draft: Draft, turn: Turn, *, rejections: int = 0, last: Callable[[], bool] | None = None
    ) -> Judgement:
        """Decide about a draft; a stage that fails never makes this fail.

        `rejections` are those in a row before this draft: the one that reaches `breaker_rejections` has no retries.
        Where a draft would be sent back, `last` says whether it is not, as if its retries were spent (None: it is).
        """
        case, verdicts = await self._case(draft, turn), list[StageVerdict]()
        count = _Rejections(before=rejections, last=last)
        language = await case.aside(lambda: language_for(case))
        outcome: Outcome = Cleared()
        for link in self._links:
            verdicts.append(await self._verdict(link, case, language, count))
            outcome = outcome_of(verdicts[-1:], language, outcome)
            case = case.checked_so(verdicts[-1].decision.evidence.checks)
            if not isinstance(outcome, Cleared):
                break
        return await case.aside(lambda: judgement_of(verdicts, case, language, count))

    async def survey(self, draft: Draft, turn: Turn) -> Judgement:
        """Decide as `judge` does, and ask every stage, those after a rejection too: for people who tune the stages."""
        case, count = await self._case(draft, turn), _Rejections()
        language = await case.aside(lambda: language_for(case))
        verdicts = []
        for link in self._links:
            verdicts.append(await self._verdict(link, case, language, count))
            case = case.checked_so(verdicts[-1].decision.evidence.checks)
        return await case.aside(lambda: judgement_of(verdicts, case, language, count))

    async def _case(self, draft: Draft, turn: Turn) -> Case:
        case = self._case_of(draft, turn)
        if self._standings is None:
            return case
        try:
            enquiry = await case.aside(lambda: case.enquiry)
            return case if enquiry.is_empty else case.standing_so(await self._standings.standing(turn, enquiry))
        except Exception as error:  # noqa: BLE001 - the stages that read the draft fail as their settings say
            log.warning("standing_not_asked", turn_id=turn.id, failure=f"{type(error).__name__}: {error}")
            return case

    async def _verdict(self, link: ChainLink, case: Case, language: Language, count: _Rejections) -> StageVerdict:
        """Return what one stage decides, with its failures translated and its retries counted."""
        started = self._clock.monotonic()
        decision, failure = await self._decision(link, case, language)
        verdict = StageVerdict(
            stage=link.stage.name,
            decision=decision,
            observed=Mode.OBSERVE in (self._settings.mode, link.settings.mode),
            failure=failure,
            elapsed_ms=(self._clock.monotonic() - started) * 1000,
        )
        if not isinstance(decision, Block):
            return verdict
        # What a stage that failed blocks is given up at once: its author can do nothing about it.
        retries = Retries(most=0) if failure else link.settings.retries(case.turn)
        return self._settled(verdict, decision, retries, case.draft, language, count)

    async def _decision(self, link: ChainLink, case: Case, language: Language) -> tuple[Decision, str]:
        """Return the decision of a stage, and why it failed ("" when it did not)."""
        seconds = link.settings.timeout_seconds
        try:
            async with asyncio.timeout(seconds) as deadline:
                return await link.stage.judge(case), ""
        except TimeoutError as error:
            late = f"gave no decision within {seconds:g} seconds"
            failure = late if deadline.expired() else f"raised {type(error).__name__}: {error}"
        except Exception as error:  # noqa: BLE001 - a stage's own fault must not lose the turn
            failure = f"raised {type(error).__name__}: {error}"
        sentence = f"The stage {link.stage.name} {failure}."
        log.warning(
            "stage_failed", stage=link.stage.name, turn_id=case.turn.id, attempt=case.draft.attempt, failure=failure
        )
        return failed(link, sentence, language), sentence

    def _settled(
        self,
        verdict: StageVerdict,
        block: Block,
        retries: Retries,
        draft: Draft,
        language: Language,
        count: _Rejections,
    ) -> StageVerdict:
        """Return the verdict with what the draft's own retries, or the breaker, leave of a Block."""
        if verdict.observed:
            return replace(verdict, final=retries.most == 0)
        if not verdict.failure:  # a stage's own fault is no rejection of the agent
            count.by = count.by or verdict.stage
        attempt, most = draft.attempt, self._settings.max_retries
        left = attempt < (most if retries.most is None else min(most, retries.most))
        broken = bool(count.by) and 0 < self._settings.breaker_rejections <= count.before + 1
        count.broken |= broken and left
        if left and not broken and not count.ends():
            return verdict
        reason = SPENT.to(language, reason=block.reason, count=attempt + 1)
        match retries.exhausted:
            case Exhausted.POST_WITH_NOTE:
                return replace(verdict, decision=amended(block, reason, Verdict.NOTED))
            case Exhausted.DOWNGRADE:
                return replace(verdict, decision=amended(block, reason, Verdict.NEEDS_REVIEW))
            case Exhausted.WITHHOLD:
                return replace(verdict, decision=replace(block, reason=reason), final=True)
            case unexpected:
                assert_never(unexpected)


def language_for(case: Case) -> Language:
    """Return the language in which the author is answered; of a draft that cannot be read, that of its beginning."""
    try:
        return case.language
    except Exception as error:  # noqa: BLE001 - the stages that read it fail as their settings say
        log.warning("draft_not_read", turn_id=case.turn.id, failure=f"{type(error).__name__}: {error}")
        return language_of(case.draft.text[:UNREAD_CHARACTERS])


def judgement_of(verdicts: Sequence[StageVerdict], case: Case, language: Language, count: _Rejections) -> Judgement:
    """Return the judgement that follows from the verdicts.

    A draft that is posted, be it with a note, ends a run of rejections; one that was given up because a stage failed or
    nobody could be asked leaves the count as it was.
    """
    outcome = outcome_of(verdicts, language)
    if isinstance(outcome, Cleared):
        outcome = replace(with_delegations(outcome, case, language, verdicts), unworked=is_unworked(case, verdicts))
    passed = isinstance(outcome, Cleared)
    return Judgement(
        turn_id=case.turn.id,
        attempt=case.draft.attempt,
        text_sha256=text_hash(case.draft.text),
        outcome=outcome,
        stages=tuple(verdicts),
        rejections=0 if passed else count.before + 1 if count.by else count.before,
        rejected_by=count.by,
        breaker=count.broken,
    )


def with_delegations(
    outcome: Cleared, case: Case, language: Language, verdicts: Sequence[StageVerdict] = ()
) -> Cleared:
    """Return the outcome with what the draft hands on; where that cannot be read, with none of it and a banner.

    A delegation that a stage would not have handed on stays out of it, though the draft is posted.
    """
    refused = {key for each in verdicts if not each.observed for key in each.decision.evidence.not_handed_on}
    try:
        handed_on = tuple(each for each in case.delegations.requested if each.request_key not in refused)
        return replace(outcome, delegations=handed_on)
    except Exception as error:  # noqa: BLE001 - what cannot be read must not lose the turn
        log.warning("delegations_not_read", turn_id=case.turn.id, failure=f"{type(error).__name__}: {error}")
        banner = MARKED[Verdict.NEEDS_REVIEW].to(language, banner=DELEGATIONS_NOT_READ.to(language))
        return replace(outcome, verdict=Verdict.NEEDS_REVIEW, banners=(*outcome.banners, banner))


def is_unworked(case: Case, verdicts: Sequence[StageVerdict]) -> bool:
    """Return whether a draft calls work done, or approves it, where the record holds neither a run nor an edit."""
    if not verdicts or any(run.ran or run.touched for run in (*case.draft.record.runs, *case.turn.told)):
        return False
    if any(verdict.decision.evidence.claims for verdict in verdicts):
        return True
    try:
        return _says_work_is_done(case.own_words)  # what is asked of others is not done
    except Exception as error:  # noqa: BLE001 - what cannot be read must not lose the turn
        log.warning("draft_not_read", turn_id=case.turn.id, failure=f"{type(error).__name__}: {error}")
        return False


def _says_work_is_done(case: Case) -> bool:
    # A long text that explains how things are done also has words of completion.
    return case.approves or case.says_all_done or (case.is_short and case.says_done)


def outcome_of(verdicts: Sequence[StageVerdict], language: Language, outcome: Outcome | None = None) -> Outcome:
    """Return what follows from the verdicts in their order, and from the `outcome` before them.

    Observed ones have no effect.
    """
    outcome = outcome or Cleared()
    for verdict in verdicts:
        if isinstance(outcome, Cleared) and not verdict.observed:
            outcome = folded(outcome, verdict, language)
    return outcome


def amended(block: Block, reason: str, verdict: Verdict) -> Amend:
    """Return a Block whose retries are spent as an Amend."""
    return Amend(
        rule=block.rule, reason=reason, banner=block.banner or reason, verdict=verdict, evidence=block.evidence
    )


def failed(link: ChainLink, failure: str, language: Language) -> Decision:
    """Return what a stage that failed means, as its settings say."""
    match link.settings.on_failure:
        case OnFailure.ALLOW:
            return Allow()
        case OnFailure.NEEDS_REVIEW:
            banner = NOT_CARRIED_OUT.to(language, stage=link.stage.name)
            return Amend(rule="stage_failed", reason=failure, banner=banner, verdict=Verdict.NEEDS_REVIEW)
        case OnFailure.WITHHOLD:
            return Block(rule="stage_failed", reason=failure, feedback="")
        case unexpected:
            assert_never(unexpected)


def folded(outcome: Cleared, verdict: StageVerdict, language: Language) -> Outcome:
    """Return the outcome so far with one more effective verdict."""
    decision = verdict.decision
    match decision:
        case Allow():
            return _told(outcome, decision.evidence)
        case Amend():
            banner = MARKED[decision.verdict].to(language, banner=decision.banner) if decision.banner else ""
            return replace(
                _told(outcome, decision.evidence),
                verdict=max(outcome.verdict, decision.verdict, key=SEVERITY.__getitem__),
                banners=(*outcome.banners, banner) if banner else outcome.banners,
                reminders=(*outcome.reminders, decision.reminder) if decision.reminder else outcome.reminders,
            )
        case Ask():
            reason = NOBODY_ASKED.to(language, reason=decision.reason, question=decision.question)
            return Withheld(stage=verdict.stage, rule=decision.rule, reason=reason)
        case Block():
            if verdict.final:
                return Withheld(stage=verdict.stage, rule=decision.rule, reason=decision.reason)
            return SentBack(stage=verdict.stage, rule=decision.rule, reason=decision.reason, feedback=decision.feedback)
        case unexpected:
            assert_never(unexpected)


def _told(outcome: Cleared, evidence: Evidence) -> Cleared:
    """Return the outcome with what the evidence of a stage says of the draft that is posted."""
    if evidence.checklist is None and evidence.for_agents is None:
        return outcome
    words = outcome.for_agents if evidence.for_agents is None else evidence.for_agents
    return replace(outcome, checklist=evidence.checklist or outcome.checklist, for_agents=words)
