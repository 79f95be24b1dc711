"""One service for each data directory."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mama_bot.app.instance import LOCK_NAME, own_directory, owner_of
from mama_bot.errors import AlreadyRunning, ConfigurationError

HOLD = """
import sys
from pathlib import Path
from mama_bot.app.instance import own_directory
with own_directory(Path(sys.argv[1])):
    print("owned", flush=True)
    sys.stdin.read()
"""


def hold(directory: Path) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"owned\n"
    return process


def test_a_second_owner_is_refused_with_the_pid_of_the_first(tmp_path: Path) -> None:
    with hold(tmp_path) as first:
        try:
            with pytest.raises(AlreadyRunning, match=f"process {first.pid}") as caught, own_directory(tmp_path):
                pass
            assert caught.value.pid == first.pid == owner_of(tmp_path)
        finally:
            first.kill()


def test_the_lock_goes_when_the_owner_is_killed(tmp_path: Path) -> None:
    with hold(tmp_path) as first:
        first.send_signal(signal.SIGKILL)
        first.wait(timeout=10)
    assert owner_of(tmp_path) is None
    with own_directory(tmp_path):
        assert (tmp_path / LOCK_NAME).read_text() == f"{os.getpid()}\n"


def test_a_directory_is_owned_for_the_block_and_made_when_missing(tmp_path: Path) -> None:
    directory = tmp_path / "a" / "b"
    assert owner_of(directory) is None
    for _ in range(2):
        with own_directory(directory):
            assert owner_of(directory) == os.getpid()
        assert owner_of(directory) is None


def test_a_lock_without_a_pid_has_an_owner_without_a_name(tmp_path: Path) -> None:
    with own_directory(tmp_path):
        (tmp_path / LOCK_NAME).write_bytes(b"\xff what")
        with pytest.raises(AlreadyRunning, match="in use by another process"), own_directory(tmp_path):
            pass


@pytest.mark.parametrize("below", ["file", "file/data", "x" * 300])
def test_an_impossible_directory_is_refused_with_what_to_do(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigurationError, match=r"cannot be used: .*MAMA_DATA_DIRECTORY") as caught,
        own_directory(tmp_path / below),
    ):
        pass
    assert caught.value.file == tmp_path / below


def test_a_directory_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / LOCK_NAME).mkdir()  # cannot be opened for writing, even by root
    with pytest.raises(ConfigurationError, match="cannot be used: Is a directory"), own_directory(tmp_path):
        pass
