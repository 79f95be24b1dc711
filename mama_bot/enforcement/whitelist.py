"""From a phrase that a stage objected to, to the whitelist entry that lets it pass."""

from itertools import groupby

from mama_bot.enforcement.language.normalise import normalise
from mama_bot.enforcement.language.patterns import compiled

SPECIAL = frozenset(r"\.+*?()|[]{}^$")
WHITE = " \t\n\f\r"  # what \\s is to RE2
ENDING = WHITE + ".!?~…。,;:\"'"
CODE = compiled(r"`[^`\n]+`")
ANY_CODE = r"(?:`[^`]+`|\S+)"  # some stages see code as one word without spaces


def whitelist_entry(phrase: str) -> str:
    """The phrase as an RE2 expression: taken literally, any white space, without what ends a sentence, any code."""
    plain = normalise(phrase).text
    bare = plain.strip(ENDING) or plain.strip(WHITE)
    pieces: list[str] = []
    done = 0
    for match in CODE.finditer(bare):
        pieces += (_literal(bare[done : match.start()]), ANY_CODE)
        done = match.end()
    pieces.append(_literal(bare[done:]))
    return "".join(pieces)


def _literal(text: str) -> str:
    return "".join(
        r"\s+" if white else "".join(f"\\{letter}" if letter in SPECIAL else letter for letter in letters)
        for white, letters in groupby(text, key=WHITE.__contains__)
    )
