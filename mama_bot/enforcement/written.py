"""What the record of tools shows as written."""

from mama_bot.model import ToolRecord

WRITERS = frozenset(
    ("write", "edit", "multiedit", "notebookedit", "write_file", "edit_file", "create_file", "replace", "apply_patch")
)


def files_written(record: ToolRecord) -> frozenset[str]:
    """The files of tool calls that write and did not fail, as the tools named them."""
    writing = (run for run in record.runs if run.ok is not False and run.tool.lower() in WRITERS)
    return frozenset(name for run in writing for name in run.files)
