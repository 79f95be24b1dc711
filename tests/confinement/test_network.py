"""Where an agent's process connects to: the ports that are open to it, by whatever way, and no others."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mama_bot.confinement import landlock, seccomp
from mama_bot.confinement.ports import given_by_kernel
from mama_bot.confinement.sandbox import Network
from tests.confinement.test_sandbox import Place

__all__ = ["place"]
pytestmark = pytest.mark.skipif(
    landlock.version() < landlock.PORTS_SINCE or not seccomp.knows_this_machine(),
    reason="this kernel confines no TCP",
)

# Each way prints what it came to: a connection, or the error's name.
WAYS = """
import ctypes, errno, socket, struct, sys
address, way = ("127.0.0.1", int(sys.argv[1])), sys.argv[2]
def connected(protocol=0, option=None):
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol)
    if option: client.setsockopt(socket.IPPROTO_TCP, option, 1)
    client.connect(address)
    client.send(b"x")
def sent(flags, message=False):
    client = socket.socket()
    client.sendmsg([b"x"], [], flags, address) if message else client.sendto(b"x", flags, address)
def several():
    library, text = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(b"x")
    packed = struct.pack("!HH4s8x", 0, address[1], socket.inet_aton(address[0]))
    name = ctypes.create_string_buffer(struct.pack("=H", socket.AF_INET) + packed[2:])
    vector = (ctypes.c_uint64 * 2)(ctypes.addressof(text), 1)
    header = (ctypes.c_uint64 * 8)(ctypes.addressof(name), 16, ctypes.addressof(vector), 1, 0, 0, 0, 0)
    client = socket.socket()
    if library.sendmmsg(client.fileno(), header, 1, 0x20000000) < 0:
        raise OSError(ctypes.get_errno(), "")
def ring():
    if ctypes.CDLL(None, use_errno=True).syscall(425, 4, None) < 0:
        raise OSError(ctypes.get_errno(), "")
ways = {
    "plainly": connected,
    "multipath": lambda: connected(262),
    "shared memory": lambda: connected(256),
    "shared memory, as a family": lambda: socket.socket(43, socket.SOCK_STREAM),
    "the host of a virtual machine": lambda: socket.socket(40, socket.SOCK_STREAM),
    "several at once": lambda: several(),
    "fast open": lambda: sent(0x20000000),
    "fast open, in pieces": lambda: sent(0x20004000, True),
    "fast open, connecting": lambda: connected(0, 30),
    "ring": ring,
}
try:
    ways[way]()
    print("connected")
except OSError as error:
    print(errno.errorcode[error.errno])
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(10)
        yield listening


def outcome(place: Place, port: int, way: str, allowed: tuple[tuple[int, int], ...]) -> str:
    script = place.work / "ways.py"
    script.write_text(WAYS, encoding="utf-8")
    network = Network(open=lambda _: allowed, own=tuple)
    ended = place.run(f"{Path(sys.executable).resolve()} -I {script} {port} '{way}'", network=network)
    assert ended.stderr == ""
    return ended.stdout.strip()


@pytest.mark.parametrize("way", ["plainly", "fast open, connecting"])
def test_a_port_that_is_open_is_reached(place: Place, server: socket.socket, way: str) -> None:
    port = server.getsockname()[1]
    assert outcome(place, port, way, ((80, 80), (port, port))) == "connected"


@pytest.mark.parametrize(
    ("way", "answer"),
    [
        ("plainly", "EACCES"),
        ("multipath", "EPROTONOSUPPORT"),
        ("shared memory", "EPROTONOSUPPORT"),
        ("shared memory, as a family", "EAFNOSUPPORT"),
        ("the host of a virtual machine", "EAFNOSUPPORT"),
        ("several at once", "ENOTSUP"),
        ("fast open", "ENOTSUP"),
        ("fast open, in pieces", "ENOTSUP"),
        ("fast open, connecting", "EACCES"),
        ("ring", "ENOSYS"),
    ],
)
def test_no_way_leads_to_another_port(place: Place, server: socket.socket, way: str, answer: str) -> None:
    port = server.getsockname()[1]
    assert outcome(place, port, way, ((80, 80), (port + 1, port + 1), (port - 1, port - 1))) == answer


def test_programs_serve_and_connect_to_what_they_serve(place: Place) -> None:
    script = place.work / "serve.py"
    script.write_text(
        "import socket, asyncio\n"
        "async def main():\n"
        "    server = await asyncio.start_server(lambda r, w: (w.write(b'hello'), w.close()), '127.0.0.1', 0)\n"
        "    reader, _ = await asyncio.open_connection(*server.sockets[0].getsockname())\n"
        "    print((await reader.read()).decode(), socket.socketpair()[0].family.name)\n"
        "asyncio.run(main())\n",
        encoding="utf-8",
    )
    network = Network(open=lambda _: given_by_kernel(), own=lambda: {40000})
    ended = place.run(f"{Path(sys.executable).resolve()} -I {script}", network=network)
    assert (ended.stdout, ended.stderr) == ("hello AF_UNIX\n", "")


def test_no_limit_of_another_process_is_set_and_no_key_of_the_user_is_reached(place: Place) -> None:
    script = place.work / "limits.py"
    script.write_text(
        "import ctypes, errno, os, resource, sys\n"
        "kind = resource.RLIMIT_CORE\n"
        "resource.prlimit(0, kind, (0, 0))\n"
        "print(resource.getrlimit(kind))\n"
        "try:\n"
        "    resource.prlimit(int(sys.argv[1]), kind, resource.getrlimit(kind))\n"
        "except OSError as error:\n"
        "    print(errno.errorcode[error.errno])\n"
        "for call in (248, 249, 250) if os.uname().machine == 'x86_64' else (217, 218, 219):\n"
        "    library = ctypes.CDLL(None, use_errno=True)\n"
        "    print(library.syscall(call, 0, 0, 0, 0, 0), errno.errorcode[ctypes.get_errno()])\n",
        encoding="utf-8",
    )
    network = Network(open=lambda _: (), own=tuple)
    ended = place.run(f"{Path(sys.executable).resolve()} -I {script} {os.getpid()}", network=network)
    assert ended.stderr == ""
    assert ended.stdout.splitlines() == ["(0, 0)", "EPERM", *["-1 ENOSYS"] * 3]
