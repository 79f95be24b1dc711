"""What an agent's tools may touch: its workspace, and nothing else that the CLI can keep it from."""

from collections.abc import Sequence
from pathlib import Path

WRITING = frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"})
READING = frozenset({"Read", "Grep", "Glob"})


def permission_rules(tools: Sequence[str], workspace: Path) -> list[str]:
    """The CLI's rules for a persona's tools: the file tools inside the workspace, the others as they are.

    Whatever no rule allows is denied. The CLI judges the real place of a path, so a link does not lead out. `Bash` is
    a shell: it is not confined by this.
    """
    places = dict.fromkeys((workspace.absolute(), workspace.resolve()))
    rules = [tool for tool in tools if tool not in WRITING | READING]
    # A rule for Edit holds for every tool that writes files, one for Read for every tool that reads them; "//" begins
    # an absolute path.
    for family, kind in ((READING, "Read"), (WRITING, "Edit")):
        if family.intersection(tools):
            rules += [f"{kind}(/{place}/**)" for place in places]
    return rules
