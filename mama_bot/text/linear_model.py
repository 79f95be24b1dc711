"""A judgement that was learned: logistic regression over the words of a text, its weights in a file.

For a question that people answer in ever new words. `benchmarks/learned_models.py` learns the weights.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, pairwise

from mama_bot.text.patterns import compiled

# What is particular to one piece of work stands for its kind: the weights know no names and no figures.
TOKENS = compiled(
    r"`[^`\n]{1,200}`"  # `heap.c`
    r"|https?://\S+"
    r"|[\w./-]*\w\.[a-z]{1,5}(?::\d+)?\b"  # net/rx.c:210
    r"|\d[\d,.]*%?"  # 41,220 or 94%
    r"|[a-z']+"
    r"|[가-힣]+"
    r"|[^\w\s]"
)
PARTS = (2, 3)  # syllables of a Korean word that are read together: its stem shows whatever its ending is
LENGTHS = (20, 40, 80, 160, 320, 640, 1280)
DIGITS = (1, 3, 6, 12, 24)
CODES = (1, 3, 7)
LINES = (1, 3, 8)
MOST_CHARACTERS = 4_000
FURTHEST = 30.0  # beyond it a probability is 0 or 1


def features_of(text: str) -> Counter[str]:
    """Return how often each feature stands in a text: words, pairs of words, parts of Korean words, and its shape.

    Of a text of more than 4,000 characters the first and the last 2,000 are read.
    """
    return Counter(_features_in(text))


def _features_in(text: str) -> Iterator[str]:
    if len(text) > MOST_CHARACTERS:
        text = f"{text[: MOST_CHARACTERS // 2]}\n{text[-MOST_CHARACTERS // 2 :]}"
    tokens = TOKENS.findall(text.lower())
    words = ["<begin>", *[word if word.isalpha() else _token(word) for word in tokens], "<end>"]
    syllables = [_syllables(word) for word in words if "가" <= word[0] <= "힣"]
    return chain(words, map(" ".join, pairwise(words)), chain.from_iterable(syllables), _shape(text))


def _token(word: str) -> str:
    if word[0] == "`":
        return "<code>"
    if word[0].isdigit():
        return "<percent>" if word[-1] == "%" else "<number>"
    if "://" in word:
        return "<address>"
    if "." in word and word[-1].isalnum():
        return "<place>" if ":" in word else "<file>"
    return word


@lru_cache(maxsize=4096)
def _syllables(word: str) -> tuple[str, ...]:
    framed = f"^{word}$"
    return tuple([f"~{framed[start : start + size]}" for size in PARTS for start in range(len(framed) - size + 1)])


def _shape(text: str) -> Iterator[str]:
    """Yield how long a text is, and how much of it is figures, code and lines, each as one of a few steps."""
    digits = sum(map(str.isdigit, text))
    counted = (
        ("long", len(text), LENGTHS),
        ("digits", digits, DIGITS),
        ("code", text.count("`"), CODES),
        ("lines", text.count("\n"), LINES),
    )
    for name, count, steps in counted:
        yield f"<{name} {sum(count >= step for step in steps)}>"
    if '"' in text:
        yield "<quotes>"


@dataclass(frozen=True, slots=True)
class FeatureWeight:
    """What a feature counts: `rarity` for how much of the text it is, `weight` for the answer."""

    rarity: float
    weight: float


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """Says how probable the answer yes is for a text; a feature that it does not know counts for nothing."""

    weights: Mapping[str, FeatureWeight]
    bias: float

    def probability(self, text: str) -> float:
        """Return how probable yes is, from 0 to 1."""
        total = squares = 0.0
        weights = self.weights
        for feature, count in Counter(filter(weights.__contains__, _features_in(text))).items():
            known = weights[feature]
            size = (1 + math.log(count)) * known.rarity
            total += size * known.weight
            squares += size * size
        score = self.bias + (total / math.sqrt(squares) if squares else 0.0)
        return 1 / (1 + math.exp(-max(-FURTHEST, min(FURTHEST, score))))


BIAS = "<bias>"


@cache
def shipped_model(package: str, name: str) -> LinearModel:
    """Return the model of a file in a package: on each line `rarity<TAB>weight<TAB>feature`."""
    lines = (files(package) / "words" / name).read_text(encoding="utf-8").splitlines()
    return parsed_model(line for line in lines if not line.startswith("#"))


def parsed_model(lines: Iterable[str]) -> LinearModel:
    """Return the model that lines hold; raises ValueError for a line that is no weight."""
    weights: dict[str, FeatureWeight] = {}
    for line in lines:
        rarity, weight, feature = line.split("\t")
        weights[feature] = FeatureWeight(float(rarity), float(weight))
    bias = weights.pop(BIAS)
    return LinearModel(weights=weights, bias=bias.weight)
