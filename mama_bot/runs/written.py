"""What the record of tools shows as written, and as run."""

from mama_bot.model import FILE_WRITERS, ToolKind, ToolRecord

DOERS = FILE_WRITERS | {ToolKind.SHELL}


def files_written(record: ToolRecord) -> frozenset[str]:
    """Return the files of tool calls that write and did not fail, as the tools named them."""
    writing = (run for run in record.runs if run.ok is not False and run.kind in FILE_WRITERS)
    return frozenset(name for run in writing for name in run.files)


def ran_anything(record: ToolRecord) -> bool:
    """Return whether a tool call that writes or runs a command did not fail."""
    return any(run.ok is not False and run.kind in DOERS for run in record.runs)
