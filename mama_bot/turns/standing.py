"""How far a turn is."""

from dataclasses import dataclass, field

from mama_bot.model import Attempt, ToolRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The attempts of a turn that were judged, and whether the agent was asked for one more."""

    attempts: tuple[Attempt, ...]
    asked: int
    rejected_before: int = 0
    undrafted: ToolRecord = field(default_factory=ToolRecord)

    @property
    def rejections(self) -> int:
        """How many drafts of the persona were rejected in a row in this exchange."""
        return self.attempts[-1].judgement.rejections if self.attempts else self.rejected_before

    @property
    def next_attempt(self) -> int:
        """The number of the draft that comes next."""
        return len(self.attempts)

    @property
    def cut_off(self) -> bool:
        """Whether the agent was asked for a draft that never came."""
        return self.asked >= self.next_attempt

    @property
    def record(self) -> ToolRecord:
        """What happened so far: up to the last attempt, and when the agent was asked and no draft came of it."""
        drafted = self.attempts[-1].draft.record if self.attempts else ToolRecord()
        return drafted + self.undrafted.without(drafted)
