"""The link that opens the page, shown to whoever sits at the terminal."""

import os
import sys
from typing import TYPE_CHECKING

from mama_bot.commands.sentences import PAGE_FROM_ELSEWHERE
from mama_bot.commands.setup.setup_arguments import session_language
from mama_bot.wording import program_name

if TYPE_CHECKING:
    from mama_bot.app.service import Running


def show_link(running: "Running") -> None:
    """Say where the page is; its link goes to a person's eyes alone, never to a file that an agent may read."""
    if not running.url:
        return
    if sys.stdout.isatty():
        lines = [
            "",
            f"  The page: {running.link}",
            f"  The link opens it once; `{program_name()} page` prints another.",
            *(f"  {line}" for line in _elsewhere(running)),
            "",
        ]
    else:
        opens = f"`{program_name()} page` prints a link that opens it."
        lines = [f"The page is at {running.url}; {opens}", *_elsewhere(running)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def _elsewhere(running: "Running") -> list[str]:
    """What stands in place of the address of this machine on others, and who else reads it."""
    if not running.elsewhere:
        return []
    return [PAGE_FROM_ELSEWHERE.to(session_language(os.environ), own=running.url, address=running.elsewhere)]
