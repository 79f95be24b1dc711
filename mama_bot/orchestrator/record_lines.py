"""The line of facts that a reply carries: what the record shows of its turn, in the language of the person."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import structlog

from mama_bot.facts.line import BETWEEN, files_of_turn, record_line
from mama_bot.facts.stage_words import attempts_words
from mama_bot.model import Cleared, Facts, ToolRecord, Turn
from mama_bot.protocols import LineCounts
from mama_bot.turns.sentences import WAITS_FOR
from mama_bot.wording import Language

log = structlog.get_logger(__name__)


class RecordLines:
    """Makes the line of a reply; what git cannot count in time is left out of it."""

    def __init__(self, *, counts: LineCounts) -> None:
        self._counts = counts

    async def line(
        self,
        turn: Turn,
        facts: Facts,
        record: ToolRecord,
        outcome: Cleared,
        workspace: Path,
        sent_back_by: Sequence[str] = (),
    ) -> str:
        """Return the line of facts of a cleared draft, "" for a first one that did no work and claims none,
        unless a fallback wrote it."""
        if not (facts.calls or outcome.unworked or sent_back_by or record.fallback):
            return ""
        try:
            counted = await self._lines(turn, record, facts, workspace)
            attempts = attempts_words(sent_back_by, turn.language)
            told = with_lines(facts, counted)
            return record_line(
                told, turn.language, claims_work=outcome.unworked, attempts=attempts, fallback=record.fallback
            )
        except Exception:  # a line must not lose the turn
            log.exception("no_record_line", turn_id=turn.id)
            return ""

    async def _lines(
        self, turn: Turn, record: ToolRecord, facts: Facts, workspace: Path
    ) -> Mapping[str, tuple[int, int]]:
        """Return the lines of each file that the turn wrote, where it is known how its work tree was when it began."""
        began = next((run.before for run in record.runs if run.before is not None), None)
        paths = [file.path for file in files_of_turn(facts)]
        # What others did may lie in workspaces of their own.
        if turn.told or began is None or not (began.tree and paths):
            return {}
        return await self._counts.since(workspace, began.tree, paths)


def with_lines(facts: Facts, counted: Mapping[str, tuple[int, int]]) -> Facts:
    """Return facts with the lines that were added to each file and taken out of it, where they were counted."""
    if not counted:
        return facts
    files = (
        replace(file, added=counted[file.path][0], removed=counted[file.path][1]) if file.path in counted else file
        for file in facts.files
    )
    return replace(facts, files=tuple(files))


def with_waiting(line: str, names: Sequence[str], language: Language) -> str:
    """Return the line of a reply that hands work on, with those whom its author waits for."""
    waits = WAITS_FOR.to(language, names=", ".join(dict.fromkeys(names)))
    return f"{line}{BETWEEN}{waits}" if line else waits
