"""From a phrase that a stage objected to, to the whitelist entry that lets it pass."""

from itertools import groupby

from mama_bot.enforcement.language.normalise import normalise
from mama_bot.enforcement.language.patterns import compiled

SPECIAL = frozenset(r"\.+*?()|[]{}^$")
WHITE = " \t\n\f\r"  # what \s is to RE2
EMPHASIS = "*"
ENDING = WHITE + EMPHASIS + ".!?~…。,;:\"'"
CODE = compiled(r"`[^`\n]+`")
ANY_CODE = r"(?:`[^`]+`|\S+)"  # some stages see code as one word without spaces


def whitelist_entry(phrase: str) -> str:
    """The phrase as an RE2 expression: taken literally, without what ends a sentence.

    Any white space and any code match any other, and emphasis may be there or not. Empty for a phrase that says too
    little: its entry would let anything pass.
    """
    plain = normalise(phrase).text
    bare = plain.strip(ENDING) or plain.strip(WHITE)
    said = CODE.sub("", bare)
    if not said.strip(WHITE + EMPHASIS) or (said != bare and not any(letter.isalnum() for letter in said)):
        return ""
    pieces: list[str] = []
    done = 0
    for match in CODE.finditer(bare):
        pieces += (_literal(bare[done : match.start()]), ANY_CODE)
        done = match.end()
    pieces.append(_literal(bare[done:]))
    return "".join(pieces)


def _literal(text: str) -> str:
    return "".join(_escaped(kind, "".join(letters)) for kind, letters in groupby(text, key=_kind))


def _kind(letter: str) -> str:
    return letter if letter == EMPHASIS else " " if letter in WHITE else ""


def _escaped(kind: str, letters: str) -> str:
    if kind == EMPHASIS:
        return r"\**"
    return r"\s+" if kind else "".join(f"\\{letter}" if letter in SPECIAL else letter for letter in letters)
