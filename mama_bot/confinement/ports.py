"""Which ports of TCP agents connect to: the kernel knows ports and no hosts, so these are open wherever they lead."""

import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

Ports = tuple[tuple[int, int], ...]

# What a developer's tools speak with the world: ssh, names, the web, git, keys.
OUTSIDE: Ports = ((22, 22), (53, 53), (80, 80), (443, 443), (9418, 9418), (11371, 11371))
# Where the servers of common tools listen while somebody works on a program. No database is among them: those of this
# machine may hold anybody's data, and many ask for no password.
DEVELOPMENT: Ports = (
    *((3000, 3010), (4000, 4010), (4173, 4174), (4200, 4201), (4321, 4322), (4567, 4567), (4873, 4873)),
    *((5000, 5010), (5173, 5180), (5500, 5501), (6006, 6007), (7000, 7001), (8000, 8100), (8443, 8443)),
    *((8501, 8501), (8787, 8787), (8880, 8899), (9000, 9010), (19000, 19006), (24678, 24678)),
)
LAST_PORT = 65535
EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
SCHEMES = {
    "http": 80,
    "https": 443,
    "socks4": 1080,
    "socks5": 1080,
    "socks5h": 1080,
    "postgresql": 5432,
    "postgres": 5432,
}
LISTENS = "0A"


def given_by_kernel(file: Path = EPHEMERAL) -> Ports:
    """Return the ports that a server gets which asks for any: those of tests on this machine."""
    try:
        first, last = (int(word) for word in file.read_text(encoding="ascii").split())
    except (OSError, ValueError):
        return ((32768, 60999),)
    return ((first, last),)


def port_of(url: str) -> int | None:
    """Return the port that a URL leads to; None where it names neither one nor a scheme that has one."""
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        return parts.port or SCHEMES.get(parts.scheme.partition("+")[0])
    except ValueError:
        return None


def without(ports: Iterable[tuple[int, int]], left_out: Collection[int]) -> Ports:
    """Return ports in order, each once, but for those that are left out."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted((max(1, first), min(last, LAST_PORT)) for first, last in ports):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        elif first <= last:
            merged.append((first, last))
    return tuple(piece for span in merged for piece in _pieces(span, left_out))


def _pieces(span: tuple[int, int], left_out: Collection[int]) -> Iterator[tuple[int, int]]:
    first, last = span
    for port in sorted(port for port in set(left_out) if first <= port <= last):
        if first < port:
            yield first, port - 1
        first = port + 1
    if first <= last:
        yield first, last


def listening_here(process: Path = Path("/proc/self")) -> frozenset[int]:
    """Return the ports of TCP on which this process itself listens; none where there is no /proc."""
    sockets = _sockets(process)
    ports = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = (process / "net" / table).read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue
        for words in map(str.split, lines):
            if words[3] == LISTENS and words[9] in sockets:
                ports.add(int(words[1].rpartition(":")[2], 16))
    return frozenset(ports)


def _sockets(process: Path) -> frozenset[str]:
    """Return the numbers of the sockets that a process has open."""
    numbers = set()
    try:
        entries = list((process / "fd").iterdir())
    except OSError:
        return frozenset()
    for entry in entries:
        try:
            status = os.stat(entry)  # noqa: PTH116 - of what the descriptor leads to
        except OSError:  # closed meanwhile
            continue
        if stat.S_ISSOCK(status.st_mode):
            numbers.add(str(status.st_ino))
    return frozenset(numbers)
