"""What stages and the chain decide."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Literal

from mama_bot.model.claims import CheckedClaim, HostCheck
from mama_bot.model.ids import TurnId
from mama_bot.model.team import Checklist, Delegation
from mama_bot.model.turns import Draft
from mama_bot.wording import Language, Said


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


class FigureName(StrEnum):
    """What stages measure. `mama_bot.store.tables` says of each whether the metrics read it."""

    PROSE_CHARACTERS = "prose_characters"
    EMPTY_CHARACTERS = "empty_characters"
    APPROVAL = "approval"
    EVIDENCE = "evidence"
    OWN_RUN = "own_run"
    UNEXPECTED_FILES = "unexpected_files"
    SCOPE_VIOLATED = "scope_violated"
    ITEMS = "items"
    OPEN_ITEMS = "open_items"
    COMPLETION_CLAIMED = "completion_claimed"
    COMPLETION_SUPPORTED = "completion_supported"
    RECORD = "record"
    CLAIMS = "claims"
    CLAIMS_CONFIRMED = "claims_confirmed"
    CLAIMS_UNSUPPORTED = "claims_unsupported"
    CLAIMS_CONTRADICTED = "claims_contradicted"
    CHECKS = "checks"
    CHECKS_FAILED = "checks_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What a stage measured in a draft: kept with the judgement, read by the metrics."""

    name: FigureName
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a decision rests on: spans, figures, checked claims, checks that were run, how far the checklist is.

    `not_handed_on` are the request keys of delegations whose words are not passed on, whatever becomes of the draft;
    `for_agents` is what other agents read of it (None: all).
    """

    findings: tuple[Finding, ...] = ()
    figures: tuple[Figure, ...] = ()
    claims: tuple[CheckedClaim, ...] = ()
    checks: tuple[HostCheck, ...] = ()
    checklist: Checklist | None = None
    not_handed_on: tuple[str, ...] = ()
    for_agents: str | None = None


class Phase(StrEnum):
    """When something is judged, in the order in which a turn comes to it."""

    SESSION_START = "session_start"
    TOOL = "tool"
    AFTER_TOOL = "after_tool"
    COMPACTION = "compaction"
    STOP = "stop"
    REPLY = "reply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """What was judged may go on; there is no rule that it broke, and no reason to give."""

    rule: ClassVar[str] = ""
    reason: ClassVar[str] = ""
    evidence: Evidence = Evidence()
    kind: Literal["allow"] = "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amend:
    """It may go on with a banner before it, another standing, a reminder for the agent, or other arguments.

    Of a reply its own words are never changed, and the reminder is for the agent's next prompt; `banner` is a sentence,
    before which the chain puts the sign of the verdict. Of a tool call the reminder is told with its result, and
    `arguments` are those that differ, by name.
    """

    rule: str
    reason: str
    banner: str = ""
    verdict: Verdict = Verdict.PASSED
    reminder: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    evidence: Evidence = Evidence()
    kind: Literal["amend"] = "amend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """It waits for a person's answer to `question`; whoever cannot ask treats it as a no.

    `also` are further rules that ask about the same, `approvers` whom they name to answer (nobody: owners). With a
    `checkpoint` it is asked once in a conversation: approved, that holds there. `before` are checkpoints to be passed
    first. `amend` is what becomes of the call where it may run: it is asked about with those arguments.
    """

    rule: str
    reason: str
    question: str | Said
    also: tuple[str, ...] = ()
    approvers: tuple[str, ...] = ()
    checkpoint: str = ""
    before: tuple["Ask", ...] = ()
    amend: Amend | None = None
    evidence: Evidence = Evidence()
    kind: Literal["ask"] = "ask"

    def asked(self, language: Language) -> str:
        """Return the question in a language; the reason, where nothing is to be said to people."""
        words = self.question.to(language) if isinstance(self.question, Said) else self.question
        return words or self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """It goes back to its author with `feedback`.

    How often, and what then becomes of it, the settings of the stage say; `banner` is the sentence for a draft that is
    posted all the same.
    """

    rule: str
    reason: str
    feedback: str
    banner: str = ""
    evidence: Evidence = Evidence()
    kind: Literal["block"] = "block"


Decision = Allow | Amend | Ask | Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """What became of an Ask: whether it may go on, and what its author is told where it may not."""

    granted: bool
    feedback: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageVerdict:
    """What one stage decided; `observed` means that it was only watched; `failure` is why the stage itself failed.

    `final` is true of a Block that sends nothing back any more: the draft is withheld.
    """

    stage: str
    decision: Decision
    final: bool = False
    observed: bool = False
    failure: str = ""
    elapsed_ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    """The draft may be posted, with these banners before it.

    `checklist` is how far the task is with it, `delegations` are what it asks of others and may ask, in order.
    `unworked` says that it calls work done, or approves it, where the record holds neither a run nor an edit.
    `for_agents` is what other agents read of it (None: all).
    """

    verdict: Verdict = Verdict.PASSED
    banners: tuple[str, ...] = ()
    reminders: tuple[str, ...] = ()
    checklist: Checklist | None = None
    delegations: tuple[Delegation, ...] = ()
    unworked: bool = False
    for_agents: str | None = None
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
