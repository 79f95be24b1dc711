"""One plain form of a text for judging, with a way back to the original for every character."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.enforcement.language.patterns import compiled

MASK = "\ue000"  # stands for characters that are not prose; never in a normalised text by itself
REPLACEMENT = "\ufffd"
PASSES = 8

INVISIBLE = frozenset(
    (
        *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFEFF, 0xFFA0),
        *(*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)),
        *range(0xE0000, 0xE0080),
    )
)
MARKS = range(0x300, 0x370)
# Letters of other alphabets that look like Latin ones, in pairs.
CONFUSABLE = (
    "аa еe оo рp сc хx уy іi јj ѕs ԁd ɡg һh ԛq ԝw вb мm нh тt кk гr пn "
    "АA ВB ЕE КK МM НH ОO РP СC ТT ХX УY ІI ЈJ ЅS ԌG "
    "αa οo ρp νv υu ιi κk τt χx ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX "
    "ıi ɑa ℓl ꓑP ᴀA ᴇE ᴘP ʀR ꜰF ᴄC ᴛT"
)
UNSEEN = dict.fromkeys(INVISIBLE, "")
TABLE: dict[int, str] = (
    {ord(pair[0]): pair[1] for pair in CONFUSABLE.split()}
    | dict.fromkeys(INVISIBLE, "")
    | dict.fromkeys(MARKS, "")
    | dict.fromkeys([ord(MASK), ord("\x00"), *range(0xD800, 0xE000)], REPLACEMENT)
    | {0xA0: " ", 0x2019: "'", 0x2018: "'", 0x201C: '"', 0x201D: '"', 0x2028: "\n", 0x2029: "\n", 0x85: "\n"}
)

# Syllables or letters set apart ("완 벽 합 니 다", "p.e.r.f.e.c.t"), and emphasis inside words.
APART = compiled(
    r"\b(?:[A-Za-z][ .·-]){3,}[A-Za-z]\b"
    r"|(?:^|[^가-힣])(?:[가-힣][ .·-]){2,}[가-힣]+"
    r"|\*\*"
)
SEPARATORS = frozenset(" .·-*")


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text in plain form; `starts` and `ends` lead each of its characters back, None where nothing moved."""

    text: str
    original: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original that the characters `start` up to `end` came from."""
        if self.starts is None or self.ends is None:
            return start, end
        if start >= end:
            here = self.starts[start] if start < len(self.starts) else len(self.original)
            return here, here
        return self.starts[start], self.ends[end - 1]


def normalise(text: str) -> Normalised:
    """Bring a text into its plain form: idempotent, and never raises.

    Compatibility forms and decomposed Hangul are composed, invisible characters, accents and emphasis marks dropped,
    look-alike letters made Latin, spaced-out words joined, lone surrogates replaced.
    """
    plain = Normalised(text, text)
    for _ in range(PASSES):
        step = composed(plain.text) or joined(plain.text)
        if step is None:
            break
        plain = chained(plain, step)
    return plain


def chained(first: Normalised, second: Normalised) -> Normalised:
    """Two steps as one."""
    if first.starts is None or first.ends is None:
        return second
    if second.starts is None or second.ends is None:
        return first
    to_start, to_end = first.starts, first.ends
    return Normalised(
        second.text,
        first.original,
        [to_start[index] for index in second.starts],
        [to_end[index - 1] for index in second.ends],
    )


def composed(text: str) -> Normalised | None:
    """Characters in plain form, cluster by cluster; None when nothing changes."""
    if is_plain(text):
        return None
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for begin, end in clusters(text):
        piece = plain_cluster(text[begin:end])
        pieces.append(piece)
        starts += [begin] * len(piece)
        ends += [end] * len(piece)
    result = "".join(pieces)
    return None if result == text else Normalised(result, text, starts, ends)


def is_plain(text: str) -> bool:
    """Whether no character needs another form."""
    if text.isascii():
        return "\x00" not in text
    return unicodedata.is_normalized("NFKC", text) and text.translate(TABLE) == text


def clusters(text: str) -> list[tuple[int, int]]:
    """A text as spans of one character with what combines with it."""
    spans: list[tuple[int, int]] = []
    begin = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or not extends(text[index]):
            spans.append((begin, index))
            begin = index
    return spans if text else []


def extends(character: str) -> bool:
    """Whether a character belongs to the one before it."""
    if character < "\x80":
        return False
    code = ord(character)
    return 0x1160 <= code <= 0x11FF or code in INVISIBLE or unicodedata.combining(character) != 0


def plain_cluster(cluster: str) -> str:
    """The plain form of one cluster."""
    if len(cluster) == 1 and "\x00" < cluster < "\x80":
        return cluster
    return unicodedata.normalize("NFKC", cluster.translate(UNSEEN)).translate(TABLE)


def joined(text: str) -> Normalised | None:
    """Spaced-out words joined and emphasis marks dropped; None when there are none."""
    pieces: list[str] = []
    kept: list[int] = []
    done = 0
    for match in APART.finditer(text):
        start, end = match.start(), match.end()
        first = start if text[start] == "*" or is_letter(text[start]) else start + 1
        pieces.append(text[done:first])
        kept += range(done, first)
        inner = [index for index in range(first, end) if text[index] not in SEPARATORS]
        pieces += [text[index] for index in inner]
        kept += inner
        done = end
    if done == 0:
        return None
    pieces.append(text[done:])
    kept += range(done, len(text))
    return Normalised("".join(pieces), text, kept, [index + 1 for index in kept])


def is_letter(character: str) -> bool:
    """Whether a character can begin a spaced-out word."""
    return "가" <= character <= "힣" or (character.isascii() and character.isalpha())
