"""What an agent is told of a conversation before its request: what is old stands first, so that it stays the same."""

from collections.abc import Iterator, Sequence

from mama_bot.model import AuthorKind, ContextEntry, SharedContext, StoredTurn, Turn, TurnState, Verdict
from mama_bot.wording import one_line

TASK_CHARACTERS = 120
PART_CHARACTERS = 80
_HEAD = "Said in this conversation before, for your information:"
_EARLIER = "[earlier; of each only how it began]"
_VERDICTS = {Verdict.NOTED: " (with a note by the service)", Verdict.NEEDS_REVIEW: " (needs review)"}


def context_text(context: SharedContext) -> str:
    """Return what was said before; "" where nothing was."""
    if not context.entries and not context.earlier:
        return ""
    lines = "\n\n".join((*_beginnings(context), *(f"{_name(entry)}: {entry.text}" for entry in context.entries)))
    lines = lines.replace("</conversation", "< /conversation")  # what people write cannot end the quotation
    return f"{_HEAD}\n<conversation>\n{lines}\n</conversation>"


def at_work_text(turn: Turn, turns: Sequence[StoredTurn]) -> str:
    """Return who else is busy with what in a turn's exchange; "" where nobody is."""
    parents = {stored.turn.id: stored.turn.parent for stored in turns}
    above, parent = set(), turn.parent
    while parent is not None and parent not in above:
        above.add(parent)
        parent = parents.get(parent)
    busy = [stored.turn for stored in turns if stored.state is TurnState.RUNNING and stored.turn.id != turn.id]
    told = [_task(other) for other in busy if other.id not in above and other.delegation is not None]
    return f"[AT WORK] Beside you, on parts of their own: {'; '.join(told)}." if told else ""


def quoted_task(task: str) -> str:
    """Return how a delegated task begins, in quotation marks: what tells one part of the work from another."""
    return f"“{one_line(task, PART_CHARACTERS)}”"


def _beginnings(context: SharedContext) -> Iterator[str]:
    if not context.earlier:
        return
    lines = [f"{_name(entry)}: {entry.text}" for entry in context.earlier]
    if context.left_out:
        lines.insert(0, f"[{context.left_out} older ones are left out]")
    yield "\n".join((_EARLIER, *lines, "[from here on whole]"))


def _name(entry: ContextEntry) -> str:
    kind = entry.author.kind
    role = AuthorKind.PERSON if kind is AuthorKind.BOT else kind
    part = f", on the part {quoted_task(entry.part)}" if entry.part else ""
    verdict = "" if entry.verdict is None else _VERDICTS.get(entry.verdict, "")
    return f"[{role.value}] {entry.author.name}{part}{verdict}"


def _task(turn: Turn) -> str:
    task = turn.delegation.task if turn.delegation is not None else ""
    return f"{turn.persona} ({one_line(task, TASK_CHARACTERS)})"
