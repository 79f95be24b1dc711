"""`mama-bot judge`: what the chain decides about given messages, for people who tune it."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from mama_bot.app.clock import SystemClock
from mama_bot.config import EnforcementSettings, sentence_of
from mama_bot.delegation import read_delegation
from mama_bot.enforcement import Chain, build_chain
from mama_bot.errors import ConfigurationError
from mama_bot.model import (
    Allow,
    Amend,
    Audience,
    Author,
    Block,
    Cleared,
    ConversationKey,
    Draft,
    Judgement,
    MessageId,
    Platform,
    StageVerdict,
    ToolRecord,
    ToolRun,
    Turn,
    TurnId,
    TurnKind,
    Verdict,
)

ASKER = Author(id="asker", name="asker")
WORKER = "worker"
KEY = ConversationKey(Platform("judge"), "file")
BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
SHOWN_CHARACTERS = 160


class Run(BaseModel):
    """One tool call of the record, as a person writes it down."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str
    arguments: str | dict[str, Any] = Field(default="", validation_alias=AliasChoices("arguments", "input", "command"))
    ok: bool | None = None
    exit_status: int | None = Field(default=None, validation_alias=AliasChoices("exit_status", "exit"))
    output: str = ""
    files: tuple[str, ...] = ()


class Message(BaseModel):
    """One message to judge; further keys are the writer's own."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str | int
    text: str
    agent_to_agent: bool = True
    record: tuple[Run, ...] = ()
    delegation: str | None = None


class NoRepository:
    """Messages in a file have no work tree: the record of tools counts."""

    async def since(self, turn: Turn) -> frozenset[str] | None:  # noqa: ARG002 - the port's own form
        """None, always."""
        return None

    async def generated(self, turn: Turn, paths: Sequence[str]) -> frozenset[str]:  # noqa: ARG002
        """None of them."""
        return frozenset()

    async def places(self, turn: Turn) -> tuple[str, ...]:  # noqa: ARG002
        """None."""
        return ()


def judge_lines(lines: Iterable[str], *, name: str, settings: EnforcementSettings, explain: bool) -> Iterator[str]:
    """One line (or, explained, one paragraph) for each line of JSON.

    Raises ConfigurationError for the first line that is no message, with its number.
    """
    chain = build_chain(settings=settings, changed_files=NoRepository(), clock=SystemClock())
    with asyncio.Runner() as runner:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                message = _message(line, name, number)
                judgement = runner.run(_judged(chain, message))
                yield _explained(message, judgement) if explain else _as_json(message, judgement)


def _message(line: str, name: str, number: int) -> Message:
    try:
        return Message.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        problem = f"{f'{key}: ' if key else ''}{sentence_of(first)}. Write one JSON object with id and text to a line."
        raise ConfigurationError(problem=problem, file=Path(name), line=number) from error


async def _judged(chain: Chain, message: Message) -> Judgement:
    delegation = (
        read_delegation(message.delegation, sender=ASKER.id, recipient=WORKER)
        if message.delegation is not None
        else None
    )
    turn = Turn(
        id=TurnId(str(message.id)),
        message_id=MessageId(str(message.id)),
        key=KEY,
        persona=WORKER,
        kind=TurnKind.DELEGATION if delegation else TurnKind.REQUEST,
        audience=Audience.AGENT if message.agent_to_agent else Audience.PERSON,
        asker=ASKER,
        prompt=message.delegation or "",
        delegation=delegation,
    )
    record = ToolRecord(runs=tuple(_run(run, number) for number, run in enumerate(message.record)))
    return await chain.survey(Draft(turn_id=turn.id, attempt=0, text=message.text, record=record), turn)


def _run(run: Run, number: int) -> ToolRun:
    arguments = run.arguments if isinstance(run.arguments, str) else json.dumps(run.arguments, ensure_ascii=False)
    ok = run.ok if run.ok is not None else (None if run.exit_status is None else run.exit_status == 0)
    plain = ToolRun(id=f"run-{number}", tool=run.tool, arguments=arguments, started_at=BEGINNING, files=run.files)
    return replace(
        plain,
        ok=ok,
        exit_status=run.exit_status,
        output_head=run.output,
        output_tail=run.output,
        output_size=len(run.output),
    )


def _as_json(message: Message, judgement: Judgement) -> str:
    found: dict[str, object] = {"id": message.id}
    for verdict in judgement.stages:
        match verdict.stage:
            case "response_validator":
                found["flattery"] = _flattery(verdict)
            case "review_gate":
                found["review"] = _review(verdict)
            case "scope_guard":
                found["scope"] = _notes(verdict)
            case "todo_tracker":
                found["completion"] = _completion(verdict)
            case _:
                found[verdict.stage] = _notes(verdict)
    return json.dumps(found | {"decision": _decision(judgement)}, ensure_ascii=False)


def _flattery(verdict: StageVerdict) -> dict[str, object]:
    figures = _figures(verdict)
    prose = figures.get("prose_characters", 0)
    share = figures.get("empty_characters", 0) / prose if prose else 0.0
    found = [
        {"kind": one.kind, "text": one.text, "start": one.start, "end": one.end} for one in verdict.decision.findings
    ]
    return {"decision": _passes(verdict), "share": round(share, 4), "found": found}


def _review(verdict: StageVerdict) -> dict[str, object]:
    evidence = [{"strength": one.kind, "text": one.text} for one in verdict.decision.findings if one.kind != "approval"]
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
        "reason": "" if isinstance(verdict.decision, Allow) else verdict.decision.reason,
    }


def _notes(verdict: StageVerdict) -> dict[str, object]:
    decision = verdict.decision
    return {"decision": _passes(verdict), "reason": "" if isinstance(decision, Allow) else decision.reason}


def _figures(verdict: StageVerdict) -> dict[str, float]:
    return {figure.name: figure.value for figure in verdict.decision.figures}


def _passes(verdict: StageVerdict) -> str:
    return "reject" if isinstance(verdict.decision, Block) else "pass"


def _decision(judgement: Judgement) -> str:
    outcome = judgement.outcome
    if not isinstance(outcome, Cleared):
        return "reject"
    return "pass" if outcome.verdict is Verdict.PASSED else outcome.verdict.value


def _explained(message: Message, judgement: Judgement) -> str:
    text = " ".join(message.text.split())
    shown = text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
    lines = [f"{message.id}: {_decision(judgement)}", f"  {shown}"]
    for verdict in judgement.stages:
        lines += _reasons(verdict)
    return "\n".join((*lines, ""))


def _reasons(verdict: StageVerdict) -> Sequence[str]:
    decision = verdict.decision
    figures = ", ".join(f"{figure.name} {figure.value:g}" for figure in decision.figures)
    observed = " (only observed)" if verdict.observed else ""
    said = decision.kind if isinstance(decision, Allow) else f"{decision.kind} ({decision.rule}): {decision.reason}"
    head = f"  {verdict.stage}{observed}: {said}{f' [{figures}]' if figures else ''}"
    return [
        head,
        *(f"    {one.start}-{one.end} {one.kind}: {' '.join(one.text.split())!r}" for one in decision.findings),
    ]
