"""Closes the ways to a TCP server that Landlock does not see, by a seccomp filter: no privilege is needed for that.

Landlock judges `connect` of TCP sockets. Sockets of Multipath TCP and of SMC fall back to plain TCP with any server,
the flag MSG_FASTOPEN connects while it sends, and io_uring makes sockets without a call that a filter could see. The
host of a virtual machine is no network at all (VSOCK). Programs meet what an older kernel would answer (no such
protocol, no such operation, no such call), and fall back.

Two more are no detours of the network, and of no kernel part that confines: a limit that is set for another process
ends it as a signal would, and the keys of a user and a session are those of the service too.

Stand-alone and of the standard library only, as `landlock` is. The numbers are those of the kernel's `uapi/linux`
headers (`filter.h`, `seccomp.h`, `audit.h`) and of the tables of system calls.
"""

import ctypes
import errno
import os

SET_SECCOMP, FILTER_MODE = 22, 2
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # places in the kernel's account of a call
PROTOCOLS = (262, 256)  # IPPROTO_MPTCP, IPPROTO_SMC
FAMILIES = (40, 43)  # AF_VSOCK, AF_SMC
FAST_OPEN = 0x20000000
FOREIGN_NUMBERS = 0x40000000  # the bit of the x32 calls of a 64-bit Intel kernel
ALLOWED = (RETURN, 0, 0, ALLOW)


# For each architecture, by its number in the kernel's account: socket, sendto, sendmsg, sendmmsg, io_uring_setup, and
# socketcall where it has that (its arguments lie in memory, where a filter does not look).
CALLS = {
    0xC000003E: (41, 44, 46, 307, 425),  # x86_64
    0x40000003: (359, 369, 370, 345, 425, 102),  # i386
    0xC00000B7: (198, 206, 211, 269, 425),  # aarch64
    0x40000028: (281, 290, 296, 374, 425),  # arm
    0xC00000F3: (198, 206, 211, 269, 425),  # riscv64
}
# prlimit64, then add_key, request_key and keyctl.
OTHERS = {
    0xC000003E: (302, 248, 249, 250),
    0x40000003: (340, 286, 287, 288),
    0xC00000B7: (261, 217, 218, 219),
    0x40000028: (369, 309, 310, 311),
    0xC00000F3: (261, 217, 218, 219),
}
MACHINES = frozenset({"x86_64", "i686", "aarch64", "armv7l", "riscv64"})


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("then", ctypes.c_uint8),
        ("otherwise", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction)))


def knows_this_machine() -> bool:
    """Return whether the calls of this machine are known here."""
    return os.uname().machine in MACHINES and os.uname().sysname == "Linux"


def close_detours() -> None:
    """Refuse these ways to this process and to all that it starts, for good; raises OSError where it does not work.

    The process must have given up new privileges before.
    """
    install(_program())


def install(lines: list[tuple[int, int, int, int]]) -> None:
    """Filter the calls of this process and of all that it starts by these instructions; raises OSError."""
    written = [_Instruction(*line) for line in lines]
    instructions = (_Instruction * len(written))(*written)
    program = _Program(len(written), instructions)
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(SET_SECCOMP, FILTER_MODE, ctypes.byref(program), 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, f"the kernel did not take the filter of system calls: {os.strerror(number)}")


def _program() -> list[tuple[int, int, int, int]]:
    """Return the filter: a block for each architecture; a call of any other could be any call, and is refused."""
    lines = []
    for architecture, numbers in CALLS.items():
        limit, *keys = OTHERS[architecture]
        block = [*_limits(limit), *_of_architecture(*numbers, *keys)]
        lines += [(LOAD, 0, 0, ARCHITECTURE), *_where(architecture, block)]
    return [*lines, _refuse(errno.ENOSYS)]


def _limits(number: int) -> list[tuple[int, int, int, int]]:
    """Return lines that refuse to set a limit of another process: one of no time at all would end it."""
    refused = [_refuse(errno.EPERM)]
    sets = [(LOAD, 0, 0, _argument(2)), (EQUAL, 1, 0, 0), *refused, (LOAD, 0, 0, _argument(2) + 4), (EQUAL, 1, 0, 0)]
    other = [(LOAD, 0, 0, _argument(0)), (EQUAL, len(sets) + 1, 0, 0), *sets, *refused]
    return [(LOAD, 0, 0, NUMBER), *_where(number, [*other, ALLOWED])]


def _of_architecture(
    socket: int, sendto: int, sendmsg: int, sendmmsg: int, *whole: int
) -> list[tuple[int, int, int, int]]:
    lines = [(LOAD, 0, 0, NUMBER), (ANY_BIT, 0, 1, FOREIGN_NUMBERS), _refuse(errno.ENOSYS)]
    for number in whole:
        lines += _where(number, [_refuse(errno.ENOSYS)])
    families = [line for family in FAMILIES for line in _where(family, [_refuse(errno.EAFNOSUPPORT)])]
    protocols = [line for protocol in PROTOCOLS for line in _where(protocol, [_refuse(errno.EPROTONOSUPPORT)])]
    made = [(LOAD, 0, 0, _argument(0)), *families, (LOAD, 0, 0, _argument(2)), *protocols, ALLOWED]
    lines += _where(socket, made)
    for number, place in ((sendto, 3), (sendmsg, 2), (sendmmsg, 3)):
        fast = [(ANY_BIT, 0, 1, FAST_OPEN), _refuse(errno.EOPNOTSUPP)]
        lines += _where(number, [(LOAD, 0, 0, _argument(place)), *fast, ALLOWED])
    return [*lines, ALLOWED]


def _where(value: int, lines: list[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Return lines that are passed over unless what was loaded is the value; a jump reaches 255 of them."""
    return [(EQUAL, 0, len(lines), value), *lines]


def _refuse(number: int) -> tuple[int, int, int, int]:
    return (RETURN, 0, 0, REFUSE | number)


def _argument(place: int) -> int:
    """Return where the lower half of an argument stands: each has eight bytes, the lower half first."""
    return ARGUMENTS + 8 * place
