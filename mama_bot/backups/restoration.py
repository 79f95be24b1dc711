"""Put a backup back: laid out beside what is there, looked at, and only then put in its place."""

import gzip
import json
import os
import shutil
import tarfile
import zlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path, PurePosixPath

from mama_bot.backups import sentences as says
from mama_bot.backups.archive import DATA, FORMAT, MANIFEST
from mama_bot.errors import ConfigurationError

DRAFT = ".restoring"
MOST_MANIFEST = 10_000
READ_BYTES = 2**16


def restore_backup(
    file: Path,
    directory: Path,
    *,
    database_name: str,
    check_database: Callable[[Path], object],
    known_schema: int,
    at: datetime,
    replace: bool,
    keep: frozenset[Path] = frozenset(),
) -> Path | None:
    """Put a backup in the place of a data directory; return where what was there lies now, None where nothing was.

    What was there is put aside, never deleted; what `keep` names stays where it is. Raises ConfigurationError where the
    file is no backup, a newer release made it, or something is there and `replace` is not said: nothing was changed.
    """
    there = [path for path in directory.iterdir() if path not in keep] if directory.is_dir() else []
    there = [path for path in there if not path.name.startswith(("before-restore-", DRAFT))]
    if there and not replace:
        raise ConfigurationError(problem=says.ALREADY_THERE.of(directory=directory))
    draft = directory / DRAFT
    try:
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True, mode=0o700)
        with tarfile.open(file, mode="r:gz") as archive:
            _lay_out(archive, draft, known_schema)
            _read_to_the_end(archive)
        for database in draft.glob(f"*/{database_name}"):
            check_database(database)
        return _swap(draft, directory, there, at)
    except (
        tarfile.TarError,
        EOFError,
        zlib.error,
        gzip.BadGzipFile,
        json.JSONDecodeError,
        UnicodeDecodeError,
    ) as error:
        raise ConfigurationError(problem=says.NO_BACKUP.of(reason=str(error) or "it is cut off"), file=file) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigurationError(problem=says.CANNOT_RESTORE.of(reason=reason), file=file) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _lay_out(archive: tarfile.TarFile, draft: Path, known_schema: int) -> None:
    """Write what an archive holds below a new directory; links come last, so that nothing is written through one."""
    links: list[tarfile.TarInfo] = []
    first = archive.next()
    if first is None or first.name != MANIFEST or first.size > MOST_MANIFEST:
        raise tarfile.TarError("it does not begin with a manifest")
    described = archive.extractfile(first)
    manifest = json.loads(described.read() if described is not None else b"")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise tarfile.TarError("its manifest is not understood")
    schema = manifest.get("schema")
    if isinstance(schema, int) and schema > known_schema:
        raise ConfigurationError(problem=says.NEWER_BACKUP.of(version=schema, known=known_schema))
    while (entry := archive.next()) is not None:
        target = _place(draft, entry.name)
        if entry.issym():
            links.append(entry)
        elif entry.isdir():
            target.mkdir(parents=True, exist_ok=True)
        elif entry.isfile():
            target.parent.mkdir(parents=True, exist_ok=True)
            content = archive.extractfile(entry)
            assert content is not None
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, entry.mode & 0o777)
            with os.fdopen(descriptor, "wb") as stream:
                shutil.copyfileobj(content, stream)
            target.chmod(entry.mode & 0o777)
            os.utime(target, (entry.mtime, entry.mtime))
        else:
            raise tarfile.TarError(f"it holds what no backup holds ({entry.name[:80]})")
    for entry in links:
        target = _place(draft, entry.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(entry.linkname)


def _read_to_the_end(archive: tarfile.TarFile) -> None:
    """Read what follows the last entry: the checksum of the whole stands at its end, and is compared there alone."""
    assert archive.fileobj is not None
    while archive.fileobj.read(READ_BYTES):
        pass


def _place(draft: Path, name: str) -> Path:
    """Return where an entry goes; raises TarError for a name that leads out of the directory."""
    path = PurePosixPath(name)
    if path.is_absolute() or path.parts[:1] != (DATA,) or ".." in path.parts or len(path.parts) < 2:
        raise tarfile.TarError(f"it holds what no backup holds ({name[:80]})")
    place = draft.joinpath(*path.parts[1:])
    if any(parent.is_symlink() for parent in place.parents if parent.is_relative_to(draft)):
        raise tarfile.TarError(f"it writes through a link ({name[:80]})")
    return place


def _swap(draft: Path, directory: Path, there: list[Path], at: datetime) -> Path | None:
    """Put what is there aside, and the draft's entries in their place; the directory itself may be a mount."""
    aside = directory / f"before-restore-{at:%Y%m%d-%H%M%S}"
    moved: list[tuple[Path, Path]] = []
    try:
        if there:
            aside.mkdir(mode=0o700)
        for path in there:
            path.rename(aside / path.name)
            moved.append((path, aside / path.name))
        for path in sorted(draft.iterdir()):
            path.rename(directory / path.name)
            moved.append((path, directory / path.name))
    except OSError:
        for before, after in reversed(moved):
            after.rename(before)
        raise
    return aside if there else None
