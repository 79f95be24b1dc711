"""What a sentence does: praise, fill, confirm, announce, or say something."""

from dataclasses import dataclass
from enum import StrEnum

from mama_bot.enforcement.language.normalise import MASK
from mama_bot.enforcement.language.patterns import Match, Pattern, compiled
from mama_bot.enforcement.language.sentences import Reading, Sentence
from mama_bot.enforcement.language.words import Kind, Lexicon


class Act(StrEnum):
    """What a sentence does."""

    PRAISE = "praise"
    SELF_PRAISE = "self_praise"
    FILLER = "filler"
    CONFIRMATION = "empty_confirmation"
    PLAN = "plan"
    CONTENT = "content"


EMPTY = frozenset((Act.PRAISE, Act.SELF_PRAISE, Act.FILLER, Act.CONFIRMATION))
TOKEN = compiled(MASK + r"+|[A-Za-z_](?:[\w.'/:@-]*\w)?|[가-힣]+|\d[\d.,%]*")
QUOTED = compiled(
    r"\"[^\"\n]{1,200}\"|(?:^|[\s(])'[^'\n]{1,200}'|「[^」\n]{1,200}」|『[^』\n]{1,200}』|«[^»\n]{1,200}»"
)
DIRECTED = compiled(r"::|(?:^|\s)@[A-Za-z]|https?:")
SPEAKER = compiled(r"\b(?:i|i've|i have|my|we|we've|our)\b|제가|저희|(?:했|하였|됐|되었)습니다|완료")
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Weight:
    """What a sentence says besides its courtesies: words, figures, and names of code (paths, identifiers, code)."""

    words: int = 0
    figures: int = 0
    names: int = 0

    @property
    def total(self) -> int:
        """All of it; a figure or a name counts as three words."""
        return self.words + 3 * (self.figures + self.names)


def acts(reading: Reading, lexicon: Lexicon) -> list[tuple[Sentence, Act]]:
    """The act of each sentence.

    A plan counts as an empty confirmation when the whole text only confirms and announces: nothing was done.
    """
    kind_of = {text: act_of(text, lexicon) for text in {sentence.text for sentence in reading.sentences}}
    found = [(sentence, kind_of[sentence.text]) for sentence in reading.sentences]
    kinds = set(kind_of.values())
    if Act.PLAN in kinds and Act.CONFIRMATION in kinds and Act.CONTENT not in kinds:
        return [(sentence, Act.CONFIRMATION if act is Act.PLAN else act) for sentence, act in found]
    return found


def act_of(text: str, lexicon: Lexicon) -> Act:
    """The act of one sentence."""
    if not lexicon.suspicious.search(text) and not lexicon[Kind.PLAN].search(text):
        return Act.CONTENT
    said = without_quotes(without_terms(text, lexicon[Kind.TECHNICAL]))
    if len(said) > LONGEST:
        said = said[:LONGEST]
    praise = hits(said, lexicon[Kind.PRAISE], lexicon[Kind.ACCLAIM], lexicon[Kind.APPLAUSE])
    filler = hits(said, lexicon[Kind.FILLER])
    confirmation = hits(said, lexicon[Kind.CONFIRMATION])
    rest = weigh(removed(said, praise + filler + confirmation), lexicon)
    if praise and rest.total <= len(praise) and sincere(said, lexicon):
        return Act.SELF_PRAISE if SPEAKER.search(said) else Act.PRAISE
    if filler and rest.total <= 2:
        return Act.FILLER
    planned = lexicon[Kind.PLAN].search(said) is not None
    if confirmation and rest.total <= (1 if planned else 0) and not said.endswith("?"):
        return Act.CONFIRMATION
    if planned and not rest.names and not said.endswith("?") and not DIRECTED.search(said):
        return Act.PLAN
    return Act.CONTENT


def without_terms(text: str, technical: Pattern) -> str:
    """A sentence with technical terms masked: they are names."""
    return technical.sub(MASK, text)


def without_quotes(text: str) -> str:
    """A sentence with what it quotes masked, unless the quotation is all there is."""
    if not any(mark in text for mark in "\"'「『«"):
        return text
    outside = QUOTED.sub(" " + MASK, text)
    return outside if sum(character.isalpha() for character in outside) > 2 else text


def hits(text: str, *patterns: Pattern) -> list[Match]:
    """Where any of the patterns occur."""
    return [match for pattern in patterns for match in pattern.finditer(text)]


def removed(text: str, matches: list[Match]) -> str:
    """A sentence without the matches; the endings of Korean words go with them."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted((match.start(), match.end()) for match in matches):
        if start > done:
            pieces += (text[done:start], " ")
        done = max(done, end)
        while done < len(text) and "가" <= text[done] <= "힣" and "가" <= text[done - 1] <= "힣":
            done += 1
    pieces.append(text[done:])
    return "".join(pieces)


def sincere(text: str, lexicon: Lexicon) -> bool:
    """Whether words of praise praise here: not denied, asked for, or part of criticism."""
    if lexicon[Kind.ACCLAIM].search(text):
        return True
    return not text.endswith("?") and lexicon[Kind.CRITICISM].search(text) is None


def weigh(text: str, lexicon: Lexicon) -> Weight:
    """What is left of a sentence without the words that carry nothing."""
    words = figures = names = 0
    for token in TOKEN.findall(text):
        first = token[0]
        if first == MASK or is_name(token):
            names += 1
        elif first.isdigit():
            figures += 1
        elif first.isascii():
            words += not {token.lower(), token.lower().removesuffix("s")} & lexicon.generic_words
        else:
            words += not token.startswith(lexicon.generic_stems)
    return Weight(words, figures, names)


def is_name(token: str) -> bool:
    """Whether a Latin token is a path, an identifier or the like."""
    if not (token[0].isascii() and (token[0].isalpha() or token[0] == "_")):
        return False
    inner = token[1:]
    camel = inner != inner.lower() and inner != inner.upper()
    return camel or any(mark in "_/:@." or mark.isdigit() for mark in inner)
