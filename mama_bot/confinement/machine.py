"""What a sandbox holds in on this machine, and what it does not, and why."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mama_bot.config import ContainedPart
from mama_bot.confinement import bubblewrap, landlock, mounts, seccomp
from mama_bot.confinement.path_sockets import usable_sockets

SECONDS = 20
NAMED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What a machine offers: its version of Landlock, filters of calls, mount namespaces, and sockets within reach.

    `bubblewrap` is that program, where it is needed and works.
    """

    landlock: int
    filters: bool
    namespaces: bool
    sockets: tuple[Path, ...] = ()
    bubblewrap: Path | None = None

    def lacking(self) -> Mapping[ContainedPart, str]:
        """Return the parts that nothing holds in here, each with the reason."""
        missing = {}
        held = bool(self.landlock or self.bubblewrap)
        if not held:
            missing[ContainedPart.FILES] = "Landlock is missing or switched off, and bubblewrap is not there or refused"
        if self.landlock < landlock.PORTS_SINCE:
            missing[ContainedPart.CONNECTIONS] = f"Landlock {landlock.PORTS_SINCE} does that, in Linux 6.7"
        elif not self.filters:
            missing[ContainedPart.CONNECTIONS] = "Multipath TCP leads round Landlock on this architecture"
        if self.landlock < landlock.SCOPES_SINCE and self.bubblewrap is None:
            missing[ContainedPart.SIGNALS] = (
                f"and abstract sockets: Landlock {landlock.SCOPES_SINCE} in Linux 6.12, or bubblewrap the first"
            )
        if self.sockets and not (self.bubblewrap or (self.namespaces and self.landlock)):
            names = ", ".join(map(str, self.sockets[:NAMED]))
            more = f" and {len(self.sockets) - NAMED} more" if len(self.sockets) > NAMED else ""
            missing[ContainedPart.SOCKETS] = f"this user may use {names}{more}, and gets no mount namespace"
        elif self.landlock < landlock.SCOPES_SINCE and self.bubblewrap is not None:
            missing[ContainedPart.SOCKETS] = (
                f"bubblewrap leaves abstract ones open: Landlock {landlock.SCOPES_SINCE} does that, in Linux 6.12"
            )
        return missing


def this_machine(accepted: tuple[Path, ...] = ()) -> Machine:
    """Return what this machine offers; sockets that are accepted are not counted."""
    accepted_paths = {path.resolve() for path in accepted}
    sockets = tuple(path for path in usable_sockets() if not accepted_paths & {path, *path.parents})
    version = landlock.version()
    return Machine(
        landlock=version,
        bubblewrap=working_bubblewrap() if version < landlock.SCOPES_SINCE else None,
        filters=seccomp.knows_this_machine(),
        namespaces=bool(sockets) and has_mount_namespaces(),
        sockets=sockets,
    )


@cache
def has_mount_namespaces() -> bool:
    """Return whether a process of this user gets a mount namespace here: one tries it."""
    command = [sys.executable, "-I", "-S", mounts.__file__]
    try:
        return subprocess.run(command, capture_output=True, timeout=SECONDS, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


@cache
def working_bubblewrap() -> Path | None:
    """Return bubblewrap, where it is installed and this user may do what it does: a process tries it."""
    program = shutil.which(bubblewrap.NAME)
    if program is None:
        return None
    told = bubblewrap.mounted_views(readable=("/usr", "/etc"), writable=(), directory="/")
    try:
        tried = subprocess.run(
            [program, *told, "/usr/bin/env", "true"], capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return Path(program).absolute() if tried.returncode == 0 else None
