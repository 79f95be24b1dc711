"""What a reply says is finished, and whether anything supports it: one pure function."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from mama_bot.enforcement.completion.checklist import SEPARATORS, Item, checklist, plain_word, telling_words
from mama_bot.enforcement.completion.marks import marks
from mama_bot.enforcement.completion.statements import Clause, ClauseStanding, clauses
from mama_bot.model import Checklist, ToolRecord
from mama_bot.runs.written import files_written, ran_anything
from mama_bot.text.paths import file_set, plain_path, plain_text
from mama_bot.text.patterns import compiled

# A file, a command, a figure or a result; not the number of a list item.
SUBSTANCE = compiled(
    r"`[^`\n]{2,}`"  # `make test`
    r"|[\w-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|kt|rb|c|h|cpp|cs|php|sql|sh|md|json|ya?ml|toml|html|css|txt)\b"
    r"|\w+/[\w./-]+\.\w+"  # src/api/users.py
    r"|[+-]\d+\b"  # +12 -3
    r"|\d+(?:\.\d+)? ?(?:%|ms|s|seconds?|files?|lines?|tests?|errors?|warnings?|passed|failed|functions?|rows?"
    r"|개|건|줄|초|회|퍼센트"
    r"|passing)"
    r"|\b\d+/\d+\b"  # 11/12
    r"|\b(?:npm|pytest|git|make|cargo|go|pip|docker|yarn|mypy|ruff) [a-z-]+"  # git commit
    r"|\bexit (?:code|status) \d"
    r"|종료 코드 \d"
    r"|\b[0-9a-f]{7,40}\b"  # 39e7c6a
    r"|:\d+\b"  # users:42
)
SHOWN = 3
ITEM_CHARACTERS = 120
READ_CHARACTERS = 40_000
EQUALS = 10  # items that one clause may speak of with the same right


class ItemState(StrEnum):
    """What became of an item."""

    DONE = "done"
    OPEN = "open"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Completion:
    """What a reply claims, and what became of each item that was asked for.

    `claimed`: it says that something is finished. `supported`: it names a file, command, figure or result, or the
    record shows a write or a run.
    """

    claimed: bool
    supported: bool
    items: tuple[tuple[Item, ItemState], ...] = ()

    def of(self, *states: ItemState) -> list[Item]:
        """Return the items in one of these states."""
        return [item for item, state in self.items if state in states]


def completion(
    reply: str,
    delegation: str = "",
    record: ToolRecord | None = None,
    *,
    changed: frozenset[str] = frozenset(),
    done_before: frozenset[str] = frozenset(),
) -> Completion:
    """Compare a reply with the checklist of a delegation (its EXPECTED OUTCOME, or all of its text).

    An item is done when the reply says so, when all files that it asks for were written (by the record) or are among
    `changed` (files that are there), or when its key is in `done_before`. A clause that says it is not done outweighs
    all of these. Of a reply beyond 40,000 characters the first 8,000 and the last 32,000 are read. Never raises.
    """
    text = plain_text(reply)
    if len(text) > READ_CHARACTERS:
        text = f"{text[:8_000]}\n{text[8_000 - READ_CHARACTERS :]}"
    items = checklist(delegation) if delegation else ()
    statements = list(dict.fromkeys(clauses(_with_negative_names(text, items))))
    claimed = any(clause.standing is not ClauseStanding.DENIED for clause in statements)
    known = record or ToolRecord()
    supported = claimed and (ran_anything(known) or bool(changed) or SUBSTANCE.search(text) is not None)
    if not items:
        return Completion(claimed, supported)
    written = files_written(known) | changed
    spoken = _items_called(_indexed(delegation), statements)
    return Completion(claimed, supported, _states(items, spoken, written, done_before))


def _with_negative_names(text: str, items: Sequence[Item]) -> str:
    """Return a reply with a placeholder for each negative item that it names.

    Otherwise the "no" of `no errors in the build` would say that the item is not done.
    """
    negative = [(number, item.key.rstrip(".")) for number, item in enumerate(items) if is_negative(item)]
    if not negative:
        return text
    low = text.lower()
    for number, words in sorted(negative, key=lambda numbered: -len(numbered[1])):
        if words in low:
            low = low.replace(f"{words} now", f"{placeholder_of(number)} works now").replace(
                words, placeholder_of(number)
            )
    return low


def placeholder_of(number: int) -> str:
    """Return the name that stands for a negative item in a reply that repeats the item word for word."""
    return f"item¶{number}"


@lru_cache(maxsize=1024)
def is_negative(item: Item) -> bool:
    """Return whether an item's own words would deny it in a reply: `no errors in the build`."""
    statements = clauses(item.key)
    known = marks()
    padded = f" {item.key} "
    return any(clause.standing is ClauseStanding.DENIED for clause in statements) or known.negations.stands_in(padded)


def open_line(kept: Checklist) -> str:
    """Return the open items of a kept checklist on one line, for whoever asked for them; "" when none is open."""
    left = [item for item in checklist(kept.asked) if item.key not in kept.done]
    return f"[OPEN ITEMS of EXPECTED OUTCOME: {len(left)}] {first_items(left)}" if left and kept.open_items else ""


def first_items(items: Sequence[Item]) -> str:
    """Return the first of some items on one line, with how many follow: `tests; docs; changelog (+2)`."""
    names = "; ".join(item.text[:ITEM_CHARACTERS] for item in items[:SHOWN])
    return names + (f" (+{len(items) - SHOWN})" if len(items) > SHOWN else "")


def _states(
    items: Sequence[Item], spoken: tuple[set[int], set[int]], written: frozenset[str], done_before: frozenset[str]
) -> tuple[tuple[Item, ItemState], ...]:
    done, denied = spoken
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


@dataclass(frozen=True, slots=True)
class _Index:
    """The words of a checklist: each with a bit of its own and the items that have it, as sets of bits."""

    words: Mapping[str, tuple[int, tuple[int, ...]]]
    sizes: tuple[int, ...]
    files: tuple[int, ...]
    names: tuple[int, ...]


@lru_cache(maxsize=256)
def _indexed(delegation: str) -> _Index:
    """Return the index of the checklist of a delegation."""
    items = checklist(delegation)
    owners: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        for word in item.words | item.file_words | ({placeholder_of(number)} if is_negative(item) else frozenset()):
            owners.setdefault(word, []).append(number)
    words = {word: (1 << place, tuple(numbers)) for place, (word, numbers) in enumerate(owners.items())}
    files = tuple(sum(words[word][0] for word in item.file_words) for item in items)
    names = tuple(words[placeholder_of(number)][0] if is_negative(item) else 0 for number, item in enumerate(items))
    return _Index(words, tuple(len(item.words) for item in items), files, names)


def _items_called(index: _Index, statements: Sequence[Clause]) -> tuple[set[int], set[int]]:
    """Return the numbers of the items that a reply calls done, and of those that it calls not done."""
    done: set[int] = set()
    denied: set[int] = set()
    named: dict[int, int] = {}  # of items that name files, those that were called done so far
    for clause in statements:
        if clause.standing is ClauseStanding.ALL_DONE:
            done.update(range(len(index.sizes)))
            continue
        shared = _shared(clause.text, index)
        about = _items_meant(shared, index) if shared else ()
        if clause.standing is ClauseStanding.DENIED:
            denied.update(about)
            continue
        for number in about:
            files = shared[number] & index.files[number]
            named[number] = named.get(number, 0) | files
            if not files or named[number] == index.files[number]:
                done.add(number)
    return done, denied


def _shared(text: str, index: _Index) -> dict[int, int]:
    """Return, for each item, the words (as bits) that it has in common with a clause."""
    shared: dict[int, int] = {}
    for word in telling_words(text):
        entry = index.words.get(word)
        if entry is not None:
            for number in entry[1]:
                shared[number] = shared.get(number, 0) | entry[0]
    return shared


def _items_meant(shared: Mapping[int, int], index: _Index) -> list[int]:
    """Return the numbers of the items that a clause speaks of: the best match by words, and each whose file it names.

    The best match must hold at least half of the item's words. Of several items whose words it holds all, the one with
    more words is meant: `npm test` rather than `tests`.
    """
    parts = {number: words.bit_count() / index.sizes[number] for number, words in shared.items()}
    best = max(parts.values())
    about = [number for number, words in shared.items() if words & (index.files[number] | index.names[number])]
    if 2 * best >= 1:
        equal = [number for number in sorted(parts) if parts[number] == best][:EQUALS]
        about += [number for number in equal if not any(_within(shared[number], shared[other]) for other in equal)]
    return about


def _within(words: int, others: int) -> bool:
    """Whether one set of words is a proper subset of another."""
    return words != others and words & others == words


def _was_written(item: Item, written: frozenset[str]) -> bool:
    """Whether an item asks for files to be there, and all that it names were written."""
    return (
        bool(item.files) and bool(written) and asks_for_files(item) and all(_is_among(n, written) for n in item.files)
    )


@lru_cache(maxsize=1024)
def asks_for_files(item: Item) -> bool:
    """Return whether an item asks for its files to be there: it names nothing else, or says create or add."""
    words = item.key.translate(SEPARATORS)
    making = marks().making
    return item.words <= item.file_words or any(
        plain_word(word) in making.single or making.ends_in(word) for word in words.split()
    )


def _is_among(name: str, written: frozenset[str]) -> bool:
    """Whether a name is that of a written file; an absolute name may end in the path of one."""
    names = file_set((name,))
    if any(path in names for path in written):
        return True
    absolute = plain_path(name).replace("\\", "/")
    if not absolute.startswith(("/", "~/")) and absolute[1:3] != ":/":
        return False
    return any(absolute.endswith(f"/{path.removeprefix('./')}") for path in map(plain_path, written) if path)
