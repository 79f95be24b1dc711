"""Confines a process, and all that it starts, by the kernel: Linux's Landlock, without any privilege.

Stand-alone and of the standard library only: the launcher loads it from its file. The numbers are those of the kernel's
`uapi/linux/landlock.h`, `prctl.h` and `capability.h`; what a right means stands in its documentation (userspace-api,
"Landlock: unprivileged access control").
"""

import ctypes
import os
import stat
from collections.abc import Iterable, Sequence

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION = 1
BENEATH, PORT = 1, 2
EXECUTE, WRITE_FILE, READ_FILE, READ_DIRECTORY = 1, 1 << 1, 1 << 2, 1 << 3
FIRST_RIGHTS = (1 << 13) - 1  # execute, read, write, make and remove entries
REFER, TRUNCATE, DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_CONTROL
READING = EXECUTE | READ_FILE | READ_DIRECTORY
SINCE = ((2, REFER), (3, TRUNCATE), (5, DEVICE_CONTROL))
CONNECT = 1 << 1
PORTS_SINCE, SCOPES_SINCE = 4, 6
ABSTRACT_SOCKETS, SIGNALS = 1, 2
NO_NEW_PRIVILEGES = 38
DROP_BOUNDING = 24
CAPABILITIES_VERSION = 0x20080522
LAST_CAPABILITY = 63


class _Ruleset(ctypes.Structure):
    _fields_ = (("filesystem", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("directory", ctypes.c_int32))


class _Port(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("port", ctypes.c_uint64))


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("process", ctypes.c_int))


class _Capabilities(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def version() -> int:
    """Return the version of Landlock that the kernel has; 0 where it has none, or where it is switched off."""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        return max(0, int(library.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)))
    except (OSError, AttributeError):
        return 0


def confine(
    *,
    readable: Iterable[str],
    writable: Iterable[str],
    connectable: Iterable[Sequence[int]] | None = None,
    scoped: bool = True,
) -> None:
    """Leave this process, for good, only what lies at or beneath these paths; one that is not there counts for nothing.

    It may read and execute what is `readable`, and do anything with what is `writable`. By TCP it reaches the ports
    from the first to the last of each pair in `connectable`, whoever listens there (version 4); None leaves the network
    as it is. Where it is `scoped`, signals and abstract sockets of processes outside are out of reach (version 6).
    A process confined anew keeps no more than what both leave it, and others of the old confinement can read neither
    its memory nor what it has open. Raises OSError where it does not work.
    """
    known = version()
    rights = FIRST_RIGHTS
    for since, right in SINCE:
        rights |= right if known >= since else 0
    ports = None if known < PORTS_SINCE else connectable
    scopes = ABSTRACT_SOCKETS | SIGNALS if scoped and known >= SCOPES_SINCE else 0
    library = ctypes.CDLL(None, use_errno=True)
    ruleset = _Ruleset(rights, CONNECT if ports is not None else 0, scopes)
    size = 24 if scopes else 16 if ports is not None else 8  # an older kernel takes no longer a structure
    rules = library.syscall(CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(size), 0)
    if rules < 0:
        raise _failure("no Landlock ruleset could be made")
    try:
        for path in readable:
            _allow(library, rules, path, READING & rights)
        for path in writable:
            _allow(library, rules, path, rights)
        _allow_ports(library, rules, ports or ())
        if library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or library.syscall(RESTRICT_SELF, rules, 0):
            raise _failure("Landlock did not take the ruleset")
    finally:
        os.close(rules)


def keep_signals() -> bool:
    """Leave this process no signal to any but itself and what it starts; returns False where the kernel cannot."""
    if version() < SCOPES_SINCE:
        return False
    library = ctypes.CDLL(None, use_errno=True)
    # Every ruleset denies links and moves between directories to what comes below it, unless it allows them.
    ruleset = _Ruleset(REFER, 0, SIGNALS)
    rules = library.syscall(CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), 0)
    if rules < 0:
        return False
    try:
        _allow(library, rules, "/", REFER)
        return not (library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or library.syscall(RESTRICT_SELF, rules, 0))
    finally:
        os.close(rules)


def _allow_ports(library: ctypes.CDLL, rules: int, ranges: Iterable[Sequence[int]]) -> None:
    """Add a rule for each port: the kernel knows no ranges, and takes tens of thousands in some 50 ms."""
    rule = _Port(CONNECT, 0)
    reference, add = ctypes.byref(rule), library.syscall
    for first, last in ranges:
        for port in range(first, last + 1):
            rule.port = port
            if add(ADD_RULE, rules, PORT, reference, 0):
                raise _failure(f"Landlock did not take a rule for port {port}")


def _allow(library: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    try:
        directory = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        given = rights if stat.S_ISDIR(os.fstat(directory).st_mode) else rights & OF_A_FILE
        rule = _Beneath(given, directory)
        if library.syscall(ADD_RULE, rules, BENEATH, ctypes.byref(rule), 0):
            raise _failure(f"Landlock did not take a rule for {path}")
    finally:
        os.close(directory)


def drop_capabilities() -> None:
    """Give up every capability for good, so that even root reads no environment of others; raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    for capability in range(LAST_CAPABILITY + 1):
        library.prctl(DROP_BOUNDING, capability, 0, 0, 0)  # refused where there is none to drop
    header = _Header(CAPABILITIES_VERSION, 0)
    none = (_Capabilities * 2)()
    if library.capset(ctypes.byref(header), none):
        raise _failure("the capabilities could not be dropped")


def _failure(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
