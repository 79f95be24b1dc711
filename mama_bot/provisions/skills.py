"""Skills: folders with instructions for one kind of work, which an agent reads when it is asked for that."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import yaml

from mama_bot.config import is_skill_name

SKILL_FILE = "SKILL.md"
BROUGHT = ".claude/skills"  # where a repository keeps its own
MOST_DESCRIPTION, MOST_FILES, MOST_BYTES = 500, 200, 2**20
_FENCE = "---"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill by its files, which are named from its folder."""

    name: str
    files: Mapping[str, bytes] = field(repr=False)

    @property
    def description(self) -> str:
        """What it is for, in a line, as its SKILL.md says."""
        text = self.files.get(SKILL_FILE, b"").decode(errors="replace")
        before, _, after = text.partition(f"\n{_FENCE}")
        try:
            matter = yaml.safe_load(before.removeprefix(_FENCE)) if before.startswith(_FENCE) else None
        except (yaml.YAMLError, ValueError, RecursionError):  # such as a day that no month has
            matter = None
        told = matter.get("description") if isinstance(matter, dict) else None
        told = told if isinstance(told, str) else ""  # a few lines of YAML can be a list of any length
        first = next((line.strip("# ") for line in (after if matter else text).splitlines() if line.strip("#- ")), "")
        return " ".join((told or first).split())[:MOST_DESCRIPTION]


def skill_names(directory: Path) -> tuple[str, ...]:
    """Return the names of the skills in a directory; none where there is no such directory."""
    try:
        return tuple(sorted(place.parent.name for place in directory.glob(f"*/{SKILL_FILE}")))
    except OSError:
        return ()


def configured_skills(names: Sequence[str], directory: Path) -> Iterator[Skill]:
    """Yield the skills of a directory that are named, as far as they can be read; raises OSError."""
    for name in names:
        folder = directory / name
        if (folder / SKILL_FILE).is_file():
            files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size <= MOST_BYTES)
            contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files[:MOST_FILES]}
            yield Skill(name=name, files=contents)


def brought_skills(files: Mapping[str, str]) -> Mapping[str, Skill]:
    """Return the skills among the files that a repository has below `BROUGHT`, by name."""
    folders: dict[str, dict[str, bytes]] = {}
    for path, text in files.items():
        parts = PurePosixPath(path).parts[2:]
        if len(parts) > 1 and is_skill_name(parts[0]):
            folders.setdefault(parts[0], {})["/".join(parts[1:])] = text.encode()
    return {name: Skill(name=name, files=own) for name, own in folders.items() if SKILL_FILE in own}


def write_skills(skills: Sequence[Skill], directory: Path) -> str:
    """Write skills where an agent reads them, and return what it is told of them ("": none); raises OSError.

    What was there before is removed.
    """
    shutil.rmtree(directory, ignore_errors=True)
    lines: list[str] = []
    for skill in skills:
        for name, content in skill.files.items():
            file = directory / skill.name / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(0o700)  # scripts among them are run
        lines.append(f"- {skill.name}: {skill.description} ({directory / skill.name / SKILL_FILE})")
    if not lines:
        return ""
    listed = "\n".join(lines)
    return (
        "\n# Skills\n\nEach is a folder with instructions for one kind of work. When what you are asked is of that "
        f"kind, read its file first and go by it.\n\n{listed}\n"
    )
