"""Words of others, as they stand in a line of ours."""

_MARKUP = frozenset("`*_~|[]()<>\\")
_NAME_CHARACTERS = 80


def one_line(text: str, characters: int | None = None) -> str:
    """Return a text on one line, at most so many characters long: `one_line("a\\n b", 2)` is `a…`."""
    line = " ".join(text.split())
    return line if characters is None or len(line) <= characters else f"{line[: characters - 1]}…"


def printable(text: str, *, keep: str = "", drop: str = "", instead: str = "?") -> str:
    """Return a text with a sign `instead` of each character that does not print, but for those to `keep`.

    Those to `drop` are replaced too: `printable("a\\x1b@b", drop="@")` is `a??b`.
    """
    return "".join(sign if (sign.isprintable() or sign in keep) and sign not in drop else instead for sign in text)


def quotable(text: str, characters: int) -> str:
    """Return a text on one bounded line, without what a chat would read as more than text: no backtick, no mention."""
    line = one_line(text[: 4 * characters]).replace("`", "'")
    return one_line(printable(line, drop="@"), characters)


def plain_name(name: str) -> str:
    """Return a name that somebody chose as it stands in a line of ours: no control characters, no markup."""
    words = "".join(sign if sign.isprintable() and sign not in _MARKUP else " " for sign in name).split()
    return " ".join(words)[:_NAME_CHARACTERS]
