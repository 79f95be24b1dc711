"""What `xargs` runs: the words that come through a pipe are put behind its program, or where `-I` says."""

from collections.abc import Sequence

from mama_bot.rules.commands.found_files import found_files
from mama_bot.rules.commands.read_programs import Program

LISTERS = frozenset({"ls", "git", "grep", "rg", "fd", "fdfind"})
FILTERS = LISTERS | {"sort", "head", "tail", "uniq", "xargs"}


def xargs_words(
    own: Sequence[str], run: Sequence[str], text: str | None, makers: Sequence[Program], directory: str
) -> tuple[str, ...]:
    """Return what `xargs` with its `own` options runs: `text` is what the pipe surely holds, `makers` who wrote it."""
    run, mark = tuple(run) or ("echo",), _mark(own)
    if not mark:
        return (*run, *(_operands(makers, directory) if text is None else text.split()))
    given = _operands(makers, directory) if text is None else [line.strip() for line in text.splitlines()]
    words: list[str] = []
    for word in run:
        if " " in word:  # of a longer text one is all of them: a nested shell reads its words
            words.append(word.replace(mark, " ".join(given)))
        else:
            words.extend(word.replace(mark, each) for each in (given if mark in word else [""]))
    return tuple(words)


def _mark(own: Sequence[str]) -> str:
    """Return what `-I` replaces; "" where the words come last."""
    for at, word in enumerate(own):
        if word.startswith("--replace"):
            return word.partition("=")[2] or "{}"
        if word.startswith("-") and not word.startswith("--"):
            if "I" in word:
                return word.partition("I")[2] or (own[at + 1] if at + 1 < len(own) else "{}")
            if word.startswith("-i"):
                return word[2:] or "{}"
    return ""


def _operands(makers: Sequence[Program], directory: str) -> tuple[str, ...]:
    """Return what programs hand on to `xargs`: what lies below a place, or what nobody can tell."""
    first = makers[0] if makers else None
    if first is not None and first.program == "find":
        return found_files(first)
    if first is not None and first.program in LISTERS and all(made.program in FILTERS for made in makers):
        places = [word for word in first.operands if word.startswith(("/", "~", "$", ".."))]
        every = not first.operands and (_lists_all(first) if len(makers) == 1 else False)
        return tuple(f"{place.rstrip('/')}/*" for place in places) or (
            f"{directory}/*" if every else f"{directory}/*/*",
        )
    return ("$input",)


def _lists_all(made: Program) -> bool:
    """Return whether all that lies here is listed, or all of it that no commit holds."""
    others = made.subcommand == "ls-files" and bool({"o", "others"} & set(made.options))
    return made.program == "ls" or (made.program == "git" and others)
