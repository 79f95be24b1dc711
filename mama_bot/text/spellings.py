"""Words written with letters repeated or replaced (`amaaazing`, `appr0ved`), read as what they stand for."""

import string
from collections.abc import Iterator, Mapping, Sequence
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
    runs = [run for run in REPEATED if run in lowered]
    if not runs and REPLACED.search(plain.text) is None:
        return plain
    words = {token: word for token in set(plain.text.split()) if (word := _stands_for(token, runs))}
    pieces: list[str] = []
    starts: list[int] = []
    done = 0
    for start, end, word in _disguised(plain.text, words) if words else ():
        pieces += (plain.text[done:start], word)
        starts += range(done, start)
        starts += [min(start + index, end - 1) for index in range(len(word))]
        done = end
    if done == 0:
        return plain
    pieces.append(plain.text[done:])
    starts += range(done, len(plain.text))
    return plain.then(Normalised("".join(pieces), plain.text, starts))


def _disguised(text: str, words: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Yield where a text has one of the tokens that are disguised words, with the word that it stands for."""
    end = 0
    for token in text.split():
        start = text.index(token, end)
        end = start + len(token)
        word = words.get(token)
        if word is not None:
            bare = token.strip(PUNCTUATION)
            first = start + token.find(bare)
            yield first, first + len(bare), word


def _stands_for(token: str, runs: Sequence[str]) -> str:
    """Return the listed word that a token between spaces stands for; "" for a token that is what it is.

    `runs` are the letters that stand three times in a row somewhere in its text.
    """
    lowered = token.strip(PUNCTUATION).lower()
    if not lowered.isascii() or (lowered.isalpha() and not any(map(lowered.__contains__, runs))):
        return ""  # of the words of the list all letters are Latin
    for stand_ins in STAND_INS:
        letters = lowered.translate(stand_ins)
        word = listed_words().get(skeleton(letters)) if letters.isalpha() else None
        if word is not None and word != lowered:
            return word
    return ""


def skeleton(letters: str) -> str:
    """Return a word with each run of a letter as a single one."""
    return "".join(letter for letter, _ in groupby(letters))


@cache
def listed_words() -> dict[str, str]:
    """Return the words of the list by their skeletons."""
    return {skeleton(word): word for word in words_by_kind("spellings.txt")["word"]}
