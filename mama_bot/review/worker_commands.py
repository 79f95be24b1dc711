"""A worker's commands as a reviewer is shown them: what was run, and nothing that the worker says by it."""

from collections.abc import Iterator, Sequence

from mama_bot.shell.syntax import Redirect, SimpleCommand, commands_of
from mama_bot.text.patterns import compiled

COMMAND_CHARACTERS = 300
LEFT_OUT = "…"
MOST_PLAIN = 2

# What stands behind them is said, not run; the last ones only where they are the program.
_SAYING = frozenset((":", "echo", "printf", "true", "false"))
_TESTING = frozenset(("test", "[", "[["))
_COMMITTING = frozenset(("git", "hg", "jj", "gh", "svn"))
_MESSAGE = compiled(r"-[a-zA-Z]*m|--m\w*|--trailer|--author|--title|--body|--notes|--note", ignore_case=False)
_JOINED_MESSAGE = compiled(r"(-[a-zA-Z]*?m)[^=].*", ignore_case=False)
_ASSIGNED = compiled(r"(?s)([A-Za-z_][\w.]*)\+?=.*", ignore_case=False)
_PLAIN = compiled(r"[\pL\pN]+[.,!?]?", ignore_case=False)
_PATH = compiled(r".*/.*|.*\.[A-Za-z]\w{0,5}", ignore_case=False)
_HELD = compiled(r"[\s`]|\$\(|[<>]\(", ignore_case=False)


def said_left_out(command: str) -> str:
    """Return a command without what it only says: echoed words, comments, messages, values, prose; … stands for each.

    Of a command that is not understood only the first word is left; at most 300 characters.
    """
    commands = commands_of(command)
    if commands is None:
        first = _word(next(iter(command.split()), ""))
        shown = first if first == LEFT_OUT or not first else f"{first} {LEFT_OUT}"
    else:
        shown = "".join(_joined(commands))
    return f"{shown[:COMMAND_CHARACTERS]}{LEFT_OUT}" if len(shown) > COMMAND_CHARACTERS else shown


def _joined(commands: Sequence[SimpleCommand]) -> Iterator[str]:
    for index, command in enumerate(commands):
        words = [f"{assignment.partition('=')[0]}={LEFT_OUT}" for assignment in command.assignments]
        words += _words(command.argv)
        words += [_redirected(redirect) for redirect in command.redirects]
        if index:
            yield "; " if command.operator in ("", ";") else f" {command.operator} "
        yield " ".join(words)
        if command.background:
            yield " &"


def _words(argv: Sequence[str]) -> list[str]:
    shown: list[str] = []
    names = {word.rpartition("/")[2] for word in argv}
    commits = not _COMMITTING.isdisjoint(names)
    message = False
    for index, word in enumerate(argv):
        if message:
            shown.append(LEFT_OUT)
            message = False
            continue
        name = word.rpartition("/")[2]
        if name in _SAYING or (index == 0 and name in _TESTING):
            shown.append(name)
            if index + 1 < len(argv):
                shown.append(LEFT_OUT)
            break
        message = commits and _MESSAGE.fullmatch(word) is not None
        shown.append(_option_of_a_message(word) if commits and not message else _word(word))
    return _without_prose(shown)


def _option_of_a_message(word: str) -> str:
    option, equals, _ = word.partition("=")
    if equals and _MESSAGE.fullmatch(option) is not None:
        return f"{option}={LEFT_OUT}"
    joined = None if word.startswith("--") else _JOINED_MESSAGE.fullmatch(word.replace("\n", " "))
    return f"{joined.group(1)}{LEFT_OUT}" if joined is not None else _word(word)


def _word(word: str) -> str:
    assigned = _ASSIGNED.fullmatch(word)
    if assigned is not None:
        return f"{assigned.group(1)}={LEFT_OUT}"
    return LEFT_OUT if _HELD.search(word) is not None or not (word.isascii() or _PATH.fullmatch(word)) else word


def _without_prose(words: Sequence[str]) -> list[str]:
    """Words of letters alone, three and more in a row, are a sentence as a rule."""
    shown: list[str] = list(words[:1])
    row: list[str] = []
    for word in (*words[1:], ""):
        if _PLAIN.fullmatch(word) is not None:
            row.append(word)
            continue
        shown += row if len(row) <= MOST_PLAIN else [LEFT_OUT]
        row.clear()
        shown += [word] if word else []
    return shown


def _redirected(redirect: Redirect) -> str:
    # A here-document and a here-string are words that are said to a program.
    target = LEFT_OUT if redirect.operator in ("<", "<<") else _word(redirect.target)
    space = "" if redirect.operator.endswith("&") else " "
    return f"{redirect.descriptor}{redirect.operator}{space}{target}"
