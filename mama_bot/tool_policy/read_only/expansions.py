"""Mark what a shell would replace in a command, before it is parsed: such words are known only when it runs."""

from mama_bot.text.patterns import compiled

EXPANDS = "\ue000"  # a dollar that is replaced
SPREADS = "\ue001"  # a brace that makes several words
MARKS = (EXPANDS, SPREADS)
# Only parameters that evaluate nothing: `${x@P}`, `${x:=y}` and `${x:n}` can run or set something.
_PARAMETER = compiled(r"\$\{(?:#?\w+|\w+\[[@*]\]|\w+(?:##?|%%?)[\w.*/-]*|\w+:-[\w./-]*|[@*#?])\}", ignore_case=False)
_PLAIN_BRACE = compiled(r"\{(?:[\w-]*\}|\s|$)", ignore_case=False)
_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789{@*#?$!-[(")
_REPLACED = {True: _NAMES, False: _NAMES | {'"'}}
LONGEST = 300


class _NotUnderstood(Exception):
    """The command is not understood; it never leaves this module."""


def with_expansions_marked(command: str) -> str | None:
    """Return the command with `$` and `{` marked where a shell replaces them; None where that is not understood.

    With a here-document everything that could be replaced is marked, since its text may hold open quotes.
    """
    try:
        return _marked(command)
    except _NotUnderstood:
        return None


def _marked(command: str) -> str:
    here = "<<" in command
    pieces: list[str] = []
    quote = ""
    at, begins = 0, True
    while at < len(command):
        sign = command[at]
        step, mark = 1, ""
        if sign == "\\" and quote != "'":
            step = 2
        elif sign in "'\"" and quote in ("", sign):
            quote = "" if quote else sign
        elif sign == "#" and begins and not quote and not here:
            following = command.find("\n", at)
            step = (len(command) if following < 0 else following) - at
        elif quote != "'" or here:
            mark = _mark(command, at, quote, here=here)
        begins = not quote and sign in " \t\n;&|()" and step == 1
        pieces.append(mark or command[at : at + step])
        at += step
    return "".join(pieces)


def _mark(command: str, at: int, quote: str, *, here: bool) -> str:
    sign = command[at]
    if sign == "$":
        if not _is_understood(command, at, quoted=quote == '"'):
            raise _NotUnderstood
        return EXPANDS if command[at + 1 : at + 2] in _REPLACED[quote == '"'] else ""
    if sign == "{" and (not quote or here):
        return SPREADS if _PLAIN_BRACE.match(command[at : at + LONGEST]) is None else ""
    if not quote and command.startswith("((", at):
        raise _NotUnderstood
    return ""


def _is_understood(command: str, at: int, *, quoted: bool) -> bool:
    following = command[at + 1 : at + 2]
    if following == "{":
        return _PARAMETER.match(command[at : at + LONGEST]) is not None
    return following != "[" and (quoted or following != "'")


def is_fixed(word: str) -> bool:
    """Whether a word is known before the command runs."""
    return not any(mark in word for mark in MARKS)
