"""What a sentence does: praise, fill, confirm, announce, or say something."""

from dataclasses import dataclass
from enum import StrEnum

from mama_bot.enforcement.language.normalise import MASK
from mama_bot.enforcement.language.patterns import Match, Pattern, compiled
from mama_bot.enforcement.language.sentences import Reading, Sentence, split
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
MOST_SENTENCES = 4000
MOST_FOUND = 100
EMPTY_CUES = frozenset((Kind.PRAISE, Kind.ACCLAIM, Kind.APPLAUSE, Kind.FILLER, Kind.CONFIRMATION))
SUSPECT_CUES = EMPTY_CUES | {Kind.PLAN}


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


@dataclass(frozen=True, slots=True)
class Shares:
    """How many characters of a text are prose, how many of them say nothing, and the first sentences of those."""

    prose: int
    empty: int
    found: tuple[tuple[Sentence, Act], ...]

    @property
    def empty_share(self) -> float:
        """The empty part of the prose, from 0 to 1; 0 without prose."""
        return self.empty / self.prose if self.prose else 0.0


def shares(reading: Reading, lexicon: Lexicon) -> Shares:
    """What of a text says nothing.

    A plan counts as an empty confirmation when the whole text only confirms and announces: nothing was done.
    Beyond 4,000 sentences that could be empty, an evenly spaced sample of them is read.
    """
    if lexicon.cues.found(reading.plain.text).isdisjoint(EMPTY_CUES):
        return Shares(reading.characters, 0, ())
    suspects = [line for line in reading.lines if not lexicon.cues.found(line.text).isdisjoint(SUSPECT_CUES)]
    judged = [(said, said.text) for line in suspects for said in split(line)]
    step = max(1, -(-len(judged) // MOST_SENTENCES))
    read_acts = ActsRead(lexicon)
    acts = [(said, read_acts[text]) for said, text in judged[::step]]
    kinds = {act for _, act in acts}
    only_plans = len(suspects) == len(reading.lines) and Act.CONTENT not in kinds and Act.CONFIRMATION in kinds
    if only_plans:
        acts = [(said, Act.CONFIRMATION if act is Act.PLAN else act) for said, act in acts]
    empty = [(said, act) for said, act in acts if act in EMPTY]
    total = step * sum([said.characters for said, _ in empty])
    return Shares(max(reading.characters, total), total, tuple(empty[:MOST_FOUND]))


class ActsRead(dict[str, Act]):
    """The acts of sentences, each text read once."""

    def __init__(self, lexicon: Lexicon) -> None:
        super().__init__()
        self._lexicon = lexicon

    def __missing__(self, text: str) -> Act:
        act = self[text] = act_of(text, self._lexicon)
        return act


def act_of(text: str, lexicon: Lexicon) -> Act:
    """The act of one sentence."""
    if lexicon.cues.found(text).isdisjoint(SUSPECT_CUES):
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
