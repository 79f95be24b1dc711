"""A review that is no more than its verdict: it consents, and names no finding, no question and nothing it saw."""

from mama_bot.text.normalise import MASK
from mama_bot.text.sentences import Reading
from mama_bot.text.word_lists import words_by_kind

MOST_CHARACTERS = 260
AROUND = "*_~\"'()[]{}<>.,;:!…#-—–=>→"
SUBSTANCE = frozenset("?？`|\\@") | {MASK}  # a question, code, a table, a name
VOTES = frozenset(("+1", "+2", "1", "2"))
NEAR = 3
NONE_OF = frozenset(("no", "without", "zero", "any", "further", "other", "more"))


def is_rubber_stamp(reading: Reading) -> bool:
    """Return whether a review consents and says nothing else, in whatever words."""
    text = reading.plain.text.strip()
    if not text or len(text) > MOST_CHARACTERS or not SUBSTANCE.isdisjoint(text) or "://" in text:
        return False
    stances = words_by_kind("stances.txt")
    words = [word for chunk in text.lower().split() if (word := chunk.strip(AROUND))]
    if any(_is_particular(word) for word in words):
        return False
    if _withholds(words, stances["withholds"], stances["faults"]):
        return False
    korean = _without_faults("".join(text.split()), stances["ko_faults"])
    if any(sign in korean for sign in stances["ko_withholds"]) and not text.isascii():
        return False
    consents = not stances["consents"].isdisjoint(words) or any(sign in korean for sign in stances["ko_consents"])
    return consents or any(sign in text for sign in stances["consents"] if not sign.isascii())


def _is_particular(word: str) -> bool:
    """Return whether a word can only be of this work: a figure, a file, an identifier."""
    if word in VOTES or word.rstrip("%") == "100":
        return False
    return any(letter.isdigit() for letter in word) or "_" in word or "/" in word or "." in word.strip(".")


def _withholds(words: list[str], withholding: frozenset[str], faults: frozenset[str]) -> bool:
    """Return whether a word holds the consent back; "no objections" holds nothing back."""
    for place, word in enumerate(words):
        if word in withholding or word.endswith("n't"):
            return True
        if word in ("no", "zero", "none", "without") and faults.isdisjoint(words[place + 1 : place + 1 + NEAR]):
            return True
        if word in faults and NONE_OF.isdisjoint(words[max(0, place - NEAR) : place]):
            return True
    return False


def _without_faults(text: str, faults: frozenset[str]) -> str:
    """Return a text without what it finds nothing of, white space left out: "이견없음", "문제될건안보입니다"."""
    for fault in faults:
        text = text.replace(f"{fault}없", "좋").replace(f"{fault}무", "좋")
    return text
