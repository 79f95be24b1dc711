r"""What a text must hold for an expression to match: the beginning of a word (`^perfect`), a word (`^in$`), a part.

Most entries of a word list can be left out of a look at a text for want of one word.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import NamedTuple

from mama_bot.text.patterns import word_boundaries
from mama_bot.text.word_lists import words_by_kind

EDGE = "\n"  # a certain boundary of words
OPEN = "\t"  # anything, or nothing
MOST_FORMS = 128
LONGEST_ANCHOR = 8
MOST_SETS = 3
LIKELY = 2.0  # a further set that is in every sentence tells nothing
MOST_RANKS = 2
SHORT_CLASS = 64
PLAIN_ESCAPES = {"d": "0", "s": EDGE, "b": EDGE}
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_0")


class Unread(Exception):
    """An expression has something that this reader does not know."""


Words = frozenset[str]


class Fragment(NamedTuple):
    """What is known of a part of an expression: all its forms, or sets of words: it holds one of each set."""

    forms: tuple[str, ...] | None
    needed: tuple[Words, ...] = ()


ANYTHING = Fragment(None)


def anchors(expression: str) -> tuple[Words, ...]:
    """Return sets of words: every match of an entry, on boundaries as `any_of` puts them, holds one of each set."""
    before, after = (EDGE if bounded else OPEN for bounded in word_boundaries(expression))
    reader = _Reader(expression, plainest, PLAIN_ESCAPES)
    try:
        part = reader.alternatives(before, after)
    except Unread:
        return ()
    sets = () if reader.left else needed_of(part)
    ranked = sorted(dict.fromkeys(sets), key=chance_of_any)
    return tuple(ranked[:1] + [words for words in ranked[1:MOST_SETS] if chance_of_any(words) <= LIKELY])


@dataclass
class _Reader:
    """Reads an expression from left to right; the parts of RE2 that the lists use."""

    text: str
    letter: Callable[[str], str]
    escapes: Mapping[str, str]
    at: int = 0

    @property
    def left(self) -> bool:
        return self.at < len(self.text)

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        character = self.peek()
        if not character:
            raise Unread
        self.at += 1
        return character

    def alternatives(self, before: str = "", after: str = "") -> Fragment:
        branches = [self.sequence(before, after)]
        while self.peek() == "|":
            self.at += 1
            branches.append(self.sequence(before, after))
        return either(branches)

    def sequence(self, before: str, after: str) -> Fragment:
        parts = [Fragment((before,))]
        while self.left and self.peek() not in "|)":
            parts.append(self.repeated(self.atom()))
        return in_sequence([*parts, Fragment((after,))])

    def atom(self) -> Fragment:
        character = self.take()
        if character == "(":
            return self.group()
        if character == "[":
            return self.character_class()
        if character == "\\":
            return self.escaped()
        if character == ".":
            return ANYTHING
        if character in "*+?{":
            raise Unread
        if character in "^$":
            return Fragment((OPEN,))
        return Fragment((self.letter(character),))

    def group(self) -> Fragment:
        if self.peek() == "?":
            if self.text[self.at : self.at + 2] != "?:":
                raise Unread
            self.at += 2
        part = self.alternatives()
        if self.take() != ")":
            raise Unread
        return part

    def escaped(self) -> Fragment:
        character = self.take()
        if character in self.escapes:
            return Fragment((self.escapes[character],))
        if character in "wSWDdsb":
            return ANYTHING
        if character.isalnum():
            raise Unread
        return Fragment((self.letter(character),))

    def character_class(self) -> Fragment:
        members: list[str] = []
        if self.peek() == "[":
            raise Unread
        negated = self.peek() == "^"
        self.at += negated
        first = True
        while first or self.peek() != "]":
            first = False
            character = self.take()
            if character == "\\":
                character = self.take()
                if character not in "d.-]/\\+*?()[{}|^$":
                    negated = True  # what else an escape stands for is not looked at
                    continue
                if character == "d":
                    negated = negated or "d" not in self.escapes
                    character = "0"
            if self.peek() == "-" and self.text[self.at + 1 : self.at + 2] not in ("]", ""):
                self.at += 1
                last = self.take()
                if not (character.isdigit() and last.isdigit() and "d" in self.escapes):
                    negated = True
                    continue
            members.append(self.letter(character))
        self.at += 1
        return ANYTHING if negated or len(set(members)) > SHORT_CLASS else Fragment(tuple(dict.fromkeys(members)))

    def repeated(self, part: Fragment) -> Fragment:
        least, most = 1, 1
        while (sign := self.peek()) and sign in "?*+{":
            self.at += 1
            if sign == "{":
                bounds, brace, _ = self.text[self.at :].partition("}")
                if not brace:
                    raise Unread
                self.at += len(bounds) + 1
                low, _, high = bounds.partition(",")
                least, most = int(low or 0), int(high) if high else (int(low) if "," not in bounds else 99)
            elif (least, most) != (1, 1):
                continue  # a lazy repetition
            else:
                least, most = (0, 1) if sign == "?" else (0, 99) if sign == "*" else (1, 99)
        if (least, most) == (1, 1):
            return part
        if (least, most) == (0, 1):
            if part.forms is None:
                return ANYTHING
            return Fragment((OPEN,)) if part.forms == (EDGE,) else Fragment(tuple(dict.fromkeys((*part.forms, ""))))
        if least == 0:
            return ANYTHING
        return in_sequence([part, ANYTHING])


def plainest(character: str) -> str:
    """Return a character as it stands in the anchors: digits are one, what parts words is a boundary."""
    lowered = character.lower()
    if lowered.isdigit():
        return "0"
    if lowered in LETTERS or not lowered.isascii():
        return lowered
    return EDGE


def either(branches: Sequence[Fragment]) -> Fragment:
    """Return what is known of one of several parts."""
    if len(branches) == 1:
        return branches[0]
    forms = dict.fromkeys(form for branch in branches for form in branch.forms or ())
    if len(forms) <= MOST_FORMS and all(branch.forms is not None for branch in branches):
        return Fragment(tuple(forms))
    # Of each branch the set that narrows most: together they are one set for the whole.
    best = [min(needed_of(branch), key=chance_of_any, default=None) for branch in branches]
    if any(words is None for words in best):
        return ANYTHING
    return Fragment(None, (frozenset().union(*[words for words in best if words is not None]),))


def in_sequence(parts: Iterable[Fragment]) -> Fragment:
    """Return what is known of parts one after the other."""
    needed: list[Words] = []
    forms: tuple[str, ...] = ("",)
    whole = True
    for part in parts:
        if part.forms is not None and len(part.forms) * len(forms) <= MOST_FORMS:
            forms = tuple(dict.fromkeys(before + after for before, after in product(forms, part.forms)))
            continue
        whole = False
        needed += words_in(form + OPEN for form in forms)
        if part.forms is not None:
            forms = tuple(OPEN + form for form in part.forms)
        else:
            needed += part.needed
            forms = (OPEN,)
    return Fragment(forms) if whole else Fragment(None, (*needed, *words_in(forms)))


def needed_of(part: Fragment) -> tuple[Words, ...]:
    """Return sets of words: every match of a part holds one of each set."""
    return part.needed if part.forms is None else words_in(part.forms)


def words_in(forms: Iterable[str]) -> tuple[Words, ...]:
    """Return the weightiest words of the forms as a set, and the next ones; nothing where a form has none."""
    ranked = [sorted((run for run in runs_of(form) if run.strip("^$")), key=chance) for form in forms]
    depth = min(map(len, ranked), default=0)
    return tuple(frozenset(runs[rank] for runs in ranked) for rank in range(min(depth, MOST_RANKS)))


def chance_of_any(words: Words) -> float:
    """Return about how likely a sentence holds one of some words."""
    return sum(map(chance, words))


def runs_of(form: str) -> Iterator[str]:
    """Yield the runs of letters in a form: those of ASCII with marks, those beyond it piece by piece."""
    run, kind, before = "", "", OPEN
    for character in form + OPEN:
        here = "" if character in (EDGE, OPEN) else "a" if character in LETTERS else "b"
        if here == kind and run:
            run += character
            continue
        if run:
            yield anchor_of(run, kind, before, EDGE if here else character)
        before = (EDGE if kind else before) if here and run else character if not here else before
        run, kind = (character, here) if here else ("", "")
        if not here:
            before = character


def anchor_of(run: str, kind: str, before: str, after: str) -> str:
    """Return a run as an anchor."""
    if kind == "b":
        return run[:LONGEST_ANCHOR]
    start = "^" if before == EDGE else ""
    end = "$" if after == EDGE and len(run) <= LONGEST_ANCHOR else ""
    return f"{start}{run[:LONGEST_ANCHOR]}{end}"


def chance(word: str) -> float:
    """Return about how likely a sentence holds a word: the shorter, the likelier."""
    letters = word.strip("^$")
    if letters in common_words() or set(letters) <= {"0"}:
        return EVERYWHERE
    shrinks = LATIN if letters[0] in LETTERS else HANGUL
    return COMMON * shrinks ** len(letters) * (1 if word[0] == "^" or letters[0] not in LETTERS else UNBOUND)


EVERYWHERE, COMMON, LATIN, HANGUL, UNBOUND = 2.0, 0.5, 0.5, 0.25, 2.0


@cache
def common_words() -> frozenset[str]:
    """Return the words that nearly every text has."""
    return words_by_kind("common.txt")["common"]


def phrases(expression: str) -> tuple[str, ...]:
    """Return all that an entry finds, lower case and in the order in which RE2 tries it; nothing if that is much.

    A space in it stands for white space.
    """
    try:
        reader = _Reader(expression, str.lower, {})
        part = reader.alternatives()
    except Unread:
        return ()
    forms = part.forms or ()
    if reader.left or len(forms) > MOST_PHRASES or any(OPEN in form or EDGE in form for form in forms):
        return ()
    return () if any(not form or "  " in form or form != form.strip() for form in forms) else forms


MOST_PHRASES = 48
