"""What is kept of a rule over all sessions: how often it spoke, what came of it, and how it failed."""

from dataclasses import dataclass
from datetime import datetime

from mama_bot.model.judgements import Phase

MOST_FAILURE_CHARACTERS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRecord:
    """The figures of one rule in one wording (`digest`): a rule that is written anew begins anew.

    `heeded` and `unheeded` say of warnings whether the rule let the next call pass that it was asked about there.
    `reported` is how often a person called a block of it wrong, `complaint` what the last of them wrote.
    `failures_in_row` are those since its condition could last be told; `opened_at` is since when it is left out.
    """

    rule: str
    digest: str
    matches: int = 0
    blocks: int = 0
    questions: int = 0
    warnings: int = 0
    heeded: int = 0
    unheeded: int = 0
    reported: int = 0
    complaint: str = ""
    failures: int = 0
    failures_in_row: int = 0
    failure: str = ""
    openings: int = 0
    opened_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBlock:
    """A rule stopped a call of a session (or, in another `phase`, something else), and when.

    What stopped the same call did so at the same time; `reported` says that a person called it wrong.
    """

    rule: str
    at: datetime
    session: str = ""
    phase: Phase = Phase.TOOL
    reported: bool = False
