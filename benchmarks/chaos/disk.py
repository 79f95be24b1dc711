"""A small disk for the service alone, so that it can be full without anybody else noticing."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE = "512m"


@contextmanager
def own_disk(directory: Path) -> Iterator[bool]:
    """Make a directory, as a disk of 512 MB where this process may mount one; yield whether it is one."""
    directory.mkdir(parents=True, exist_ok=True)
    mounted = False
    if os.geteuid() == 0:
        asked = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(directory)]
        mounted = subprocess.run(asked, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(directory)], check=True)


@contextmanager
def filled(directory: Path) -> Iterator[None]:
    """Keep the disk of a directory full while the block runs."""
    ballast = directory / "ballast"
    try:
        with ballast.open("wb", buffering=0) as out:
            free = os.statvfs(directory)
            os.posix_fallocate(out.fileno(), 0, max(1, free.f_bavail * free.f_frsize))
    except OSError:
        pass  # somebody else took the last of it
    try:
        yield
    finally:
        ballast.unlink(missing_ok=True)
