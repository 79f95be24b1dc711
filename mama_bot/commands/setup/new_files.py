"""What the set-up writes: a configuration and a team for a new place, entries of config.yaml, lines of secrets.env."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path

from dotenv.parser import parse_stream

import mama_bot
from mama_bot.commands.setup.additions import text_with_entries
from mama_bot.config import parse_document, read_text
from mama_bot.errors import ConfigurationError

SHIPPED = Path(mama_bot.__file__).parent / "shipped"
DEFAULTS = SHIPPED / "config.yaml"
HEAD = """\
# Your settings, on top of mama-bot's defaults: only what differs from them stands here. Every key, with its default and
# a comment: {defaults}
# Secrets never stand here: they come from the environment or from secrets.env beside this file (NAME=value lines).
# Relative paths are relative to this file. `mama-bot check` reads all of it and starts nothing.

"""
PRIVATE = 0o600
PUBLIC = 0o644


def files_of_new_place(file: Path) -> Mapping[Path, str]:
    """Return the files of a new place with their text: the configuration `file`, and a team where there is none.

    The configuration stands on top of the shipped defaults: it holds what a person chose, and grows old with nothing.
    """
    directory = file.parent
    files = {file: HEAD.format(defaults=DEFAULTS)}
    if not any((directory / "personas").glob("*.md")):
        for persona in sorted((SHIPPED / "personas").glob("*.md")):
            files[directory / "personas" / persona.name] = read_text(persona)
    return files


def with_access(text: str, file: Path, added: Mapping[tuple[str, str], Sequence[str]]) -> str:
    """Return a configuration with further ids in `PLATFORM.access.LIST`; those that are there are not added again."""
    for (platform, name), ids in added.items():
        path = (platform, "access", name)
        there = _listed(parse_document(text, file=file).content, path)
        new = [identifier for identifier in dict.fromkeys(ids) if identifier not in there]
        if new:
            text = text_with_entries(text, path, new, file=file)
    return text


def with_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """Return the text of a secrets file with these values, in the old ones' place or at its end; all else stays."""
    parts, left = [], dict(secrets)
    for binding in parse_stream(StringIO(text)):
        name = binding.key
        if name not in secrets:
            parts.append(binding.original.string)
        elif name in left:  # a second line of the name is dropped: the last one would count
            blank = binding.original.string[: len(binding.original.string) - len(binding.original.string.lstrip())]
            parts.append(f"{blank}{name}={left.pop(name)}\n")
    kept = "".join(parts)
    if kept and not kept.endswith("\n"):
        kept += "\n"
    return kept + "".join(f"{name}={value}\n" for name, value in left.items())


def write_file(file: Path, text: str, *, mode: int) -> None:
    """Write a file whole or not at all, with these permissions; raises ConfigurationError."""
    target = file.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="", dir=target.parent, prefix=f".{target.name}.", delete=False
        ) as new:
            try:
                os.fchmod(new.fileno(), mode)
                new.write(text)
                new.flush()
                os.fsync(new.fileno())
                Path(new.name).replace(target)
            except BaseException:
                Path(new.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise ConfigurationError(
            problem=f"This cannot be written: {error.strerror or error}. Make the folder writable for this user.",
            file=file,
        ) from error


def mode_of(file: Path, default: int) -> int:
    """Return the permissions of a file, or the default where there is none."""
    return file.stat().st_mode & 0o777 if file.exists() else default


def _listed(content: object, path: Sequence[str]) -> frozenset[str]:
    for part in path:
        content = content.get(part) if isinstance(content, dict) else None
    return frozenset(str(identifier) for identifier in content) if isinstance(content, list) else frozenset()
