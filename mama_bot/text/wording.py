"""The wording of a sentence: what it quotes, which terms it names, what is left of it without its courtesies."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mama_bot.text.lexicon import Lexicon
from mama_bot.text.normalise import MASK
from mama_bot.text.patterns import Pattern, compiled
from mama_bot.wording import has_hangul

Span = tuple[int, int]

TOKEN = compiled(MASK + r"+|[A-Za-z_](?:[\w.'/:@-]*\w)?|[가-힣]+|\d[\d.,%]*")
QUOTED = compiled(
    r"\"[^\"\n]{1,200}\"|(?:^|[\s(])'[^'\n]{1,200}'|「[^」\n]{1,200}」|『[^』\n]{1,200}』|«[^»\n]{1,200}»"
)
FEWEST_LETTERS = 2
KANA = frozenset(map(chr, range(0x3040, 0x3100)))
PUNCTUATION = ".,;:!?()[]{}\"'*_~…“”‘’「」-–—"


@dataclass(frozen=True, slots=True)
class Weight:
    """What a sentence says without its courtesies: words, figures, and names of code (paths, identifiers, code)."""

    words: int = 0
    figures: int = 0
    names: int = 0

    @property
    def total(self) -> int:
        """All of it; a figure or a name counts as three words."""
        return self.words + 3 * (self.figures + self.names)


def without_terms(text: str, technical: Pattern) -> str:
    """Return a sentence with technical terms masked: they are names."""
    return technical.sub(lambda _: MASK, text)


def without_quotes(text: str) -> str:
    """Return a sentence with its quotations masked; a sentence that is one quotation is returned whole."""
    if not any(mark in text for mark in "\"'「『«"):
        return text
    outside = QUOTED.sub(lambda _: f" {MASK}", text)
    alone = outside.count(MASK) == 1 and sum([character.isalpha() for character in outside]) <= FEWEST_LETTERS
    return text if alone else outside


def is_foreign(text: str) -> bool:
    """Return whether a sentence is in a language that nobody here reads: it has kana, or Chinese without Hangul."""
    if text.isascii():
        return False
    if not KANA.isdisjoint(text):
        return True
    return not has_hangul(text) and any("\u4e00" <= character <= "\u9fff" for character in text)


def removed(text: str, spans: Iterable[Span]) -> str:
    """Return a sentence without the spans; the endings of Korean words go with them."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        if start > done:
            pieces += (text[done:start], " ")
        done = max(done, end)
        while done < len(text) and "가" <= text[done] <= "힣" and "가" <= text[done - 1] <= "힣":
            done += 1
    pieces.append(text[done:])
    return "".join(pieces)


def weigh(text: str, lexicon: Lexicon) -> Weight:
    """Return what is left of a sentence without the words that carry nothing."""
    words = figures = names = 0
    generic, stems = lexicon.generic_words, lexicon.generic_stems
    for token in tokens(text):
        first = token[0]
        if first == MASK or is_name(token):
            names += 1
        elif first.isdigit():
            figures += 1
        elif first.isascii():
            word = token.lower()
            words += word not in generic and word.removesuffix("s") not in generic
        else:
            words += not token.startswith(stems)
    return Weight(words, figures, names)


def tokens(text: str) -> Iterator[str]:
    """Yield the words, figures and masks of a sentence; a pattern is used only where scripts or marks meet."""
    for piece in text.split():
        bare = piece.strip(PUNCTUATION)
        if bare.isalpha() and (bare.isascii() or min(bare) >= "가"):
            yield bare
        elif bare:
            yield from TOKEN.findall(bare)


def is_name(token: str) -> bool:
    """Return whether a Latin token is a path, an identifier or the like."""
    if token.islower() and token.isalpha():
        return False
    if not (token[0].isascii() and (token[0].isalpha() or token[0] == "_")):
        return False
    inner = token[1:]
    camel = inner != inner.lower() and inner != inner.upper()
    if token.endswith("s") and token[:-1].isupper():
        return False  # "PRs" is no identifier
    return camel or any(mark in "_/:@." or mark.isdigit() for mark in inner)
