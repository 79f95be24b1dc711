"""A tool call of a record, as its parts: the command, the file, the arguments, the output."""

import json
from functools import lru_cache

from mama_bot.model import ToolRun


def command_of(call: ToolRun) -> str:
    """Return the command of a shell call, as far as it was kept."""
    return call.command or call.arguments


def file_of(call: ToolRun) -> str:
    """Return the file that a call names; "" for none."""
    return call.paths[0] if call.paths else ""


def arguments_of(call: ToolRun) -> dict[str, object]:
    """The arguments of a call by name; none when they are not kept so."""
    try:
        read = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def output_of(call: ToolRun) -> str:
    """What is kept of a call's output."""
    return _whole_output(call.output_head, call.output_tail)


@lru_cache(maxsize=512)
def _whole_output(head: str, tail: str) -> str:
    return f"{head}\n{tail}" if tail else head
