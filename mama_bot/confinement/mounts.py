"""Gives this process a view of the file system of its own, for what Landlock does not see: who connects to a path, and
who changes the mode or the times of a file.

It takes a mount namespace: one of its own where it may (CAP_SYS_ADMIN), else together with a user namespace, in which
nobody but this user and group have names. Stand-alone and of the standard library only, as `landlock` is; as a program
it ends well where such a view is possible. The numbers are those of the kernel's `uapi/linux` headers (`sched.h`,
`mount.h`).
"""

import ctypes
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:  # the module that says so costs a third of the start
    from collections.abc import Iterable, Mapping

NEW_MOUNTS, NEW_USERS = 0x00020000, 0x10000000
BIND, RECURSIVE, SLAVE = 1 << 12, 1 << 14, 1 << 19
NO_SET_USER, NO_DEVICES, NO_PROGRAMS = 2, 4, 8
NOTHING = "/dev/null"
TRIES = 100
SET_ATTRIBUTES, WORKING_DIRECTORY, ALL_BELOW, READ_ONLY = 442, -100, 0x8000, 1


def cover(views: "Mapping[str, Iterable[str]]", sockets: "Iterable[str]" = (), frozen: "Iterable[str]" = ()) -> None:
    """Take these from this process and all that it starts, for good; raises OSError where it does not work.

    Of each directory in `views` only the listed paths beneath it remain, and its links; each of `sockets` becomes an
    empty file; nothing of what is `frozen` can be changed.
    """
    _own_mounts()
    for directory, kept in views.items():
        _show_only(directory, kept)
    for path in sockets:
        _cover_socket(path)
    for path in frozen:
        _freeze(path)
    os.chdir(os.getcwd())  # noqa: PTH109 - what is open still leads to the place below the mount


def _own_mounts() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(NEW_MOUNTS):
        user, group = os.getuid(), os.getgid()
        if library.unshare(NEW_MOUNTS | NEW_USERS):
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


def _freeze(path: str) -> None:
    """Mount a place over itself, to be read only; every other property of its mounts stays, as it has to."""
    _mount(path, path, "", BIND | RECURSIVE)
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY, 0, 0, 0)
    call = ctypes.CDLL(None, use_errno=True).syscall
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    if call(SET_ATTRIBUTES, WORKING_DIRECTORY, os.fsencode(path), ALL_BELOW, ctypes.byref(attributes), size):
        raise _failure(f"{path} could not be frozen")


def _mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    library = ctypes.CDLL(None, use_errno=True)
    words = [os.fsencode(word) or None for word in (source, target, kind)]
    if library.mount(*words, ctypes.c_ulong(flags), os.fsencode(options) or None):
        raise _failure(f"{target} could not be covered")


def _failure(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":  # whether that is possible here
    _own_mounts()
