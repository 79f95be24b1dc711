"""What a reply says is finished, and whether anything bears it out: one pure function."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from mama_bot.enforcement.language.checklist import Item, checklist, telling_words
from mama_bot.enforcement.language.files import file_set, plain_text
from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.language.statements import Clause, Standing, clauses
from mama_bot.enforcement.written import files_written, ran_anything
from mama_bot.model import ToolRecord

# A file, a command, a figure or a result; not the number of a list item.
SUBSTANCE = compiled(
    r"`[^`\n]{2,}`|[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|kt|rb|c|h|cpp|cs|php|sql|sh|md|json|ya?ml|toml|html|css|txt)\b"
    r"|\w+/[\w./-]+\.\w+|[+-]\d+\b"
    r"|\d+(?:\.\d+)? ?(?:%|ms|s|seconds?|files?|lines?|tests?|errors?|warnings?"
    r"|passed|failed|functions?|rows?|개|건|줄|초|회|퍼센트|passing)|\b\d+/\d+\b"
    r"|\b(?:npm|pytest|git|make|cargo|go|pip|docker|yarn|mypy|ruff) [a-z-]+"
    r"|\bexit (?:code|status) \d|종료 코드 \d|\b[0-9a-f]{7,40}\b|:\d+\b"
)
READ_CHARACTERS = 40_000
EQUALS = 10  # items that one clause may speak of with the same right


class ItemState(StrEnum):
    """What became of an item."""

    DONE = "done"
    OPEN = "open"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Completion:
    """What a reply claims: `claimed` that something is finished, `supported` that it names a file, command, figure or
    result or that the record shows a write or a run; and each item with what became of it.
    """

    claimed: bool
    supported: bool
    items: tuple[tuple[Item, ItemState], ...] = ()

    def of(self, *states: ItemState) -> list[Item]:
        """The items in one of these states."""
        return [item for item, state in self.items if state in states]


def completion(
    reply: str,
    delegation: str = "",
    record: ToolRecord | None = None,
    *,
    changed: frozenset[str] = frozenset(),
    done_before: frozenset[str] = frozenset(),
) -> Completion:
    """Compare a reply with the checklist of a delegation (its EXPECTED OUTCOME, or the whole of it).

    An item is done when the reply says so, when all the files that it names were written (by the record of tools) or
    are among `changed`, or when its key is in `done_before`; a clause that says it is not done wins over all of them.
    Of a reply beyond 40,000 characters the first 8,000 and the last 32,000 are read. Never raises.
    """
    text = plain_text(reply)
    if len(text) > READ_CHARACTERS:
        text = f"{text[:8_000]}\n{text[8_000 - READ_CHARACTERS :]}"
    items = checklist(delegation) if delegation else ()
    said = list(dict.fromkeys(clauses(text)))
    claimed = any(clause.standing is not Standing.DENIED for clause in said)
    known = record or ToolRecord()
    supported = claimed and (ran_anything(known) or bool(changed) or SUBSTANCE.search(text) is not None)
    if not items:
        return Completion(claimed, supported)
    written = files_written(known) | changed
    return Completion(claimed, supported, _states(items, said, written, done_before))


def _states(
    items: Sequence[Item], said: Sequence[Clause], written: frozenset[str], done_before: frozenset[str]
) -> tuple[tuple[Item, ItemState], ...]:
    done, denied = _spoken_of(items, said)
    return tuple(
        (
            item,
            ItemState.DENIED
            if number in denied
            else ItemState.DONE
            if number in done or item.ticked or item.key in done_before or _was_written(item, written)
            else ItemState.OPEN,
        )
        for number, item in enumerate(items)
    )


def _spoken_of(items: Sequence[Item], said: Sequence[Clause]) -> tuple[set[int], set[int]]:
    """The items that a reply calls done, and those that it calls not done."""
    index: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        for word in item.words:
            index.setdefault(word, []).append(number)
    done: set[int] = set()
    denied: set[int] = set()
    files: dict[int, set[str]] = {}  # of items that name several, those that were called done so far
    for clause in said:
        if clause.standing is Standing.ALL_DONE:
            done.update(range(len(items)))
            continue
        words = telling_words(clause.text)
        if words.isdisjoint(index):
            continue
        about = _about(words, items, index)
        if clause.standing is Standing.DENIED:
            denied.update(about)
        else:
            done.update(number for number in about if _all_files(items[number], words, files.setdefault(number, set())))
    return done, denied


def _all_files(item: Item, words: frozenset[str], so_far: set[str]) -> bool:
    """Whether with these words all the files of an item were named, or none of them had to be."""
    named = item.file_words & words
    so_far |= named
    return not named or so_far == item.file_words


def _about(words: frozenset[str], items: Sequence[Item], index: dict[str, list[int]]) -> list[int]:
    """The items that a clause speaks of: those of whose words it holds the largest part, at least half, or a file.

    Where it holds all words of several, the one with further words is meant: "npm test" is not "tests".
    """
    shared: dict[int, set[str]] = {}
    for word in words:
        for number in index.get(word, ()):
            shared.setdefault(number, set()).add(word)
    if len(shared) == 1:
        ((number, found),) = shared.items()
        return [number] if 2 * len(found) >= len(items[number].words) or found & items[number].file_words else []
    best = max((len(found) / len(items[number].words) for number, found in shared.items()), default=0.0)
    about = [number for number, found in shared.items() if found & items[number].file_words]
    if 2 * best >= 1:
        equal = [number for number, found in shared.items() if len(found) == best * len(items[number].words)]
        about += [one for one in equal[:EQUALS] if not any(shared[one] < shared[other] for other in equal[:EQUALS])]
    return about


def _was_written(item: Item, written: frozenset[str]) -> bool:
    """Whether all the files that an item names were written."""
    return (
        bool(item.files)
        and bool(written)
        and all(any(path in names for path in written) for names in (file_set((name,)) for name in item.files))
    )
