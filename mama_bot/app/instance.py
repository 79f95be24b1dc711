"""One service for each data directory."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mama_bot.errors import AlreadyRunning, ConfigurationError

LOCK_NAME = "mama-bot.lock"


@contextmanager
def own_directory(directory: Path) -> Iterator[None]:
    """Own a data directory, made when it is missing, for as long as the block runs.

    The kernel gives the lock back when the process ends, however it ends. Raises AlreadyRunning with the owner's pid,
    or ConfigurationError when the directory cannot be made or written.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ConfigurationError(
            problem=f"The data directory cannot be used: {error.strerror or error}. "
            "Make it writable for this user, or set data_directory (MAMA_DATA_DIRECTORY) to another.",
            file=directory,
        ) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(directory=directory, pid=_owner(descriptor)) from None
        except OSError as error:  # a file system without locks
            raise ConfigurationError(
                problem=f"The data directory cannot be locked: {error.strerror or error}. "
                "Set data_directory (MAMA_DATA_DIRECTORY) to a directory on a local disk.",
                file=directory,
            ) from None
        _write_owner(descriptor, directory)
        yield
    finally:
        os.close(descriptor)


def owner_of(directory: Path) -> int | None:
    """Return the pid of the service that owns a data directory; None when none does (or it cannot be told)."""
    try:
        descriptor = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _owner(descriptor)
    finally:
        os.close(descriptor)
    return None


def _owner(descriptor: int) -> int | None:
    text = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
    return int(text) if text.isdigit() else None


def _write_owner(descriptor: int, directory: Path) -> None:
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    except OSError as error:
        raise ConfigurationError(
            problem=f"The data directory cannot be written: {error.strerror or error}. Free some space, or set "
            "data_directory (MAMA_DATA_DIRECTORY) to another.",
            file=directory,
        ) from None
