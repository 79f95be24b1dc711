"""Which sockets with a path an agent could use, and that a process behind the walls does not."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from mama_bot.confinement.machine import has_mount_namespaces
from mama_bot.confinement.path_sockets import covers_for, usable_sockets
from mama_bot.confinement.sandbox import Covers
from tests.confinement.test_sandbox import Place, place
from tests.marks import needs_landlock

__all__ = ["place"]
ASK = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print('connected')"


@pytest.fixture
def run() -> Iterator[Path]:
    """A directory of daemons: a path of a socket is short."""
    with TemporaryDirectory(prefix="run-") as directory:
        yield Path(directory).resolve()


def serve(path: Path) -> socket.socket:
    path.parent.mkdir(parents=True, exist_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()
    return server


def test_a_socket_that_this_user_may_use_is_known_wherever_it_is(run: Path, tmp_path: Path) -> None:
    listed = tmp_path / "unix"
    with serve(run / "docker.sock"), serve(run / "user/bus"), serve(run / "elsewhere/x.sock"), serve(run / "mine"):
        (run / "a-file").touch()
        (run / "link").symlink_to(run / "docker.sock")
        listed.write_text(
            "Num RefCount Protocol Flags Type St Inode Path\n"
            f"0: 2 0 10000 1 1 7 {run}/elsewhere/x.sock\n1: 2 0 10000 1 1 8 @abstract\n2: 2 0 0 1 1 9\n",
            encoding="utf-8",
        )
        usable = usable_sockets(run=run / "user", listed=listed, known=[str(run / "link"), str(run / "missing")])
    assert usable == (run / "docker.sock", run / "elsewhere/x.sock", run / "user/bus")


@pytest.mark.skipif(os.getuid() == 0, reason="root may use every socket")
def test_a_socket_of_others_is_none(run: Path) -> None:
    with serve(run / "theirs"):
        (run / "theirs").chmod(0o400)
        assert usable_sockets(run=run, listed=run / "none", known=()) == ()


def test_what_is_kept_stays_and_of_the_directory_of_daemons_all_but_the_sockets(run: Path) -> None:
    for name in ("lock", "user/1000/keys", "docker"):
        (run / name).mkdir(parents=True)
    taken = [run / "user/1000/bus", run / "docker.sock", Path("/srv/x.sock")]
    covers = covers_for([*taken, run / "docker/kept"], kept=[Path("/srv/kept")], run=run)
    assert covers.sockets == ("/srv/x.sock",)
    assert sorted(covers.views[str(run)]) == [str(run / "lock"), str(run / "user/1000/keys")]
    assert covers_for([run / "docker.sock"], kept=[run / "docker.sock"], run=run) == Covers()
    # The workspace itself may lie there: then each socket is covered for itself.
    assert covers_for(taken, kept=[run / "lock"], run=run) == Covers(sockets=tuple(map(str, taken)))


@needs_landlock
@pytest.mark.skipif(not has_mount_namespaces(), reason="this user gets no mount namespace")
def test_a_process_behind_the_walls_meets_no_daemon_and_one_that_begins_later_neither(place: Place, run: Path) -> None:
    (run / "lock").mkdir()
    (run / "lock/note").write_text("a note", encoding="utf-8")
    outside, kept = place.root / "x.sock", place.work / "own.sock"
    sockets = [run / "docker.sock", outside, kept]
    ask = f'{Path(sys.executable).resolve()} -I -c "{ASK}"'
    servers = [serve(path) for path in sockets]
    try:
        covering = replace(place.sandbox, covers=lambda needed: covers_for(sockets, kept=needed, run=run))
        place.sandbox = covering
        later = f"cat {run}/lock/note; echo; ls {run}; {ask} {run}/docker.sock; {ask} {outside}; {ask} {kept}"
        ended = place.run(later)
    finally:
        for server in servers:
            server.close()
    assert ended.stdout.split() == ["a", "note", "lock", "connected"]
    assert "FileNotFoundError" in ended.stderr
    assert "ConnectionRefusedError" in ended.stderr
    assert subprocess.run(["mount"], capture_output=True, text=True, check=True).stdout.count(str(run)) == 0


@needs_landlock
@pytest.mark.skipif(not has_mount_namespaces(), reason="this user gets no mount namespace")
def test_a_socket_that_comes_and_goes_keeps_no_agent_from_starting(run: Path) -> None:
    flips = "import os, sys\nwhile True: os.close(os.open(sys.argv[1], os.O_CREAT)); os.unlink(sys.argv[1])"
    covers = "import sys; from mama_bot.confinement.mounts import cover\nfor _ in range(50): cover({}, [sys.argv[1]])"
    path = str(run / "x.sock")
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", flips, path]) as flipping:
        try:
            subprocess.run([sys.executable, "-c", covers, path], check=True)
            assert flipping.poll() is None
        finally:
            flipping.kill()
