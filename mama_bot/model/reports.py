"""Verdicts that people call wrong."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import assert_never

from mama_bot.model.conversations import Author
from mama_bot.model.ids import TurnId
from mama_bot.model.judgements import Allow, Amend, Ask, Block, Judgement, Outcome, StageVerdict, Verdict
from mama_bot.model.turns import Turn


class ReportState(StrEnum):
    """Where a report stands; every state but OPEN is final."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A person's word that the chain was wrong about an attempt, with all that is needed to see whether it was.

    `text` is the judged draft, `objections` what the stages had against it; `whitelisted` are the phrases that
    accepting the report has put into the configuration.
    """

    number: int = 0
    state: ReportState = ReportState.OPEN
    turn: Turn
    attempt: int
    text: str
    outcome: Outcome
    objections: tuple[StageVerdict, ...]
    reporter: Author
    note: str = ""
    reported_at: datetime
    settled_at: datetime | None = None
    whitelisted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportStanding:
    """That an attempt was reported, and how far the report got."""

    number: int
    turn_id: TurnId
    attempt: int
    state: ReportState


def objections(judgement: Judgement) -> tuple[StageVerdict, ...]:
    """The stages that held something against the draft, those that were only watched included."""
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
