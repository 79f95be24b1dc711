"""A rule, as its file describes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from mama_bot.model import Phase
from mama_bot.rules.conditions import Condition
from mama_bot.rules.matchers import Matcher
from mama_bot.rules.messages import Message
from mama_bot.wording import Language, Said


class Verb(StrEnum):
    """What a rule decides: TELL adds something to what the agent knows, COUNT only counts."""

    ALLOW = "allow"
    BLOCK = "block"
    ASK = "ask"
    MODIFY = "modify"
    TELL = "tell"
    COUNT = "count"


class Strictness(StrEnum):
    """Whether a BLOCK or an ASK keeps a call from running (HARD), or is told to the agent beside its result (SOFT)."""

    HARD = "hard"
    SOFT = "soft"


class Band(StrEnum):
    """When a rule is asked: to initialise, to enforce, for the project's own ends, to audit, to clean up."""

    P10 = "P10"
    P20 = "P20"
    P50 = "P50"
    P80 = "P80"
    P90 = "P90"


AUDIT = frozenset({Band.P80, Band.P90})


class WhenBroken(StrEnum):
    """What becomes of a call where a rule's own condition fails."""

    BLOCK = "block"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call that a rule must block, or let pass: the tool, its arguments, and what the session did before."""

    tool: str
    arguments: Mapping[str, Any]
    given: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule:
    """One rule; `file` and `line` are where it stands, `shipped` says that it came with mama-bot.

    `workflow` is the one that it is a part of ("": it stands by itself).
    """

    name: str
    about: Said | None = None
    policy: str = ""
    phase: Phase = Phase.TOOL
    matcher: Matcher = field(default_factory=Matcher)
    condition: Condition = field(default_factory=lambda: Condition("true"))
    verb: Verb = Verb.BLOCK
    message: Message = field(default_factory=lambda: Message(""))
    person: Said | None = None
    approvers: tuple[str, ...] = ()
    checkpoint: str = ""
    changes: Mapping[str, Condition] = field(default_factory=dict)
    counts: str = ""
    clears: tuple[str, ...] = ()
    strictness: Strictness = Strictness.HARD
    band: Band = Band.P20
    when_broken: WhenBroken = WhenBroken.BLOCK
    enabled: bool = True
    blocks: tuple[Example, ...] = ()
    passes: tuple[Example, ...] = ()
    file: Path = Path()
    line: int = 1
    shipped: bool = False
    workflow: str = ""

    @cached_property
    def place(self) -> str:
        """Where it stands, for a person."""
        return f"{self.file}:{self.line}"

    def purpose(self, language: Language, otherwise: str) -> str:
        """Return what it is for, as its file says it; `otherwise` where the file says nothing."""
        return (self.about.to(language) if self.about is not None else "") or otherwise
