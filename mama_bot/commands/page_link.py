"""The link that opens the page, shown to whoever sits at the terminal."""

import sys
from typing import TYPE_CHECKING

from mama_bot.wording import program_name

if TYPE_CHECKING:
    from mama_bot.app.service import Running


def show_link(running: "Running") -> None:
    """Say where the page is; its link goes to a person's eyes alone, never to a file that an agent may read."""
    if not running.url:
        return
    if sys.stdout.isatty():
        line = f"\n  The page: {running.link}\n  The link opens it once; `{program_name()} page` prints another.\n"
    else:
        line = f"The page is at {running.url}; `{program_name()} page` prints a link that opens it."
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
