"""What a command of an agent reaches, in a confinement of its own below that of the CLI which starts it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mama_bot.confinement import shell
from mama_bot.confinement.machine import working_bubblewrap
from tests.marks import WITHOUT_LANDLOCK, needs_bubblewrap, needs_landlock
from tests.walls import refusals

pytestmark = needs_landlock
MEANS = "MEANS_OF_THIS_TEST"


@pytest.fixture(autouse=True, params=["Landlock", pytest.param("bubblewrap", marks=needs_bubblewrap)])
def means(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What confines a command in each of these tests."""
    monkeypatch.setenv(MEANS, request.param)


def run(
    command: str,
    tmp_path: Path,
    *,
    writable: Sequence[Path] = (),
    new: str = "",
    place: str = "",
    output: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    named = [f"{letter}{pattern}" for letter, pattern in (("n", new), ("p", place)) if pattern]
    bubblewrap = os.environ[MEANS] == "bubblewrap"
    named += [f"b{working_bubblewrap()}"] if bubblewrap else []
    entries = ["r/", *(f"w{path}" for path in (*writable, "/dev/null")), *named]
    file = tmp_path / "reach"
    file.write_text("".join(f"{entry}\0" for entry in entries), encoding="utf-8")
    with (output or tmp_path / "output").open("a", encoding="utf-8") as opened:
        return subprocess.run(
            [
                *(WITHOUT_LANDLOCK if bubblewrap else ()),
                sys.executable,
                "-I",
                "-S",
                shell.__file__,
                str(file),
                "/bin/sh",
                "-c",
                command,
            ],
            stdout=opened if output else subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={"PATH": os.environ["PATH"], "ANTHROPIC_API_KEY": "a-token", "CLAUDE_PID": "1", "LANG": "C"},
            text=True,
            timeout=30,
            check=False,
        )


def test_it_writes_what_it_may_and_nothing_else(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    ended = run(f"echo x > {work}/a; echo y > {tmp_path}/b; cat {work}/a", tmp_path, writable=[work])
    assert refusals(ended.stdout)
    assert ended.stdout.endswith("x\n")
    assert not (tmp_path / "b").exists()


def test_it_writes_its_own_output_by_name_as_well(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    other.write_text("as it was", encoding="utf-8")
    run(
        f"echo first; echo second >> /dev/stderr; echo third >> /proc/self/fd/1; echo x > {other}",
        tmp_path,
        output=mine,
    )
    assert mine.read_text(encoding="utf-8").splitlines()[:3] == ["first", "second", "third"]
    assert other.read_text(encoding="utf-8") == "as it was"


def test_a_new_file_of_the_pattern_that_its_line_names_may_be_written_and_no_other(tmp_path: Path) -> None:
    pattern = f"{tmp_path}/desk/claude-*-cwd"
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk/claude-old-cwd").write_text("/elsewhere", encoding="utf-8")
    names = ("claude-1f-cwd", "claude-old-cwd", "other", "claude-.-cwd/../x-cwd")
    for name in names:
        run(f"pwd >| {tmp_path}/desk/{name}", tmp_path, new=pattern)
    assert sorted(path.name for path in (tmp_path / "desk").iterdir()) == [
        "claude-.-cwd",
        "claude-1f-cwd",
        "claude-old-cwd",
    ]
    assert (tmp_path / "desk/claude-1f-cwd").read_text(encoding="utf-8") == f"{Path.cwd()}\n"
    assert (tmp_path / "desk/claude-old-cwd").read_text(encoding="utf-8") == "/elsewhere"


def test_a_command_that_tells_no_place_ended_where_it_began(tmp_path: Path) -> None:
    (tmp_path / "desk").mkdir()
    told = tmp_path / "desk/claude-1f-cwd"
    for line, place in ((f"cd / && false && pwd >| {told}", Path.cwd()), (f"cd / && pwd >| {told}", Path("/"))):
        told.unlink(missing_ok=True)
        run(line, tmp_path, place=f"{tmp_path}/desk/claude-*-cwd")
        assert told.read_text(encoding="utf-8") == f"{place}\n"


def test_nothing_of_whoever_starts_it_is_read(tmp_path: Path) -> None:
    ended = run(f"cat /proc/{os.getpid()}/environ; ls -l /proc/{os.getpid()}/fd/0; env", tmp_path)
    assert ended.stdout.count("ermission denied") == 2
    assert "a-token" not in ended.stdout
    assert "CLAUDE_PID=1\n" in ended.stdout
    assert "SHELL=/bin/sh\n" in ended.stdout


@pytest.mark.parametrize("content", ["x/strange\0", None])
def test_what_cannot_be_confined_is_not_run(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "reach"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-I", "-S", shell.__file__, str(file), "/bin/sh", "-c", "echo ran"],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (126, "")
    assert "could not be confined" in ended.stderr
