"""What an agent's tools may touch: its workspace, what came with messages, and nothing else that the CLI sees to."""

from collections.abc import Sequence
from pathlib import Path

WRITING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
READING = frozenset({"Read", "Grep", "Glob"})


def permission_rules(tools: Sequence[str], workspace: Path, attachments: Path) -> list[str]:
    """The CLI's rules for a persona's tools: the file tools inside the workspace, the others as they are.

    What came with messages, in `attachments`, can be read and not written.

    Whatever no rule allows is denied. The CLI judges the real place of a path, so a link does not lead out. `Bash` is
    a shell: it is not confined by this.
    """
    places, read = _both(workspace), _both(attachments)
    rules = [tool for tool in tools if tool not in WRITING | READING]
    # A rule for Edit holds for every tool that writes files, one for Read for every tool that reads them; "//" begins
    # an absolute path.
    for family, kind, where in ((READING, "Read", places + read), (WRITING, "Edit", places)):
        if family.intersection(tools):
            rules += [f"{kind}(/{place}/**)" for place in where]
    return rules


def _both(directory: Path) -> list[Path]:
    return list(dict.fromkeys((directory.absolute(), directory.resolve())))
