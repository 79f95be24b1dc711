"""Values that the tests of enforcement start from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from mama_bot.enforcement.case import Case
from mama_bot.model import (
    Audience,
    Author,
    ConversationKey,
    Decision,
    Delegation,
    DelegationForm,
    Draft,
    FileFate,
    FileTouch,
    MessageId,
    Platform,
    ToolRecord,
    ToolRun,
    Turn,
    TurnId,
    TurnKind,
)
from mama_bot.tool_names import with_kind

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class SteppingClock:
    """Each look at it is a second later."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return NOON

    def monotonic(self) -> float:
        self.seconds += 1
        return self.seconds


def delegation(expected: str = "", *, must_not: str = "", task: str = "Refactor") -> Delegation:
    return Delegation(
        sender="lead",
        recipient="developer",
        task=task,
        form=DelegationForm.DIRECTIVE,
        expected_outcome=expected,
        must_not_do=must_not,
    )


def turn(audience: Audience = Audience.AGENT, *, delegated: Delegation | None = None, baseline: str = "") -> Turn:
    return Turn(
        id=TurnId("turn-1"),
        message_id=MessageId("message-1"),
        key=ConversationKey(Platform("web"), "general"),
        persona="developer",
        kind=TurnKind.DELEGATION if delegated else TurnKind.REQUEST,
        audience=audience,
        asker=Author(id="lead", name="Lead"),
        prompt="Refactor",
        delegation=delegated,
        baseline=baseline,
    )


def draft(text: str, *, attempt: int = 0, record: ToolRecord | None = None) -> Draft:
    return Draft(turn_id=TurnId("turn-1"), attempt=attempt, text=text, record=record or ToolRecord())


def wrote(*files: str, tool: str = "Write", ok: bool = True) -> ToolRecord:
    touched = tuple(FileTouch(path=name, fate=FileFate.CREATED) for name in files if ok)
    run = with_kind(
        ToolRun(id="run-1", tool=tool, arguments="{}", started_at=NOON, ok=ok, files=files, touched=touched)
    )
    return ToolRecord(runs=(run,))


@dataclass
class Scripted:
    """A stage that decides what it was told, and counts how often it was asked."""

    name: str
    decision: Decision | Exception
    asked: int = 0

    async def judge(self, case: Case) -> Decision:
        self.asked += 1
        if isinstance(self.decision, Exception):
            raise self.decision
        return self.decision


@dataclass
class Changed:
    """Changed files as told; None: no repository."""

    files: frozenset[str] | None
    declared: frozenset[str] = frozenset()

    async def since(self, turn: Turn) -> frozenset[str] | None:
        return self.files

    async def generated(self, turn: Turn, paths: Sequence[str]) -> frozenset[str]:
        return frozenset(paths) & self.declared

    async def places(self, turn: Turn) -> tuple[str, ...]:
        return ("/home/me/repo",)
