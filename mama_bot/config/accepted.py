"""Accepted phrases: whitelist entries in a file of our own in the data directory, beside those of `config.yaml`."""

import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml

from mama_bot.config.document import Document, nearest, parse_document, read_text
from mama_bot.config.expressions import problem_of_expression
from mama_bot.config.settings import Settings
from mama_bot.errors import ConfigurationError

ACCEPTED_NAME = "accepted.yaml"
STAGES = ("response_validator", "review_gate")  # those that have a whitelist
_HEAD = "# Written by `mama-bot reports accept`: what passes beside the whitelists of config.yaml (RE2).\n"

Entries = Mapping[str, Sequence[str]]


def accepted_file(settings: Settings) -> Path:
    """Return where the accepted entries stand: the data directory, which can be written where `config.yaml` cannot."""
    return settings.data_directory / ACCEPTED_NAME


def with_accepted(settings: Settings) -> Settings:
    """Return the settings with what was accepted; raises ConfigurationError with the line of an entry that is wrong."""
    return with_whitelisted(settings, _read(accepted_file(settings)))


def with_whitelisted(settings: Settings, entries: Entries) -> Settings:
    """Return the settings with more entries on the whitelists of stages; what is there already is not added twice."""
    sections = {}
    for stage, more in entries.items():
        section = getattr(settings.enforcement, stage)
        sections[stage] = section.model_copy(update={"whitelist": tuple(dict.fromkeys((*section.whitelist, *more)))})
    return settings.model_copy(update={"enforcement": settings.enforcement.model_copy(update=sections)})


def add_accepted(settings: Settings, entries: Entries) -> None:
    """Write entries that the settings do not have yet behind those in the file, whole or not at all.

    Raises ConfigurationError with the lines to add by hand where the file cannot be written.
    """
    whitelists = {stage: getattr(settings.enforcement, stage).whitelist for stage in entries}
    missing = {stage: [entry for entry in more if entry not in whitelists[stage]] for stage, more in entries.items()}
    missing = {stage: more for stage, more in missing.items() if more}
    if not missing:
        return
    file = accepted_file(settings)
    try:
        with _held(file.parent):
            known = _read(file)
            stages = dict.fromkeys((*known, *missing))
            _write(file, {stage: [*known.get(stage, ()), *missing.get(stage, ())] for stage in stages})
    except OSError as error:
        sections = {"enforcement": {stage: {"whitelist": more} for stage, more in missing.items()}}
        raise ConfigurationError(
            problem=f"The file was not changed, and the report stays open: {error.strerror or error}. To do it by "
            f"hand, add to config.yaml:\n{_yaml(sections)}Then accept the report again.",
            file=file,
        ) from error


def _read(file: Path) -> Entries:
    if not os.path.lexists(file):  # nor where the directory is the service's own and another user reads the settings
        return {}
    if not file.is_file():
        raise ConfigurationError(problem="This is no regular file. Remove it, or put the file back.", file=file)
    document = parse_document(read_text(file), file=file)
    return {stage: _entries(document, stage) for stage in document.content}


def _entries(document: Document, stage: str) -> list[str]:
    entries = document.content[stage]
    if stage not in STAGES:
        raise document.error((stage,), f"The stage {str(stage)!r} has no whitelist. {nearest(str(stage), STAGES)}")
    if not isinstance(entries, list):
        raise document.error((stage,), f"{stage}: expected a list of expressions.")
    for number, entry in enumerate(entries):
        problem = problem_of_expression(entry) if isinstance(entry, str) else f"expected text, got {entry!r}."
        if problem:
            raise document.error((stage, str(number)), f"{stage}.{number}: {problem} Correct the line, or remove it.")
    return entries


@contextmanager
def _held(directory: Path) -> Iterator[None]:
    """Let no other process change files of ours there during the block; raises OSError."""
    directory.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _write(file: Path, entries: Entries) -> None:
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as writing:
            writing.write((_HEAD + _yaml(entries)).encode())
            os.fchmod(descriptor, 0o644)  # whoever accepts, the service has to be able to read it
            writing.flush()
            os.fsync(descriptor)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def _yaml(content: object) -> str:
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=sys.maxsize)
