"""How a check of the service's own ended, and where it ran."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from mama_bot.config import WorkspaceCheck
from mama_bot.confinement.plans import Excess
from mama_bot.errors import ErrorDecision, MamaBotError


class CheckNotRun(MamaBotError):
    """A check could not be carried out, through no fault of the files that it was to check."""

    decision: ClassVar = ErrorDecision.AS_SET

    def __init__(self, *, check: str, reason: str) -> None:
        super().__init__(f"The workspace check {check!r} could not be run: {reason}")
        self.check = check
        self.reason = reason


class CheckEnding(StrEnum):
    """How a check ended; everything but PASSED counts as failed.

    LATE: its time was up. OUTGREW: it went beyond a limit of `sandbox.limits`.
    NO_PROGRAM, NO_DIRECTORY: its program or directory is not in the tree, or not usable there.
    NO_COMMIT: it is to check a commit, and there is none.
    NOT_INSTALLED: the packages that it needs could not be installed from files that the agent changed.
    """

    PASSED = "passed"
    FAILED = "failed"
    KILLED = "killed"
    LATE = "late"
    OUTGREW = "outgrew"
    NO_PROGRAM = "no_program"
    NO_DIRECTORY = "no_directory"
    NO_COMMIT = "no_commit"
    NOT_INSTALLED = "not_installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a check; `restored` are the files that the agent had changed and the check had as before.

    `output` holds the last 4,000 characters, redacted and without control characters; the SHA-256 is of all output.
    """

    check: WorkspaceCheck
    ended: CheckEnding
    exit_status: int | None = None
    seconds: float = 0.0
    output: str = ""
    output_sha256: str = ""
    tree: str = ""
    restored: tuple[str, ...] = ()
    cached: bool = False
    excess: Excess | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlace:
    """Where a check of a workspace runs: `whole` is the service's own but for `root`, the laid-out tree, and `own`.

    `packages` is where those lie that were installed for it.
    """

    workspace: Path
    program: str
    whole: Path
    root: Path
    packages: Path | None = None

    @property
    def own(self) -> tuple[Path, Path]:
        """Its home and its temporary directory."""
        return self.whole / "home", self.whole / "tmp"
