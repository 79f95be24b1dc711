"""From a phrase that a stage objected to, to the whitelist entry that lets it pass."""

from mama_bot.enforcement.language.normalise import normalise
from mama_bot.enforcement.language.patterns import compiled

SPECIAL = frozenset(r"\.+*?()|[]{}^$")
ENDING = " \t\r\n.!?~…。,;:\"'"
CODE = compiled(r"`[^`\n]+`")
ANY_CODE = r"(?:`[^`]+`|\S+)"  # some stages see code as one word without spaces


def whitelist_entry(phrase: str) -> str:
    """The phrase as an RE2 expression: taken literally, any white space, without what ends a sentence, any code."""
    plain = normalise(phrase).text
    bare = plain.strip(ENDING) or plain.strip()
    pieces: list[str] = []
    done = 0
    for match in CODE.finditer(bare):
        pieces += (_literal(bare[done : match.start()]), ANY_CODE)
        done = match.end()
    pieces.append(_literal(bare[done:]))
    return "".join(pieces)


def _literal(text: str) -> str:
    words = "".join(f"\\{letter}" if letter in SPECIAL else letter for letter in text)
    loose = r"\s+".join(words.split())
    before = r"\s+" if loose and words[:1].isspace() else ""
    after = r"\s+" if words[-1:].isspace() else ""
    return f"{before}{loose}{after}"
