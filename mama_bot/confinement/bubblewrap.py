"""Confines a program by bubblewrap where the kernel's Landlock is old or absent: it sees what it reaches, and no more.

Files, signals, shared memory, terminals and sockets with a path are held as Landlock and mounts hold them; connections
are not. Stand-alone and of the standard library only: the launcher and the shell of commands load it from its file, and
it is the program that bubblewrap starts, which becomes the agent's once the rest of the walls stands.
"""

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module that says so costs a third of the start
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

CANNOT_EXECUTE = 126
NOTHING = "/dev/null"
NAME = "bwrap"
PROCESSES, DEVICES = "/proc", "/dev"
# What bubblewrap makes anew in the devices of a process.
MADE = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm"))
# It never runs as a user that it is not, and holds no right of root's, not even of its own namespace.
ALWAYS = ("--unshare-user", "--cap-drop", "ALL", "--die-with-parent")
OWN_PROCESSES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--proc", PROCESSES, "--dev", DEVICES)
# The kernel lets root without its rights make no namespace below its own, as each command needs one.
NOT_ROOT = ("--uid", "65534", "--gid", "65534")
SHARED_PROCESSES = ("--ro-bind", PROCESSES, PROCESSES, "--dev-bind", DEVICES, DEVICES)


def mounted_views(
    *,
    readable: "Iterable[str]",
    writable: "Iterable[str]",
    covers: "Mapping[str, Any] | None" = None,
    own_processes: bool = True,
    directory: str = "",
) -> list[str]:
    """Return what bubblewrap is told: what may be read, what may be written, and what is covered in there.

    With `own_processes` it sees no others, and has devices of its own; else it has those of who starts it. It begins in
    `directory`, or where this process is.

    >>> mounted_views(readable=["/usr"], writable=["/srv/work"])[-2:]
    ['--remount-ro', '/']
    """
    readable, writable = list(readable), list(writable)
    kept = [path for path in writable if not _is_below(path, (PROCESSES, DEVICES))]
    seen = [path for path in readable if not _is_below(path, (PROCESSES, DEVICES, *kept))]
    for covered, pieces in ((covers or {}).get("views") or {}).items():
        inside = [path for path in pieces if _is_below(path, seen)]
        inside += [path for path in seen if _is_below(path, pieces)]
        seen = [path for path in seen if not _is_below(path, (covered,))] + inside
    lines = [(path, ["--ro-bind-try", path, path]) for path in dict.fromkeys(seen) if _is_there(path)]
    lines += [(path, ["--bind-try", path, path]) for path in dict.fromkeys(kept) if _is_there(path)]
    lines += [(link, ["--symlink", target, link]) for link, target in _links([path for path, _ in lines])]
    words = [word for _, line in sorted(lines) for word in line]
    words += OWN_PROCESSES if own_processes else SHARED_PROCESSES
    if own_processes:
        words += NOT_ROOT if os.geteuid() == 0 else ()
        further = [path for path in (*readable, *writable) if path.startswith(f"{DEVICES}/")]
        words += [word for path in further if path not in MADE for word in ("--dev-bind-try", path, path)]
    sockets = [path for path in (covers or {}).get("sockets", ()) if _is_below(path, (*seen, *kept))]
    words += [word for path in sockets if _is_reached(path) for word in ("--ro-bind", NOTHING, path)]
    return [*ALWAYS, *words, "--chdir", directory or os.getcwd(), "--remount-ro", "/"]


def command(program: str, told: "Sequence[str]", arguments: "Sequence[str]") -> list[str]:
    """Return the command line of bubblewrap for a program; the options go by a file that is open, however many."""
    return [program, "--args", str(_written("\0".join([*told, ""]))), "--", *arguments]


def confined(program: str, plan: "Mapping[str, Any]", arguments: "Sequence[str]", teller: int) -> list[str]:
    """Return the command line that starts a program behind the walls of a plan; `teller` hears why it cannot start."""
    here = os.path.dirname(os.path.abspath(__file__))
    own = [os.path.realpath(place) for place in (here, sys.prefix, sys.base_prefix)]
    told = mounted_views(
        readable=[*plan["readable"], *own], writable=plan["writable"], covers=plan.get("covers"), own_processes=True
    )
    rest = _written(json.dumps({name: plan.get(name) for name in ("readable", "writable", "connectable")}))
    inner = [sys.executable, "-I", "-S", os.path.abspath(__file__), str(rest), str(teller), *arguments]
    return command(program, told, inner)


def _written(text: str) -> int:
    """Return a file without a name that holds a text, to be read from its beginning by who is started."""
    file = os.memfd_create("told", 0)
    with open(file, "wb", closefd=False) as opened:
        opened.write(os.fsencode(text))
    os.lseek(file, 0, os.SEEK_SET)
    return file


def _links(paths: "Sequence[str]") -> "Iterator[tuple[str, str]]":
    """Yield the links, and where they lead, of directories that are seen in part only: /bin may be a link."""
    partly: set[str] = set()
    for path in paths:
        place = os.path.dirname(path)
        while place not in partly:
            partly.add(place)
            place = os.path.dirname(place)
    for directory in sorted(partly):
        if not _is_below(directory, paths):
            yield from _links_in(directory)


def _links_in(directory: str) -> "Iterator[tuple[str, str]]":
    try:
        entries = sorted(entry.path for entry in os.scandir(directory) if entry.is_symlink())
        yield from [(path, os.readlink(path)) for path in entries]
    except OSError:  # what is not listed is not seen
        return


def _is_there(path: str) -> bool:
    """Return whether a place is there, and no mount of a removed one: no other mount can be made of such."""
    try:
        return os.stat(path).st_nlink > 0
    except OSError:
        return False


def _is_reached(path: str) -> bool:
    """Return whether a path is there and reached without a right of root's: else it needs no cover, and gets none."""
    place, groups = os.path.dirname(path), {os.getegid(), *os.getgroups()}
    while place != "/":
        try:
            status = os.stat(place)
        except OSError:
            return False
        shift = 6 if status.st_uid == os.geteuid() else 3 if status.st_gid in groups else 0
        if not status.st_mode >> shift & 1:
            return False
        place = os.path.dirname(place)
    return os.path.exists(path)


def _is_below(path: str, places: "Iterable[str]") -> bool:
    return any(path == place or path.startswith(f"{place.rstrip('/')}/") for place in places)


def become(file: int, teller: int, arguments: "Sequence[str]") -> int:
    """Put up the rest of the walls and become a program; return the exit status where that fails."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import landlock  # type: ignore[import-not-found, unused-ignore] # these lie beside this file
    import seccomp  # type: ignore[import-not-found, unused-ignore]

    try:
        with open(file, "rb") as opened:
            plan = json.load(opened)
        if landlock.version():
            landlock.confine(**plan)
        if seccomp.knows_this_machine():
            seccomp.close_detours()
        landlock.drop_capabilities()
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"the sandbox could not be set up: {error}\n")
        return CANNOT_EXECUTE
    if teller >= 0:
        os.set_inheritable(teller, False)
    try:
        os.execvp(arguments[0], list(arguments))  # noqa: S606 - becoming it is what this is for
    except OSError as error:
        if teller >= 0:
            os.write(teller, str(error.errno or 0).encode())
        else:
            sys.stderr.write(f"cannot execute {arguments[0]}: {error.strerror}\n")
    return CANNOT_EXECUTE


if __name__ == "__main__":
    sys.exit(become(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
