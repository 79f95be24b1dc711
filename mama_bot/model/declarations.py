"""What an agent declares of its work: outcomes as values, and a reviewer's verdict. It is its word, held to facts."""

from dataclasses import dataclass
from enum import StrEnum

from mama_bot.model.claims import ClaimKind
from mama_bot.model.texts import keep_well_formed


class DeclaredVerdict(StrEnum):
    """What a reviewer submits."""

    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredOutcome:
    """One thing that an agent says came out: tests with their figures, files, a commit, a command that ran.

    `fails` says that it failed, with or without figures; `whole` that nothing narrowed it.
    """

    kind: ClaimKind
    tool: str = ""
    passed: int | None = None
    failed: int | None = None
    fails: bool = False
    files: tuple[str, ...] = ()
    commit: str = ""
    branch: str = ""
    command: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        keep_well_formed(self, "tool", "files", "commit", "branch", "command", "note")

    @property
    def words(self) -> str:
        """The outcome in a few words: `tests: pytest, 45 passed`."""
        figures = [f"{count} {name}" for count, name in ((self.failed, "failed"), (self.passed, "passed")) if count]
        if not figures and self.passed == 0:
            figures = ["0 passed"]
        failed = ["failed"] if self.fails and not self.failed else []
        parts = (*filter(None, (self.tool, self.command)), *self.files, *filter(None, (self.commit, self.branch)))
        told = ", ".join((*parts, *failed, *figures, *filter(None, (self.note,))))
        return f"{self.kind.value}: {told}" if told else self.kind.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """All that an agent declares in a turn; a later one stands in its place.

    `verdict` and `findings` are a reviewer's, whose outcomes are its evidence.
    """

    outcomes: tuple[DeclaredOutcome, ...] = ()
    summary: str = ""
    verdict: DeclaredVerdict | None = None
    findings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        keep_well_formed(self, "summary", "findings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Misdeclared:
    """Why a declaration could not be read, in one sentence to its author."""

    problem: str
