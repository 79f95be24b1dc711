"""What people are told of the contents that no work tree of a repository holds."""

from mama_bot.checkouts import sentences as says
from mama_bot.model import MissingContents
from mama_bot.wording import Language, quotable

SHOWN_SUBMODULES, PATH_CHARACTERS = 5, 80


def missing_told(missing: MissingContents, name: str, language: Language) -> str:
    """Return what a person is told; "" where nothing is missing."""
    lines = []
    if missing.submodules:
        shown = [f"`{quotable(path, PATH_CHARACTERS)}`" for path in missing.submodules[:SHOWN_SUBMODULES]]
        shown += ["…"] if len(missing.submodules) > SHOWN_SUBMODULES else []
        lines.append(says.SUBMODULES_MISSING.to(language, name=name, paths=", ".join(shown)))
    if missing.large_files:
        lines.append(says.LARGE_FILES_MISSING.to(language, name=name))
    return "\n".join(lines)
