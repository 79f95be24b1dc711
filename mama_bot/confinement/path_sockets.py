"""Which sockets with a path an agent could use: Landlock does not judge them, and some give away the whole machine."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mama_bot.confinement.sandbox import Covers, beside

LISTED = Path("/proc/net/unix")
# Where daemons keep their sockets: a container sees those that it is given only there, and not in the kernel's list.
RUN = Path("/run")
KNOWN = ("/var/run/docker.sock", "/var/lib/lxd/unix.socket", "/var/snap/lxd/common/lxd/unix.socket")
# Those of names, logs and resolving, which every program may use and which do nothing for anybody.
HARMLESS = (
    *("/run/systemd/journal", "/run/systemd/resolve", "/run/systemd/userdb", "/run/systemd/notify", "/run/nscd"),
    *("/var/lib/sss/pipes", "/run/systemd/io.systemd.NameSpace", "/run/systemd/io.systemd.Resolve"),
)
# The directories of agents: what their CLIs serve there asks for a token.
AGENTS = f"mama-{os.getuid()}-"
MOST_ENTRIES, MOST_PIECES = 20_000, 400


def usable_sockets(*, run: Path = RUN, listed: Path = LISTED, known: Iterable[str] = KNOWN) -> tuple[Path, ...]:
    """Return the sockets that this user may connect to, each once, but for those that are harmless, and of agents."""
    paths = {os.path.realpath(path) for path in (*_listed(listed), *_beneath(run), *known)}
    others = (path for path in sorted(paths) if not _is_below(path, HARMLESS) and f"/{AGENTS}" not in path)
    return tuple(Path(path) for path in others if _is_usable(path))


def covers_for(sockets: Sequence[Path], *, kept: Sequence[Path], run: Path = RUN) -> Covers:
    """Return what takes sockets away; those at or below a path that is `kept` stay."""
    taken = [path for path in sockets if not _is_below(str(path), [os.path.realpath(place) for place in kept])]
    inside = [path for path in taken if run in path.parents]
    # What is covered one by one comes back when its daemon makes it anew; a view has no place for it.
    pieces = tuple(map(str, beside(inside, run))) if inside else ()
    if len(pieces) > MOST_PIECES or any(run == place or run in place.parents for place in kept):
        return Covers(sockets=tuple(map(str, taken)))
    outside = tuple(str(path) for path in taken if path not in inside)
    return Covers(views={str(run): pieces} if inside else {}, sockets=outside)


def _listed(file: Path) -> Iterator[str]:
    try:
        lines = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        before, mark, path = line.partition(" /")
        if mark and before:
            yield f"/{path}"


def _beneath(directory: Path) -> Iterator[str]:
    waiting, seen = [str(directory)], 0
    while waiting and seen < MOST_ENTRIES:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif not entry.is_file(follow_symlinks=False):
                yield entry.path


def _is_usable(path: str) -> bool:
    try:
        return stat.S_ISSOCK(Path(path).stat().st_mode) and os.access(path, os.W_OK)
    except OSError:
        return False


def _is_below(path: str, places: Iterable[str]) -> bool:
    return any(path == place or path.startswith(f"{place.rstrip('/')}/") for place in places)
