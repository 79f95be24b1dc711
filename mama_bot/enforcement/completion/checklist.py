"""The checklist in a request: bullets, numbers, boxes, nested ones, or the parts of a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from mama_bot.text.markdown_lines import LineKind, markdown_lines
from mama_bot.text.paths import PARTICLES, file_names, has_ending, plain_text, without_particle
from mama_bot.text.patterns import compiled
from mama_bot.text.word_lists import words_by_kind

MARKER = compiled(
    r"^(\s*)(?:(?:[-*+•‣◦▪☐□–—]|\(?\d{1,3}[.)]|\(?[a-z가-하][.)])\s+(?:\[([ xX✓✔])\]\s*)?"
    r"|(?:\[([ xX✓✔])\]|[☐□☑✅])\s*)"
)
PART = compiled(
    r"^\s*(?:#+\s*|[-*]\s+)?\**"
    r"(TASK|EXPECTED[ _]OUTCOMES?|REQUIRED[ _]TOOLS|MUST[ _]NOT[ _]DO|MUST[ _]DO|CONTEXT)\**\s*:\**"
)
HEADING = compiled(
    r"^\s*(?:#+\s*)?\**(?:expected outcomes?|outcomes?|deliverables?|checklist|to-?dos?|acceptance criteria"
    r"|tasks?"
    r"|기대 ?결과|예상 ?결과|결과물|산출물|할 ?일|체크리스트|완료 ?조건|작업)\**\s*:?\**\s*$"
)
# Where one line asks for several things.
AND = compiled(
    r"\s*;\s+|,\s+(?:and\s+|then\s+)?|\s+and\s+(?:then\s+)?|\s+그리고\s+|\s+및\s+|(?:하고|하며|고),?\s+|\.\s+"
)
SEPARATORS = {ord(sign): " " for sign in '\t"#$%&()*+,:;<=>?@\\^`{|}[]~·…“”‘’「」『』！？!，。：；、→✅☑❌•'}
_WORDS = words_by_kind("names.txt")
STOP_WORDS, KOREAN_STOP = _WORDS["stop"], tuple(_WORDS["stop_stem"])
CIRCLED = dict.fromkeys(range(0x2460, 0x2474), "- ")  # composed, they would be mere figures
MOST_ITEMS = 50
MOST_CHARACTERS = 20_000
ITEM_CHARACTERS = 300
SHORT_WORDS = 3


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was asked for: its text, the words that tell it apart, and the files it names."""

    text: str
    words: frozenset[str]
    files: tuple[str, ...] = ()
    file_words: frozenset[str] = frozenset()
    ticked: bool = False

    @property
    def key(self) -> str:
        """The item's text without regard to marker, case and spaces: the same in every turn."""
        return " ".join(self.text.lower().split())


@lru_cache(maxsize=256)
def checklist(text: str) -> tuple[Item, ...]:
    """Return the items of an expected outcome, at most 50: its bullets, numbers or boxes, else its lines and parts.

    Of a whole delegation only EXPECTED OUTCOME is read.
    """
    lines = expected_lines(plain_text(circled_apart(text[:MOST_CHARACTERS]).translate(CIRCLED)))
    marked = list(_marked(lines))
    items = [_item(text, ticked=ticked) for text, ticked in marked[:MOST_ITEMS]]
    if not items:
        parts = [part for line in lines for part in joined_parts(line)]
        items = [_item(part) for part in parts[:MOST_ITEMS]]
    return tuple(item for item in items if item.words)


def circled_apart(text: str) -> str:
    """Put ①, ② and so on on lines of their own, where one line counts them up from its beginning."""
    lines: list[str] = []
    for line in text.split("\n"):
        before, first, rest = line.partition("①")
        if first and "②" in rest and (not before.strip() or before.rstrip().endswith(":")):
            lines.append(before.rstrip())
            rest = "".join(f"\n{sign}" if ord(sign) in CIRCLED else sign for sign in rest)
            lines += [part.rstrip(" ,;") for part in f"{first}{rest}".split("\n")]
        else:
            lines.append(line)
    return "\n".join(lines)


def expected_lines(text: str) -> list[str]:
    """Return the lines of EXPECTED OUTCOME, without its heading and without code."""
    lines: list[str] = []
    within = False
    parted = PART.search(f"{text}\n") is not None or "\nEXPECTED" in text.upper()
    for scanned in markdown_lines(text):
        line = scanned.text
        if scanned.kind is LineKind.FENCE:
            continue
        if parted and (part := PART.match(line)):
            within = part.group(1).upper().startswith("EXPECTED")
            if within and line[part.end() :].strip():
                lines.append(line[part.end() :].strip())
        elif (within or not parted) and not scanned.fence and line.strip() and not HEADING.match(line):
            lines.append(line)
    return lines


def _marked(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield the marked lines, each with whether it is ticked; a line with others below it only prefixes those."""
    marked: list[tuple[int, str, bool]] = []
    for line in lines:
        marker = MARKER.match(line)
        if marker is not None:
            box = marker.group(2) or marker.group(3) or ""
            ticked = bool(box.strip()) or line.lstrip().startswith(("☑", "✅"))
            marked.append((len(marker.group(1).expandtabs()), line[marker.end() :].strip(), ticked))
            if len(marked) > 2 * MOST_ITEMS:
                break
    above: list[tuple[int, str]] = []
    for index, (depth, text, ticked) in enumerate(marked):
        while above and above[-1][0] >= depth:
            above.pop()
        below = index + 1 < len(marked) and marked[index + 1][0] > depth
        if below:
            above.append((depth, text.rstrip(": ")))
        elif text:
            yield (f"{above[-1][1]}: {text}" if above and len(text.split()) < SHORT_WORDS else text), ticked


def joined_parts(line: str) -> list[str]:
    """Split a line that asks for several things, each at least two words or a file; else return the line."""
    parts: list[str] = []
    begin = 0
    for match in AND.finditer(line):
        ending = match.group().rstrip(", ")
        part = line[begin : match.start()] + (ending if ending.endswith("고") or ending == "하며" else "")
        parts.append(part)
        begin = match.end()
    parts.append(line[begin:])
    parts = [part.strip().removeprefix("and ").strip() for part in parts if part.strip(" .")]
    return parts if all(" " in part or file_names(part) for part in parts) else [line.strip()]


def _item(body: str, *, ticked: bool = False) -> Item:
    shown = body.strip("* ")[:ITEM_CHARACTERS]
    names = file_names(shown)
    file_words = telling_words_of(" ".join(names)) if names else frozenset[str]()
    return Item(shown, telling_words_of(shown), names, file_words, ticked)


def telling_words_of(text: str) -> frozenset[str]:
    """Return the words that tell a text apart, in plain form; all of its words when nothing else is left."""
    return telling_words(text.lower().translate(SEPARATORS))


def telling_words(text: str) -> frozenset[str]:
    """Return the telling words of a text that is in lower case and has only spaces between its words."""
    words = [plain_word(word) for word in text.split()]
    return frozenset([word for word in words if word and not is_stop_word(word)]) or frozenset(filter(None, words))


@lru_cache(maxsize=8192)
def is_stop_word(word: str) -> bool:
    """Return whether a plain word tells nothing apart."""
    return word in STOP_WORDS or word.startswith(KOREAN_STOP)


@lru_cache(maxsize=8192)
def plain_word(word: str) -> str:
    """Return a word without Korean particle or English plural; of a path its last part (`users.py`)."""
    word = word.strip(".,-'/_!")
    if not word.isascii():
        name = without_particle(word)
        particle = next((end for end in PARTICLES if name.endswith(end) and len(name) > len(end) + 1), "")
        word = name.removesuffix(particle)
    if "/" in word and not word.startswith("http"):
        word = word.rsplit("/", 1)[-1]
    plural = word.isascii() and len(word) > SHORT_WORDS and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural and not has_ending(word) else word
