"""The tree of the exchange that runs: who works, who waits for whom, what is done; and the number of each branch."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from mama_bot.model import StoredTurn, Turn, TurnId, TurnKind, TurnState
from mama_bot.turns import sentences as says
from mama_bot.wording import Language, Said, quotable

MOST_ROWS = 40
TASK_CHARACTERS = 80
OPEN = frozenset({TurnState.PENDING, TurnState.RUNNING})
KINDS: Mapping[TurnKind, Said] = {
    TurnKind.RESULTS: says.HEARS_RESULTS,
    TurnKind.REVIEW: says.REVIEWS,
    TurnKind.REWORK: says.MENDS,
}
ENDS: Mapping[TurnState, Said] = {
    TurnState.ANSWERED: says.TURN_DONE,
    TurnState.WITHHELD: says.TURN_WITHHELD,
    TurnState.FAILED: says.TURN_FAILED,
    TurnState.STOPPED: says.TURN_STOPPED,
}


def exchange_at_work(turns: Sequence[StoredTurn]) -> Sequence[StoredTurn]:
    """Return the turns of the exchange in which somebody works, or is about to; none where nobody does."""
    running = next((stored.turn.message_id for stored in turns if stored.state in OPEN), None)
    return [stored for stored in turns if stored.turn.message_id == running]


def branches_of(turns: Sequence[StoredTurn]) -> Mapping[int, StoredTurn]:
    """Return the delegations of an exchange by their numbers, in the order in which they were made."""
    made = [stored for stored in turns if stored.turn.kind is TurnKind.DELEGATION]
    return dict(enumerate(made, start=1))


def is_open(stored: StoredTurn, turns: Sequence[StoredTurn]) -> bool:
    """Return whether a turn, or one that came of it, is at no end."""
    return stored.state in OPEN or any(is_open(below, turns) for below in _children(stored.turn.id, turns))


def branch_named(word: str, turns: Sequence[StoredTurn]) -> tuple[int, Turn] | None:
    """Return the open delegation, with its number, that a number or the name of its persona means; None for none."""
    given = word.strip().removeprefix("#").removeprefix("@").casefold()
    for number, stored in branches_of(turns).items():
        if given in (str(number), stored.turn.persona.casefold()) and is_open(stored, turns):
            return number, stored.turn
    return None


def open_branches(turns: Sequence[StoredTurn]) -> Sequence[tuple[int, Turn]]:
    """Return the open delegations of an exchange with their numbers."""
    return [(number, stored.turn) for number, stored in branches_of(turns).items() if is_open(stored, turns)]


def no_such_branch(word: str, named: Sequence[str], language: Language) -> str:
    """Return the sentence that nothing was stopped, as no open delegation is called that; `named` are the open ones."""
    phrase = says.NO_SUCH_BRANCH if named else says.NO_BRANCH_OPEN
    return phrase.to(language, word=quotable(word, TASK_CHARACTERS), names=", ".join(named))


def tree_lines(
    turns: Sequence[StoredTurn],
    at_work: Mapping[TurnId, str],
    name_of: Callable[[str], str],
    language: Language,
) -> Iterator[str]:
    """Yield the turns of an exchange, each below the one that it came of; `at_work` says of those that run how far."""
    numbers = {stored.turn.id: number for number, stored in branches_of(turns).items()}
    known = {stored.turn.id for stored in turns}
    waiting = [(stored, 0) for stored in reversed(turns) if stored.turn.parent not in known]
    rows = 0
    while waiting and rows < MOST_ROWS:
        stored, depth = waiting.pop()
        rows += 1
        facts = [_standing(stored, turns, at_work, name_of, language)]
        if stored.turn.kind in KINDS:
            facts.append(KINDS[stored.turn.kind].to(language))
        if stored.turn.delegation is not None and stored.turn.kind is TurnKind.DELEGATION:
            facts.append(quotable(stored.turn.delegation.task, TASK_CHARACTERS))
        number = f"#{numbers[stored.turn.id]} " if stored.turn.id in numbers else ""
        yield f"{'  ' * depth}- {number}{' · '.join(facts)}"
        waiting += [(below, depth + 1) for below in reversed(_children(stored.turn.id, turns))]


def _standing(
    stored: StoredTurn,
    turns: Sequence[StoredTurn],
    at_work: Mapping[TurnId, str],
    name_of: Callable[[str], str],
    language: Language,
) -> str:
    name = name_of(stored.turn.persona)
    asked = [below for below in _children(stored.turn.id, turns) if below.turn.kind is TurnKind.DELEGATION]
    waits = {name_of(below.turn.persona): None for below in asked if is_open(below, turns) and _is_waited_for(below)}
    if waits:
        return says.WAITS_FOR_OTHERS.to(language, name=name, names=", ".join(waits))
    if stored.turn.id in at_work:
        return at_work[stored.turn.id]
    ended = ENDS.get(stored.state, says.TURN_NEXT)
    return ended.to(language, name=name)


def _is_waited_for(stored: StoredTurn) -> bool:
    return stored.turn.delegation is not None and not stored.turn.delegation.background


def _children(parent: TurnId, turns: Sequence[StoredTurn]) -> list[StoredTurn]:
    return [stored for stored in turns if stored.turn.parent == parent]
