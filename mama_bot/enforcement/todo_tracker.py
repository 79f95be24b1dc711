"""TodoTracker: what a delegation asked for and the reply leaves open."""

from mama_bot.config import TodoTrackerSettings
from mama_bot.enforcement.language.checklist import Item, checklist, open_items
from mama_bot.enforcement.language.sentences import is_korean
from mama_bot.enforcement.language.words import lexicon
from mama_bot.enforcement.written import files_written
from mama_bot.model import Allow, Amend, Decision, Draft, Turn

SHOWN = 3
ITEM_CHARACTERS = 120


class TodoTracker:
    """Reminds the agent, in its next prompt, of the open items of EXPECTED OUTCOME; the text stays as it is."""

    def __init__(self, *, settings: TodoTrackerSettings) -> None:
        self._settings = settings
        self._lexicon = lexicon()

    @property
    def name(self) -> str:
        """`todo_tracker`."""
        return "todo_tracker"

    async def judge(self, draft: Draft, turn: Turn) -> Decision:
        """Tick what the reply and the record finish; a reply that ends in a question is not reminded."""
        if turn.delegation is None or draft.text.rstrip().endswith(("?", "？")):
            return Allow()
        items = checklist(turn.delegation.expected_outcome)
        remaining = open_items(items, draft.text, files_written(draft.record), self._lexicon)
        if not remaining or not self._settings.reminder:
            return Allow()
        reminder = korean_reminder(remaining) if is_korean(draft.text[:2000]) else english_reminder(remaining)
        return Amend(rule="open_items", reason=f"{len(remaining)} of {len(items)} items are open.", reminder=reminder)


def english_reminder(items: list[Item]) -> str:
    """The reminder for a reply in English."""
    return f"Still open from EXPECTED OUTCOME ({len(items)}): {listed(items)}. Finish them, or say why they stay open."


def korean_reminder(items: list[Item]) -> str:
    """The reminder for a reply in Korean."""
    return f"EXPECTED OUTCOME 중 남은 항목({len(items)}): {listed(items)}. 마무리하거나, 남겨 두는 이유를 쓰세요."


def listed(items: list[Item]) -> str:
    """The first open items."""
    names = "; ".join(item.text[:ITEM_CHARACTERS] for item in items[:SHOWN])
    return names + (f" (+{len(items) - SHOWN})" if len(items) > SHOWN else "")
