"""What an agent's tools may touch: its workspace, what came with messages, and nothing else that the CLI sees to."""

from collections.abc import Sequence
from pathlib import Path

from mama_bot.model import FILE_WRITERS, ToolKind
from mama_bot.tool_names import CLAUDE

READING = frozenset({ToolKind.READ, ToolKind.LIST, ToolKind.SEARCH})


def permission_rules(tools: Sequence[str], workspace: Path, *readable: Path) -> list[str]:
    """Return the CLI's rules for a persona's tools: the file tools inside the workspace, the others as they are.

    What is `readable` beside, such as what came with messages, can be read and not written.

    Whatever no rule allows is denied. The CLI judges the real place of a path, so a link does not lead out. `Bash` is
    a shell: it is not confined by this.
    """
    places, read = _both(workspace), [place for directory in readable for place in _both(directory)]
    kinds = {tool: CLAUDE.get(tool, ToolKind.OTHER) for tool in tools}
    rules = [tool for tool, kind in kinds.items() if kind not in FILE_WRITERS | READING]
    # A rule for Edit holds for every tool that writes files, one for Read for every tool that reads them; "//" begins
    # an absolute path.
    for family, rule, where in ((READING, "Read", places + read), (FILE_WRITERS, "Edit", places)):
        if family.intersection(kinds.values()):
            rules += [f"{rule}(/{place}/**)" for place in where]
    return rules


def _both(directory: Path) -> list[Path]:
    return list(dict.fromkeys((directory.absolute(), directory.resolve())))
