"""What the record of tools shows as written, and as run."""

from mama_bot.model import ToolRecord

WRITERS = frozenset(
    ("write", "edit", "multiedit", "notebookedit", "write_file", "edit_file", "create_file", "replace", "apply_patch")
)
RUNNERS = frozenset(("bash", "shell", "run_shell_command", "local_shell", "exec", "execute", "exec_command"))
DOERS = WRITERS | RUNNERS


def files_written(record: ToolRecord) -> frozenset[str]:
    """The files of tool calls that write and did not fail, as the tools named them."""
    writing = (run for run in record.runs if run.ok is not False and run.tool.lower() in WRITERS)
    return frozenset(name for run in writing for name in run.files)


def ran_anything(record: ToolRecord) -> bool:
    """Whether a tool call that writes or runs a command did not fail."""
    return any(run.ok is not False and run.tool.lower() in DOERS for run in record.runs)
