"""What each clause of a reply says about what it names: done, not done, or nothing; and whether a reply asks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from mama_bot.enforcement.language.marks import Mark, Sense, marks

# What stands between words; what a path, an identifier, a contraction or a box consists of does not.
BETWEEN = {ord(sign): " " for sign in '\t"#$%&()*+,:;<=>?@\\^`{|}~·…“”「」『』【】、。!→•'}
# What ends a sentence within a line, and a clause within a sentence; each gets a cut behind it.
SENTENCES = (". ", "! ", "? ")
KOREAN_SENTENCES = (*SENTENCES, "。", "다.")
CLAUSES = (", ", "; ", " and ", " but ", " however ", " except ", " although ", " though ")
KOREAN_CLAUSES = (*CLAUSES, " 및 ", "지만 ", "으나 ", "는데 ", "고 ", "며 ")
CUT = "\x01"
HEADING_SPACES = 6
LIST_SIGNS = ("-", "*", "+", "•", "|", "[", "✅", "✔", "☑", "❌", "⏳", "🚧", "⬜", "☐", "🔴", "🟡", "🟢")
FINISHED = frozenset((Sense.DONE, Sense.ALL_DONE))
FIRST_LINES, LAST_LINES = 100, 300
NEAR = 5  # words before a mark of completion among which a negation or a hedge still reaches it
ASKING_CHARACTERS, ASKING_LINES = 1_200, 5
# Marks that speak of the whole when nothing else stands beside them: "Done.", "완료했습니다."
WHOLE = ("done", "complete", "finished", "완료", "끝났", "끝냈", "마쳤", "마무리", "✅")
FAILURES = frozenset(("failed", "failing", "failures", "failure", "errors", "error", "실패", "실패했습니다"))


class Standing(Enum):
    """What a clause says about what it names."""

    DONE = auto()
    ALL_DONE = auto()
    DENIED = auto()
    UNDECIDED = auto()


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause that says done or not done: its words, with single spaces between and around them."""

    text: str
    standing: Standing


class _Present:
    """The marks that occur in a text, by what they say."""

    def __init__(self, found: Sequence[Mark]) -> None:
        self.plain = tuple({mark.plain for mark in found})
        self.denials = tuple(mark.spaced for mark in found if mark.sense is Sense.NOT_DONE)
        self.finished = tuple(mark.spaced for mark in found if mark.sense in FINISHED)
        self.everything = tuple(mark.spaced for mark in found if mark.sense is Sense.ALL_DONE)
        self.weak = tuple(mark.spaced for mark in found if mark.sense is Sense.WEAK)


def clauses(text: str) -> list[Clause]:
    """What a plain text says is done and is not, in order and each once; code, quotes and questions say nothing.

    A short heading that says so ("Done:", "## 남은 작업") speaks for the list below it. Of the lines that say something
    at most the first 100 and the last 300 are read.
    """
    found = marks().present(text)
    if not found:
        return []
    present = _Present(found)
    said: list[Clause] = []
    for line, section in dict.fromkeys(_telling_lines(text, present)):
        said += _clauses_of(line, section, present)
    return said


def _telling_lines(text: str, present: _Present) -> list[tuple[str, Standing | None]]:
    """The lines in lower case that hold a mark or stand below a heading with one, each with what that says."""
    looked_for = present.plain
    telling: list[tuple[str, Standing | None]] = []
    section: Standing | None = None
    for low in _prose(text.lower()):
        marked = False
        for word in looked_for:
            if word in low:
                marked = True
                break
        if not marked and section is None:
            continue
        line = low.strip()
        if not line or line[0] == ">":
            continue
        if is_heading(line):
            section = _heading_says(line, present) if marked else None
            continue
        section = section if line.startswith(LIST_SIGNS) or line[0].isdigit() else None
        if marked or section is not None:
            telling.append((line, section))
    return telling if len(telling) <= FIRST_LINES + LAST_LINES else telling[:FIRST_LINES] + telling[-LAST_LINES:]


def _prose(text: str) -> list[str]:
    """The lines outside fenced code; a fence that is never closed reaches to the end."""
    lines = text.split("\n")
    if "```" not in text and "~~~" not in text:
        return lines
    kept: list[str] = []
    fenced = False
    for line in lines:
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            kept.append(line)
    return kept


def is_heading(line: str) -> bool:
    """Whether a line stands over what follows: short, and set as a heading or ending in a colon."""
    if line.startswith(("-", "+", "•", "|")) or line.count(" ") > HEADING_SPACES:
        return False
    return line.startswith("#") or line.endswith((":", ":**")) or (line.startswith("**") and line.endswith("**"))


def _heading_says(line: str, present: _Present) -> Standing | None:
    standing = _standing(_words(line), present)
    return Standing.DONE if standing is Standing.ALL_DONE else standing


def _clauses_of(line: str, section: Standing | None, present: _Present) -> Iterator[Clause]:
    """The clauses of one line; one that says nothing itself goes with the one before it, else with the next."""
    latin = line.isascii()
    for sentence in _cut(line, SENTENCES if latin else KOREAN_SENTENCES):
        if sentence.rstrip().endswith("?"):
            continue
        texts = [_words(part) for part in _cut(sentence, CLAUSES if latin else KOREAN_CLAUSES)]
        standings = [_standing(text, present) for text in texts]
        inherited = section or next((standing for standing in standings if standing is not None), None)
        for text, standing in zip(texts, standings, strict=True):
            inherited = standing or inherited
            if inherited is not None and inherited is not Standing.UNDECIDED:
                yield Clause(text, inherited)


def _cut(text: str, signs: Sequence[str]) -> Sequence[str]:
    """A text cut behind each of the signs."""
    for sign in signs:
        if sign in text:
            text = text.replace(sign, sign + CUT)
    return text.split(CUT) if CUT in text else (text,)


def _words(part: str) -> str:
    words = " ".join(part.translate(BETWEEN).split())
    return f" {words.replace('. ', ' ').strip('.')} "


def _standing(clause: str, present: _Present) -> Standing | None:
    """What one clause says; None when it says nothing."""
    for mark in present.denials:
        if mark in clause:
            return Standing.DENIED
    done_at = min([at for mark in present.finished if (at := clause.find(mark)) >= 0], default=-1)
    if done_at < 0:
        return _unfinished(clause, present)
    words = clause.split()
    if not FAILURES.isdisjoint(words) and failures(words):
        return Standing.DENIED
    turned = _turned_round(clause, done_at)
    if turned is not None:
        return turned
    everything = any(mark in clause for mark in present.everything)
    return Standing.ALL_DONE if everything or _is_whole(words) else Standing.DONE


def _turned_round(clause: str, done_at: int) -> Standing | None:
    """What the words before a mark of completion, or the ending of a Korean one, make of it."""
    known = marks()
    if done_at:
        before = f" {' '.join(clause[:done_at].split()[-NEAR:])} "
        if known.negations.stands_in(before):
            return Standing.DENIED
        if known.hedges.stands_in(before):
            return Standing.UNDECIDED
    if not clause.isascii() and known.hedges.ends_in(clause):
        return Standing.UNDECIDED
    return None


def _unfinished(clause: str, present: _Present) -> Standing | None:
    """What a clause says in which nothing is finished."""
    known = marks()
    if any(mark in clause for mark in present.weak):
        return Standing.UNDECIDED if known.nothing.stands_in(clause) else Standing.DENIED
    return Standing.UNDECIDED if known.hedges.stands_in(clause) else None


def _is_whole(words: Sequence[str]) -> bool:
    """Whether a clause names nothing beside its mark."""
    known = marks()
    for word in words:
        if word not in known.fillers and not word.startswith(WHOLE) and any(sign.isalnum() for sign in word):
            return False
    return True


def failures(words: Sequence[str]) -> bool:
    """Whether words count failures, and more than none."""
    for index, word in enumerate(words):
        if word in FAILURES and index:
            number = words[index - 1].rstrip("개건")
            if number.isdecimal() and int(number[:9]) > 0:
                return True
    return False


def asks(text: str) -> bool:
    """Whether a plain text asks somebody something near its end: in its last five lines, code and quotes apart."""
    ending: list[str] = []
    for line in reversed(text[-ASKING_CHARACTERS:].lower().split("\n")):
        bare = line.strip()
        if bare and not bare.startswith((">", "```", "|")):
            ending.append(bare)
        if len(ending) == ASKING_LINES:
            break
    near = "\n".join(ending)
    if "?" in near and any(f"?{sign}" in f"{near}\n" for sign in " \n)*\"'_"):
        return True
    return any(word in near for word in marks().questions)
