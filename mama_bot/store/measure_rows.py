"""The rows that the metrics will read, written beside each attempt in the same transaction."""

from typing import assert_never

from mama_bot.model import (
    Allow,
    Amend,
    Ask,
    Attempt,
    Block,
    Cleared,
    Judgement,
    StageVerdict,
    Usage,
    Verdict,
    objections,
)
from mama_bot.store.codec import instant
from mama_bot.store.connection import Connection, Statement
from mama_bot.store.tables import FIGURES

_ADD_MEASURED = Statement(
    f"""
    INSERT INTO measured_attempts
        (turn_id, attempt, at, persona, kind, audience, outcome, verdict, chain_milliseconds, tokens, cost_usd,
         {", ".join(FIGURES)})
    SELECT :turn_id, :attempt, :at, persona, kind, audience, :outcome, :verdict, :chain_milliseconds, :tokens,
           :cost_usd, {", ".join(f":{name}" for name in FIGURES)}
    FROM turns WHERE id = :turn_id
    """  # noqa: S608 - constants
)
_ADD_OBJECTION = Statement(
    """
    INSERT INTO objections (turn_id, attempt, stage, at, persona, rule, effect, observed)
    SELECT :turn_id, :attempt, :stage, :at, persona, :rule, :effect, :observed FROM turns WHERE id = :turn_id
    ON CONFLICT DO NOTHING
    """
)


def add_measures(connection: Connection, attempt: Attempt) -> None:
    """Write the rows that the metrics read of an attempt that was just stored."""
    draft, judgement = attempt.draft, attempt.judgement
    place = {"turn_id": draft.turn_id, "attempt": draft.attempt, "at": instant(attempt.at)}
    facts = {
        "outcome": judgement.outcome.kind,
        "verdict": judgement.outcome.verdict if isinstance(judgement.outcome, Cleared) else "",
        "chain_milliseconds": sum(stage.elapsed_ms for stage in judgement.stages),
        "tokens": _tokens(draft.usage),
        "cost_usd": draft.usage.cost_usd,
    }
    connection.execute(_ADD_MEASURED, place | facts | _figures(judgement))
    for stage in objections(judgement):
        connection.execute(_ADD_OBJECTION, place | _objection(stage))


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _figures(judgement: Judgement) -> dict[str, float | None]:
    measured: dict[str, float | None] = dict.fromkeys(FIGURES)
    for stage in judgement.stages:
        for figure in stage.decision.evidence.figures:
            if figure.name in measured:
                measured[figure.name] = figure.value
    return measured


def _objection(stage: StageVerdict) -> dict[str, str | int]:
    return {
        "stage": stage.stage,
        "rule": stage.decision.rule,
        "effect": _effect(stage),
        "observed": int(stage.observed),
    }


def _effect(stage: StageVerdict) -> str:
    match stage.decision:
        case Allow():
            return "allowed"
        case Amend(verdict=Verdict.NEEDS_REVIEW):
            return "needs_review"
        case Amend():
            return "noted"
        case Ask():
            return "withheld"
        case Block():
            return "withheld" if stage.final else "sent_back"
        case unexpected:
            assert_never(unexpected)
