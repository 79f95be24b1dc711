"""Words written with letters repeated or replaced (`amaaazing`, `appr0ved`), read as what they stand for."""

import string
from collections.abc import Iterator
from functools import cache
from itertools import groupby

from mama_bot.text.normalise import Normalised
from mama_bot.text.patterns import compiled
from mama_bot.text.word_lists import words_by_kind

REPEATED = tuple(letter * 3 for letter in string.ascii_lowercase)
REPLACED = compiled(r"[a-z][013457@$!][a-z]", groups=False)  # appr0ved
# The figure 1 stands for an i or an l.
STAND_INS = (str.maketrans("013457@$!", "oieastasi"), str.maketrans("013457@$!", "oleastasi"))
PUNCTUATION = ".,;:!?()[]{}\"'*_~…<>|/"


def respelled(plain: Normalised) -> Normalised:
    """Return a text whose disguised words are written as the list has them; others stay as they are."""
    lowered = plain.text.lower()
    if not any(run in lowered for run in REPEATED) and REPLACED.search(plain.text) is None:
        return plain
    pieces: list[str] = []
    starts: list[int] = []
    done = 0
    for start, end, word in disguised(plain.text):
        pieces += (plain.text[done:start], word)
        starts += range(done, start)
        starts += [min(start + index, end - 1) for index in range(len(word))]
        done = end
    if done == 0:
        return plain
    pieces.append(plain.text[done:])
    starts += range(done, len(plain.text))
    return plain.then(Normalised("".join(pieces), plain.text, starts))


def disguised(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where a text has a disguised word, with the word that it stands for."""
    end = 0
    for token in text.split():
        start = text.index(token, end)
        end = start + len(token)
        bare = token.strip(PUNCTUATION)
        first = start + token.find(bare)
        lowered = bare.lower()
        if lowered.isalpha() and not any(run in lowered for run in REPEATED):
            continue
        for stand_ins in STAND_INS:
            letters = lowered.translate(stand_ins)
            word = listed_words().get(skeleton(letters)) if letters.isalpha() else None
            if word is not None and word != lowered:
                yield first, first + len(bare), word
                break


def skeleton(letters: str) -> str:
    """Return a word with each run of a letter as a single one."""
    return "".join(letter for letter, _ in groupby(letters))


@cache
def listed_words() -> dict[str, str]:
    """Return the words of the list by their skeletons."""
    return {skeleton(word): word for word in words_by_kind("spellings.txt")["word"]}
