"""What was learned of approvals: whether a text consents, in whatever words, and whether it shows what was checked.

The word lists know the usual words and say where they stand. People consent, and tell what they tried, in ever new
ones; there the weights of words that many authors used decide (`benchmarks/learned_models.py`).
"""

from mama_bot.text.linear_model import shipped_model

PACKAGE = "mama_bot.enforcement.approval"
CONSENT, BARE = "consent.txt", "bare.txt"
# From which probability on a text counts as consent, and an approval as bare.
MODELS = {CONSENT: 0.6, BARE: 0.5}
# Below it words of approval are about something else: a report, a state of a platform, somebody else's review.
HARDLY = 0.02


def hardly_consents(text: str) -> bool:
    """Return whether a text is hardly an approval of its writer's, whatever words of approval it holds."""
    return _probability(CONSENT, text) < HARDLY


def consents(text: str) -> bool:
    """Return whether a review approves the work, by its words as a whole."""
    return _says(CONSENT, text)


def is_bare_approval(text: str) -> bool:
    """Return whether an approval names no check with its outcome, by its words as a whole."""
    return _says(BARE, text)


def read_weights() -> None:
    """Read the weights now; else whoever asks first waits for them."""
    for name in MODELS:
        shipped_model(PACKAGE, name)


def _says(name: str, text: str) -> bool:
    return bool(text.strip()) and _probability(name, text) >= MODELS[name]


def _probability(name: str, text: str) -> float:
    return shipped_model(PACKAGE, name).probability(text)
