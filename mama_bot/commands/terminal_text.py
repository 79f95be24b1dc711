"""Text of others as it may stand in a terminal."""

from mama_bot import wording


def terminal_text(text: str) -> str:
    """Return the text without characters that would do something to a terminal."""
    return wording.printable(text, keep="\n\t", instead="\ufffd")
