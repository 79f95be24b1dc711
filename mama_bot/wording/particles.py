"""Korean particles, which follow the last sound of the word before them."""

FIRST, LAST = "\uac00", "\ud7a3"
FINALS = 28
RIEUL = 8
# The last sound of figures and Latin letters as they are read aloud in Korean; the others end in a vowel.
READ_WITH_RIEUL = frozenset("178lrLR")
READ_WITH_FINAL = frozenset("036mnMN")
SIGNS = frozenset("\"'`)]}>.,…»”’ ")


def with_particle(text: str, pair: str) -> str:
    """Return a text with the particle that fits, of a pair such as `이/가`, `은/는`, `을/를`, `으로/로`.

    The last letter or figure decides; quotes and brackets after it do not, and what is in brackets at the end is passed
    over: `배포(publish)` is read as 배포.
    """
    closed, open_form = pair.split("/")
    last = _last(text)
    final = _final(last)
    return text + (open_form if final == 0 or (final == RIEUL and open_form == "로") else closed)


def _last(text: str) -> str:
    before, bracket, inside = text.rpartition("(")
    bare = before if bracket and before.strip() and inside.rstrip().endswith(")") else text
    return next((sign for sign in reversed(bare) if sign not in SIGNS), "")


def _final(sign: str) -> int:
    """The final consonant: 0 for none, 8 for ㄹ, anything else for another one."""
    if FIRST <= sign <= LAST:
        return (ord(sign) - ord(FIRST)) % FINALS
    if sign in READ_WITH_RIEUL:
        return RIEUL
    return int(sign in READ_WITH_FINAL)
