"""Reports of wrong verdicts by people."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from mama_bot.model.conversations import Author
from mama_bot.model.ids import TurnId
from mama_bot.model.judgements import Allow, Amend, Ask, Block, Judgement, Outcome, StageVerdict, Verdict
from mama_bot.model.turns import ToolRecord, Turn


class ReportState(StrEnum):
    """Where a report stands; every state but OPEN is final."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportNote:
    """What somebody added to an open report."""

    author: Author
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A person's report that the chain was wrong about an attempt, with all that is needed to decide about it.

    `text` is the judged draft, `record` what it was held against, `objections` what the stages had against it; `missed`
    says that they should have had more. `whitelisted` are the phrases that accepting the report has put on whitelists.
    """

    number: int = 0
    state: ReportState = ReportState.OPEN
    turn: Turn
    attempt: int
    text: str
    outcome: Outcome
    objections: tuple[StageVerdict, ...]
    missed: bool = False
    record: ToolRecord = field(default_factory=ToolRecord)
    reporter: Author
    note: str = ""
    further_notes: tuple[ReportNote, ...] = ()
    reported_at: datetime
    settled_at: datetime | None = None
    whitelisted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportStanding:
    """Which attempt was reported, and how far its report got."""

    number: int
    turn_id: TurnId
    attempt: int
    state: ReportState


def objections(judgement: Judgement) -> tuple[StageVerdict, ...]:
    """Return the verdicts that hold something against the draft, those of observed stages included."""
    return tuple(stage for stage in judgement.stages if _objects(stage))


def _objects(stage: StageVerdict) -> bool:
    match stage.decision:
        case Allow():
            return False
        case Amend() as amend:
            return bool(amend.banner) or amend.verdict is not Verdict.PASSED
        case Ask() | Block():
            return True
        case unexpected:
            assert_never(unexpected)
