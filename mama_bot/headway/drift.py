"""An agent that repeats itself, or gets no further: told so, it may try something else."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise

from mama_bot.config import DriftSettings
from mama_bot.headway.likeness import character_likeness
from mama_bot.headway.work_marks import WorkMarks, call_mark, marks_of_attempt, marks_of_calls
from mama_bot.model import Attempt, StoredTurn, ToolRun, Turn, TurnId

TextLikeness = Callable[[str, str], Awaitable[float]]
"""Tells from 0 to 1 how alike two texts are; a plug-in may ask embeddings."""

STUCK = "[STUCK] You are stuck. Try a completely different approach."
WHY_REPEATED = "Your last {outputs} replies were nearly the same."
WHY_NOTHING_NEW = (
    "Your last {outputs} turns brought nothing new: no tool call, no change, no ticked item, no figure that was not "
    "there before."
)
WHY_CALLED = "You made the same call {outputs} times in a row, and it came out the same each time: {call}"
SHOWN_CHARACTERS = 200
IN_PART = 0.6  # of the likeness of texts that are nearly the same


class Stuckness(StrEnum):
    """How an agent is stuck."""

    REPEATED = "repeated"
    NOTHING_NEW = "nothing_new"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOutput:
    """One output of an agent on a task: in which turn, what it said, and the marks of what was done up to it."""

    turn: TurnId
    text: str
    marks: WorkMarks


class Drift:
    """Tells whether an agent is stuck; `likeness` is asked in place of the characters where it is given."""

    def __init__(self, *, settings: Callable[[], DriftSettings], likeness: TextLikeness | None = None) -> None:
        self._settings = settings
        self._likeness = likeness

    async def stuck(self, outputs: Sequence[AgentOutput]) -> Stuckness | None:
        """Return how the agent of these outputs is stuck, oldest first; None where it is not.

        Nearly the same words are no repetition where files, figures of what ran or ticked items came out meanwhile.
        Turns that bring nothing new are stuck where each makes calls that were made before, or where they are alike at
        least in part: who only talks about one thing after the other brings no mark either.
        """
        settings = self._settings()
        if not settings.enabled:
            return None
        turns, count = _by_turn(outputs), settings.outputs
        if len(turns) >= count and not _news(turns, count).any:
            last = turns[-count:]
            if all(turn.marks.calls for turn in last) or await self._all_alike(last, settings.likeness * IN_PART):
                return Stuckness.NOTHING_NEW
        if len(outputs) < count or (news := _news(outputs, count)).solid or news.figures:
            return None
        return Stuckness.REPEATED if await self._all_alike(outputs[-count:], settings.likeness) else None

    async def words(self, outputs: Sequence[AgentOutput]) -> str:
        """Return what an agent is told of its being stuck; "" where it is not."""
        count = self._settings().outputs
        match await self.stuck(outputs):
            case None:
                return ""
            case Stuckness.REPEATED:
                why = WHY_REPEATED.format(outputs=count)
            case Stuckness.NOTHING_NEW:
                why = WHY_NOTHING_NEW.format(outputs=count - 1)  # the first may have brought what the others repeat
        return f"{STUCK} {why}"

    def words_of_calls(self, runs: Sequence[ToolRun]) -> str:
        """Return what an agent at work is told that makes one call again and again; "" where it does not."""
        settings = self._settings()
        last = [run for run in runs if run.ended_at is not None][-settings.outputs :]
        if not settings.enabled or len(last) < settings.outputs or len({call_mark(run) for run in last}) > 1:
            return ""
        if any(run.changed for run in last):
            return ""
        call = (last[-1].command or last[-1].arguments)[:SHOWN_CHARACTERS]
        return f"{STUCK} {WHY_CALLED.format(outputs=settings.outputs, call=call)}"

    async def _all_alike(self, outputs: Sequence[AgentOutput], least: float) -> bool:
        alike = [await self._alike(text.text, other.text) >= least for text, other in pairwise(outputs)]
        return all(alike)

    async def _alike(self, text: str, other: str) -> float:
        return character_likeness(text, other) if self._likeness is None else await self._likeness(text, other)


def outputs_of(turns: Sequence[StoredTurn], turn: Turn) -> list[AgentOutput]:
    """Return what the persona of a turn put out on the same task in an exchange before that turn, oldest first."""
    task = turn.delegation.task_key if turn.delegation is not None else ""
    mine = (
        stored
        for stored in turns
        if stored.turn.persona == turn.persona
        and stored.turn.id != turn.id
        and (stored.turn.delegation.task_key if stored.turn.delegation is not None else "") == task
    )
    return [
        replace(output, marks=output.marks | marks_of_calls(stored.turn.told))
        for stored in mine
        for output in map(output_of, stored.attempts)
    ]


def output_of(attempt: Attempt) -> AgentOutput:
    """Return an attempt as an output."""
    return AgentOutput(turn=attempt.draft.turn_id, text=attempt.draft.text, marks=marks_of_attempt(attempt))


def _by_turn(outputs: Sequence[AgentOutput]) -> Sequence[AgentOutput]:
    """Return one output for each turn: how often a draft went back for its words says nothing of the work."""
    turns: dict[TurnId, AgentOutput] = {}
    for output in outputs:
        before = turns.get(output.turn)
        turns[output.turn] = output if before is None else replace(output, marks=before.marks | output.marks)
    return tuple(turns.values())


def _news(outputs: Sequence[AgentOutput], count: int) -> WorkMarks:
    """Return what the last outputs brought after the first of them, and nobody had before."""
    known, news = WorkMarks(), WorkMarks()
    for output in outputs[: 1 - count]:
        known |= output.marks
    for output in outputs[1 - count :]:
        news |= output.marks
    return news.beyond(known)
