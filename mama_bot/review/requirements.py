"""Which work the settings want reviewed, and what was done for it: pure functions."""

from collections.abc import Sequence

from mama_bot.config import ReviewRequirement
from mama_bot.model import StoredTurn, ToolRecord, Turn, TurnKind
from mama_bot.text.paths import file_set
from mama_bot.turns.ledger import record_of
from mama_bot.turns.schedule import work_under_review


def requirements_for(settings: Sequence[ReviewRequirement], persona: str) -> list[ReviewRequirement]:
    """Return the requirements that the work of a persona could fall under."""
    return [
        requirement
        for requirement in settings
        if (requirement.personas or requirement.paths or requirement.changed_lines)
        and (not requirement.personas or persona in requirement.personas)
    ]


def holds_for(requirement: ReviewRequirement, files: frozenset[str], lines: int | None) -> bool:
    """Return whether changed files fall under a requirement; where nobody knows how many lines, they are enough."""
    if not files:
        return False
    if requirement.paths:
        named = file_set(requirement.paths)
        if not any(file in named for file in files):
            return False
    return requirement.changed_lines is None or lines is None or lines >= requirement.changed_lines


def record_before(turn: Turn, work: Turn, turns: Sequence[StoredTurn]) -> ToolRecord:
    """Return the tool calls of a piece of work in its turns before this one, reworks included.

    This one is left out: of a turn that was cut off and resumed the store knows drafts already.
    """
    record = ToolRecord()
    for stored in turns:
        other = stored.turn
        worked = other.kind is not TurnKind.REVIEW and work_under_review(turns, other).id == work.id
        if worked and other.id != turn.id:
            record += record_of(stored)
    return record
