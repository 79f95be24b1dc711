"""The chain: a list of stages and a fold over it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

import structlog

from mama_bot.config import EnforcementSettings, Mode, OnFailure, StageSettings
from mama_bot.model import (
    Allow,
    Amend,
    Block,
    Cleared,
    Decision,
    Draft,
    Exhausted,
    Judgement,
    Outcome,
    SentBack,
    StageVerdict,
    Turn,
    Verdict,
    Withheld,
    text_hash,
)
from mama_bot.protocols import Clock, Stage
from mama_bot.wording import is_korean, with_particle

log = structlog.get_logger(__name__)

SEVERITY = {Verdict.PASSED: 0, Verdict.NOTED: 1, Verdict.NEEDS_REVIEW: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLink:
    """A stage with what the chain decides for it: switch, mode, deadline, failure."""

    stage: Stage
    settings: StageSettings


@dataclass(slots=True, kw_only=True)
class _Rejections:
    """How many drafts in a row were rejected before this one, which stage rejects it, and whether the breaker acts."""

    before: int = 0
    by: str = ""
    broken: bool = False


class Chain:
    """The ordered stages; the only maker of judgements.

    The first effective Block ends the fold, Amends accumulate. Retries, deadlines, failures and observation are
    decided here, never in a stage.
    """

    def __init__(self, *, stages: Sequence[ChainLink], settings: EnforcementSettings, clock: Clock) -> None:
        self._links = tuple(link for link in stages if settings.enabled and link.settings.enabled)
        self._settings = settings
        self._clock = clock

    async def judge(self, draft: Draft, turn: Turn, *, rejections: int = 0) -> Judgement:
        """Decide about a draft; a stage that fails never makes this fail.

        `rejections` are those in a row before this draft: the one that reaches `breaker_rejections` has no retries.
        """
        verdicts: list[StageVerdict] = []
        count = _Rejections(before=rejections)
        for link in self._links:
            verdicts.append(self._settled(await self._verdict(link, draft, turn), draft, count))
            if not isinstance(outcome_of(verdicts), Cleared):
                break
        return judged(verdicts, draft, turn, count)

    async def survey(self, draft: Draft, turn: Turn) -> Judgement:
        """Decide as `judge` does, and ask every stage, those after a rejection too: for people who tune the stages."""
        count = _Rejections()
        verdicts = [self._settled(await self._verdict(link, draft, turn), draft, count) for link in self._links]
        return judged(verdicts, draft, turn, count)

    async def _verdict(self, link: ChainLink, draft: Draft, turn: Turn) -> StageVerdict:
        """What one stage decides, with its failures translated."""
        started = self._clock.monotonic()
        decision, failure = await self._decision(link, draft, turn)
        observed = Mode.OBSERVE in (self._settings.mode, link.settings.mode)
        return StageVerdict(
            stage=link.stage.name,
            decision=decision,
            observed=observed,
            failure=failure,
            elapsed_ms=(self._clock.monotonic() - started) * 1000,
        )

    async def _decision(self, link: ChainLink, draft: Draft, turn: Turn) -> tuple[Decision, str]:
        """The decision of a stage, and why it failed ("" when it did not)."""
        seconds = link.settings.timeout_seconds
        try:
            async with asyncio.timeout(seconds) as deadline:
                return await link.stage.judge(draft, turn), ""
        except TimeoutError as error:
            late = f"gave no decision within {seconds:g} seconds"
            failure = late if deadline.expired() else f"raised {type(error).__name__}: {error}"
        except Exception as error:  # noqa: BLE001 - a stage's own fault must not lose the turn
            failure = f"raised {type(error).__name__}: {error}"
        sentence = f"The stage {link.stage.name} {failure}."
        log.warning("stage_failed", stage=link.stage.name, turn_id=turn.id, attempt=draft.attempt, failure=failure)
        return failed(link, sentence, korean=is_korean(draft.text[:2000])), sentence

    def _settled(self, verdict: StageVerdict, draft: Draft, count: _Rejections) -> StageVerdict:
        """The verdict with its retries counted: what the draft's own budget or the breaker leaves of a Block."""
        if not isinstance(verdict.decision, Block) or verdict.observed:
            return verdict
        if not verdict.failure:  # a stage's own fault is no rejection of the agent
            count.by = count.by or verdict.stage
        final = bool(count.by) and 0 < self._settings.breaker_rejections <= count.before + 1
        count.broken |= final and draft.attempt < self._retries(verdict.decision)
        return replace(verdict, decision=self._spent(verdict.decision, draft, final=final))

    def _retries(self, decision: Block) -> int:
        return min(self._settings.max_retries, decision.retries)

    def _spent(self, decision: Block, draft: Draft, *, final: bool) -> Decision:
        """The decision, or what becomes of a Block once its retries are spent."""
        if draft.attempt < self._retries(decision) and not final:
            return decision
        reason = f"{decision.reason} ({attempts(draft.attempt + 1, korean=is_korean(decision.reason))})"
        match decision.exhausted:
            case Exhausted.POST_WITH_NOTE:
                return amended(decision, reason, Verdict.NOTED)
            case Exhausted.DOWNGRADE:
                return amended(decision, reason, Verdict.NEEDS_REVIEW)
            case Exhausted.WITHHOLD:
                return replace(decision, reason=reason, retries=0)
            case unexpected:
                assert_never(unexpected)


def judged(verdicts: Sequence[StageVerdict], draft: Draft, turn: Turn, count: _Rejections) -> Judgement:
    """The judgement that follows from the verdicts.

    A draft that is posted, be it with a note, ends a run of rejections; one that a failed stage gave up leaves the
    count as it was.
    """
    outcome = outcome_of(verdicts)
    passed = isinstance(outcome, Cleared)
    return Judgement(
        turn_id=turn.id,
        attempt=draft.attempt,
        text_sha256=text_hash(draft.text),
        outcome=outcome,
        stages=tuple(verdicts),
        rejections=0 if passed else count.before + 1 if count.by else count.before,
        rejected_by=count.by,
        breaker=count.broken,
    )


def outcome_of(verdicts: Sequence[StageVerdict]) -> Outcome:
    """What follows from the verdicts in their order; observed ones have no effect."""
    outcome: Outcome = Cleared()
    for verdict in verdicts:
        if not verdict.observed:
            outcome = folded(outcome, verdict)
    return outcome


def attempts(count: int, *, korean: bool) -> str:
    """A number of attempts, in words."""
    if korean:
        return f"{count}회 시도"
    return "1 attempt" if count == 1 else f"{count} attempts"


def amended(block: Block, reason: str, verdict: Verdict) -> Amend:
    """A Block whose retries are spent, as an Amend."""
    banner = block.banner or f"⚠️ {reason}"
    return Amend(
        rule=block.rule,
        reason=reason,
        banner=banner,
        verdict=verdict,
        findings=block.findings,
        figures=block.figures,
        claims=block.claims,
        checks=block.checks,
    )


def failed(link: ChainLink, failure: str, *, korean: bool) -> Decision:
    """What a stage that failed means, as its settings say."""
    match link.settings.on_failure:
        case OnFailure.ALLOW:
            return Allow()
        case OnFailure.NEEDS_REVIEW:
            name = link.stage.name
            banner = (
                f"⚠️ 검토 필요: 검사 {with_particle(name, '을/를')} 실행하지 못했습니다."
                if korean
                else f"⚠️ Needs review: the check {name} could not be carried out."
            )
            return Amend(rule="stage_failed", reason=failure, banner=banner, verdict=Verdict.NEEDS_REVIEW)
        case OnFailure.WITHHOLD:
            return Block(
                rule="stage_failed", reason=failure, feedback="", retries=0, exhausted=Exhausted.WITHHOLD, banner=""
            )
        case unexpected:
            assert_never(unexpected)


def folded(outcome: Outcome, verdict: StageVerdict) -> Outcome:
    """The outcome so far with one more effective verdict."""
    if not isinstance(outcome, Cleared):
        return outcome
    match verdict.decision:
        case Allow() as allow:
            return outcome if allow.checklist is None else replace(outcome, checklist=allow.checklist)
        case Amend() as amend:
            return Cleared(
                verdict=max(outcome.verdict, amend.verdict, key=SEVERITY.__getitem__),
                banners=outcome.banners + ((amend.banner,) if amend.banner else ()),
                reminders=outcome.reminders + ((amend.reminder,) if amend.reminder else ()),
                checklist=amend.checklist or outcome.checklist,
            )
        case Block(retries=0) as block:
            return Withheld(stage=verdict.stage, rule=block.rule, reason=block.reason)
        case Block() as block:
            return SentBack(stage=verdict.stage, rule=block.rule, reason=block.reason, feedback=block.feedback)
        case unexpected:
            assert_never(unexpected)
