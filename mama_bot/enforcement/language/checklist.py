"""A checklist in what was asked for, and which of its items a reply ticks."""

from collections.abc import Iterable
from dataclasses import dataclass

from mama_bot.enforcement.language.files import file_names, file_set
from mama_bot.enforcement.language.normalise import normalise
from mama_bot.enforcement.language.patterns import compiled
from mama_bot.enforcement.language.sentences import cuts
from mama_bot.enforcement.language.words import Kind, Lexicon

MARKER = compiled(r"^\s*(?:[-*+•‣◦▪☐□]|\(?\d{1,3}[.)]|[①-⑳]|[a-z][.)])\s*(?:\[([ xX])\]\s*)?")
HEADING = compiled(
    r"^\s*(?:#+\s*)?(?:expected outcomes?|outcome|deliverables?|checklist|to-?do"
    r"|기대 ?결과|예상 ?결과|산출물|할 ?일|체크리스트)\s*:?\s*$"
)
SEPARATORS = str.maketrans(dict.fromkeys("!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~·…“”‘’「」", " "))
PARTICLES = (
    "에서",
    "으로",
    "까지",
    "부터",
    "에게",
    "하고",
    "을",
    "를",
    "이",
    "가",
    "은",
    "는",
    "의",
    "에",
    "로",
    "와",
    "과",
    "도",
    "만",
)
# fmt: off
STOP_WORDS = frozenset((
    "the", "and", "for", "with", "that", "this", "are", "was", "has", "have", "been", "all", "its", "from", "into",
    "each", "any", "new", "not", "but", "done", "add", "create", "write", "make", "update", "fix", "run", "to", "of",
    "in", "on", "a", "an", "it", "is", "be", "by", "as", "at", "or",
))
# fmt: on
KOREAN_STOP = (
    "작성",
    "생성",
    "추가",
    "구현",
    "수정",
    "변경",
    "실행",
    "완료",
    "하기",
    "한다",
    "해야",
    "합니다",
    "했습",
    "하고",
    "모두",
    "전부",
)
MOST_ITEMS = 50
MOST_LINES = 400
ITEM_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was asked for: its text, the words that tell it apart, and the files it names."""

    text: str
    words: frozenset[str]
    files: tuple[str, ...]
    ticked: bool = False


def checklist(text: str) -> list[Item]:
    """The items of an expected outcome: its bullets, numbers or checkboxes, else its lines; at most 50."""
    lines = [line for line in normalise(text).text.split("\n") if line.strip() and not HEADING.match(line)]
    marked = [line for line in lines if MARKER.match(line)]
    return [item_of(line) for line in (marked or lines)[:MOST_ITEMS]]


def item_of(line: str) -> Item:
    """One line as an item."""
    marker = MARKER.match(line)
    body = line[marker.end() if marker else 0 :].strip()[:ITEM_CHARACTERS]
    ticked = marker is not None and (marker.group(1) or "").lower() == "x"
    return Item(body, words_of(body), file_names(body), ticked)


def words_of(text: str) -> frozenset[str]:
    """The words that tell a text apart, without particles; all of them when nothing else is left."""
    words = [plain_word(word) for word in text.translate(SEPARATORS).split()]
    telling = frozenset(word for word in words if word not in STOP_WORDS and not word.startswith(KOREAN_STOP))
    return telling or frozenset(words)


def plain_word(word: str) -> str:
    """A word in lower case, without the Korean particle at its end."""
    if word.isascii():
        return word.lower()
    particle = next((end for end in PARTICLES if word.endswith(end) and len(word) > len(end) + 1), "")
    return word.removesuffix(particle).lower()


def open_items(items: Iterable[Item], reply: str, written: frozenset[str], lexicon: Lexicon) -> list[Item]:
    """The items that neither the reply nor the files written tick."""
    done, undone = marked_lines(reply, lexicon)
    everything = any(lexicon[Kind.ALL_DONE].search(line) for line, _ in done)
    remaining: list[Item] = []
    for item in items:
        if item.ticked or was_written(item, written):
            continue
        denied = any(speaks_of(words, item) for _, words in undone)
        if denied or not (everything or any(speaks_of(words, item) for _, words in done)):
            remaining.append(item)
    return remaining


Marked = list[tuple[str, frozenset[str]]]


def marked_lines(reply: str, lexicon: Lexicon) -> tuple[Marked, Marked]:
    """The statements of a reply that say done, and those that say not done; the last 400 of each."""
    done: Marked = []
    undone: Marked = []
    for part in statements(normalise(reply).text):
        if lexicon[Kind.NOT_DONE].search(part):
            undone.append((part, words_of(part)))
        elif lexicon[Kind.DONE].search(part) or lexicon[Kind.ALL_DONE].search(part):
            done.append((part, words_of(part)))
    return done[-MOST_LINES:], undone[-MOST_LINES:]


def statements(text: str) -> list[str]:
    """Lines, cut into sentences."""
    parts: list[str] = []
    for line in text.split("\n"):
        begin = 0
        for end in cuts(line):
            parts.append(line[begin:end].strip())
            begin = end
        parts.append(line[begin:].strip())
    return [part for part in parts if part]


def speaks_of(words: frozenset[str], item: Item) -> bool:
    """Whether a statement is about an item: at least half of its words."""
    return bool(item.words) and 2 * len(item.words & words) >= len(item.words)


def was_written(item: Item, written: frozenset[str]) -> bool:
    """Whether all the files that an item names were written."""
    return bool(item.files) and all(any(path in file_set([name]) for path in written) for name in item.files)
