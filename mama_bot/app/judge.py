"""`mama-bot judge`: what the chain decides about given messages, for people who tune it."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StrictFloat, StrictInt, StrictStr, ValidationError

from mama_bot.agents.record import ToolRecorder, clean
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
WORKSPACE = Path("/workspace")
KEY = ConversationKey(Platform("judge"), "file")
BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
SHOWN_CHARACTERS = 160


class Run(BaseModel):
    """One tool call of the record, as a person or an agent's log writes it down; further keys are the writer's own."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    tool: str = Field(validation_alias=AliasChoices("tool", "tool_name", "name"))
    arguments: Any = Field(
        default=None, validation_alias=AliasChoices("arguments", "input", "tool_input", "command", "args")
    )
    ok: bool | None = None
    is_error: bool | None = None
    exit_status: int | None = Field(default=None, validation_alias=AliasChoices("exit_status", "exit", "exit_code"))
    output: Any = Field(
        default=None, validation_alias=AliasChoices("output", "result", "tool_response", "content", "output_tail")
    )
    files: tuple[str, ...] | None = None

    @property
    def named_arguments(self) -> Mapping[str, Any]:
        """The arguments by name; a bare text is a command, or arguments that were written down as JSON."""
        given = self.arguments
        if isinstance(given, str):
            try:
                read = json.loads(given)
            except ValueError:
                read = None
            given = read if isinstance(read, dict) else {"command": given}
        return given if isinstance(given, dict) else {}

    @property
    def failed(self) -> bool:
        """Whether the call failed, as far as anything says so."""
        if self.ok is not None:
            return not self.ok
        return bool(self.is_error) or self.exit_status not in (None, 0)


class Message(BaseModel):
    """One message to judge; further keys are the writer's own."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: StrictStr | StrictInt | StrictFloat
    text: str
    agent_to_agent: bool = True
    record: tuple[Run, ...] | None = None
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
        # Half an emoji, cut off by whoever wrote the file, must not end the run.
        return Message.model_validate_json(clean(json.dumps(json.loads(line), ensure_ascii=False)))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        problem = f"{f'{key}: ' if key else ''}{sentence_of(first)}"
    except (ValueError, RecursionError) as error:
        problem = f"expected JSON: {error}" if isinstance(error, ValueError) else "expected JSON that is less deep"
    problem = f"{problem}. Write one JSON object with id and text to a line."
    raise ConfigurationError(problem=problem, file=Path(name), line=number)


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
    draft = Draft(turn_id=turn.id, attempt=0, text=message.text, record=_record(message.record or ()))
    return await chain.survey(draft, turn)


def _record(runs: Sequence[Run]) -> ToolRecord:
    """The record that the service would have kept of these calls."""
    recorder = ToolRecorder(workspace=WORKSPACE, outputs=WORKSPACE, redact=str, now=lambda: BEGINNING)
    for number, run in enumerate(runs):
        name = f"run-{number}"
        recorder.started(run_id=name, tool=run.tool, arguments=run.named_arguments)
        recorder.finished(run_id=name, text=_text(run.output), is_error=run.failed, structured=run.output)
    kept = recorder.record
    return replace(kept, runs=tuple(_as_told(one, run) for one, run in zip(kept.runs, runs, strict=False)))


def _as_told(kept: ToolRun, told: Run) -> ToolRun:
    """What the writer says outright stands above what is read from the call."""
    status = kept.exit_status if told.exit_status is None else told.exit_status
    files = kept.files if told.files is None or told.failed else told.files
    return replace(kept, exit_status=status, files=files)


def _text(output: Any) -> str:
    """The output as text: content blocks joined, anything else as JSON."""
    if output is None or isinstance(output, str):
        return output or ""
    if isinstance(output, list):
        return "\n".join(_text(block.get("text", block) if isinstance(block, dict) else block) for block in output)
    return json.dumps(output, ensure_ascii=False)


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
