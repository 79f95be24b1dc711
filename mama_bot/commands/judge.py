"""`mama-bot judge`: what the chain decides about given messages, for people who tune it."""

import asyncio
import itertools
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from mama_bot.app.configuration import SECRETS_NAME
from mama_bot.app.system_clock import SystemClock
from mama_bot.commands import sentences as says
from mama_bot.commands.command_arguments import OWN_FILE
from mama_bot.config import EnforcementSettings, load_settings
from mama_bot.errors import ConfigurationError
from mama_bot.facts.facts_json import facts_as_json
from mama_bot.facts.line import record_line
from mama_bot.model import (
    Amend,
    Ask,
    Block,
    CheckedClaim,
    Cleared,
    Facts,
    Judgement,
    StageVerdict,
    Verdict,
    claims_of,
)
from mama_bot.trial.given_messages import MessageInput, MessageUnusable, read_message
from mama_bot.trial.trial_chain import TrialChain
from mama_bot.wording import language_of, one_line

SHOWN_CHARACTERS = 160
PASTED = "text"  # the id of a message that was given without one


def judged_file(name: str, config: Path, environment: Mapping[str, str], *, explain: bool) -> Iterator[str]:
    """Yield what the chain decides about the messages in a file (`-` is the input); raises ConfigurationError.

    Without a configuration of their own people tune against the defaults.
    """
    given = config if config.exists() or config != OWN_FILE else None
    secrets_file = config.parent / SECRETS_NAME
    settings = load_settings(given, environment=dict(environment), secrets_file=secrets_file).enforcement
    with _opened(name) as lines:
        # What is piped in may be a reply as a person pastes it; a file has a message to a line.
        messages = _lines_or_one_text(lines) if explain or name == "-" else lines
        yield from judge_lines(messages, name=name, settings=settings, explain=explain)


def _opened(name: str) -> TextIO:
    if name == "-" and sys.stdin is None:
        raise ConfigurationError(problem=says.NO_INPUT)
    try:
        # Texts of agents hold what they hold: an undecodable byte must not end the run.
        return open(
            sys.stdin.fileno() if name == "-" else name, encoding="utf-8-sig", errors="replace", closefd=name != "-"
        )
    except OSError as error:
        problem = says.UNREADABLE_FILE.of(reason=error.strerror)
        raise ConfigurationError(problem=problem, file=Path(name)) from error


def judge_lines(lines: Iterable[str], *, name: str, settings: EnforcementSettings, explain: bool) -> Iterator[str]:
    """Yield one line (or, explained, one paragraph) for each line of JSON.

    Raises ConfigurationError for the first line that is no message, with its number.
    """
    chain = TrialChain(settings=settings, clock=SystemClock())
    with asyncio.Runner() as runner:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                message = _message(line, name, number)
                trial = runner.run(chain.judge(message))
                judgement, facts = trial.judgement, trial.facts
                yield _explained(message, judgement) if explain else _as_json(message, judgement, facts)


def _lines_or_one_text(lines: Iterable[str]) -> Iterable[str]:
    """Return lines of JSON as they are; any other text, as a person pastes a reply, as one message."""
    given = iter(lines)
    head: list[str] = []
    for line in given:
        head.append(line)
        if line.strip():
            break
    if not head or head[-1].lstrip().startswith("{"):
        return itertools.chain(head, given)
    text = "".join((*head, *given)).strip()
    return [json.dumps({"id": PASTED, "text": text})] if text else []


def _message(line: str, name: str, number: int) -> MessageInput:
    try:
        return read_message(line)
    except MessageUnusable as error:
        problem = (
            f"{error} Write one JSON object with id and text to a line; plain text is judged from the input (`-`), and "
            "explained with --explain."
        )
    raise ConfigurationError(problem=problem, file=Path(name), line=number)


def _record_line(message: MessageInput, judgement: Judgement, facts: Facts) -> str:
    """Return the line of facts that a reply of this text carries, or would if it were not sent back."""
    outcome = judgement.outcome
    claims_work = outcome.unworked if isinstance(outcome, Cleared) else bool(claims_of(judgement))
    return record_line(facts, language_of(message.text), claims_work=claims_work)


def _as_json(message: MessageInput, judgement: Judgement, facts: Facts) -> str:
    answer: dict[str, object] = {"id": message.id}
    if message.record is not None:
        answer["facts"] = facts_as_json(facts)
        answer["record_line"] = _record_line(message, judgement, facts)
    for verdict in judgement.stages:
        match verdict.stage:
            case "response_validator":
                answer["flattery"] = _flattery(verdict)
            case "review_gate":
                answer["review"] = _review(verdict)
            case "scope_guard":
                answer["scope"] = _notes(verdict)
            case "todo_tracker":
                answer["completion"] = _completion(verdict)
            case "claim_check":
                if message.record is not None:
                    answer["claims"] = [_claim(checked) for checked in verdict.decision.evidence.claims]
                    answer["claim_check"] = _notes(verdict)
            case _:
                answer[verdict.stage] = _notes(verdict)
    decision = _decision(judgement)
    if message.record is not None and decision != "reject":
        # Against a record a reply holds or it does not; what is only noted is said by the stages.
        decision = "reject" if any(verdict.failure for verdict in judgement.stages) else "pass"
    return json.dumps(answer | {"decision": decision}, ensure_ascii=False)


def _claim(checked: CheckedClaim) -> dict[str, object]:
    claim = checked.claim
    return {
        "kind": claim.kind.value,
        "text": claim.text,
        "start": claim.start,
        "end": claim.end,
        "state": checked.state.value,
        "reason": checked.reason.value,
        "says": checked.says,
        "grade": None if checked.grade is None else checked.grade.value,
        "declared": claim.declared,
    }


def _flattery(verdict: StageVerdict) -> dict[str, object]:
    figures = _figures(verdict)
    prose = figures.get("prose_characters", 0)
    share = figures.get("empty_characters", 0) / prose if prose else 0.0
    spans = [asdict(finding) for finding in verdict.decision.evidence.findings]
    return {"decision": _passes(verdict), "share": round(share, 4), "found": spans}


def _review(verdict: StageVerdict) -> dict[str, object]:
    evidence = [
        {"strength": finding.kind, "text": finding.text}
        for finding in verdict.decision.evidence.findings
        if finding.kind != "approval"
    ]
    return {
        "decision": _passes(verdict),
        "is_approval": bool(_figures(verdict).get("approval", 0)),
        "evidence": evidence,
    }


def _completion(verdict: StageVerdict) -> dict[str, object]:
    figures = _figures(verdict)
    return {
        "decision": "remind" if isinstance(verdict.decision, Amend) else _passes(verdict),
        "claimed": bool(figures.get("completion_claimed", 0)),
        "supported": bool(figures.get("completion_supported", 0)),
        "items": int(figures.get("items", 0)),
        "open": int(figures.get("open_items", 0)),
        "reason": verdict.decision.reason,
    }


def _notes(verdict: StageVerdict) -> dict[str, object]:
    return {"decision": _passes(verdict), "reason": verdict.decision.reason}


def _figures(verdict: StageVerdict) -> dict[str, float]:
    return {figure.name: figure.value for figure in verdict.decision.evidence.figures}


def _passes(verdict: StageVerdict) -> str:
    return "reject" if isinstance(verdict.decision, Ask | Block) else "pass"


def _decision(judgement: Judgement) -> str:
    outcome = judgement.outcome
    if not isinstance(outcome, Cleared):
        return "reject"
    return "pass" if outcome.verdict is Verdict.PASSED else outcome.verdict.value


def _explained(message: MessageInput, judgement: Judgement) -> str:
    text = one_line(message.text)
    shown = text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
    lines = [f"{message.id}: {_decision(judgement)}", f"  {shown}"]
    for verdict in judgement.stages:
        lines += _reasons(verdict)
    return "\n".join((*lines, ""))


def _words(name: str) -> str:
    """Return a name of the program as a person reads it."""
    return name.replace("_", " ")


def _reasons(verdict: StageVerdict) -> Sequence[str]:
    decision = verdict.decision
    figures = ", ".join(f"{_words(figure.name)} {figure.value:g}" for figure in decision.evidence.figures)
    observed = " (only observed)" if verdict.observed else ""
    rule = f": {decision.reason} ({decision.rule})" if decision.rule else ""
    return [
        f"  {verdict.stage}{observed}: {decision.kind}{rule}{f' [{figures}]' if figures else ''}",
        *(
            f"    {finding.start}-{finding.end} {finding.kind}: {' '.join(finding.text.split())!r}"
            for finding in decision.evidence.findings
        ),
    ]
