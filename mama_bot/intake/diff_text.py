"""A diff as a post of the service: what was changed in which file, and the lines, which a chat attaches when long."""

import re

from mama_bot.intake import deed_sentences as says
from mama_bot.model import DiffFile, TreeDiff
from mama_bot.wording import Language, Said, printable

CHARACTERS = 30_000
LISTED_FILES = 20
TICKS = re.compile("`{3,}")


def diff_text(diff: TreeDiff, language: Language, *, above: Said | None = None) -> str:
    """Return a diff as Markdown: what it is, a list of its files, then one block with the lines of all."""
    lines = [
        *([above.to(language)] if above is not None else []),
        says.DIFF_HEAD.to(language, files=diff.total, added=diff.added, removed=diff.removed),
    ]
    lines += [_file(file, language) for file in diff.files[:LISTED_FILES]]
    if more := diff.total - min(len(diff.files), LISTED_FILES):
        lines.append(f"- {says.AND_FILES.to(language, n=more)}")
    shown = "\n".join(f"--- {printable(file.path)}\n{file.patch.rstrip()}" for file in diff.files if file.patch)
    if shown:
        fence = "`" * max(3, 1 + max((len(run) for run in TICKS.findall(shown)), default=0))
        lines += ["", f"{fence}diff", shown, fence]
    return "\n".join(lines)


def _file(file: DiffFile, language: Language) -> str:
    name = printable(file.path).replace("`", "'")
    counts = "" if file.added is None else f" +{file.added} −{file.removed}"
    why = f" · {says.UNSHOWN[file.unshown].to(language)}" if file.unshown is not None else ""
    return f"- `{name}`{counts}{why}"
