"""Write a backup: databases as they stand at one moment, then the files, into one archive, while the service runs."""

import io
import json
import os
import stat
import tarfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, BinaryIO, cast

from mama_bot.backups import sentences as says
from mama_bot.errors import ConfigurationError

FORMAT = 1
MANIFEST = "manifest.json"
DATA = "data"
# Beside a database: what is in its copy already, and what belongs to a life of the service alone.
PASSING = ("-wal", "-shm", ".put-back", ".lock", ".taken-over")
COMPRESSION = 3

# Copies a database in use to a new file, and returns the number of its shape.
CopyDatabase = Callable[[Path, Path], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup that was written: where, how many files it holds, and what could not be read."""

    file: Path
    files: int
    databases: int
    unread: tuple[str, ...] = ()


def write_backup(
    directory: Path,
    target: Path,
    *,
    database_name: str,
    copy_database: CopyDatabase,
    at: datetime,
    release: str,
    databases_only: bool = False,
    leave_out: Collection[Path] = (),
) -> Backup:
    """Write all that a data directory holds to `target`, whole or not at all.

    Each database is as it stands at one moment; the files are read after that, so none that it names is missing. What
    lies below `leave_out` is no part of it, nor is an earlier backup at `target`. Raises ConfigurationError,
    StoreUnavailable.
    """
    paths = list(_below(directory, {*leave_out, target.absolute()}))
    databases = [path for path in paths if path.name == database_name and path.parent.parent == directory]
    if not databases:
        raise ConfigurationError(problem=says.NOTHING_KEPT.of(directory=directory))
    files = [] if databases_only else [path for path in paths if path not in databases]
    draft = target.with_name(f".{target.name}.part")
    unread: list[str] = []
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with TemporaryDirectory(dir=target.parent, prefix=".mama-bot-") as aside:
            copies = {path: Path(aside) / f"{number}.sqlite" for number, path in enumerate(databases)}
            versions = {path: copy_database(path, copy) for path, copy in copies.items()}
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with (
                os.fdopen(descriptor, "wb") as stream,
                tarfile.open(fileobj=stream, mode="w:gz", compresslevel=COMPRESSION) as archive,
            ):
                manifest = {
                    "format": FORMAT,
                    "release": release,
                    "at": at.isoformat(),
                    "schema": max(versions.values()),
                }
                _add(archive, MANIFEST, json.dumps(manifest).encode(), 0o600)
                for path, copy in copies.items():
                    archive.add(copy, arcname=_name(directory, path), filter=_private)
                unread.extend(
                    str(path.relative_to(directory))
                    for path in files
                    if not _add_file(archive, _name(directory, path), path)
                )
                archive.close()
                stream.flush()
                os.fsync(stream.fileno())
        draft.replace(target)
    except OSError as error:
        raise ConfigurationError(problem=says.CANNOT_WRITE.of(reason=error.strerror or error), file=target) from error
    finally:
        draft.unlink(missing_ok=True)
    count = len(files) - len(unread)
    return Backup(file=target, files=count, databases=len(databases), unread=tuple(unread))


def _below(directory: Path, leave_out: Collection[Path]) -> Iterator[Path]:
    """Yield what is kept: files, links, and directories that hold nothing."""
    for folder, names, files in os.walk(directory):
        here = Path(folder)
        names[:] = sorted(name for name in names if not any(here / name == path for path in leave_out))
        links = [name for name in names if (here / name).is_symlink()]
        names[:] = [name for name in names if name not in links]
        if here != directory and not names and not files and not links:
            yield here
        passing = PASSING if directory in (here, here.parent) else ()
        kept = (here / name for name in (*links, *sorted(files)) if not name.endswith(passing))
        yield from (path for path in kept if path not in leave_out)


def _name(directory: Path, path: Path) -> str:
    return f"{DATA}/{path.relative_to(directory).as_posix()}"


def _private(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mode, entry.uid, entry.gid, entry.uname, entry.gname = 0o600, 0, 0, "", ""
    return entry


def _add(archive: tarfile.TarFile, name: str, content: bytes, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    archive.addfile(entry, io.BytesIO(content))


def _add_file(archive: tarfile.TarFile, name: str, path: Path) -> bool:
    """Add what lies at a path as it is now; False where it is gone, cannot be read, or is a socket."""
    try:
        status = path.lstat()
        entry = tarfile.TarInfo(name)
        entry.mode, entry.mtime = stat.S_IMODE(status.st_mode), int(status.st_mtime)
        if stat.S_ISLNK(status.st_mode):
            entry.type, entry.linkname = tarfile.SYMTYPE, str(path.readlink())
            archive.addfile(entry)
        elif stat.S_ISDIR(status.st_mode):
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
        elif stat.S_ISREG(status.st_mode):
            with path.open("rb") as stream:
                entry.size = os.fstat(stream.fileno()).st_size
                archive.addfile(entry, cast("IO[bytes]", _Exactly(stream)))
        else:
            return stat.S_ISSOCK(status.st_mode)
    except FileNotFoundError:
        return True  # an agent removed it meanwhile
    except (PermissionError, UnicodeError):
        return False
    return True


class _Exactly:
    """A file that an agent may be writing, as long as it was: what is cut off meanwhile is zeros."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, size: int) -> bytes:
        """Return just so many bytes."""
        return self._stream.read(size).ljust(size, b"\0")
