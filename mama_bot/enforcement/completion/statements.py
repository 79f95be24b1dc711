"""What each clause of a reply says about what it names: done, not done, or nothing."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from mama_bot.enforcement.completion.marks import Mark, Sense, marks
from mama_bot.text.markdown_lines import markdown_lines
from mama_bot.text.paths import plain_text

# What stands between words; what a path, an identifier, a contraction or a box consists of does not.
BETWEEN = {ord(sign): " " for sign in '\t"#$%&()*+,:;<=>?@\\^`{|}~·…“”「」『』【】、。!→•'}
# What ends a sentence within a line, and a clause within a sentence; each gets a cut behind it.
SENTENCES = (". ", "! ", "? ")
KOREAN_SENTENCES = (*SENTENCES, "。", "다.")
CLAUSES = (", ", "; ", " (", " and ", " but ", " however ", " although ", " though ")
KOREAN_CLAUSES = (*CLAUSES, " 및 ", "지만 ", "으나 ", "는데 ", "고 ", "며 ")
CUT = "\x01"
# What may close behind a question mark: quotation marks, code, emphasis, brackets. `.` and `!` end a statement instead.
CLOSING = " \t*_`~)]}\"'”’」』"
HEADING_SPACES = 6
LIST_SIGNS = ("-", "*", "+", "•", "|", "[", "✅", "✔", "☑", "❌", "⏳", "🚧", "⬜", "☐", "🔴", "🟡", "🟢")
FINISHED = frozenset((Sense.DONE, Sense.ALL_DONE))
FIRST_LINES, LAST_LINES = 100, 300
EXCEPTION_ENDS = (", ", "; ", " but ", ". ")
KOREAN_STARTS = (", ", "; ", "고 ", "지만 ", "다. ")
NEAR = 5  # words before a mark of completion among which a negation or a hedge still reaches it
# Marks that speak of the whole when nothing else stands beside them: "Done.", "완료했습니다."
WHOLE = ("done", "complete", "finished", "완료", "끝났", "끝냈", "마쳤", "마무리", "✅")
FAILURES = frozenset(("failed", "failing", "failures", "failure", "errors", "error", "실패", "실패했습니다"))
READ_CHARACTERS = 40_000


class ClauseStanding(StrEnum):
    """What a clause says about the things it names: done, all done, not done, or nothing yet decided."""

    DONE = "done"
    ALL_DONE = "all_done"
    DENIED = "denied"
    UNDECIDED = "undecided"


class Clause(NamedTuple):
    """A clause that says done or not done: its words, with single spaces between and around them."""

    text: str
    standing: ClauseStanding


class _Present:
    """The marks that occur in a text, by their sense."""

    def __init__(self, occurring: Sequence[Mark]) -> None:
        self.plain = tuple({mark.plain for mark in occurring})
        self.denials = tuple(mark.spaced for mark in occurring if mark.sense is Sense.NOT_DONE)
        self.finished = tuple(mark.spaced for mark in occurring if mark.sense in FINISHED)
        self.everything = tuple(mark.spaced for mark in occurring if mark.sense is Sense.ALL_DONE)
        self.weak = tuple(mark.spaced for mark in occurring if mark.sense is Sense.WEAK)
        self.no_longer = tuple(mark.spaced for mark in occurring if mark.sense is Sense.NO_LONGER)
        self.exceptions = tuple(mark.plain for mark in occurring if mark.sense is Sense.EXCEPT)
        self.beside = tuple(mark.plain for mark in occurring if mark.sense is Sense.BESIDE)


@lru_cache(maxsize=256)
def _present(occurring: tuple[Mark, ...]) -> _Present:
    return _Present(occurring)


@lru_cache(maxsize=8)
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a plain text that call something done or not done, in order and each once.

    Code, quotes and questions say nothing. A short heading that says so (`Done:`, `## 남은 작업`) speaks for the list
    below it. Of the lines that say something at most the first 100 and the last 300 are read.
    """
    occurring = marks().present(text)
    if not occurring:
        return ()
    present = _present(tuple(occurring))
    telling: list[Clause] = []
    known: dict[tuple[str, ClauseStanding | None], tuple[Clause, ...]] = {}  # a line may say one thing many times
    for line, section in dict.fromkeys(_telling_lines(text, present)):
        for sentence in _cut(line, SENTENCES if line.isascii() else KOREAN_SENTENCES):
            if (sentence, section) not in known:
                known[sentence, section] = tuple(_clauses_of(sentence, section, present))
            telling += known[sentence, section]
    return tuple(telling)


def says_all_is_done(text: str) -> bool:
    """Return whether a text calls its whole task done, and not a part of it; the first 40,000 characters are read."""
    return any(clause.standing is ClauseStanding.ALL_DONE for clause in clauses(plain_text(text[:READ_CHARACTERS])))


def _telling_lines(text: str, present: _Present) -> list[tuple[str, ClauseStanding | None]]:
    """Return the lines, in lower case, that hold a mark or stand below a heading with one.

    Each comes with the standing that its heading gives it; None without a heading.
    """
    low = text.lower()
    if "```" in low or "~~~" in low:
        low = "\n".join([line.text for line in markdown_lines(low) if not line.fence])
    telling: list[tuple[str, ClauseStanding | None]] = []
    read_to = 0
    for start in _marked_starts(low, present):
        if start < read_to:  # below a heading, and read with it
            continue
        end = low.find("\n", start)
        line = low[start : end if end >= 0 else None].strip()
        if line[0] == ">":
            continue
        if not is_section_heading(line):
            telling.append((line, None))
        elif end >= 0 and (section := _heading_says(line, present)) is not None:
            read_to = _read_list(low, end + 1, section, telling)
    return telling if len(telling) <= FIRST_LINES + LAST_LINES else telling[:FIRST_LINES] + telling[-LAST_LINES:]


def _marked_starts(low: str, present: _Present) -> list[int]:
    """Return where the lines begin that hold a mark."""
    starts: set[int] = set()
    for mark in present.plain:
        at = low.find(mark)
        while at >= 0:
            starts.add(low.rfind("\n", 0, at) + 1)
            end = low.find("\n", at)
            at = low.find(mark, end) if end >= 0 else -1
    return sorted(starts)


def _read_list(low: str, start: int, section: ClauseStanding, telling: list[tuple[str, ClauseStanding | None]]) -> int:
    """Add the lines of the list below a heading to `telling`; returns where the list ends."""
    while 0 <= start < len(low):
        end = low.find("\n", start)
        line = low[start : end if end >= 0 else None].strip()
        if line and (is_section_heading(line) or not (line.startswith(LIST_SIGNS) or line[0].isdigit())):
            return start
        if line:
            telling.append((line, section))
        start = end + 1 if end >= 0 else len(low)
    return len(low)


def is_section_heading(line: str) -> bool:
    """Return whether a line is a heading: short, and marked as one or ending in a colon."""
    if line.startswith(("-", "+", "•", "|")) or line.count(" ") > HEADING_SPACES:
        return False
    return line.startswith("#") or line.endswith((":", ":**")) or (line.startswith("**") and line.endswith("**"))


def _heading_says(line: str, present: _Present) -> ClauseStanding | None:
    standing = _standing(_words(line), present)
    return ClauseStanding.DONE if standing is ClauseStanding.ALL_DONE else standing


def _clauses_of(sentence: str, section: ClauseStanding | None, present: _Present) -> Iterator[Clause]:
    """Yield the clauses of a sentence; one that says nothing goes with the clause before it, else with the next."""
    if sentence.rstrip(CLOSING).endswith("?"):
        return
    if present.exceptions or present.beside:
        excepted, sentence = _without_exception(sentence, present)
        if excepted:
            yield Clause(excepted, ClauseStanding.DENIED)
    parts = _cut(sentence, CLAUSES if sentence.isascii() else KOREAN_CLAUSES)
    if len(parts) == 1:
        text = _words(sentence)
        standing = _standing(text, present) or section
        if standing is not None and standing is not ClauseStanding.UNDECIDED:
            yield Clause(text, standing)
        return
    texts = [_words(part) for part in parts]
    standings = [_standing(text, present) for text in texts]
    inherited = section or next((standing for standing in standings if standing is not None), None)
    for text, standing in zip(texts, standings, strict=True):
        inherited = standing or inherited
        if inherited is not None and inherited is not ClauseStanding.UNDECIDED:
            yield Clause(text, inherited)


def _without_exception(sentence: str, present: _Present) -> tuple[str, str]:
    """Split a sentence into its exception and the rest: `all done except the README`; "" when it has none."""
    padded = f" {sentence} "
    everything = bool(present.everything) or not marks().every.isdisjoint(_words(sentence).split())
    for mark in (*present.exceptions, *(present.beside if everything else ())):
        at = padded.find(f" {mark} " if mark.isascii() else mark)
        if at < 0:
            continue
        end = at + len(mark) + 1
        if mark.isascii():
            stop = min(
                [position for sign in EXCEPTION_ENDS if (position := padded.find(sign, end)) >= 0], default=len(padded)
            )
            return _words(padded[end:stop]), f"{padded[:at]} {padded[stop:]}".strip()
        start = max([padded.rfind(sign, 0, at) + len(sign) for sign in KOREAN_STARTS if sign in padded[:at]], default=0)
        return _words(padded[start:at]), f"{padded[:start]} {padded[end - 1 :].lstrip('고는요')}".strip()
    return "", sentence


def _cut(text: str, signs: Sequence[str]) -> Sequence[str]:
    """Split a text after each of the signs."""
    for sign in signs:
        if sign in text:
            text = text.replace(sign, sign + CUT)
    return text.split(CUT) if CUT in text else (text,)


def _words(part: str) -> str:
    words = " ".join(part.translate(BETWEEN).split())
    return f" {words.replace('. ', ' ').strip('.')} "


def _standing(clause: str, present: _Present) -> ClauseStanding | None:
    """Return what a clause says; None when it says nothing."""
    known = marks()
    if any(map(clause.__contains__, present.no_longer)):
        return ClauseStanding.DENIED if known.working.stands_in(clause) else ClauseStanding.DONE
    if any(map(clause.__contains__, present.denials)):
        return ClauseStanding.DENIED
    done_at = min([at for mark in present.finished if (at := clause.find(mark)) >= 0], default=-1)
    if done_at < 0:
        return _unfinished(clause, present)
    words = clause.split()
    if not FAILURES.isdisjoint(words) and has_failures(words):
        return ClauseStanding.DENIED
    turned = _turned_round(clause, done_at)
    if turned is not None:
        return turned
    everything = any(map(clause.__contains__, present.everything))
    return ClauseStanding.ALL_DONE if everything or _is_whole(words, present) else ClauseStanding.DONE


def _turned_round(clause: str, done_at: int) -> ClauseStanding | None:
    """Return what a negation or hedge before the mark, or a Korean ending, makes of it; None when it stands."""
    known = marks()
    if done_at:
        before = f" {' '.join(clause[:done_at].split()[-NEAR:])} "
        if known.negations.stands_in(before):
            return ClauseStanding.DENIED
        if known.hedges.stands_in(before):
            return ClauseStanding.UNDECIDED
    if not clause.isascii() and known.hedges.ends_in(clause):
        return ClauseStanding.UNDECIDED
    return None


def _unfinished(clause: str, present: _Present) -> ClauseStanding | None:
    """Return what a clause says that calls nothing finished: denied, undecided, or None."""
    known = marks()
    if known.earlier.stands_in(clause):
        return None
    if any(map(clause.__contains__, present.weak)):
        return ClauseStanding.UNDECIDED if known.nothing.stands_in(clause) else ClauseStanding.DENIED
    return ClauseStanding.UNDECIDED if known.hedges.stands_in(clause) else None


def _is_whole(words: Sequence[str], present: _Present) -> bool:
    """Whether a clause has nothing beside its mark (`Done.`); with `both` or `둘 다` any mark of completion will do."""
    known = marks()
    clause = f" {' '.join(words)} "
    both = tuple(mark for mark in present.finished if not mark.isascii()) if "둘 다 " in clause else ()
    for word in words:
        if word not in known.fillers and not word.startswith((*WHOLE, *both)) and any(sign.isalnum() for sign in word):
            return False
    return True


def has_failures(words: Sequence[str]) -> bool:
    """Return whether words count failures, and more than none: `2 failed`."""
    for index, word in enumerate(words):
        if word in FAILURES and index:
            number = words[index - 1].rstrip("개건")
            if number.isdecimal() and int(number[:9]) > 0:
                return True
    return False
