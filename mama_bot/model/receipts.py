"""The receipt of a posted reply: its claims and what they rest on."""

import json
from collections.abc import Iterable

from mama_bot.model.claims import CheckedClaim, ClaimReceipt, HostCheck, ReceiptRun
from mama_bot.model.judgements import Attempt, Cleared, FigureName, Judgement
from mama_bot.model.turns import ToolRun, Turn

MAX_RUNS = 40
MAX_TAIL_CHARACTERS = 2_000
MAX_COMMAND_CHARACTERS = 1_000


def receipt_of(turn: Turn, attempt: Attempt, *, record_line: str = "") -> ClaimReceipt | None:
    """Return the receipt of a cleared draft; None when it claims nothing, nothing was checked and nothing was run.

    It holds the tool calls that decided its claims and the last ones that ran a check, 40 at most. A draft of an agent
    that does not report its calls always has one, which says so, and so does one of a fallback.
    """
    claims, checks = claims_of(attempt.judgement), host_checks_of(attempt.judgement)
    record = attempt.draft.record
    runs = _deciding(claims, (*record.runs, *turn.told))
    outcome = attempt.judgement.outcome
    unworked = isinstance(outcome, Cleared) and outcome.unworked
    empty = unworked and record.complete and not (record.work or record.dropped or turn.told)
    if not (claims or checks or runs or empty or record.fallback) and record.complete:
        return None
    return ClaimReceipt(
        turn_id=turn.id,
        key=turn.key,
        persona=turn.persona,
        text_sha256=attempt.judgement.text_sha256,
        at=attempt.at,
        claims=claims,
        runs=tuple(receipt_run(run, turn.persona) for run in runs),
        checks=checks,
        recorded=record.complete,
        empty=empty,
        own_run=_approves_by_own_run(attempt.judgement),
        record_line=record_line,
        workflow=record.workflow,
        fallback=record.fallback,
    )


def _approves_by_own_run(judgement: Judgement) -> bool:
    figures = (figure for stage in judgement.stages for figure in stage.decision.evidence.figures)
    return any(figure.name is FigureName.OWN_RUN and figure.value for figure in figures)


def claims_of(judgement: Judgement) -> tuple[CheckedClaim, ...]:
    """Return the checked claims of a draft from the verdicts of the stages."""
    return tuple(claim for stage in judgement.stages for claim in stage.decision.evidence.claims)


def host_checks_of(judgement: Judgement) -> tuple[HostCheck, ...]:
    """Return the checks that the service itself ran for a draft."""
    return tuple(check for stage in judgement.stages for check in stage.decision.evidence.checks)


def receipt_run(run: ToolRun, persona: str) -> ReceiptRun:
    """Return a tool call as a receipt shows it."""
    return ReceiptRun(
        run_id=run.id,
        agent=run.agent or persona,
        command=called_command(run),
        exit_status=run.exit_status,
        counts=tuple(run_summary.counts for run_summary in run.ran),
        started_at=run.started_at,
        ended_at=run.ended_at,
        after=run.after,
        output_tail=(run.output_tail or run.output_head)[-MAX_TAIL_CHARACTERS:],
        output_sha256=run.output_sha256,
        output_size=run.output_size,
    )


def called_command(run: ToolRun) -> str:
    """Return what was called: the command of a shell, else the tool with its file, its pattern or its arguments."""
    asked = run.command or f"{run.tool} {run.paths[0] if run.paths else _pattern(run) or run.arguments}"
    return asked[:MAX_COMMAND_CHARACTERS]


def _pattern(run: ToolRun) -> str:
    """Return what a call searched for; "" for one that names no pattern."""
    try:
        arguments = json.loads(run.arguments)
    except ValueError:
        return ""
    pattern = arguments.get("pattern") if isinstance(arguments, dict) else None
    return pattern if isinstance(pattern, str) else ""


def _deciding(claims: Iterable[CheckedClaim], runs: Iterable[ToolRun]) -> list[ToolRun]:
    decisive = {claim.run_id for claim in claims if claim.run_id}
    chosen = {run.id: run for run in runs if run.id in decisive or run.ran}
    first = [run for run in chosen.values() if run.id in decisive]
    others = [run for run in chosen.values() if run.id not in decisive]
    first = first[-MAX_RUNS:]
    kept = (*first, *others[max(0, len(others) - (MAX_RUNS - len(first))) :])
    return sorted(kept, key=lambda run: run.started_at)
