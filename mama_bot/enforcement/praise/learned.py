"""What was learned of praise: whether a text as a whole admires, fills or confirms, in words that no list has.

The word lists say where praise stands and how much of it there is. Those who admire in pictures ("you planted a seed
and drew the forest") use ever new words; there the weights of what many authors wrote decide
(`benchmarks/learned_models.py`).
"""

from mama_bot.text.linear_model import shipped_model

PACKAGE = "mama_bot.enforcement.praise"
PRAISE = "learned.txt"
MODELS = {PRAISE: 0.8}  # from which probability on a text counts as praise: only where that is sure
LEAST, MOST = 40, 2_000  # characters: what is shorter says too little, what is longer hardly says nothing


def praises_throughout(text: str) -> bool:
    """Return whether a text is praise and filler, by its words as a whole.

    What is too short or too long, or mostly in letters that were not learned, is not.
    """
    letters = [letter for letter in text if letter.isalpha()]
    known = sum(letter.isascii() or "가" <= letter <= "힣" for letter in letters)
    if not LEAST <= len(text.strip()) <= MOST or 2 * known < len(letters):
        return False
    return shipped_model(PACKAGE, PRAISE).probability(text) >= MODELS[PRAISE]
