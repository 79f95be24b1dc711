"""What was learned of approvals: whether a text consents, in whatever words, and whether it shows what was checked.

The word lists know the usual words and say where they stand. People consent, and tell what they tried, in ever new
ones; there the weights of words that many authors used decide (`benchmarks/approval_models.py`).
"""

from mama_bot.text.linear_model import shipped_model

CONSENT, BARE = "consent.txt", "bare.txt"
# From which probability on a text counts as consent, and an approval as bare.
MODELS = {CONSENT: 0.6, BARE: 0.5}


def consents(text: str) -> bool:
    """Return whether a review approves the work, by its words as a whole."""
    return _says(CONSENT, text)


def is_bare(text: str) -> bool:
    """Return whether an approval names no check with its outcome, by its words as a whole."""
    return _says(BARE, text)


def _says(name: str, text: str) -> bool:
    model = shipped_model("mama_bot.enforcement.approval", name)
    return bool(text.strip()) and model.probability(text) >= MODELS[name]
