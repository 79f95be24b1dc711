"""What this process's memory is made of, as its allocators tell it (Linux, glibc): `made_of()`."""

import _sqlite3  # its library is the one that the driver of the store uses
import ctypes
import os
import sys
from dataclasses import dataclass
from pathlib import Path

MEGABYTE = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeOf:
    """Megabytes of this process (`anonymous`: without files; of the C heap what is in use, and free), and objects."""

    memory: float
    anonymous: float
    heap_used: float
    heap_free: float
    sqlite: float
    objects: int


class _Heap(ctypes.Structure):
    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "free_chunks", "fast_chunks", "mapped_chunks", "mapped"),
            *("unused", "fast_free", "used", "free", "trimmable"),
        )
    )


def made_of() -> MadeOf:
    """Return what there is now."""
    libc = ctypes.CDLL(None)
    ask = libc.mallinfo2
    ask.restype = _Heap
    heap = ask()
    sqlite = ctypes.CDLL(_sqlite3.__file__).sqlite3_memory_used
    sqlite.restype = ctypes.c_int64
    pages, shared = (int(word) for word in Path("/proc/self/statm").read_text(encoding="ascii").split()[1:3])
    page = os.sysconf("SC_PAGE_SIZE")
    return MadeOf(
        memory=pages * page / MEGABYTE,
        anonymous=(pages - shared) * page / MEGABYTE,
        heap_used=(heap.used + heap.mapped) / MEGABYTE,
        heap_free=heap.free / MEGABYTE,
        sqlite=sqlite() / MEGABYTE,
        objects=sys.getallocatedblocks(),
    )
