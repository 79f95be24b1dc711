"""One plain form of a text for judging, with a way back to the original for every character."""

import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from mama_bot.text.patterns import compiled

MASK = "\ue000"  # stands for characters that are not prose; never in a normalised text by itself
CUT = "\x1e"  # the record separator, which marks the ends of sentences; not in a normalised text either
REPLACEMENT = "\ufffd"
PASSES = 8

INVISIBLE = frozenset(
    (
        *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x3164, 0xFEFF, 0xFFA0),
        *(*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), *range(0xFE00, 0xFE10)),
        *range(0xE0000, 0xE0080),
    )
)
MARKS = frozenset(
    (*range(0x300, 0x370), *range(0x1AB0, 0x1B00), *range(0x1DC0, 0x1E00), *range(0x20D0, 0x2100)),
)
# Letters of other alphabets that look like Latin ones, in pairs.
CONFUSABLE = (
    "аa еe оo рp сc хx уy іi јj ѕs ԁd ɡg һh ԛq ԝw вb мm нh тt кk гr пn "
    "АA ВB ЕE КK МM НH ОO РP СC ТT ХX УY ІI ЈJ ЅS ԌG "
    "αa οo ρp νv υu ιi κk τt χx ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX "
    "ıi ɑa ℓl ꓑP ᴀA ʙB ᴄC ᴅD ᴇE ꜰF ɢG ʜH ɪI ᴊJ ᴋK ʟL ᴍM ɴN ᴏO ᴘP ʀR ꜱS ᴛT ᴜU ᴠV ᴡW ʏY ᴢZ"
)
ENCIRCLED = (0x1F150, 0x1F170)  # where the alphabet in black circles and in black squares begins
PLAIN: dict[str, str] = {
    **{pair[0]: pair[1] for pair in CONFUSABLE.split()},
    **{chr(code): "" for code in INVISIBLE | MARKS},
    **{chr(first + index): letter for first in ENCIRCLED for index, letter in enumerate(string.ascii_uppercase)},
    "\u00a0": " ",
    "\u2019": "'",
    "\u2018": "'",
    "\u201c": '"',
    "\u201d": '"',
    "\u2028": "\n",
    "\u2029": "\n",
    "\u0085": "\n",
    "\x00": REPLACEMENT,
    CUT: " ",
    MASK: REPLACEMENT,
}
JAMO = compiled(r"[\x{1100}-\x{11FF}]+")

# Syllables or letters set apart ("완 벽 합 니 다", "p.e.r.f.e.c.t"), and emphasis inside words.
APART = compiled(
    r"\b(?:[A-Za-z][ .·_/|~*-]{1,2}){3,}[A-Za-z]\b"
    r"|(?:^|[^가-힣])(?:[가-힣][ .·_/|~*-]{1,2}){3,}[가-힣](?:$|[^가-힣])"
    r"|(?:^|\s\s)(?:[가-힣] )+[가-힣](?:$|\s\s)"
)
SEPARATORS = frozenset(" .·_/|~*-")
EMPHASIS = "**"


class _Forms(dict[str, str]):
    """The plain form of each character, worked out when it is first met."""

    def __missing__(self, character: str) -> str:
        form = self[character] = plain_form(character)
        return form


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text in plain form; `starts` and `ends` lead each of its characters back.

    No `starts`: nothing moved. No `ends`: each character came from one.
    """

    text: str
    original: str
    starts: Sequence[int] | None = None
    ends: Sequence[int] | None = None

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original that the characters `start` up to `end` came from."""
        if self.starts is None:
            return start, end
        if start >= end:
            here = self.starts[start] if start < len(self.starts) else len(self.original)
            return here, here
        return self.starts[start], self.starts[end - 1] + 1 if self.ends is None else self.ends[end - 1]

    def then(self, step: "Normalised") -> "Normalised":
        """Return this text with one more step, whose original is this text."""
        return chained(self, step)


def normalise(text: str) -> Normalised:
    """Bring a text into its plain form: idempotent, and never raises.

    Compatibility forms and decomposed Hangul are composed, invisible characters, accents and emphasis within words
    dropped, look-alike letters made Latin, spaced-out words joined, lone surrogates replaced.
    """
    plain = Normalised(text, text)
    for _ in range(PASSES):
        step = mapped(plain.text) or syllables(plain.text) or unemphasised(plain.text) or unspaced(plain.text)
        if step is None:
            break
        plain = chained(plain, step)
    return plain


def chained(first: Normalised, second: Normalised) -> Normalised:
    """Return two steps as one."""
    if first.starts is None:
        return Normalised(second.text, first.original, second.starts, second.ends)
    if second.starts is None:
        return Normalised(second.text, first.original, first.starts, first.ends)
    origins = first.starts
    starts = [origins[index] for index in second.starts]
    if first.ends is None and second.ends is None:
        return Normalised(second.text, first.original, starts)
    lasts = second.starts if second.ends is None else [end - 1 for end in second.ends]
    ends = [origins[index] + 1 if first.ends is None else first.ends[index] for index in lasts]
    return Normalised(second.text, first.original, starts, ends)


def mapped(text: str) -> Normalised | None:
    """Return each character in its plain form; None when nothing changes."""
    if text.isascii() and "\x00" not in text and CUT not in text:
        return None
    # Few characters are different ones: whether any has another form is asked of those alone.
    if all(FORMS[character] == character for character in set(text)):
        return None
    forms = [FORMS[character] for character in text]
    plain = "".join(forms)
    if len(plain) == len(text) and all(len(FORMS[character]) == 1 for character in set(text)):
        return Normalised(plain, text)
    if len(plain) < len(text) and all(len(FORMS[character]) <= 1 for character in set(text)):
        starts = [index for index, form in enumerate(forms) if form]
    else:
        starts = [index for index, form in enumerate(forms) for _ in form]
    return Normalised(plain, text, starts)


def plain_form(character: str) -> str:
    """Return the plain form of a character: compatibility forms resolved, accents dropped, look-alikes made Latin."""
    if "가" <= character <= "힣" or "ㄱ" <= character <= "ㅣ":
        return character
    if "\ud800" <= character <= "\udfff":
        return REPLACEMENT
    known = PLAIN.get(character)
    if known is not None:
        return known
    parts = unicodedata.normalize("NFKD", character)
    if parts == character:
        return character
    return "".join(PLAIN.get(part, part) for part in parts)


FORMS = _Forms()


def syllables(text: str) -> Normalised | None:
    """Compose decomposed Hangul; None when the text has none."""
    if text.isascii() or JAMO.search(text) is None:
        return None
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in JAMO.finditer(text):
        start = match.start()
        pieces.append(text[done:start])
        starts += range(done, start)
        ends += range(done + 1, start + 1)
        for syllable in unicodedata.normalize("NFC", match.group()):
            end = start + len(unicodedata.normalize("NFD", syllable))
            pieces.append(syllable)
            starts.append(start)
            ends.append(end)
            start = end
        done = match.end()
    pieces.append(text[done:])
    plain = "".join(pieces)
    if plain == text:
        return None
    starts += range(done, len(text))
    ends += range(done + 1, len(text) + 1)
    return Normalised(plain, text, starts, ends)


def unemphasised(text: str) -> Normalised | None:
    """Drop marks of emphasis within words (`완**벽**합니다`); None when the text has none."""
    if EMPHASIS not in text:
        return None
    parts = text.split(EMPHASIS)
    pieces: list[str] = []
    kept: list[int] = []
    done = 0
    last = ""
    letters: dict[str, bool] = {sign: is_letter(sign) for sign in {*text, ""}}
    for part in parts:
        # A mark stays unless letters stand on both sides of it.
        if pieces and not (letters[last[-1:]] and letters[part[:1]]):
            pieces.append(EMPHASIS)
            kept += (done - 2, done - 1)
        pieces.append(part)
        kept += range(done, done + len(part))
        done += len(part) + len(EMPHASIS)
        last = part or EMPHASIS
    plain = "".join(pieces)
    return None if len(plain) == len(text) else Normalised(plain, text, kept)


def unspaced(text: str) -> Normalised | None:
    """Join spaced-out words (`a p p r o v e`); None when the text has none."""
    pieces: list[str] = []
    kept: list[int] = []
    done = 0
    for match in APART.finditer(text):
        start, end = match.start(), match.end()
        first = start if is_letter(text[start]) else start + 1
        last = end if is_letter(text[end - 1]) else end - 1
        # One separator parts letters, two part words.
        inner = [
            index
            for index in range(first, last)
            if text[index] not in SEPARATORS or (text[index] == " " and text[index + 1 : index + 2] == " ")
        ]
        pieces += (text[done:first], "".join([text[index] for index in inner]))
        kept += range(done, first)
        kept += inner
        done = last
    if done == 0:
        return None
    pieces.append(text[done:])
    kept += range(done, len(text))
    return Normalised("".join(pieces), text, kept)


def is_letter(character: str) -> bool:
    """Return whether a character can stand in a word: Hangul, a Latin letter, a digit."""
    return "가" <= character <= "힣" or (character.isascii() and character.isalnum())
