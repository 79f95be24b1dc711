"""Gives this process a view of the file system of its own, for what Landlock does not see: who connects to a path, and
who changes the mode, the owner or the times of a file; with terminals and shared memory that are nobody else's.

It takes a mount namespace, and one of System V memory: of its own where it may (CAP_SYS_ADMIN), else together with a
user namespace, in which nobody but this user and group have names. Stand-alone and of the standard library only, as
`landlock` is; as a program it ends well where such a view is possible. The numbers are those of the kernel's
`uapi/linux` headers (`sched.h`, `mount.h`).
"""

import ctypes
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module that says so costs a third of the start
    from collections.abc import Iterable, Mapping

NEW_MOUNTS, NEW_MEMORY, NEW_USERS = 0x00020000, 0x08000000, 0x10000000
BIND, RECURSIVE, SLAVE = 1 << 12, 1 << 14, 1 << 19
NO_SET_USER, NO_DEVICES, NO_PROGRAMS = 2, 4, 8
NOTHING = "/dev/null"
TRIES = 100
SET_ATTRIBUTES, OPEN_TREE, MOVE_MOUNT = 442, 428, 429
WORKING_DIRECTORY, ALL_BELOW, READ_ONLY, COPY, EMPTY_PATH = -100, 0x8000, 1, 1, 4
TERMINALS, NEW_TERMINAL, SHARED_MEMORY = "/dev/pts", "/dev/ptmx", "/dev/shm"  # noqa: S108


def cover(
    views: "Mapping[str, Iterable[str]]", sockets: "Iterable[str]" = (), changeable: "Iterable[str] | None" = None
) -> None:
    """Take these from this process and all that it starts, for good; raises OSError where it does not work.

    Of each directory in `views` only the listed paths beneath it remain, and its links; each of `sockets` becomes an
    empty file. Beside what is `changeable` nothing can be changed, not even modes and times, and terminals and shared
    memory are its own; None leaves all that as it is.
    """
    _own_mounts()
    for directory, kept in views.items():
        _show_only(directory, kept)
    for path in sockets:
        _cover_socket(path)
    if changeable is not None:
        _own_devices()
        _freeze_but(changeable)
    os.chdir(os.getcwd())  # noqa: PTH109 - what is open still leads to the place below the mount


def _own_mounts() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(NEW_MOUNTS | NEW_MEMORY):
        user, group = os.getuid(), os.getgid()
        if library.unshare(NEW_MOUNTS | NEW_MEMORY | NEW_USERS):
            raise _failure("no namespace could be made")
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123
                file.write(text)
    _mount("none", "/", "", RECURSIVE | SLAVE)


def _cover_socket(path: str) -> None:
    """Put nothing in the place of a socket; whoever serves it may end, or begin anew, at any moment."""
    for left in reversed(range(TRIES)):
        if not os.path.exists(path):  # noqa: PTH110 - pathlib doubles the start
            return
        try:
            _mount(NOTHING, path, "", BIND)
        except FileNotFoundError:
            if not left:
                raise
        else:
            return


def _opened(path: str) -> int | None:
    """Return a place as a descriptor; None for one that is gone."""
    if not os.path.exists(path):  # noqa: PTH110
        return None
    try:
        return os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None


def _show_only(directory: str, kept: "Iterable[str]") -> None:
    opened = [(path, descriptor) for path in kept if (descriptor := _opened(path)) is not None]
    links = {entry.path: os.readlink(entry.path) for entry in os.scandir(directory) if entry.is_symlink()}  # noqa: PTH115
    _mount("none", directory, "tmpfs", NO_SET_USER | NO_DEVICES | NO_PROGRAMS, "mode=755,size=1m")
    for path, descriptor in opened:
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            os.makedirs(path, exist_ok=True)  # noqa: PTH103
        else:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        _mount(f"/proc/self/fd/{descriptor}", path, "", BIND | RECURSIVE)
        os.close(descriptor)
    for path, target in links.items():
        os.symlink(target, path)  # noqa: PTH211


def _own_devices() -> None:
    """Put terminals and shared memory of this process's own in the place of those of the machine."""
    if os.path.isdir(TERMINALS):  # noqa: PTH112
        _mount("none", TERMINALS, "devpts", NO_SET_USER | NO_PROGRAMS, "newinstance,ptmxmode=0666,mode=0620")
        if not os.path.islink(NEW_TERMINAL):  # noqa: PTH114
            _mount(f"{TERMINALS}/ptmx", NEW_TERMINAL, "", BIND)
    if os.path.isdir(SHARED_MEMORY):  # noqa: PTH112
        _mount("none", SHARED_MEMORY, "tmpfs", NO_SET_USER | NO_DEVICES, "mode=1777")


def _freeze_but(changeable: "Iterable[str]") -> None:
    """Let every mount be read only, but copies of what is changeable, which stay as their mounts were."""
    copies: list[tuple[str, int]] = []
    for path in sorted(changeable):
        if not any(path.startswith(f"{place}/") for place, _ in copies) and os.path.exists(path):  # noqa: PTH110
            copies.append((path, _call(OPEN_TREE, path, COPY | ALL_BELOW | os.O_CLOEXEC)))
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY, 0, 0, 0)
    _call(SET_ATTRIBUTES, "/", ALL_BELOW, ctypes.byref(attributes), ctypes.c_size_t(ctypes.sizeof(attributes)))
    library = ctypes.CDLL(None, use_errno=True)
    for path, copy in copies:
        if library.syscall(MOVE_MOUNT, copy, b"", WORKING_DIRECTORY, os.fsencode(path), EMPTY_PATH):
            raise _failure(f"{path} could not be kept open")
        os.close(copy)


def _call(number: int, path: str, *arguments: object) -> int:
    made = ctypes.CDLL(None, use_errno=True).syscall(number, WORKING_DIRECTORY, os.fsencode(path), *arguments)
    if made < 0:
        raise _failure(f"the mounts of {path} could not be changed")
    return int(made)


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    library = ctypes.CDLL(None, use_errno=True)
    words = [os.fsencode(word) or None for word in (source, target, kind)]
    if library.mount(*words, ctypes.c_ulong(flags), os.fsencode(options) or None):
        raise _failure(f"{target} could not be covered")


def _failure(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":  # whether that is possible here
    cover({}, changeable=())
