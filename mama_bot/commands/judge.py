"""`mama-bot judge`: what the chain decides about given messages, for people who tune it."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mama_bot.agents.record import ToolRecorder, clean
from mama_bot.app.system_clock import SystemClock
from mama_bot.commands.judge_facts import facts_as_json
from mama_bot.commands.judge_input import MessageInput, Role, RunInput
from mama_bot.config import ClaimCheckSettings, EnforcementSettings, sentence_of
from mama_bot.declarations import ReportTools, with_declaration
from mama_bot.enforcement import build_chain
from mama_bot.enforcement.delegations.requests import read_delegation
from mama_bot.errors import ConfigurationError
from mama_bot.facts import facts_of, for_next_turn
from mama_bot.facts.line import record_line
from mama_bot.model import (
    Amend,
    Ask,
    Audience,
    Author,
    Block,
    CheckedClaim,
    Cleared,
    ConversationKey,
    Draft,
    Facts,
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
    claims_of,
)
from mama_bot.runs import RunReader
from mama_bot.text.patterns import compiled
from mama_bot.wording import language_of, one_line

ASKER = Author(id="asker", name="asker")
WORKSPACE = Path("/workspace")
KEY = ConversationKey(Platform("judge"), "file")
BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)
SHOWN_CHARACTERS = 160
MOST_PATHS = 2_000
MOST_PARTS = 8
SEARCHED_CHARACTERS = 4_000
ABSOLUTE = compiled(r"/(?:[\w.@+-]+/)+[\w.@+-]*")


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
                turn, draft = _turn(message), _draft(message, settings.claim_check)
                turn = replace(turn, earlier=_earlier(message, settings.claim_check))
                judgement = runner.run(chain.survey(draft, turn))
                facts = facts_of(draft.record, agent=turn.persona, earlier=turn.earlier)
                yield _explained(message, judgement) if explain else _as_json(message, judgement, facts)


def _message(line: str, name: str, number: int) -> MessageInput:
    try:
        # Half an emoji, cut off by whoever wrote the file, must not end the run.
        return MessageInput.model_validate_json(clean(json.dumps(json.loads(line), ensure_ascii=False)))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        problem = f"{f'{key}: ' if key else ''}{sentence_of(first)}"
    except (ValueError, RecursionError) as error:
        problem = f"expected JSON: {error}" if isinstance(error, ValueError) else "expected JSON that is less deep"
    problem = f"{problem}. Write one JSON object with id and text to a line."
    raise ConfigurationError(problem=problem, file=Path(name), line=number)


def _turn(message: MessageInput) -> Turn:
    delegation = (
        read_delegation(message.delegation, sender=ASKER.id, recipient=message.agent)
        if message.delegation is not None
        else None
    )
    return Turn(
        id=TurnId(str(message.id)),
        message_id=MessageId(str(message.id)),
        key=KEY,
        persona=message.agent,
        kind=_kind(message),
        audience=Audience.AGENT if message.agent_to_agent else Audience.PERSON,
        asker=ASKER,
        prompt=message.delegation or "",
        delegation=delegation,
    )


def _draft(message: MessageInput, settings: ClaimCheckSettings) -> Draft:
    """Return the draft; one without a record is judged by its words."""
    record = ToolRecord(complete=False) if message.record is None else _record(message, message.record, settings)
    return with_declaration(Draft(turn_id=TurnId(str(message.id)), attempt=0, text=message.text, record=record))


def _earlier(message: MessageInput, settings: ClaimCheckSettings) -> Facts:
    """Return what the records before that of the message show, each a turn of one conversation."""
    facts = Facts()
    for number, runs in enumerate(message.earlier):
        record = _record(message, runs, settings, prefix=f"earlier-{number}-")
        facts = for_next_turn(facts_of(record, agent=message.agent, earlier=facts))
    return facts


def _kind(message: MessageInput) -> TurnKind:
    if message.role is Role.REVIEWER:
        return TurnKind.REVIEW
    return TurnKind.REQUEST if message.delegation is None else TurnKind.DELEGATION


def _record(
    message: MessageInput, runs: Sequence[RunInput], settings: ClaimCheckSettings, *, prefix: str = ""
) -> ToolRecord:
    """Return the record that the service would have kept of these calls of a conversation."""
    places = RecordedPlaces([run for record in (*message.earlier, message.record or ()) for run in record])
    reader = RunReader(commands=settings.commands, workspace=places.root, junit_xml=settings.junit_xml)
    recorder = ToolRecorder(
        workspace=places.root, outputs=places.root, redact=str, now=lambda: BEGINNING, declarations=ReportTools()
    )
    for number, run in enumerate(runs):
        name = f"{prefix}run-{number}"
        recorder.started(run_id=name, tool=run.tool, arguments=run.named_arguments)
        recorder.finished(run_id=name, text=_text(run.output), is_error=run.failed, structured=run.output)
    kept = recorder.record
    told = zip(kept.runs, runs, strict=False)
    return replace(kept, runs=tuple(_as_told(call, run, reader, places) for call, run in told))


class RecordedPlaces:
    """Where the calls of a record were made: a relative directory is that of the absolute paths beside it."""

    def __init__(self, runs: Sequence[RunInput]) -> None:
        self._paths = tuple(islice(_absolute_paths(runs), MOST_PATHS))
        self.root = Path(self.of(runs[0].cwd if runs else ""))

    def of(self, directory: str) -> str:
        """The absolute form of a directory."""
        name = directory.strip("/").removeprefix("./")
        if directory.startswith("/") or not name or name == ".":
            return directory if directory.startswith("/") else str(WORKSPACE)
        parts = name.split("/")
        for length in range(min(len(parts), MOST_PARTS), 0, -1):
            known = "/".join(parts[:length])
            for path in self._paths:
                before, separator, _ = f"{path}/".partition(f"/{known}/")
                if separator:
                    return f"{before}/{name}"
        return str(WORKSPACE / name)


def _absolute_paths(runs: Sequence[RunInput]) -> Iterator[str]:
    """The absolute paths that calls name, those of file tools first."""
    for run in runs:
        for key in ("file_path", "path", "notebook_path"):
            named = run.named_arguments.get(key)
            if isinstance(named, str) and named.startswith("/") and "\0" not in named:
                yield named
    for run in runs:
        command = run.named_arguments.get("command")
        texts = (command if isinstance(command, str) else "", _text(run.output)[:SEARCHED_CHARACTERS])
        for text in texts:
            yield from (match.group() for match in ABSOLUTE.finditer(text))


def _as_told(kept: ToolRun, told: RunInput, reader: RunReader, places: RecordedPlaces) -> ToolRun:
    """What the writer says outright stands above what is read from the call."""
    begun = BEGINNING + timedelta(seconds=told.at)
    call = replace(
        kept,
        exit_status=kept.exit_status if told.exit_status is None else told.exit_status,
        files=kept.files if told.files is None or told.failed else told.files,
        working_directory=places.of(told.cwd),
        started_at=begun,
        ended_at=begun + timedelta(seconds=told.seconds) if told.finished else None,
        ok=kept.ok if told.finished else None,
        agent=told.agent,
        background=told.background,
    )
    if not told.finished:
        call = replace(call, exit_status=None)
    read = reader.read(call, arguments=told.named_arguments, output=_text(told.output))
    return replace(call, ran=read.ran, touched=read.touched, looked=read.looked)


def _text(output: Any) -> str:
    """The output as text: content blocks joined, anything else as JSON."""
    if output is None or isinstance(output, str):
        return output or ""
    if isinstance(output, list):
        return "\n".join(_text(block.get("text", block) if isinstance(block, dict) else block) for block in output)
    return json.dumps(output, ensure_ascii=False)


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


def _reasons(verdict: StageVerdict) -> Sequence[str]:
    decision = verdict.decision
    figures = ", ".join(f"{figure.name} {figure.value:g}" for figure in decision.evidence.figures)
    observed = " (only observed)" if verdict.observed else ""
    rule = f" ({decision.rule}): {decision.reason}" if decision.rule else ""
    return [
        f"  {verdict.stage}{observed}: {decision.kind}{rule}{f' [{figures}]' if figures else ''}",
        *(
            f"    {finding.start}-{finding.end} {finding.kind}: {' '.join(finding.text.split())!r}"
            for finding in decision.evidence.findings
        ),
    ]
