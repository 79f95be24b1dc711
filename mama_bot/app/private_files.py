"""What the service keeps is its user's alone: directories 0700, files 0600; where agents work is left as it is."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

import structlog

from mama_bot.app.configuration import Configuration

log = structlog.get_logger(__name__)

NOT_OTHERS = 0o077
# Where agents work, or git for them: below the directory itself nothing is changed there.
WORKED_IN = frozenset({"agents", "workspaces", "repositories", "checkouts"})
SHOWN = 5


def keep_private(configuration: Configuration) -> None:
    """Take from others what they may do with the service's files; what cannot be changed is logged."""
    open_yet = []
    for path in open_to_others(configuration):
        try:
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~NOT_OTHERS)
        except OSError as error:
            open_yet.append(f"{path}: {error.strerror}")
    if open_yet:
        log.warning("files_open_to_others", count=len(open_yet), files=open_yet[:SHOWN])


def open_to_others(configuration: Configuration) -> tuple[Path, ...]:
    """Return what of the service's files others than its user may read, write or list."""
    data, own = configuration.settings.data_directory, configuration.directory
    secret = (configuration.secrets_file, *(path for path in data.glob("*.key*") if path.is_file()))
    return tuple(_open((data, *secret, *_below(configuration.own_directory), *_below(own))))


def _below(directory: Path) -> Iterator[Path]:
    """Yield a directory of ours and what lies in it, the top of a place to work in included."""
    if not directory.is_dir() or directory.is_symlink():
        return
    yield directory
    for root, names, files in os.walk(directory):
        here = Path(root)
        yield from (here / name for name in (*names, *files))
        if here == directory:
            names[:] = [name for name in names if name not in WORKED_IN]


def _open(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        try:
            mode = path.lstat().st_mode
        except OSError:
            continue
        if not stat.S_ISLNK(mode) and mode & NOT_OTHERS:
            yield path
