"""A text as a person has to see it who answers for it: nothing in it is hidden, moved, or looks like something else."""

import unicodedata

# Letters and signs by their category, but drawn as nothing.
BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# Scripts whose letters pass for Latin ones in the same word.
ALIKE = ("CYRILLIC ", "GREEK ", "ARMENIAN ", "CHEROKEE ", "COPTIC ", "LISU ", "LATIN LETTER SMALL CAPITAL ")
# Beyond control, format, private and unassigned signs (C): marks that are drawn onto their neighbour, other spaces.
UNSEEN = frozenset({"Mn", "Me", "Zl", "Zp", "Zs"})


def legible(text: str) -> str:
    """Return a text with each sign written out that a reader would not see as what it is: U+202E as ⟨U+202E⟩.

    Lines, tabs and blanks stay.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "\n".join([" ".join(map(_word, line.split(" "))) for line in text.split("\n")])


def _word(word: str) -> str:
    latin = any(sign.isascii() and sign.isalpha() for sign in word)
    return "".join(sign if _is_plain(sign, latin=latin) else f"⟨U+{ord(sign):04X}⟩" for sign in word)


def _is_plain(sign: str, *, latin: bool) -> bool:
    if sign.isascii():
        return sign == "\t" or sign.isprintable()
    category = unicodedata.category(sign)
    if category[0] == "C" or category in UNSEEN or sign in BLANK:
        return False
    if sign.isalnum() and unicodedata.normalize("NFKC", sign).isascii():  # full width, letters of mathematics
        return False
    return not (latin and unicodedata.name(sign, "").startswith(ALIKE))
