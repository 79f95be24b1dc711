"""What stages and the chain decide."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from mama_bot.model.claims import CheckedClaim, HostCheck
from mama_bot.model.ids import TurnId
from mama_bot.model.team import Checklist
from mama_bot.model.turns import Draft


class Verdict(StrEnum):
    """The standing of a reply that may be posted."""

    PASSED = "passed"
    NOTED = "noted"
    NEEDS_REVIEW = "needs_review"


class Exhausted(StrEnum):
    """What becomes of a blocked draft when its retries are spent."""

    POST_WITH_NOTE = "post_with_note"
    DOWNGRADE = "downgrade"
    WITHHOLD = "withhold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A span of the draft that a stage objects to (or relies on): offsets in characters into the draft's text."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What a stage measured in a draft, by name: kept with the judgement, read by the metrics."""

    name: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """The draft may go on."""

    kind: Literal["allow"] = "allow"
    findings: tuple[Finding, ...] = ()
    figures: tuple[Figure, ...] = ()
    checklist: Checklist | None = None
    claims: tuple[CheckedClaim, ...] = ()
    checks: tuple[HostCheck, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Amend:
    """The draft may go on with a banner before it, another standing, or a reminder for the agent's next prompt.

    The words of the draft are never changed.
    """

    rule: str
    reason: str
    banner: str = ""
    verdict: Verdict = Verdict.PASSED
    reminder: str = ""
    findings: tuple[Finding, ...] = ()
    figures: tuple[Figure, ...] = ()
    checklist: Checklist | None = None
    claims: tuple[CheckedClaim, ...] = ()
    checks: tuple[HostCheck, ...] = ()
    kind: Literal["amend"] = "amend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The draft goes back to its author with `feedback`; `retries` bounds how often, `exhausted` says what then."""

    rule: str
    reason: str
    feedback: str
    retries: int
    exhausted: Exhausted
    banner: str = ""
    findings: tuple[Finding, ...] = ()
    figures: tuple[Figure, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    checks: tuple[HostCheck, ...] = ()
    kind: Literal["block"] = "block"


Decision = Allow | Amend | Block


@dataclass(frozen=True, slots=True, kw_only=True)
class StageVerdict:
    """What one stage decided; `observed` means that it was only watched; `failure` is why the stage itself failed."""

    stage: str
    decision: Decision
    observed: bool = False
    failure: str = ""
    elapsed_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """The draft may be posted, with these banners before it; `checklist` is how far the task is with it."""

    verdict: Verdict = Verdict.PASSED
    banners: tuple[str, ...] = ()
    reminders: tuple[str, ...] = ()
    checklist: Checklist | None = None
    kind: Literal["cleared"] = "cleared"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBack:
    """The same agent is asked again, in the same session, with the feedback."""

    stage: str
    rule: str
    reason: str
    feedback: str
    kind: Literal["sent_back"] = "sent_back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """The draft is given up: not posted, not recorded, not routed; the person sees a line."""

    stage: str
    rule: str
    reason: str
    kind: Literal["withheld"] = "withheld"


Outcome = Cleared | SentBack | Withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the chain decided about one draft; only the chain makes one.

    `rejections` counts the drafts of this persona that were rejected in a row on this task of the exchange, this one
    included (0: it is posted), `rejected_by` is the stage that did; `breaker` says that the count ended retries that
    were left.
    """

    turn_id: TurnId
    attempt: int
    text_sha256: str
    outcome: Outcome
    stages: tuple[StageVerdict, ...] = ()
    rejections: int = 0
    rejected_by: str = ""
    breaker: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One draft and what the chain decided about it."""

    draft: Draft
    judgement: Judgement
    at: datetime
