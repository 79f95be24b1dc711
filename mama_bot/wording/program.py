"""How a person at the terminal has to type the program: `mama-bot` where that name finds it, else its path."""

import os
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

NAME = "mama-bot"


def program_name() -> str:
    """Return what starts this program in a terminal, for example `.venv/bin/mama-bot` after `make run`."""
    try:
        return _typed(sys.argv[0], Path.cwd(), os.environ.get("PATH", ""))
    except OSError:  # the directory where it was begun is gone
        return NAME


def as_typed(text: str) -> str:
    """Return a text whose commands, such as "`mama-bot doctor`", can be typed as they stand."""
    return text.replace(f"`{NAME} ", f"`{program_name()} ") if f"`{NAME} " in text else text


@cache
def _typed(called_as: str, directory: Path, search_path: str) -> str:
    program = Path(called_as)
    if program.name != NAME or not program.is_file():  # begun otherwise: by Python, by a test
        return NAME
    program = program.absolute()
    known = shutil.which(NAME, path=search_path)
    if known is not None and Path(known).samefile(program):
        return NAME
    return shlex.quote(str(program.relative_to(directory) if program.is_relative_to(directory) else program))
