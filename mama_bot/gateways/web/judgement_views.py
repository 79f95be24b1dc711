"""What the chain decided, as the page reads it."""

from collections.abc import Sequence
from typing import assert_never

from mama_bot.gateways.web.cut_texts import cut
from mama_bot.model import Cleared, Decision, Finding, Judgement, Outcome, SentBack, StageVerdict, Withheld, objections

Json = dict[str, object]

MAX_FINDINGS = 12
MAX_FINDING_CHARACTERS = 300


def judgement_view(judgement: Judgement) -> Json:
    """Return what the chain decided, stage by stage."""
    return {
        "attempt": judgement.attempt,
        "outcome": outcome_view(judgement.outcome),
        "objected": bool(objections(judgement)),
        "stages": [stage_view(stage) for stage in judgement.stages],
    }


def outcome_view(outcome: Outcome) -> Json:
    """Return what became of the draft."""
    match outcome:
        case Cleared():
            return {"kind": outcome.kind, "verdict": outcome.verdict.value, "banners": list(outcome.banners)}
        case SentBack() | Withheld():
            return {"kind": outcome.kind, "stage": outcome.stage, "rule": outcome.rule, "reason": outcome.reason}
        case unexpected:
            assert_never(unexpected)


def stage_view(stage: StageVerdict) -> Json:
    """Return what one stage decided and what it found."""
    return {
        "stage": stage.stage,
        **decision_view(stage.decision),
        "looked": _looked(stage),
        "observed": stage.observed,
        "failure": stage.failure,
        "elapsed_ms": round(stage.elapsed_ms, 2),
    }


def _looked(stage: StageVerdict) -> bool:
    """Return whether there was anything for the stage to check."""
    match stage.stage:
        case "claim_check":
            return bool(stage.decision.evidence.claims)
        case "workspace_checks":
            return bool(stage.decision.evidence.checks)
        case _:
            return True


def decision_view(decision: Decision) -> Json:
    """Return a decision with the spans it rests on."""
    return {
        "decision": decision.kind,
        "rule": decision.rule,
        "reason": decision.reason,
        "findings": _findings(decision.evidence.findings),
    }


def _findings(findings: Sequence[Finding]) -> list[Json]:
    return [
        {"kind": finding.kind, "text": cut(finding.text, MAX_FINDING_CHARACTERS)} for finding in findings[:MAX_FINDINGS]
    ]
